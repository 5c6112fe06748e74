"""The register bus of a core of packets, data units or messages: keys, IVs, expected tags and unit numbers
are written as software does, while messages go through AXI-Stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..errors import CheckFailed
from ..shell import LENGTH_PORTS
from .message_axi import Announced, AxiMessageBench, AxiSession, Flow
from .message_axi_checks import Traffic, fresh_key, joined, messages_of, play, with_slot
from .reference import reference_of
from .register_bus import (
    RegisterDriver,
    Software,
    check_closed,
    check_constants,
    check_events,
    check_secrets,
    check_taken,
    check_zeroise_closes,
    offered,
    registers_in,
)
from .verdict import CoreFolder

__all__ = ["check_message_registers", "check_messages", "played_messages"]

_LENGTHS = tuple(name.upper() for name in LENGTH_PORTS)
"""Registers of the lengths of a packet, where its mode needs them before the data."""

_KEYS = 3
_TRIES = 64
"""Random packets, one of which has an IV in words."""
_SIZES = (0, 40, 16, 33, 1, 64)
"""Bytes of the messages under each key."""

_WITHIN = 80
"""Bytes of a message within which keys are loaded."""

_AGAIN = 6
"""Cycles after LOAD_KEY in which it is written once more."""

_LONGEST_UNIT = 70
"""Bytes of a unit of a run, less than that."""


def _port(length: str) -> str:
    """The port of AXI-Stream whose value is in a register of a length."""
    return f"s_{length.lower()}_i"


@dataclass(frozen=True)
class _Run:
    """A running core: its streams and its registers."""

    session: AxiSession
    software: Software
    parameters: Mapping[str, Any]

    def give(self, traffic: Traffic) -> Traffic:
        """Write what belongs to a message as a whole; the beats without it."""
        given = {name: value for b in traffic.beats for name, value in b.given.items()}
        if "s_tag_i" in given:
            start = self.software.registers["TAG"].address
            for at in range(0, 16, 4):
                word = int.from_bytes(given["s_tag_i"][at : at + 4], "little")
                self.software.driver.write(start + at, word)
        for name in self.lengths:
            self.software.put(name, int.from_bytes(given[_port(name)], "big"))
        if "s_iv_i" in given:
            self.software.give("IV", given["s_iv_i"])
        for unit in traffic.units:
            self.software.give("UNIT", unit.number)  # a single unit, also where the core counts
        return replace(traffic, beats=tuple(replace(b, given={}) for b in traffic.beats), units=())

    def messages(self, rng: np.random.Generator, flow: Flow) -> int:
        """Messages under one key, each given when the one before has left; how many."""
        key = fresh_key(self.session.bench, self.parameters, rng)
        self.software.give("KEY", key)
        for size in _SIZES:
            traffic = messages_of(self.session.bench, self.parameters, key, [size], rng)
            self._clear("WRONG_TAG")
            play(self.session, self.give(traffic), flow)
            self._check_verdict(traffic)
            self._check_gone()
        if _needed(self.session.bench) & self.software.registers.keys() and offered(self.software):
            raise CheckFailed("a message begins without an IV or a number of its own")
        return len(_SIZES)

    def again(self, rng: np.random.Generator) -> int:
        """LOAD_KEY once more, so many cycles after it, while the key waits or has been taken, changes
        nothing; how many messages.
        """
        load = self.software.bit("CONTROL", "LOAD_KEY")
        for cycles in range(_AGAIN):
            key = fresh_key(self.session.bench, self.parameters, rng)
            self.software.give("KEY", key, wait=False)
            self._pass(cycles)
            self.software.put("CONTROL", load)
            self._until_taken("KEY")
            traffic = messages_of(self.session.bench, self.parameters, key, [40], rng)
            play(self.session, self.give(traffic), Flow())
        return _AGAIN

    def renewed(self, rng: np.random.Generator) -> int:
        """A key that is written within a message waits for the message's end; how many messages."""
        bench, software = self.session.bench, self.software
        old, new = (fresh_key(bench, self.parameters, rng) for _ in range(2))
        software.give("KEY", old)
        traffic = self.give(messages_of(bench, self.parameters, old, [_WITHIN], rng))

        def within() -> None:
            software.give("KEY", new, wait=False)
            self._pass(bench.patience)
            if not self._pending("KEY"):
                raise CheckFailed("a key is taken within a message")

        play(self.session, traffic, Flow(), within)
        self._until_taken("KEY")
        after = self.give(messages_of(bench, self.parameters, new, [_WITHIN], rng))
        play(self.session, after, Flow())
        return 2

    def _check_gone(self) -> None:
        """What was taken or cleared is no longer in its register."""
        status = self.software.get("STATUS")
        for name in ("KEY", "IV", "UNIT", "TAG", "UNIT_MORE", *_LENGTHS):
            if status & self.software.bit("STATUS", f"{name}_WRITTEN"):
                raise CheckFailed(f"{name} stays in its register when it has been taken or cleared")

    @property
    def lengths(self) -> tuple[str, ...]:
        """Registers of the lengths of a packet."""
        return tuple(name for name in _LENGTHS if name in self.software.registers)

    def with_lengths(self, rng: np.random.Generator) -> int:
        """A nonce is not loaded before every byte of both lengths was written, and while it waits no write
        changes them; ZEROISE clears them; how many packets.
        """
        software, total = self.software, 0
        for name in self.lengths:
            software.put(name, 40)
        check_zeroise_closes(software)
        self._check_gone()
        key = fresh_key(self.session.bench, self.parameters, rng)
        software.give("KEY", key)
        for missing in self.lengths:
            packet = messages_of(self.session.bench, self.parameters, key, [40], rng)
            for name in self.lengths:
                software.put(name, 0, 2 if name == missing else 15)
                told = bool(software.get("STATUS") & software.bit("STATUS", f"{name}_WRITTEN"))
                if told != (name != missing):
                    raise CheckFailed(f"{name}_WRITTEN does not tell whether all of it was written")
            software.give("IV", packet.beats[0].given["s_iv_i"])
            self.session.wait()  # IV_PENDING is 1 in the cycle of the command
            if self._pending():
                raise CheckFailed(f"a nonce is loaded before {missing} was written whole")
            traffic = self.give(packet)
            for name in self.lengths:
                software.put(name, 0xA5C3_5A3C)
            play(self.session, traffic, Flow())
            self._check_gone()
            total += 1
        return total

    def _clear(self, field: str) -> None:
        self.software.put("INTERRUPT_STATUS", self.software.bit("INTERRUPT_STATUS", field))

    def _check_verdict(self, traffic: Traffic) -> None:
        """INTERRUPT_STATUS tells of a wrong tag, and of no other."""
        bit = self.software.bit("INTERRUPT_STATUS", "WRONG_TAG")
        wrong = any(b.user & 3 == 1 for b in traffic.left.get("m_tag", ()))
        if bool(self.software.get("INTERRUPT_STATUS") & bit) != wrong:
            raise CheckFailed("WRONG_TAG does not tell whether the tag of a packet was the expected one")

    def _pending(self, name: str = "IV") -> bool:
        """Whether what was loaded waits: an IV for a packet."""
        return bool(self.software.get("STATUS") & self.software.bit("STATUS", f"{name}_PENDING"))

    def kept(self, rng: np.random.Generator) -> None:
        """A packet whose IV comes in words leaves the IV in the registers alone."""
        key = fresh_key(self.session.bench, self.parameters, rng)
        self.software.give("KEY", key)
        packets = (messages_of(self.session.bench, self.parameters, key, [20], rng) for _ in range(_TRIES))
        own = (t for t in packets if not any("s_iv_i" in b.given for b in t.beats))
        traffic = self.give(next(own))
        self.software.give("IV", rng.bytes(12))
        play(self.session, traffic, Flow())
        if not self._pending():
            raise CheckFailed("a packet whose IV came in words takes the IV of the registers")
        check_zeroise_closes(self.software)

    def broken_off(self, rng: np.random.Generator) -> None:
        """ZEROISE within a message: nothing of it leaves, and the next message is right."""
        key = fresh_key(self.session.bench, self.parameters, rng)
        self.software.give("KEY", key)
        traffic = self.give(messages_of(self.session.bench, self.parameters, key, [80], rng))
        self.session.play(traffic.beats[:2], {}, Flow(take=0.1))
        if self._pending():
            raise CheckFailed("a packet that has begun does not take its IV")
        check_zeroise_closes(self.software)
        self.session.forget()
        self.session.quiet(8)
        self.messages(rng, Flow(0.8, 0.8))

    def _slot(self, slot: int, of: str = "KEY") -> int:
        """The bit of CONTROL that says which slot a key is for, or that of a unit's key."""
        return slot * self.software.bit("CONTROL", f"{of}_SLOT")

    def _packet(self, key: bytes, size: int, slot: int, rng: np.random.Generator) -> Traffic:
        """A packet under the key of a slot; what belongs to it as a whole is written."""
        made = messages_of(self.session.bench, self.parameters, key, [size], rng)
        return with_slot(self.give(made), slot)

    def two_keys(self, rng: np.random.Generator) -> int:
        """Packets under the keys of both slots, in any order and while keys are loaded; how many."""
        bench, software = self.session.bench, self.software
        check_zeroise_closes(software)
        software.give("KEY", fresh_key(bench, self.parameters, rng), self._slot(1))
        software.give("IV", rng.bytes(12))
        self._pass(bench.record["key_cycles"])
        if offered(software):
            raise CheckFailed("a packet is taken under a slot that has no key")
        check_zeroise_closes(software)
        keys = [fresh_key(bench, self.parameters, rng) for _ in range(2)]
        for slot, key in enumerate(keys):
            software.give("KEY", key, self._slot(slot))
        total = 0
        for flow in (Flow(), Flow(0.6, 0.6), Flow(take=0.3)):
            used = int(rng.integers(0, 2))
            renewed = [fresh_key(bench, self.parameters, rng) for _ in range(2)]
            packet = self._packet(keys[used], _WITHIN, used, rng)
            play(self.session, packet, flow, partial(self._renew, used, renewed))
            self._until_taken("KEY")
            keys = renewed
            slots = [int(n) for n in rng.integers(0, 2, len(_SIZES))]
            for slot, size in zip(slots, _SIZES, strict=True):
                play(self.session, self._packet(keys[slot], size, slot, rng), flow)
            total += 1 + len(slots)
        self._check_gone()
        return total

    def _renew(self, used: int, keys: Sequence[bytes]) -> None:
        """Within a packet or unit under the slot `used`: a key for the other slot is taken; then one for this
        slot waits, and no further command changes which slot it is for.
        """
        software, load = self.software, self.software.bit("CONTROL", "LOAD_KEY")
        software.give("KEY", keys[1 - used], self._slot(1 - used))
        software.give("KEY", keys[used], self._slot(used), wait=False)
        self._pass(self.session.bench.record["key_cycles"] + self.session.bench.patience)
        software.put("CONTROL", load | self._slot(1 - used))
        if not self._pending("KEY"):
            raise CheckFailed("a key is taken into a slot within a packet or unit under it")

    def unit_keys(self, rng: np.random.Generator) -> int:
        """Units under the keys of both slots, in any order and while keys are loaded; how many."""
        bench, software = self.session.bench, self.software
        keys = [fresh_key(bench, self.parameters, rng) for _ in range(2)]
        check_zeroise_closes(software)
        software.give("KEY", keys[0], self._slot(0))
        traffic = self._units(keys[1], 1, rng)
        software.give("UNIT", traffic.units[0].number, self._slot(1, "UNIT"), wait=False)
        self._pass(bench.record["key_cycles"])
        software.put("CONTROL", software.bit("CONTROL", "LOAD_UNIT"))
        if not self._pending("UNIT"):
            raise CheckFailed("a unit's number is taken under a slot that has no key")
        software.give("KEY", keys[1], self._slot(1))
        self._until_taken("UNIT")
        play(self.session, replace(traffic, units=()), Flow())
        total = 1
        for flow in (Flow(), Flow(0.6, 0.6), Flow(take=0.3)):
            used = int(rng.integers(0, 2))
            traffic, renewed = (
                self._units(keys[used], 1, rng),
                [fresh_key(bench, self.parameters, rng) for _ in range(2)],
            )
            software.give("UNIT", traffic.units[0].number, self._slot(used, "UNIT"))
            self._renew(used, renewed)
            play(self.session, replace(traffic, units=()), flow)
            self._until_taken("KEY")
            keys = renewed
            slots = [int(n) for n in rng.integers(0, 2, len(_SIZES))]
            for slot in slots:
                traffic = self._units(keys[slot], 1, rng)
                software.give("UNIT", traffic.units[0].number, self._slot(slot, "UNIT"))
                play(self.session, replace(traffic, units=()), flow)
            total += 1 + len(slots)
        self._check_gone()
        return total

    def _pass(self, cycles: int) -> None:
        for _ in range(cycles):
            self.session.wait()

    def _until_taken(self, name: str) -> None:
        for _ in range(self.session.bench.record["zeroise_cycles"] + self.session.bench.patience):
            if not self._pending(name):
                return
        raise CheckFailed(f"a written {name} is not taken")

    def _announce(self, units: Sequence[Announced], strobe: int = 15) -> None:
        """The first number of a run, and how many follow; bytes of UNIT_MORE that are not written are 0."""
        software = self.software
        word = len(units) - 1
        software.put("UNIT_MORE", word | (0 if strobe == 15 else 0xA5C3_5A00), strobe)
        told = bool(software.get("STATUS") & software.bit("STATUS", "UNIT_MORE_WRITTEN"))
        if told != (strobe == 15):
            raise CheckFailed("UNIT_MORE_WRITTEN does not tell whether all of it was written")
        software.give("UNIT", units[0].number)

    def _units(self, key: bytes, count: int, rng: np.random.Generator) -> Traffic:
        """Units with consecutive numbers."""
        sizes = [int(n) for n in rng.integers(16, _LONGEST_UNIT, count)]
        return messages_of(self.session.bench, self.parameters, key, sizes, rng)

    def runs(self, rng: np.random.Generator) -> int:
        """Runs of units and single ones; how many units."""
        total = self._kept_run(rng)
        key = fresh_key(self.session.bench, self.parameters, rng)
        self.software.give("KEY", key)
        for flow in (Flow(), Flow(0.6, 0.6), Flow(take=0.3)):
            for counts in ((3,), (1, 5), (2, 1)):
                parts = [self._units(key, n, rng) for n in counts]
                for part in parts:
                    self._announce(part.units, 15 if flow.take == 1 else 1)
                single = self._units(key, 1, rng)
                self.software.give("UNIT", single.units[0].number)
                self._check_gone()
                play(self.session, replace(joined([*parts, single]), units=()), flow)
                total += sum(counts) + 1
        if offered(self.software):
            raise CheckFailed("a unit begins whose number was not announced")
        return total

    def _kept_run(self, rng: np.random.Generator) -> int:
        """A run that is loaded before the key: what is written while it waits does nothing, and ZEROISE
        drops it and what was written.
        """
        software, key = self.software, fresh_key(self.session.bench, self.parameters, rng)
        for zeroised in (True, False):
            check_zeroise_closes(software)
            self._check_gone()
            traffic = self._units(key, 3, rng)
            software.put("UNIT_MORE", 2)
            software.give("UNIT", traffic.units[0].number, wait=False)
            software.put("UNIT_MORE", 9)
            if not self._pending("UNIT"):
                raise CheckFailed("a unit's number is taken without a key")
            if zeroised:
                continue
            software.give("KEY", key)
            self._until_taken("UNIT")
            play(self.session, replace(traffic, units=()), Flow())
            self._check_gone()
        return len(traffic.units)


