"""No circle of imports, also none that an import inside a function hides."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest


def imported(path: Path, package: Path) -> Iterator[str]:
    """Modules of a package that a file imports anywhere, by their path in the package without ending; of a
    name in a package's own module the module that it is in, where it is one.
    """
    parts = path.relative_to(package).with_suffix("").parts
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = [*parts[: len(parts) - node.level], *(node.module.split(".") if node.module else ())]
        for name in node.names:
            for found in ([*base, name.name], base):
                module = package.joinpath(*found)
                if module.with_suffix(".py").exists():
                    yield "/".join(found)
                    break
                if (module / "__init__.py").exists():
                    yield "/".join([*found, "__init__"])
                    break


def circle(package: Path) -> list[str]:
    """A circle of modules, each imported by the one after it; empty where there is none."""
    graph = {
        "/".join(p.relative_to(package).with_suffix("").parts): set(imported(p, package))
        for p in package.rglob("*.py")
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_there_is_none(root: Path) -> None:
    assert circle(root / "src" / "cipherwright") == []


@pytest.mark.parametrize("inside", [False, True], ids=["at the top", "in a function"])
def test_one_is_seen(inside: bool, tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "__init__.py").write_text("from .one import a\n")
    (tmp_path / "room" / "one.py").write_text("from ..other import b\na = b\n")
    back = "from .room.one import a\n"
    (tmp_path / "other.py").write_text(f"def f():\n    {back}b = 1\n" if inside else f"{back}b = 1\n")
    assert set(circle(tmp_path)) == {"room/one", "other"}
