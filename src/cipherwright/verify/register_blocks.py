"""A core whose blocks are registers, in simulation: software's way of using it, and what it must not do.

Blocks go over the bus, with known answers and against the independent implementation; every rule on commands,
writes and reads is tried; and the core is reset in many cycles of an exchange.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cipher.modes import ways
from ..errors import CheckFailed
from .modes import in_mode, messages_of
from .reference import reference_of
from .register_bus import (
    RegisterDriver,
    RegisterUser,
    Software,
    check_constants,
    check_interrupts,
    check_secrets,
    check_taken,
    check_zeroised,
    registers_in,
)
from .simulate import Model, Recorded, Simulation, compile_simulation
from .vectors import extra_vectors, own_vectors
from .verdict import CoreFolder

__all__ = [
    "BlockMessage",
    "BlockSoftware",
    "block_message",
    "check_register_blocks",
    "recorded",
]

_VECTORS, _BLOCKS = 24, 4
"""Known answers of each direction at most, and blocks of each message."""

_RESETS = 96
"""Cycles of an exchange in which the core is reset, at most."""

_FRAME = 8
"""Cycles beside the latency in which a result is there."""


@dataclass(frozen=True)
class BlockSoftware(RegisterUser):
    """Software that gives a core blocks over its registers. `size`: bytes of a block; `latency`: cycles from
    taking a block to its result.
    """

    size: int
    latency: int

    @property
    def chains(self) -> bool:
        """Whether messages have initial values."""
        return "IV" in self.software.registers

    def command(self, *fields: str, way: int = 0) -> None:
        """Commands in one write to CONTROL, by their `fields`, with the direction `way` (1: decryption)."""
        bits = sum(self.software.bit("CONTROL", f) for f in fields)
        self.software.put("CONTROL", bits | way * self.software.bit("CONTROL", "DECRYPT"))

    def load(self, key: bytes, iv: bytes, way: int) -> None:
        """Write and load `key` and, where there are initial values, `iv`, with the direction `way` (1:
        decryption).
        """
        self.words("KEY", key)
        if self.chains:
            self.words("IV", iv)
        self.command("LOAD_KEY", "LOAD_IV", way=way)

    def start(self, block: bytes, way: int) -> None:
        """Write `block` and start it in the direction `way` (1: decryption)."""
        self.words("DATA_IN", block)
        self.command("START", way=way)

    def finish(self) -> None:
        """Wait until a result is there, which may be after the key is expanded; it is not read. Raises
        CheckFailed where none comes.
        """
        for _ in range(8 * (self.latency + _FRAME) + 1000):
            if self.status("RESULT"):
                return
        raise CheckFailed("no result comes of a block that was started")

    def result(self) -> bytes:
        """The result, once it is there. Raises CheckFailed where none comes."""
        self.finish()
        return self.read()

    def read(self) -> bytes:
        """All words of DATA_OUT."""
        return self.shown("DATA_OUT")[: self.size]

    def message(self, key: bytes, iv: bytes, data: bytes, way: int) -> bytes:
        """The results of a message of whole blocks, `data`, under `key` and with the first block's `iv`, in
        the direction `way` (1: decryption).
        """
        self.load(key, iv, way)
        out = b""
        for at in range(0, len(data), self.size):
            self.start(data[at : at + self.size], way)
            out += self.result()
        return out


@dataclass(frozen=True)
class BlockMessage:
    """A key, an initial value, the direction, whole blocks, and what they become."""

    key: bytes
    iv: bytes
    way: int
    data: bytes
    result: bytes


def block_message(p: Mapping[str, Any], way: int, seed: int) -> BlockMessage:
    """Random blocks for a core with parameters `p` in the direction `way` (1: decryption), with their results
    by the independent implementation. `seed`: of all that is random.
    """
    rng, size = np.random.default_rng(seed), p["block_bits"] // 8
    key, iv, data = rng.bytes(p["key_bits"] // 8), rng.bytes(size), rng.bytes(_BLOCKS * size)
    if p["mode"] == "ecb":
        return BlockMessage(key, b"", way, data, reference_of(p).bulk(key, data, bool(way)))
    directions = np.full(_BLOCKS, way, dtype=np.uint8)
    return BlockMessage(key, iv, way, data, in_mode(p, key, iv, data, directions))


def _known(p: Mapping[str, Any]) -> list[BlockMessage]:
    """Known answers in each direction: blocks of the cipher, or in a mode that chains published messages."""
    size, vectors = p["block_bits"] // 8, messages_of(p)
    if p["mode"] == "ecb" and p["rounds"] is None:
        vectors = [*own_vectors(p["cipher"]), *extra_vectors(p["cipher"])]
    fit = [
        v
        for v in vectors
        if len(v.key) * 8 == p["key_bits"] and v.iterations == 1 and len(v.pt) in range(size, 5 * size, size)
    ]
    return [
        BlockMessage(v.key, v.iv, way, *((v.ct, v.pt) if way else (v.pt, v.ct)))
        for way in ways(p["direction"])
        for v in fit[:_VECTORS]
    ]


def check_register_blocks(folder: CoreFolder) -> str:
    """The check `registers` of the core in `folder`, whose blocks are registers; what was checked, in words.
    Raises CheckFailed with what is not so.
    """
    p, record = folder.record["parameters"], folder.record
    simulation = compile_simulation(folder.sources, record["top"])
    known = _known(p)
    sent = [block_message(p, way, seed) for seed in range(3) for way in ways(p["direction"])]
    with recorded(folder, simulation) as (core, model):
        check_constants(core.software)
        _check_closed(core, sent[0])
        for m in (*known, *sent):
            if core.message(m.key, m.iv, m.data, m.way) != m.result:
                raise CheckFailed(f"a block over the registers under the key {m.key.hex()} comes out wrong")
        if core.rejected():
            raise CheckFailed("a command that can be carried out is told as rejected")
        _check_waiting(core, sent)
        _check_result(core, sent[0])
        _check_rate(core, model, sent[0], int(record["interval_cycles"]))
        check_secrets(core.software)
        _check_events(core, sent[0])
        _check_cleared(core, sent[0])
    resets = _check_resets(folder, simulation, sent[0])
    return (
        f"{len(known)} known answers and {len(sent)} messages over {p['control']} equal to "
        f"{reference_of(p).name}; no command, write or result is lost; "
        f"a result in {record['latency_cycles']} cycles, a block every {record['interval_cycles']}; "
        f"{resets} resets within a block"
    )


def _software(folder: CoreFolder, model: Model) -> BlockSoftware:
    """What drives a running model of a core folder."""
    record = folder.record
    driver = RegisterDriver(model.simulation, model, record["parameters"]["control"])
    size = record["parameters"]["block_bits"] // 8
    software = Software(driver, registers_in(folder.register_map), ("KEY",))
    return BlockSoftware(software, size, record["latency_cycles"])


@contextmanager
def recorded(folder: CoreFolder, simulation: Simulation) -> Iterator[tuple[BlockSoftware, Recorded]]:
    """Software for the core in `folder`, and a model of its `simulation` after reset, which keeps what it ran
    from then on.
    """
    model = Recorded(simulation)
    try:
        _reset(model)
        model.forget()
        yield _software(folder, model), model
    finally:
        model.close()


def _reset(model: Model) -> None:
    rows = model.simulation.rows(1)
    model.simulation.view(rows, "rst_i")[:] = 1
    model.run(rows)


def _refused(core: BlockSoftware, why: str) -> None:
    """Raise CheckFailed where START is carried out or not told as rejected."""
    if core.status("READY") and core.status("DATA_WRITTEN"):
        raise CheckFailed(f"READY and DATA_WRITTEN are 1 {why}")
    core.command("START")
    if not core.rejected():
        raise CheckFailed(f"START {why} is not told as rejected")
    if core.status("DATA_PENDING"):
        raise CheckFailed(f"START {why} is carried out")


def _check_closed(core: BlockSoftware, m: BlockMessage) -> None:
    """START needs a key, a whole block and an initial value; LOAD_KEY a whole key."""
    block = m.data[: core.size]
    core.words("DATA_IN", block)
    _refused(core, "without a key")
    core.words("KEY", m.key[:-4])
    core.command("LOAD_KEY")
    if not core.rejected() or core.status("KEY_PENDING"):
        raise CheckFailed("LOAD_KEY of a part of a key is carried out, or not told as rejected")
    core.words("KEY", m.key)
    core.command("LOAD_KEY", way=m.way)
    if core.chains:
        _refused(core, "without an initial value")
        core.words("IV", m.iv)
        core.command("LOAD_IV")
    core.command("START", way=m.way)
    if core.result() != m.result[: core.size]:
        raise CheckFailed("the first block comes out wrong")
    check_taken(core.software)
    core.words("DATA_IN", block[:-1] if core.size % 4 else block[:-4])
    _refused(core, "with a part of a block")
    core.words("DATA_IN", block)
    if core.chains:  # a new key ends the message
        core.words("KEY", m.key)
        core.command("LOAD_KEY")
        _refused(core, "without an initial value for a new key")


def _check_waiting(core: BlockSoftware, sent: Sequence[BlockMessage]) -> None:
    """A block that waits is kept as it is: for the result before it, and against commands that come later."""
    first, other = sent[0], sent[-1]
    size, wrong = core.size, bytes(core.size)
    core.load(first.key, first.iv, first.way)
    core.start(first.data[:size], first.way)
    core.finish()
    core.start(first.data[size : 2 * size], first.way)
    for name, data in (("DATA_IN", wrong), ("KEY", other.key)):
        core.words(name, data)
        if core.rejected() != (name == "DATA_IN"):
            raise CheckFailed(f"a write to {name} is lost, or told as rejected though it is not")
    for fields in (("LOAD_KEY",), ("START",), *([("LOAD_IV",)] if core.chains else [])):
        core.command(*fields, way=1 - first.way)
        if not core.rejected():
            raise CheckFailed(f"{fields[0]} behind a block that waits is not told as rejected")
    core.wait(2 * core.latency)
    if not core.status("DATA_PENDING") or core.result() != first.result[:size]:
        raise CheckFailed("a result that was not read is overwritten")
    if core.result() != first.result[size : 2 * size]:
        raise CheckFailed("a block that waited for the result before it comes out wrong")
    _check_offered(core, first, other)


def _check_offered(core: BlockSoftware, first: BlockMessage, other: BlockMessage) -> None:
    """A key that was written while a block waited is taken as it was. One that is loaded while a block is
    inside is for the blocks after it, and is kept until then.
    """
    size = core.size
    core.command("LOAD_KEY", way=other.way)
    if core.chains:
        _check_waiting_iv(core, other)
    core.start(other.data[:size], other.way)
    if core.result() != other.result[:size] or core.rejected():
        raise CheckFailed("a key that was written while a block waited is not taken as it was")
    core.load(first.key, first.iv, first.way)
    core.start(first.data[:size], first.way)
    core.words("KEY", other.key)
    core.command("LOAD_KEY", way=other.way)
    if core.status("KEY_PENDING"):
        core.words("KEY", bytes(len(other.key)))
        if core.status("KEY_PENDING") and not core.rejected():
            raise CheckFailed("a write to a key that waits is lost")
        core.rejected()
    if core.result() != first.result[:size]:
        raise CheckFailed("a key that was loaded later is for a block before it")
    for _ in range(1000):
        if not core.status("KEY_PENDING"):
            return
    raise CheckFailed("a key that was loaded while a block was inside is never taken")


def _check_waiting_iv(core: BlockSoftware, m: BlockMessage) -> None:
    """An initial value that is loaded waits for its block; a write meanwhile is told as rejected."""
    core.words("IV", m.iv)
    core.command("LOAD_IV", way=m.way)
    core.words("IV", bytes(len(m.iv)))
    if not core.rejected():
        raise CheckFailed("a write to IV is lost while its value waits, and not told as rejected")


def _check_result(core: BlockSoftware, m: BlockMessage) -> None:
    """A result stays while some of its words have not been read; then it is gone."""
    core.load(m.key, m.iv, m.way)
    core.start(m.data[: core.size], m.way)
    core.finish()
    start, words = core.software.registers["DATA_OUT"].address, -(-core.size // 4)
    for _ in range(3):
        last = core.software.driver.read(start + 4 * (words - 1))
        if words > 1 and not core.status("RESULT"):
            raise CheckFailed("a result is gone after a part of it was read")
        if words == 1:
            break
    want = m.result[4 * (words - 1) : core.size]
    if last.to_bytes(4, "little")[: len(want)] != want:
        raise CheckFailed("a word of a result reads wrong the second time")
    if words > 1:
        core.read()
    if core.status("RESULT") or any(core.read()):
        raise CheckFailed("a result stays after all of it was read")


def _check_rate(core: BlockSoftware, model: Recorded, m: BlockMessage, promised: int) -> None:
    """A block can follow a block in the promised cycles, with no access of STATUS."""
    words = -(-core.size // 4)
    blocks = [m.data[at : at + core.size] for at in range(0, len(m.data), core.size)]
    core.load(m.key, m.iv, m.way)
    core.start(blocks[0], m.way)
    got = core.result()
    for block in blocks[1:]:
        before = model.cycles
        core.start(block, m.way)
        core.wait(promised - (model.cycles - before) - 2 * words)
        got += core.read()
        if model.cycles - before != promised:
            raise CheckFailed(f"a block takes {model.cycles - before} cycles, the record promises {promised}")
    if got != m.result:
        raise CheckFailed(f"a block every {promised} cycles is promised, and results are not there in time")


def _check_events(core: BlockSoftware, m: BlockMessage) -> None:
    """What has happened raises irq_o where it is enabled, until it is cleared."""
    s, driver = core.software, core.software.driver
    result = s.bit("INTERRUPT_STATUS", "RESULT")
    s.put("INTERRUPT_STATUS", 0xFFFFFFFF)
    s.put("INTERRUPT_ENABLE", result)
    if s.get("INTERRUPT_STATUS") & result or driver.output("irq_o"):
        raise CheckFailed("an interrupt is not cleared by writing a 1, or irq_o is 1 without one")
    core.load(m.key, m.iv, m.way)
    core.start(m.data[: core.size], m.way)
    core.finish()
    core.wait(core.latency + 64)  # until nothing happens any more
    events = s.get("INTERRUPT_STATUS")
    wanted = ("KEY_TAKEN", "DATA_TAKEN", "RESULT", *(("IV_TAKEN",) if core.chains else ()))
    if not all(events & s.bit("INTERRUPT_STATUS", n) for n in wanted) or not driver.output("irq_o"):
        raise CheckFailed("an event is missing in INTERRUPT_STATUS, or an enabled one does not raise irq_o")
    s.put("INTERRUPT_STATUS", result)
    if driver.output("irq_o") or s.get("INTERRUPT_STATUS") & result:
        raise CheckFailed("an interrupt is not cleared by writing a 1")
    core.command("START")  # is rejected, so that there is one event more
    check_interrupts(s)
    if core.result() != m.result[: core.size]:
        raise CheckFailed("clearing an interrupt changes a result")


def _check_cleared(core: BlockSoftware, m: BlockMessage) -> None:
    """ZEROISE with a result that waits, one block inside and another written: nothing is left of them."""
    core.load(m.key, m.iv, m.way)
    core.start(m.data[: core.size], m.way)
    core.finish()
    core.start(m.data[: core.size], m.way)
    core.wait(core.latency + 64)
    check_zeroised(core.software)
    if (
        core.status("RESULT")
        or core.status("DATA_PENDING")
        or core.status("DATA_WRITTEN")
        or any(core.read())
    ):
        raise CheckFailed("a block or a result is left after ZEROISE")
    core.words("DATA_IN", m.data[: core.size])
    core.rejected()
    _refused(core, "after ZEROISE")
    check_zeroised(core.software)
    if core.message(m.key, m.iv, m.data, m.way) != m.result:
        raise CheckFailed("a message after ZEROISE comes out wrong")


def _check_resets(folder: CoreFolder, simulation: Simulation, m: BlockMessage) -> int:
    """A reset in each of many cycles of an exchange: what follows is right, and nothing of before comes."""
    size = folder.record["parameters"]["block_bits"] // 8
    with recorded(folder, simulation) as (core, model):
        core.message(m.key, m.iv, m.data[:size], m.way)
        whole = np.concatenate(model.given)
    places = np.unique(np.linspace(1, len(whole), _RESETS).astype(np.int64))
    with recorded(folder, simulation) as (core, model):
        for end in places:
            model.run(whole[:end])
            _reset(model)
            if core.software.get("STATUS"):
                raise CheckFailed(f"STATUS is not 0 after a reset in cycle {end} of an exchange")
            if core.message(m.key, m.iv, m.data[:size], m.way) != m.result[:size]:
                raise CheckFailed(f"after a reset in cycle {end} of an exchange a block comes out wrong")
    return len(places)
