"""The emitted Verilog, compiled by Verilator and driven cycle by cycle from NumPy arrays."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..cache import cached, load_library
from ..errors import ToolFailed
from ..process import check_stop, parallel, run_process
from ..tools import digest, find, run, scratch, version_of

__all__ = ["Cycles", "Model", "Port", "Simulation", "Words", "compile_simulation"]

Words = NDArray[np.uint8]
Cycles = NDArray[np.uint64]

_MODEL, _PORTS, _INCLUDED = "model.so", "ports.json", "verilated_once.h"
"""Files of the cache's entries."""

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
static inline void settle(V{top}& t, const uint8_t* in, uint8_t* out) {{
{loads}
    t.{clk} = 0;
    t.eval();
{stores}
}}
static inline void step(V{top}& t, const uint8_t* in, uint8_t* out) {{
    settle(t, in, out);
    t.{clk} = 1;
    t.eval();
}}
// One row of inputs a cycle; a row of outputs as seen just before the clock edge. Where `valid`, a byte of
// the inputs, is not -1, it is shown in those cycles alone in which `ready`, a byte of the outputs, is 1.
void sim_run(void* p, uint64_t cycles, const uint8_t* in, uint8_t* out, int64_t valid, int64_t ready) {{
    V{top}& t = *static_cast<Sim*>(p)->top;
    uint8_t row[{in_bytes}];
    for (uint64_t i = 0; i < cycles; ++i, in += {in_bytes}, out += {out_bytes}) {{
        if (valid >= 0 && in[valid]) {{
            std::memcpy(row, in, {in_bytes});
            row[valid] = 0;
            settle(t, row, out);
            step(t, out[ready] ? in : row, out);
        }} else {{
            step(t, in, out);
        }}
    }}
}}
// Words offered and results taken by handshake, in the cycles from `begin` to `end`. Offsets are bytes in
// the rows, -1 where there is no such port; the key of a word is shown `lead` cycles before it. `state`
// counts the words taken and the results so far.
void sim_feed(void* p, uint64_t begin, uint64_t end, const uint8_t* words, uint64_t n,
              const uint8_t* offer, const uint8_t* take, const int64_t* at, uint8_t* results,
              uint64_t* accepted, uint64_t* delivered, uint64_t* state) {{
    const int64_t valid = at[0], ready = at[1], m_ready = at[2], m_valid = at[3];
    const int64_t key = at[4], key_bytes = at[5], lead = at[6];
    uint8_t in[{in_bytes}], out[{out_bytes}];
    uint64_t next = state[0], done = state[1];
    for (uint64_t i = begin; i < end && done < n; ++i) {{
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
    state[0] = next;
    state[1] = done;
}}
}}
"""


@dataclass(frozen=True)
class Port:
    """A port of the top: `name`, `width` in bits and its place in the row (`offset`, in bytes); the least
    significant byte first.
    """

    name: str
    width: int
    offset: int

    @property
    def size(self) -> int:
        """Bytes of it in a row: 1, 2, 4, 8, or more words of 4."""
        return _storage(self.width)


def _storage(width: int) -> int:
    """Bytes in which Verilator keeps a port."""
    return next((n // 8 for n in (8, 16, 32, 64) if width <= n), -(-width // 32) * 4)


@dataclass(frozen=True)
class Simulation:
    """A compiled model, in the file `library`. A row has the values of all `inputs`, or of all `outputs`, as
    bytes; see `view`.
    """

    library: Path
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    tape: list[Words] | None = field(default=None, compare=False)
    """Where it is a list, it gets the rows of inputs of every cycle that a model of this simulation runs."""

    @cached_property
    def _lib(self) -> ctypes.CDLL:
        lib = load_library(self.library)
        lib.sim_new.restype = ctypes.c_void_p
        lib.sim_free.argtypes = [ctypes.c_void_p]
        lib.sim_feed.argtypes = [
            ctypes.c_void_p,
            ctypes.c_uint64,
            ctypes.c_uint64,
            ctypes.c_void_p,
            ctypes.c_uint64,
            *[ctypes.c_void_p] * 7,
        ]
        run, pointers = lib.sim_run, [ctypes.c_void_p] * 2
        run.argtypes = [ctypes.c_void_p, ctypes.c_uint64, *pointers, ctypes.c_int64, ctypes.c_int64]
        return lib

    def load(self) -> None:
        """Load the library now; it stays loaded whatever becomes of its file."""
        _ = self._lib

    @cached_property
    def in_bytes(self) -> int:
        """Bytes of a row of inputs."""
        return sum(p.size for p in self.inputs)

    @cached_property
    def out_bytes(self) -> int:
        """Bytes of a row of outputs."""
        return sum(p.size for p in self.outputs)

    @cached_property
    def _named(self) -> dict[str, Port]:
        return {p.name: p for p in (*self.outputs, *self.inputs)}

    @cached_property
    def _masks(self) -> dict[frozenset[str], Words]:
        """Inputs that are quiet -> the bits of a row that may be 1 beside them."""
        return {}

    def rows(self, cycles: int) -> NDArray[np.uint8]:
        """Rows of inputs for so many `cycles`, all 0."""
        return np.zeros((cycles, self.in_bytes), dtype=np.uint8)

    def any_rows(self, rng: np.random.Generator, cycles: int, quiet: frozenset[str]) -> NDArray[np.uint8]:
        """Rows of inputs for so many `cycles` in which the ports `quiet` are 0 and all others have any value,
        drawn from `rng`.
        """
        if quiet not in self._masks:
            mask = self.rows(1)
            for p in self.inputs:
                value = 0 if p.name in quiet else (1 << p.width) - 1
                mask[0, p.offset : p.offset + p.size] = list(value.to_bytes(p.size, "little"))
            self._masks[quiet] = mask
        rows = rng.integers(0, 256, (cycles, self.in_bytes), dtype=np.uint8)
        rows &= self._masks[quiet]
        return rows

    def port(self, name: str) -> Port:
        """The port `name`."""
        return self._named[name]

    def view(self, rows: NDArray[np.uint8], name: str) -> NDArray[np.uint8]:
        """The columns of the port `name` in `rows`, least significant byte first, as many as its width needs;
        writing to them changes the rows.
        """
        p = self._named[name]
        return rows[:, p.offset : p.offset + -(-p.width // 8)]

    def hold(self, rows: NDArray[np.uint8], values: Mapping[str, int]) -> None:
        """Set ports in all `rows` to `values`, by name, in place."""
        for name, value in values.items():
            view = self.view(rows, name)
            view[:] = np.frombuffer(value.to_bytes(view.shape[1], "little"), dtype=np.uint8)


_SLICE_S = 0.1
"""Seconds that the compiled model runs at a time: between, an interruption is seen."""


def _slices(cycles: int) -> Iterator[tuple[int, int]]:
    """Runs of cycles that take about the time above, found as they go."""
    begin, size = 0, 64
    while begin < cycles:
        check_stop()
        end, began = min(cycles, begin + size), time.monotonic()
        yield begin, end
        begin = end
        spent = time.monotonic() - began
        size = 2 * size if spent < _SLICE_S / 2 else max(1, size // 2) if spent > _SLICE_S else size


class Model:
    """One instance of a `simulation`, which keeps its state between runs. `close` gives its memory back.
    `promise`: ports of valid and ready; `run` shows valid only in cycles in which ready is 1.
    """

    def __init__(self, simulation: Simulation, promise: tuple[str, str] | None = None) -> None:
        self.simulation = simulation
        self._promise = [simulation.port(name).offset for name in promise or ()] or [-1, -1]
        self._p = simulation._lib.sim_new()

    def run(self, rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The outputs, a row a cycle as seen just before the clock's edge, for `rows` of inputs. Raises
        ValueError where these are not as long as the simulation's.
        """
        s = self.simulation
        rows = np.ascontiguousarray(rows)
        if rows.shape[1] != s.in_bytes:
            raise ValueError(f"rows have {rows.shape[1]} bytes, the model takes {s.in_bytes}")
        out = np.zeros((len(rows), s.out_bytes), dtype=np.uint8)
        given, seen, run = rows.ctypes.data, out.ctypes.data, s._lib.sim_run
        for begin, end in _slices(len(rows)):
            at = given + begin * s.in_bytes, seen + begin * s.out_bytes
            run(self._p, end - begin, *at, *self._promise)
        if s.tape is not None:
            valid, ready = self._promise
            shown = rows.copy()
            if valid >= 0:
                shown[:, valid] *= out[:, ready]
            s.tape.append(shown)
        return out

    def feed(
        self, words: Words, offer: Words, take: Words, places: Sequence[int]
    ) -> tuple[Words, Cycles, Cycles]:
        """Offer `words` (rows of inputs) by handshake for len(offer) cycles at most. `offer`, `take`: for
        every cycle, whether a word is offered and a result taken.

        `places`: byte offsets of valid, ready, m_ready, m_valid, key, the key's bytes, and the key's lead
        (see the harness). Returns the result rows and the cycles of acceptance and delivery.
        """
        s, n = self.simulation, len(words)
        words, offer, take = (np.ascontiguousarray(a, dtype=np.uint8) for a in (words, offer, take))
        results = np.zeros((n, s.out_bytes), dtype=np.uint8)
        accepted, delivered = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
        at, state = np.array(places, dtype=np.int64), np.zeros(2, dtype=np.uint64)
        for begin, end in _slices(len(offer)):
            s._lib.sim_feed(
                self._p,
                begin,
                end,
                words.ctypes.data,
                n,
                offer.ctypes.data,
                take.ctypes.data,
                at.ctypes.data,
                results.ctypes.data,
                accepted.ctypes.data,
                delivered.ctypes.data,
                state.ctypes.data,
            )
            if state[1] == n:
                break
        done = int(state[1])
        if s.tape is not None:
            cycles = int(delivered[done - 1]) + 1 if done == n and n else len(offer)
            s.tape.append(_shown(words, accepted[: int(state[0])], offer[:cycles], take, places))
        return results[:done], accepted, delivered[:done]

    def close(self) -> None:
        """Free the instance; a second call does nothing."""
        if self._p:
            self.simulation._lib.sim_free(self._p)
            self._p = None


