"""A public function's docstring names each of its parameters; a public class or function has a docstring."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "src" / "cipherwright"
COMMANDS = "cli/"
"""A command's docstring is what `--help` says, and the fields of its one parameter have their own help."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def _own(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, Function]]:
    """Functions of a module and methods of its classes, without private ones; and the class of each."""
    for n in tree.body:
        if isinstance(n, ast.ClassDef) and not n.name.startswith("_"):
            yield from ((n, m) for m in n.body if isinstance(m, Function) and not m.name.startswith("_"))
        elif isinstance(n, Function) and not n.name.startswith("_"):
            yield None, n


def _bases(trees: Mapping[str, ast.Module]) -> dict[str, tuple[list[str], set[str]]]:
    """Of every class: the names of its bases and of its methods."""
    classes = (n for t in trees.values() for n in ast.walk(t) if isinstance(n, ast.ClassDef))
    return {
        c.name: (
            [b.id for b in c.bases if isinstance(b, ast.Name)],
            {m.name for m in c.body if isinstance(m, Function)},
        )
        for c in classes
    }


def _inherited(name: str, classes: Mapping[str, tuple[list[str], set[str]]]) -> set[str]:
    """Methods that the bases of a class have: their docstrings say what they do."""
    bases = [b for b in classes[name][0] if b in classes]
    return {m for b in bases for m in (*classes[b][1], *_inherited(b, classes))}


def _exported(tree: ast.Module) -> set[str] | None:
    """The module's `__all__`; None where it has none."""
    for n in tree.body:
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and n.targets[0].id == "__all__":
            return set(ast.literal_eval(n.value))
    return None


def unexplained(trees: Mapping[str, ast.Module]) -> list[str]:
    """What has no docstring, or one without the name of a parameter."""
    classes, found = _bases(trees), []
    for name, tree in trees.items():
        exported = _exported(tree)
        for owner, function in _own(tree):
            if exported is not None and (owner or function).name not in exported:
                continue
            if owner and function.name in _inherited(owner.name, classes):
                continue
            args = function.args
            wanted = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
            text = ast.get_docstring(function) or ""
            missing = [
                a
                for a in wanted
                if a not in ("self", "cls") and not a.startswith("_") and not re.search(rf"\b{a}\b", text)
            ]
            if missing:
                found.append(f"{name}:{function.lineno} {function.name}: {', '.join(missing)}")
    return found


def test_every_parameter_is_explained() -> None:
    files = {p.relative_to(PACKAGE).as_posix(): p for p in sorted(PACKAGE.rglob("*.py"))}
    trees = {name: ast.parse(p.read_text()) for name, p in files.items() if not name.startswith(COMMANDS)}
    assert sum(len(list(_own(t))) for t in trees.values()) > 1000
    assert unexplained(trees) == []


@pytest.mark.parametrize(
    "text",
    [
        "def f(width): pass",
        'def f(width, bits):\n    """`bits`, the most significant first."""',
        '__all__ = ["f"]\ndef f(width):\n    """Its widths."""',
        'class C:\n    def m(self, *, width):\n        """Half of it."""',
    ],
)
def test_an_unexplained_parameter_is_seen(text: str) -> None:
    assert unexplained({"mine.py": ast.parse(text)})


@pytest.mark.parametrize(
    "text",
    [
        'def f(width):\n    """Half of `width`."""',
        "def _f(width): pass",
        "__all__ = []\ndef f(width): pass",
        'class B:\n    def m(self, x):\n        """Of `x`."""\nclass C(B):\n    def m(self, x): pass',
    ],
)
def test_what_is_private_or_inherited_needs_none(text: str) -> None:
    assert unexplained({"mine.py": ast.parse(text)}) == []
