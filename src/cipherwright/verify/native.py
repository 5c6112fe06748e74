"""C++ compiled to a library for this processor."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ..cache import cached
from ..errors import ToolFailed
from ..process import run_process
from ..tools import digest, find, version_of

__all__ = ["compile_library", "compiled_once", "compiler_key"]

_FLAGS = ["-std=c++17", "-O1", "-fPIC", "-shared", "-w"]
_QUICK = ["-fno-dse", "-fno-tree-dse", "-fdisable-rtl-combine"]
"""Passes of GCC that take half of its time here and find nothing."""


@cache
def _native(compiler: str) -> tuple[list[str], str]:
    """Flags for this processor's vectors that the compiler knows, and what it then takes the processor
    for.
    """
    for flags in ([*_QUICK, "-march=native"], ["-march=native"], ["-mcpu=native"], []):
        done = run_process([compiler, *flags, "-dM", "-E", "-x", "c++", "/dev/null"])
        if done.returncode == 0:
            return flags, done.stdout
    return [], ""


def compiler_key() -> str:
    """What a compiled library depends on beside its text: the compiler and the processor."""
    compiler = find("g++")
    flags, macros = _native(compiler)
    return digest(compiler, version_of(compiler), *_FLAGS, *flags, macros)


def compile_library(text: str, library: Path) -> None:
    """Compile the C++ `text` to the shared library `library`, a path. Raises ToolFailed where the compiler
    does not take it.
    """
    compiler = find("g++")
    source = library.with_suffix(".cpp")
    source.write_text(text)
    try:
        done = run_process([compiler, *_FLAGS, *_native(compiler)[0], "-o", str(library), str(source)])
        if done.returncode:
            raise ToolFailed("the C++ compiler", done.returncode, done.stdout)
    finally:
        source.unlink()


def compiled_once(name: str, text: str) -> Path:
    """The path of the shared library NAME.so (`name`) of the C++ `text`, compiled once and kept in the cache.
    Raises as `compile_library`.
    """
    file = f"{name}.so"
    key = digest(compiler_key(), file, text)
    return cached(f"{name}-{key[:24]}", lambda work: compile_library(text, work / file)) / file