def played_messages(
    bench: AxiMessageBench, source: str, seed: int, drive: Callable[..., RegisterDriver] = RegisterDriver
) -> int:
    """Messages under one key through the core of `bench`, after a reset, where the registers of the map
    `source`, in SystemRDL, are written for each; how many. `seed`: of all that is random; `drive`: makes what
    drives the registers. Raises CheckFailed where one differs from the reference.
    """
    p = bench.record["parameters"]
    with bench.session() as session:
        driver = drive(bench.simulation, session.model, p["control"], bench.held)
        software = Software(driver, registers_in(source), ("KEY", "UNIT"))
        return _Run(session, software, p).messages(np.random.default_rng(seed), Flow())


def check_message_registers(folder: CoreFolder) -> str:
    """The check `registers` of the core in `folder`, one of whole messages; what was checked, in words.
    Raises CheckFailed with what is not as the map says.
    """
    return check_messages(AxiMessageBench.compile(folder.sources, folder.record), folder.register_map)


def _needed(bench: AxiMessageBench) -> set[str]:
    """Registers without which no beat is taken. A unit's beats that are no words are taken before its number,
    and wait for it in front of the core.
    """
    return {"IV", "UNIT"} if bench.word_bytes == bench.beat_bytes else {"IV"}


def check_messages(
    bench: AxiMessageBench, source: str, drive: Callable[..., RegisterDriver] = RegisterDriver
) -> str:
    """As `check_message_registers`, of a compiled core, `bench`; `source`: its map in SystemRDL; `drive`:
    makes what drives its registers.
    """
    p = bench.record["parameters"]
    registers = registers_in(source)
    rng, total, more = np.random.default_rng(11), 0, ""
    with bench.session() as session:
        driver = drive(bench.simulation, session.model, p["control"], bench.held)
        software = Software(driver, registers, ("KEY", "UNIT"))
        check_constants(software)
        check_closed(software, registers["CAPABILITIES"].fields[0].reset, _needed(bench))
        run = _Run(session, software, p)
        for flow in (Flow(), Flow(0.6, 0.6), Flow(take=0.3))[:_KEYS]:
            total += run.messages(rng, flow)
        total += run.again(rng)
        total += run.renewed(rng) if p["key_slots"] == 1 else 0
        check_taken(software)
        check_secrets(software)
        check_events(software)
        check_zeroise_closes(software)
        run.broken_off(rng)
        if p.get("iv_bits") == "any":
            run.kept(rng)
        if p["key_slots"] > 1 and "UNIT" in registers:
            more = f"; {run.unit_keys(rng)} units under the keys of two slots, loaded while units went on"
        elif p["key_slots"] > 1:
            more = f"; {run.two_keys(rng)} packets under the keys of two slots, loaded while packets went on"
        if run.lengths:
            more = f"; {run.with_lengths(rng)} packets whose nonce waits for their lengths"
        if "UNIT_MORE" in registers:
            more = f"; {run.runs(rng)} units in runs and alone"
    return (
        f"{total} messages under keys written over {p['control']} equal to {reference_of(p).name}; what is "
        "secret reads as 0; constants, interrupts and zeroising as in the map of "
        f"{len(registers)} registers{more}"
    )
