"""Zeroising of a core whose blocks or words are registers: over the bus, with every key, value and block
unknown.

An exchange of software's accesses is recorded: a key, an initial value, two blocks of which one waits, and
a result that is read; of a core of messages one message of two words and a part of another, encrypted. On the
netlist of the whole core, words that are written to such registers are unknown. Where a core compares the
halves of a key, they differ in a known bit, else it would be unknown whether a unit is taken. In each of 64
runs the exchange is left between two accesses, and ZEROISE is written. When the promised cycles are over, no
register and no word of a memory may be unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckFailed
from ..process import check_stop
from ..shell import BUS_WRITES
from .forgotten import check_none_left, check_zeroise, runs_where
from .message_axi import AxiMessageBench
from .netlist import read_netlist
from .register_blocks import BlockSoftware, recorded
from .register_bus import registers_in
from .register_words import WordSoftware, recorded_words
from .simulate import Recorded, Simulation, Words, compile_simulation
from .three_valued import RUNS, ThreeValued
from .verdict import CoreFolder

__all__ = ["check_all_zeroise", "check_zeroise_over_bus"]

_AFTER = 2
"""Cycles from the end of the write of ZEROISE to the one in which the core is told, at most."""


_WORD = 0xFFFFFFFF
"""All bits of a word of the bus."""


class _Script:
    """What software does: rows of inputs, which bits of the word in each are secret, and where an access
    begins. distinct: the core takes no unit under a key whose halves are equal.
    """

    def __init__(self, core: BlockSoftware | WordSoftware, model: Recorded, distinct: bool) -> None:
        self.core, self.model, self.distinct = core, model, distinct
        self.secret, self.begins = list[int](), list[int]()

    def did(self, secret: int = 0) -> None:
        """What was run since the last call was one step. secret: the bits of its word that are."""
        self.begins.append(len(self.secret))
        self.secret += [secret] * (self.model.cycles - len(self.secret))

    def words(self, name: str, count: int) -> None:
        """All words of a register, each an access."""
        driver, start = self.core.software.driver, self.core.software.registers[name].address
        for at in range(0, count, 4):
            driver.write(start + at, _WORD)
            self.did(secret=_WORD)

    def key(self, count: int) -> None:
        """A key of so many bytes. Where its halves are compared, bit 0 of the first word of each half is
        known, and differs.
        """
        if not self.distinct:
            self.words("KEY", count)
            return
        driver, start = self.core.software.driver, self.core.software.registers["KEY"].address
        for at in range(0, count, 4):
            driver.write(start + at, _WORD ^ (at == count // 2))
            self.did(secret=_WORD ^ (at in (0, count // 2)))

    def reads(self, name: str) -> None:
        """All words of a result, each an access."""
        register = self.core.software.registers[name]
        for k in range(register.count):
            self.core.software.driver.read(register.address + 4 * k)
            self.did()

    def block(self, wait: int, more: int = 0) -> None:
        """A block is written and started. more: bits beside the command."""
        self.words("DATA_IN", self.core.size)
        control = self.core.software.bit("CONTROL", "START") | more
        self.core.software.put("CONTROL", control)
        self.did()
        self.core.wait(wait)
        self.did()


def _of_blocks(script: _Script, core: BlockSoftware, key_bytes: int, key_cycles: int) -> None:
    """Everything that leaves secrets somewhere."""
    script.key(key_bytes)
    if core.chains:
        script.words("IV", core.size)
    core.command("LOAD_KEY", "LOAD_IV")
    script.did()
    script.key(key_bytes)
    core.wait(key_cycles + 8)
    script.did()
    script.block(core.latency + 16)
    script.block(4)
    script.reads("DATA_OUT")
    core.wait(core.latency + 16)
    script.did()


def _of_words(script: _Script, core: WordSoftware, key_bytes: int, key_cycles: int) -> None:
    """The same of a core of messages. How long a message is, is no secret."""
    registers, whole = core.software.registers, core.size * core.bit("CONTROL", "BYTES")
    last = whole | core.bit("CONTROL", "LAST")
    belongs = [name for name in ("TAG", "IV", "UNIT") if name in registers]
    loads = [f"LOAD_{name}" for name in ("IV", "UNIT") if name in registers]

    def begin(*commands: str) -> None:
        for name, size in zip(core.lengths, (0, 2 * core.size), strict=False):
            core.software.put(name, size)
            script.did()
        for name in belongs:
            script.words(name, 4 * registers[name].count)
        core.command(*commands, *loads)
        script.did()

    script.key(key_bytes)
    begin("LOAD_KEY")
    script.key(key_bytes)
    core.wait(key_cycles + 8)
    script.did()
    script.block(core.patience // 2, whole)
    script.block(core.patience // 2, last)
    begin()
    script.block(core.patience // 4, whole)
    script.block(4, last)
    for side in core.sides:
        script.reads(side)
    core.wait(core.patience // 2)
    script.did()


@contextmanager
def _running(folder: CoreFolder, simulation: Simulation) -> Iterator[_Script]:
    """Software of the core, with nothing done so far."""
    distinct = bool(folder.record["parameters"].get("distinct_halves"))
    if "stream" not in folder.record:
        with recorded(folder, simulation) as (blocks, model):
            yield _Script(blocks, model, distinct)
        return
    registers = registers_in(folder.register_map)
    with recorded_words(AxiMessageBench(simulation, folder.record), registers) as (words, model):
        yield _Script(words, model, distinct)


def check_all_zeroise(folder: CoreFolder) -> str:
    """Zeroising at the port of the core in `folder`; where blocks or words are registers, over the bus as
    well. Returns what was seen; raises CheckFailed.
    """
    said = check_zeroise(folder)
    over_bus = folder.record["parameters"]["interface"] == "registers"
    return f"{said}; {check_zeroise_over_bus(folder)}" if over_bus else said


def check_zeroise_over_bus(folder: CoreFolder) -> str:
    """Zeroising of the core in `folder` over its register bus; what was checked, in words. Raises CheckFailed
    with a register that remembers.
    """
    record, cycles = folder.record, int(folder.record["key_cycles"])
    simulation = compile_simulation(folder.sources, record["top"])
    with _running(folder, simulation) as script:
        core, model = script.core, script.model
        core.wait(1)  # the cycle of reset
        script.did()
        key_bytes = 4 * core.software.registers["KEY"].count
        if isinstance(core, WordSoftware):
            _of_words(script, core, key_bytes, cycles)
        else:
            _of_blocks(script, core, key_bytes, cycles)
        rows = np.concatenate(model.given)
        before = model.cycles
        core.command("ZEROISE")
        command = np.concatenate(model.given)[before:]
    n = read_netlist(folder.sources, record["top"], record["ports"]["clk"], spread=True)
    t, limit = ThreeValued(n), len(command) + _AFTER + int(record["zeroise_cycles"])
    begins = np.array(script.begins)
    when = begins[np.linspace(1, len(begins) - 1, RUNS).astype(np.int64)]
    inputs = _Inputs(t, simulation, rows, np.array(script.secret), command)
    t.power_up()
    ever = np.zeros(len(t.q), dtype=np.uint64)
    for cycle in range(int(when.max()) + limit + 1):
        check_stop()
        inputs.put(cycle, when)
        t.settle()
        t.tick()
        ever |= t.unknown()
        check_none_left(t, runs_where(when == cycle - limit), f"{limit} cycles after ZEROISE was begun")
    held = int((ever != 0).sum())
    if not held:
        raise CheckFailed("no register depended on a key or a block before ZEROISE")
    return (
        f"over the registers, {limit} cycles after ZEROISE in {RUNS} runs, none of {len(t.q)} depends on "
        f"what was before it; {held} had"
    )


class _Inputs:
    """The inputs of a netlist in 64 runs of a script, each of which leaves it for a command."""

    def __init__(
        self, t: ThreeValued, simulation: Simulation, rows: Words, secret: NDArray[np.int64], command: Words
    ) -> None:
        self.t = t
        self.steps = np.concatenate([rows, command, simulation.rows(1)])
        self.script, self.last = len(rows), len(self.steps) - 1
        names = [port.name for port in simulation.inputs]
        self.bits = {name: _bits(simulation.view(self.steps, name), len(t.n.inputs[name])) for name in names}
        data = next(name for name in BUS_WRITES if name in names)
        self.unknown = {name: np.zeros_like(bits, dtype=bool) for name, bits in self.bits.items()}
        self.unknown[data][: self.script] = secret[:, None] >> np.arange(len(t.n.inputs[data])) & 1
        self.places = {name: t.places(name) for name in names}

    def put(self, cycle: int, when: NDArray[np.int64]) -> None:
        """The inputs of a cycle: of the script before `when`, of the command from then on, and then none."""
        step = np.where(cycle < when, cycle, np.minimum(self.script + cycle - when, self.last))
        for name, bits in self.bits.items():
            unknown = self.unknown[name][step]
            one, zero = (bits[step] == 1) | unknown, (bits[step] == 0) | unknown
            if cycle == 0 and name == "rst_i":
                one, zero = zero, one
            self.t.put(self.places[name], _runs(zero), _runs(one))


def _bits(view: Any, width: int) -> NDArray[np.uint8]:
    """A port's columns as bits, the lowest first."""
    return np.unpackbits(np.ascontiguousarray(view), axis=1, bitorder="little")[:, :width]


def _runs(which: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Of every bit (columns), a word with a 1 for each run (rows) in which it is so."""
    packed = np.packbits(which.T, axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u8")[:, 0].astype(np.uint64)