class Recorded(Model):
    """A model of `simulation` that keeps what goes into it by `run`, and what comes out: the rows of inputs
    (`given`) and of outputs (`seen`).
    """

    def __init__(self, simulation: Simulation) -> None:
        super().__init__(simulation)
        self.given, self.seen = list[Words](), list[Words]()

    @property
    def cycles(self) -> int:
        """Cycles that it keeps."""
        return sum(map(len, self.given))

    def run(self, rows: Words) -> Words:
        """As `Model.run`; `rows` and the outputs are kept."""
        out = super().run(rows)
        self.given.append(rows.copy())
        self.seen.append(out)
        return out

    def forget(self) -> None:
        """Nothing of what was run so far is kept."""
        self.given.clear()
        self.seen.clear()


def _shown(words: Words, accepted: Cycles, offer: Words, take: Words, places: Sequence[int]) -> Words:
    """The rows of inputs that `Model.feed` shows in as many cycles as `offer` has, where words were taken in
    those that are `accepted`; `words`, `take` and `places` as there.
    """
    valid, _, m_ready, _, key, key_bytes, lead = places
    last = len(words) - 1
    before = np.searchsorted(accepted, np.arange(len(offer), dtype=np.uint64), side="left")
    offering = (offer != 0) & (before < len(words))
    rows = words[np.minimum(before, last)]
    if lead:
        ahead = words[np.minimum(before + offering, last)]
        rows[:, key : key + key_bytes] = ahead[:, key : key + key_bytes]
    rows[:, valid] = offering
    if m_ready >= 0:
        rows[:, m_ready] = take[: len(offer)]
    return rows


