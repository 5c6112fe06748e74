"""The emitted Verilog, compiled by Verilator and driven cycle by cycle from NumPy arrays."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..tools import cache_dir, digest, find, run

__all__ = ["Cycles", "Model", "Port", "Simulation", "Words", "compile_simulation"]

Words = NDArray[np.uint8]
Cycles = NDArray[np.uint64]

_HARNESS = """\
#include "V{top}.h"
#include "verilated.h"
#include <cstdint>
#include <cstring>
#include <memory>
extern "C" {{
struct Sim {{ VerilatedContext context; std::unique_ptr<V{top}> top; }};
void* sim_new() {{ auto* s = new Sim; s->top = std::make_unique<V{top}>(&s->context); return s; }}
void sim_free(void* p) {{ delete static_cast<Sim*>(p); }}
static inline void step(V{top}& t, const uint8_t* in, uint8_t* out) {{
{loads}
    t.{clk} = 0;
    t.eval();
{stores}
    t.{clk} = 1;
    t.eval();
}}
// One row of inputs a cycle; a row of outputs as seen just before the clock edge.
void sim_run(void* p, uint64_t cycles, const uint8_t* in, uint8_t* out) {{
    for (uint64_t i = 0; i < cycles; ++i) step(*static_cast<Sim*>(p)->top, in + i * {in_bytes}, out + i * {out_bytes});
}}
// Words offered and results taken by handshake. Offsets are bytes in the rows, -1 where there is no such port;
// the key of a word is shown `lead` cycles before it. Returns the number of results.
uint64_t sim_feed(void* p, uint64_t cycles, const uint8_t* words, uint64_t n, const uint8_t* offer, const uint8_t* take,
                  const int64_t* at, uint8_t* results, uint64_t* accepted, uint64_t* delivered) {{
    const int64_t valid = at[0], ready = at[1], m_ready = at[2], m_valid = at[3], key = at[4], key_bytes = at[5], lead = at[6];
    uint8_t in[{in_bytes}], out[{out_bytes}];
    uint64_t next = 0, done = 0;
    for (uint64_t i = 0; i < cycles && done < n; ++i) {{
        const bool offering = offer[i] && next < n;
        std::memcpy(in, words + (next < n ? next : n - 1) * {in_bytes}, {in_bytes});
        if (lead) {{
            const uint64_t following = next + offering;
            std::memcpy(in + key, words + (following < n ? following : n - 1) * {in_bytes} + key, key_bytes);
        }}
        in[valid] = offering;
        if (m_ready >= 0) in[m_ready] = take[i];
        step(*static_cast<Sim*>(p)->top, in, out);
        if (offering && (ready < 0 || out[ready])) accepted[next++] = i;
        if (out[m_valid] && (m_ready < 0 || take[i])) {{
            std::memcpy(results + done * {out_bytes}, out, {out_bytes});
            delivered[done++] = i;
        }}
    }}
    return done;
}}
}}
"""


@dataclass(frozen=True)
class Port:
    """A port of the top: width in bits and its place in the row (bytes); little-endian words."""

    name: str
    width: int
    offset: int

    @property
    def size(self) -> int:
        return _storage(self.width)


def _storage(width: int) -> int:
    """Bytes in which Verilator keeps a port."""
    return next((n // 8 for n in (8, 16, 32, 64) if width <= n), -(-width // 32) * 4)


@dataclass(frozen=True)
class Simulation:
    """A compiled model. Rows are byte arrays; see `pack` and `unpack`."""

    library: Path
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @cached_property
    def _lib(self) -> ctypes.CDLL:
        lib = ctypes.CDLL(str(self.library))
        lib.sim_new.restype = ctypes.c_void_p
        lib.sim_free.argtypes = [ctypes.c_void_p]
        lib.sim_feed.restype = ctypes.c_uint64
        lib.sim_feed.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64, *[ctypes.c_void_p] * 6]
        lib.sim_run.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p]
        return lib

    @property
    def in_bytes(self) -> int:
        return sum(p.size for p in self.inputs)

    @property
    def out_bytes(self) -> int:
        return sum(p.size for p in self.outputs)

    def rows(self, cycles: int) -> NDArray[np.uint8]:
        """Zeroed input rows."""
        return np.zeros((cycles, self.in_bytes), dtype=np.uint8)

    def port(self, name: str) -> Port:
        return next(p for p in (*self.inputs, *self.outputs) if p.name == name)

    def view(self, rows: NDArray[np.uint8], name: str) -> NDArray[np.uint8]:
        """The columns of one port, least significant byte first, as many as its width needs."""
        p = self.port(name)
        return rows[:, p.offset : p.offset + -(-p.width // 8)]


class Model:
    """One instance of a simulation, which keeps its state between runs."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._p = simulation._lib.sim_new()

    def run(self, rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
        s = self.simulation
        rows = np.ascontiguousarray(rows)
        if rows.shape[1] != s.in_bytes:
            raise ValueError(f"rows have {rows.shape[1]} bytes, the model takes {s.in_bytes}")
        out = np.zeros((len(rows), s.out_bytes), dtype=np.uint8)
        s._lib.sim_run(self._p, len(rows), rows.ctypes.data, out.ctypes.data)
        return out

    def feed(self, words: Words, offer: Words, take: Words, places: Sequence[int]) -> tuple[Words, Cycles, Cycles]:
        """Offer words (rows of inputs) by handshake for len(offer) cycles at most.

        `places`: byte offsets of valid, ready, m_ready, m_valid, key, the key's bytes, and the key's lead (see the
        harness). Returns the result rows and the cycles of acceptance and delivery.
        """
        s, n = self.simulation, len(words)
        words, offer, take = (np.ascontiguousarray(a, dtype=np.uint8) for a in (words, offer, take))
        results = np.zeros((n, s.out_bytes), dtype=np.uint8)
        accepted, delivered = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
        at = np.array(places, dtype=np.int64)
        done = s._lib.sim_feed(
            self._p, len(offer), words.ctypes.data, n, offer.ctypes.data, take.ctypes.data, at.ctypes.data,
            results.ctypes.data, accepted.ctypes.data, delivered.ctypes.data,
        )  # fmt: skip
        return results[:done], accepted, delivered[:done]

    def close(self) -> None:
        if self._p:
            self.simulation._lib.sim_free(self._p)
            self._p = None


def _parse_ports(header: str) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Port names and widths from the class that Verilator wrote."""
    ins: list[tuple[str, int]] = []
    outs: list[tuple[str, int]] = []
    for kind, name, high, low in re.findall(r"VL_(IN|OUT)(?:8|16|64|W)?\(&(\w+),(\d+),(\d+)", header):
        (ins if kind == "IN" else outs).append((name, int(high) - int(low) + 1))
    return ins, outs


def compile_simulation(sources: Sequence[Path], top: str, clk: str = "clk", defines: Sequence[str] = ()) -> Simulation:
    """Compile the Verilog once; the result is kept in the cache by the content of the sources.

    Raises UserError where no C++ compiler is installed, RuntimeError where the Verilog is not accepted.
    """
    compiler = find("g++")
    key = digest(_HARNESS, _level(), top, clk, *defines, *(p.read_text() for p in sources))[:24]
    home = cache_dir() / f"sim-{key}"
    if not (home / "done").exists():
        _compile(sources, top, clk, defines, compiler, home)
    ins, outs = _parse_ports((home / f"V{top}.h").read_text())
    inputs, outputs = [], []
    offset = 0
    for name, width in ins:
        if name != clk:
            inputs.append(Port(name, width, offset))
            offset += _storage(width)
    offset = 0
    for name, width in outs:
        outputs.append(Port(name, width, offset))
        offset += _storage(width)
    return Simulation(home / "model.so", tuple(inputs), tuple(outputs))


def _level() -> str:
    """Optimisation of the compiled model: short tests spend less on compiling with CIPHERWRIGHT_SIM_LEVEL=-O0."""
    return os.environ.get("CIPHERWRIGHT_SIM_LEVEL", "-O2")


def _compile(sources: Sequence[Path], top: str, clk: str, defines: Sequence[str], compiler: str, home: Path) -> None:
    binary = find("verilator_bin")
    root = Path(binary).resolve().parent.parent
    work = Path(tempfile.mkdtemp(prefix="cipherwright-sim-", dir=home.parent))
    try:
        run(
            "verilator_bin",
            ["--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert", "-Wno-fatal", "--top-module", top,
             "--output-split", "20000", "--Mdir", str(work), *(f"-D{d}" for d in defines), *(str(p.resolve()) for p in sources)],
            env={"VERILATOR_ROOT": str(root)},
        )  # fmt: skip
        header = (work / f"V{top}.h").read_text()
        ins, outs = _parse_ports(header)
        loads, stores, at = [], [], 0
        for name, width in ins:
            if name != clk:
                loads.append(f"    std::memcpy(&t.{name}, in + {at}, {_storage(width)});")
                at += _storage(width)
        in_bytes, at = at, 0
        for name, width in outs:
            stores.append(f"    std::memcpy(out + {at}, &t.{name}, {_storage(width)});")
            at += _storage(width)
        text = _HARNESS.format(top=top, clk=clk, loads="\n".join(loads), stores="\n".join(stores), in_bytes=in_bytes, out_bytes=at)
        (work / "harness.cpp").write_text(text)
        runtime = _runtime(compiler, root)
        models = sorted(str(p) for p in work.glob("V*.cpp"))
        flags = [*_flags(root), f"-I{work}", "-include", str(_header(compiler, root))]
        jobs = []
        for cpp in [*models, str(work / "harness.cpp")]:
            jobs.append(["-c", *flags, cpp, "-o", cpp + ".o"])
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            list(pool.map(lambda args: _cxx(compiler, args), jobs))
        objects = [job[-1] for job in jobs]
        _cxx(compiler, ["-shared", "-o", str(work / "model.so"), *objects, *runtime, "-lpthread"])
        (work / "done").write_text("")
        for path in [*work.glob("*.o"), *work.glob("*.cpp")]:
            path.unlink()
        if home.exists():
            shutil.rmtree(home, ignore_errors=True)
        work.rename(home)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _cxx(compiler: str, args: Sequence[str]) -> None:
    import subprocess

    done = subprocess.run([compiler, *args], text=True, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the C++ compiler failed:\n{done.stderr[-3000:]}")


def _flags(root: Path, level: str | None = None) -> list[str]:
    """Of every file: a precompiled header is read only where they are the same."""
    return ["-std=c++17", level or _level(), "-fPIC", "-w", f"-I{root}/include", f"-I{root}/include/vltstd"]


def _once(compiler: str, made: Path, args: Sequence[str]) -> None:
    """Compile into the cache where it is not there yet."""
    if not made.exists():
        part = made.with_suffix(f".{os.getpid()}.tmp")
        _cxx(compiler, [*args, "-o", str(part)])
        part.rename(made)


def _runtime(compiler: str, root: Path) -> list[str]:
    """Verilator's runtime library, compiled once."""
    out = []
    for name in ("verilated", "verilated_threads"):
        source = root / "include" / f"{name}.cpp"
        obj = cache_dir() / f"runtime-{digest(compiler, source.read_text())[:16]}.o"
        _once(compiler, obj, ["-c", *_flags(root, "-O1"), str(source)])
        out.append(str(obj))
    return out


def _header(compiler: str, root: Path) -> Path:
    """Verilator's header, compiled once: most of the time of a small file goes into reading it. A compiler that has another form of
    compiled headers reads the text beside it."""
    flags = _flags(root)
    header = cache_dir() / f"header-{digest(compiler, *flags, (root / 'include' / 'verilated.h').read_text())[:16]}.h"
    if not header.exists():
        part = header.with_suffix(f".{os.getpid()}.text")
        part.write_text('#include "verilated.h"\n')
        part.rename(header)
    _once(compiler, header.with_suffix(".h.gch"), ["-x", "c++-header", *flags, str(header)])
    return header
