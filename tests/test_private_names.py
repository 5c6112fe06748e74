"""Tests use public names: none that begins with an underscore is imported or reached into."""

from __future__ import annotations

import ast
from pathlib import Path


def private_names(text: str) -> set[str]:
    """Names with one leading underscore in imports, and as attributes of anything but `self` and `cls`.
    Names that end with an underscore are protocols of others (`_repr_html_`).
    """
    found = set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom | ast.Import):
            found.update(part for name in node.names for part in name.name.split("."))
            found.update((getattr(node, "module", None) or "").split("."))
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) not in ("self", "cls"):
            found.add(node.attr)
    return {name for name in found if name.startswith("_") and not name.endswith("_")}


def test_no_private_names(root: Path) -> None:
    for path in sorted((root / "tests").rglob("*.py")):
        name = str(path.relative_to(root))
        more = private_names(path.read_text())
        assert not more, f"{name} uses {', '.join(sorted(more))}: make it public, or test what uses it"


def test_a_private_name_is_seen() -> None:
    assert private_names("from a._b import c\nimport d\nd._e(self._f, x._g_, __h__)") == {"_b", "_e"}