def _parse_ports(header: str) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Port names and widths from the class that Verilator wrote."""
    ins: list[tuple[str, int]] = []
    outs: list[tuple[str, int]] = []
    for kind, name, high, low in re.findall(r"VL_(IN|OUT)(?:8|16|64|W)?\(&(\w+),(\d+),(\d+)", header):
        (ins if kind == "IN" else outs).append((name, int(high) - int(low) + 1))
    return ins, outs


def compile_simulation(
    sources: Sequence[Path], top: str, clk: str = "clk", defines: Sequence[str] = ()
) -> Simulation:
    """Compile the module `top` of the Verilog files `sources` once, with the clock's port `clk` and the
    macros `defines` (`NAME` or `NAME=value`); the result is kept in the cache by the content of the sources
    and the versions of the tools.

    Raises UserError where no C++ compiler is installed or the cache can't be used, ToolFailed where the
    Verilog is not accepted.
    """
    compiler, binary = find("g++"), find("verilator_bin")
    key = digest(
        _HARNESS,
        _level(),
        str(_MUCH),
        _tools(compiler, binary),
        top,
        clk,
        *defines,
        *(p.read_text() for p in sources),
    )[:24]
    home = cached(
        f"sim-{key}", lambda work: _compile(sources, top, clk, defines, compiler, Path(binary), work)
    )
    ins, outs = json.loads((home / _PORTS).read_text())
    made = Simulation(home / _MODEL, _rows([p for p in ins if p[0] != clk]), _rows(outs))
    made.load()
    return made


def _rows(ports: Sequence[tuple[str, int]]) -> tuple[Port, ...]:
    """Ports one after the other in a row."""
    out, offset = [], 0
    for name, width in ports:
        out.append(Port(name, width, offset))
        offset += _storage(width)
    return tuple(out)


def _tools(compiler: str, verilator: str) -> str:
    """Everything outside the sources on which a compiled model depends."""
    return "\n".join((platform.machine(), compiler, version_of(compiler), version_of(verilator)))


_QUICK, _QUICK_MODEL = "-O0", ("-O1", "-fno-expand")
"""The level of a model that is made quickly, and what Verilator then does: it writes half as much for a large
core, and leaves operations on wide words to its library.
"""


_MUCH, _FOR_MUCH = 1 << 22, "-O1"
"""Bytes of a model's C++ from which -O2 is too much: the compiler takes four times as long for a model
that is not much quicker.
"""


def _level(size: int = 0) -> str:
    """Optimisation of a compiled model of so many bytes: short tests spend less on compiling with
    CIPHERWRIGHT_SIM_LEVEL=-O0.
    """
    return os.environ.get("CIPHERWRIGHT_SIM_LEVEL", _FOR_MUCH if size > _MUCH else "-O2")


def _compile(
    sources: Sequence[Path],
    top: str,
    clk: str,
    defines: Sequence[str],
    compiler: str,
    binary: Path,
    made: Path,
) -> None:
    """The model's library and the list of its ports, into the folder `made`."""
    root = binary.resolve().parent.parent
    with scratch() as work:
        run(
            "verilator_bin",
            [
                "--cc",
                *(_QUICK_MODEL if _level() == _QUICK else ("-O3",)),
                "--x-assign",
                "fast",
                "--x-initial",
                "fast",
                "--noassert",
                "-Wno-fatal",
                "--top-module",
                top,
                "--output-split",
                "20000",
                "--Mdir",
                str(work),
                *(f"-D{d}" for d in defines),
                *(str(p.resolve()) for p in sources),
            ],
            env={"VERILATOR_ROOT": str(root)},
        )
        ins, outs = _parse_ports((work / f"V{top}.h").read_text())
        (work / "harness.cpp").write_text(
            _harness(top, clk, _rows([p for p in ins if p[0] != clk]), _rows(outs))
        )
        runtime = _runtime(compiler, binary)
        files = [*sorted(work.glob("V*.cpp")), work / "harness.cpp"]
        level = _level(sum(f.stat().st_size for f in files))
        texts = _units(work, files, level)
        header = _header(compiler, binary, level)
        flags = [*_flags(root, level), f"-I{work}", "-include", str(header)]
        parallel(lambda cpp: _cxx(compiler, ["-c", *flags, cpp, "-o", cpp + ".o"]), texts)
        _cxx(
            compiler,
            ["-shared", "-o", str(made / _MODEL), *(cpp + ".o" for cpp in texts), *runtime, "-lpthread"],
        )
        (made / _PORTS).write_text(json.dumps([ins, outs]) + "\n")


