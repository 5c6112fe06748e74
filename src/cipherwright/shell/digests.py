"""Digests of a core's files: of each text as it is, and of what its Verilog says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..rtl import words
from ..tools import digest

__all__ = ["files_digest", "rtl_digest", "rtl_names"]


def rtl_names(files: Iterable[str]) -> list[str]:
    """The names among `files` that are the core's Verilog, sorted; without its testbench."""
    return sorted(n for n in files if n.endswith((".v", ".sv")) and not n.endswith("_tb.v"))


def rtl_digest(files: Mapping[str, str]) -> str:
    """SHA-256 over what the RTL among `files`, texts by name, says: without comments, blanks and line breaks,
    without the header, which tells how a core was asked for, and without testbench.
    """
    return files_digest({n: words(files[n][files[n].index("`timescale") :]) for n in rtl_names(files)})


def files_digest(files: Mapping[str, str]) -> str:
    """One SHA-256 over all of `files`, texts by name, but record.json: 64 hexadecimal digits."""
    return digest(*(part for name in sorted(files) if name != "record.json" for part in (name, files[name])))
