"""Examples in docstrings run; where a cipher's text is written, every public name has one."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path
from types import ModuleType

import pytest

import cipherwright as cw

EXAMPLES_EVERYWHERE = [
    importlib.import_module(f"cipherwright.{name}")
    for name in ("cipher.word", "rtl.connect", "rtl.timer", "spec.load")
]
"""Modules whose every public function has an example."""

_ELSEWHERE = ("cipherwright.library", "cipherwright.__init__")
"""Their examples take a core: tests/test_library.py runs them."""

LIBRARY = sorted(set(cw.__all__) - {"__version__"})
"""What `import cipherwright` offers."""

SRC = Path(__file__).resolve().parents[1] / "src"


def modules() -> list[str]:
    """Modules with examples."""
    found = (p for p in sorted(SRC.rglob("*.py")) if "    >>> " in p.read_text())
    names = [".".join(p.relative_to(SRC).with_suffix("").parts) for p in found]
    return [n for n in names if n not in _ELSEWHERE]


@pytest.mark.parametrize("name", modules())
def test_examples_run(name: str) -> None:
    module = importlib.import_module(name)
    assert any(t.examples for t in doctest.DocTestFinder().find(module))
    assert not doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed


@pytest.mark.parametrize("module", EXAMPLES_EVERYWHERE, ids=lambda m: m.__name__)
def test_every_public_function_has_an_example(module: ModuleType) -> None:
    shown = {t.name.rsplit(".", 1)[-1] for t in doctest.DocTestFinder().find(module) if t.examples}
    functions = {n for n in module.__all__ if callable(getattr(module, n)) and n.islower()}
    assert functions <= shown


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_has_examples_throughout(name: str) -> None:
    """Functions, classes, and the methods of a core that are no plain figures of it."""
    thing = getattr(cw, name)
    assert ">>> " in thing.__doc__
    if thing is cw.Core:
        figures = {"name", "latency", "flip_flops", "warnings", "files"}
        assert all(f"core.{figure}" in thing.__doc__ for figure in figures)
        methods = {n: m for n, m in vars(thing).items() if not n.startswith("_") and m.__doc__}
        assert {n for n, m in methods.items() if ">>> " not in m.__doc__} - figures == set()