def _harness(top: str, clk: str, ins: Sequence[Port], outs: Sequence[Port]) -> str:
    """The C++ around the model for rows of these ports."""
    loads = "\n".join(f"    std::memcpy(&t.{p.name}, in + {p.offset}, {p.size});" for p in ins)
    stores = "\n".join(f"    std::memcpy(out + {p.offset}, &t.{p.name}, {p.size});" for p in outs)
    sizes = {"in_bytes": sum(p.size for p in ins), "out_bytes": sum(p.size for p in outs)}
    return _HARNESS.format(top=top, clk=clk, loads=loads, stores=stores, **sizes)


_SMALL, _LARGE = 1 << 18, 1 << 22
"""Bytes of text that are compiled at once, at least and at most: a compiler's start and the headers cost as
much as 100 kB of a model (of one that is made quickly, as 500 kB), and memory is limited.
"""


def _units(work: Path, files: Sequence[Path], level: str) -> list[str]:
    """Files that include the given ones, several each, for the compiler: as few as keep all processors busy,
    and as few as there may be of a model that is made quickly.
    """
    sizes = [path.stat().st_size for path in files]
    share = _LARGE if level == _QUICK else sum(sizes) // (os.cpu_count() or 1)
    most = min(_LARGE, max(_SMALL, share))
    groups, size = list[list[Path]](), most
    for path, more in zip(files, sizes, strict=True):
        if size >= most:
            groups.append([])
            size = 0
        groups[-1].append(path)
        size += more
    units = [work / f"unit{k}.cpp" for k in range(len(groups))]
    for unit, group in zip(units, groups, strict=True):
        unit.write_text("".join(f'#include "{path.name}"\n' for path in group))
    return [str(unit) for unit in units]


