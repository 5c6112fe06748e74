"""The register bus of a core of packets, data units or messages: keys, IVs, expected tags and unit numbers
are written as software does, while messages go through AXI-Stream.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CheckFailed
from ..shell import read_map, registers_of
from .message_axi import AxiMessageBench, AxiSession, Flow
from .message_axi_checks import Traffic, fresh_key, messages_of, play
from .reference import reference_of
from .register_bus import (
    RegisterDriver,
    Software,
    check_closed,
    check_constants,
    check_events,
    check_secrets,
    check_zeroise_closes,
    offered,
)
from .verdict import CoreFolder

__all__ = ["check_message_registers"]

_KEYS = 3
_TRIES = 64
"""Random packets, one of which has an IV in words."""
_SIZES = (0, 40, 16, 33, 1, 64)
"""Bytes of the messages under each key."""


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
        if "s_iv_i" in given:
            self.software.give("IV", given["s_iv_i"])
        for unit in traffic.units:
            self.software.give("UNIT", unit.number)
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
        waits = "IV" in self.software.registers or "UNIT" in self.software.registers
        if waits and offered(self.software):
            raise CheckFailed("a message begins without an IV or a number of its own")
        return len(_SIZES)

    def _check_gone(self) -> None:
        """What was taken is no longer in its register."""
        status = self.software.get("STATUS")
        for name in ("KEY", "IV", "UNIT", "TAG"):
            if status & self.software.bit("STATUS", f"{name}_WRITTEN"):
                raise CheckFailed(f"{name} stays in its register when it has been taken")

    def _clear(self, field: str) -> None:
        self.software.put("INTERRUPT_STATUS", self.software.bit("INTERRUPT_STATUS", field))

    def _check_verdict(self, traffic: Traffic) -> None:
        """INTERRUPT_STATUS tells of a wrong tag, and of no other."""
        bit = self.software.bit("INTERRUPT_STATUS", "WRONG_TAG")
        wrong = any(b.user & 3 == 1 for b in traffic.left.get("m_tag", ()))
        if bool(self.software.get("INTERRUPT_STATUS") & bit) != wrong:
            raise CheckFailed("WRONG_TAG does not tell whether the tag of a packet was the expected one")

    def _pending(self) -> bool:
        """Whether a loaded IV waits for a packet."""
        return bool(self.software.get("STATUS") & self.software.bit("STATUS", "IV_PENDING"))

    def kept(self, rng: np.random.Generator) -> None:
        """A packet whose IV comes in words takes none of the registers."""
        key = fresh_key(self.session.bench, self.parameters, rng)
        self.software.give("KEY", key)
        packets = (messages_of(self.session.bench, self.parameters, key, [20], rng) for _ in range(_TRIES))
        own = (t for t in packets if not any("s_iv_i" in b.given for b in t.beats))
        traffic = next(own)
        self.software.give("IV", rng.bytes(12))
        play(self.session, replace(traffic, beats=tuple(replace(b, given={}) for b in traffic.beats)), Flow())
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


def check_message_registers(folder: CoreFolder) -> str:
    """The check `registers` of a core of whole messages. Raises CheckFailed with what is not as the map
    says.
    """
    p = folder.record["parameters"]
    bench = AxiMessageBench.compile(folder.sources, folder.record)
    source = (Path(folder.path) / f"{folder.record['top']}.rdl").read_text()
    registers = {r.name: r for r in registers_of(read_map(source))}
    rng, total = np.random.default_rng(11), 0
    with bench.session() as session:
        driver = RegisterDriver(bench.simulation, session.model, p["control"])
        software = Software(driver, registers, ("KEY", "UNIT"))
        check_constants(software)
        check_closed(software, registers["CAPABILITIES"].fields[0].reset)
        run = _Run(session, software, p)
        for flow in (Flow(), Flow(0.6, 0.6), Flow(take=0.3))[:_KEYS]:
            total += run.messages(rng, flow)
        check_secrets(software)
        check_events(software)
        check_zeroise_closes(software)
        run.broken_off(rng)
        if p.get("iv_bits") == "any":
            run.kept(rng)
    return (
        f"{total} messages under keys written over {p['control']} equal to {reference_of(p).name}; what is "
        f"secret reads as 0; constants, interrupts and zeroising as in the map of {len(registers)} registers"
    )
