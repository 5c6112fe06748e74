"""Tests and benchmarks use public names: none that begins with an underscore is imported or reached into.
What benchmarks take from modules of tests is there.
"""

from __future__ import annotations

import ast
from pathlib import Path

_BY_NAME = ("setattr", "getattr", "delattr")
"""Functions and methods that take a name as a string."""


def private_names(text: str) -> set[str]:
    """Names with one leading underscore in imports, as attributes of anything but `self` and `cls`, and in
    strings that name an attribute.
    Names that end with an underscore are protocols of others (`_repr_html_`).
    """
    found = set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom | ast.Import):
            found.update(part for name in node.names for part in name.name.split("."))
            found.update((getattr(node, "module", None) or "").split("."))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in _BY_NAME:
            named = (a.value for a in node.args[:2] if isinstance(a, ast.Constant))
            found.update(part for name in named for part in str(name).split("."))
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) not in ("self", "cls"):
            found.add(node.attr)
    return {name for name in found if name.startswith("_") and not name.endswith("_")}


def test_no_private_names(root: Path) -> None:
    for path in sorted(p for d in ("tests", "benchmarks") for p in (root / d).rglob("*.py")):
        name = str(path.relative_to(root))
        more = private_names(path.read_text())
        assert not more, f"{name} uses {', '.join(sorted(more))}: make it public, or test what uses it"


def test_a_private_name_is_seen() -> None:
    assert private_names("from a._b import c\nimport d\nd._e(self._f, x._g_, __h__)") == {"_b", "_e"}
    assert private_names("m.setattr(x, '_h', 1)\nm.setattr('a.b._i', 2)\ngetattr(y, z)") == {"_h", "_i"}


def missing_names(text: str, root: Path) -> set[str]:
    """Names that the Python file `text` reads of modules in `tests`, and that these do not have."""
    tree, modules = ast.parse(text), dict[str, Path]()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "tests":
            folder = root.joinpath(*str(node.module).split("."))
            modules.update({n.asname or n.name: folder / f"{n.name}.py" for n in node.names})
    has = {
        name: {n for x in ast.walk(ast.parse(path.read_text())) for n in _defined(x)}
        for name, path in modules.items()
        if path.exists()
    }
    reads = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)]
    return {ast.unparse(n) for n in reads if n.value.id in has and n.attr not in has[n.value.id]}


def _defined(node: ast.AST) -> set[str]:
    """Names that a node of a module defines: functions, classes, what is assigned or imported."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return {node.id}
    return {node.asname or node.name} if isinstance(node, ast.alias) else set()


def test_what_benchmarks_read_of_tests_is_there(root: Path) -> None:
    for path in sorted((root / "benchmarks").rglob("*.py")):
        assert missing_names(path.read_text(), root) == set(), path.name


def test_a_missing_name_is_seen(root: Path) -> None:
    text = "from tests.shell import test_formal as f\nf.resized\nf.SOURCES\nf.resised"
    assert missing_names(text, root) == {"f.resised"}