def _cxx(compiler: str, args: Sequence[str]) -> None:
    done = run_process([compiler, *args])
    if done.returncode:
        raise ToolFailed("the C++ compiler", done.returncode, done.stdout)


def _flags(root: Path, level: str) -> list[str]:
    """Of every file: a precompiled header is read only where they are the same."""
    return ["-std=c++17", level, "-fPIC", "-w", f"-I{root}/include", f"-I{root}/include/vltstd"]


def _runtime(compiler: str, binary: Path) -> list[str]:
    """Verilator's runtime library, compiled once."""
    root, names = binary.resolve().parent.parent, ("verilated", "verilated_threads")
    sources = [root / "include" / f"{name}.cpp" for name in names]

    def make(folder: Path) -> None:
        parallel(
            lambda name, source: _cxx(
                compiler, ["-c", *_flags(root, "-O1"), str(source), "-o", str(folder / f"{name}.o")]
            ),
            names,
            sources,
        )

    key = digest(_tools(compiler, str(binary)), *(s.read_text() for s in sources))[:24]
    home = cached(f"runtime-{key}", make)
    return [str(home / f"{name}.o") for name in names]


def _header(compiler: str, binary: Path, level: str) -> Path:
    """Verilator's header, compiled once: most of the time of a small file goes into reading it. A compiler
    that has another form of compiled headers reads the text beside it.
    """
    root = binary.resolve().parent.parent
    flags = _flags(root, level)

    def make(folder: Path) -> None:
        (folder / _INCLUDED).write_text('#include "verilated.h"\n')
        _cxx(
            compiler,
            ["-x", "c++-header", *flags, str(folder / _INCLUDED), "-o", str(folder / f"{_INCLUDED}.gch")],
        )

    key = digest(_tools(compiler, str(binary)), *flags, (root / "include" / "verilated.h").read_text())[:24]
    return cached(f"header-{key}", make) / _INCLUDED
