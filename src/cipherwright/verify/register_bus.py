"""A core's register bus in simulation: keys and initial values are written as software does, messages go
through, and everything that software can read is read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cipher.modes import ways
from ..errors import CheckFailed
from ..shell import Register, read_map, registers_of
from .axi_stream import AxiBench
from .modes import in_mode
from .reference import reference_of
from .simulate import Model, Simulation
from .verdict import CoreFolder

__all__ = [
    "RegisterDriver",
    "RegisterUser",
    "Software",
    "check_closed",
    "check_constants",
    "check_events",
    "check_interrupts",
    "check_registers",
    "check_secrets",
    "check_taken",
    "check_zeroise_closes",
    "check_zeroised",
    "messages_over_bus",
    "offered",
    "registers_in",
]

_MOST = 64
"""Cycles in which every access ends."""


@dataclass(frozen=True)
class RegisterDriver:
    """Accesses to the registers of a running `model` of `simulation`, over the bus `kind` (the option
    `control`). held: inputs that stay as they are.
    """

    simulation: Simulation
    model: Model
    kind: str
    held: Mapping[str, int] = field(default_factory=dict)

    def rows(self, cycles: int, **ports: int) -> NDArray[np.uint8]:
        """Rows of so many `cycles` in which `ports` have these values, and all others that are not held are
        0.
        """
        rows = self.simulation.rows(cycles)
        self.simulation.hold(rows, {**self.held, **ports})
        return rows

    def _run(self, **ports: int) -> Callable[[str], int]:
        """One cycle; what it gives tells an output by its name."""
        seen = self.model.run(self.rows(1, **ports))
        return lambda name: int.from_bytes(self.simulation.view(seen, name)[0].tobytes(), "little")

    def output(self, name: str) -> int:
        """The output `name` in a cycle without an access."""
        return self._run()(name)

    def write(self, address: int, word: int, strobe: int = 15) -> None:
        """Write those bytes of `word` at `address` (in bytes) whose bit of `strobe` is 1; bit 0 is for the
        least significant byte. Raises CheckFailed where the access does not end in 64 cycles.
        """
        {"axi-lite": self._write_axi, "apb": self._write_apb, "wishbone": self._write_wishbone}[self.kind](
            address, word, strobe
        )

    def read(self, address: int) -> int:
        """The word at `address` (in bytes). Raises CheckFailed where no answer comes in 64 cycles."""
        return {"axi-lite": self._read_axi, "apb": self._read_apb, "wishbone": self._read_wishbone}[
            self.kind
        ](address)

    def _write_axi(self, address: int, word: int, strobe: int) -> None:
        channels = {"s_axil_awaddr": address, "s_axil_wdata": word, "s_axil_wstrb": strobe}
        self._run(s_axil_awvalid=1, s_axil_wvalid=1, s_axil_bready=1, **channels)
        self._until("s_axil_bvalid", s_axil_bready=1)

    def _read_axi(self, address: int) -> int:
        self._run(s_axil_arvalid=1, s_axil_araddr=address)
        return self._until("s_axil_rvalid", s_axil_rready=1)("s_axil_rdata")

    def _write_apb(self, address: int, word: int, strobe: int) -> None:
        held = {"s_apb_paddr": address, "s_apb_pwdata": word, "s_apb_pstrb": strobe}
        self._run(s_apb_psel=1, s_apb_pwrite=1, **held)
        self._until("s_apb_pready", s_apb_psel=1, s_apb_pwrite=1, s_apb_penable=1, **held)

    def _read_apb(self, address: int) -> int:
        self._run(s_apb_psel=1, s_apb_paddr=address)
        return self._until("s_apb_pready", s_apb_psel=1, s_apb_penable=1, s_apb_paddr=address)("s_apb_prdata")

    def _write_wishbone(self, address: int, word: int, strobe: int) -> None:
        held = {"wb_adr_i": address, "wb_dat_i": word, "wb_sel_i": strobe}
        self._until("wb_ack_o", wb_cyc_i=1, wb_stb_i=1, wb_we_i=1, **held)

    def _read_wishbone(self, address: int) -> int:
        return self._until("wb_ack_o", wb_cyc_i=1, wb_stb_i=1, wb_adr_i=address)("wb_dat_o")

    def _until(self, name: str, **ports: int) -> Callable[[str], int]:
        """Cycles up to the one in which an output is 1."""
        for _ in range(_MOST):
            seen = self._run(**ports)
            if seen(name):
                return seen
        raise CheckFailed(f"{name} is not 1 within {_MOST} cycles of an access")


@dataclass(frozen=True)
class Software:
    """The `registers` of a map by their names, through `driver`. `awaited`: secrets that are taken without a
    message.
    """

    driver: RegisterDriver
    registers: Mapping[str, Register]
    awaited: tuple[str, ...]

    def bit(self, register: str, field: str) -> int:
        """The value of a 1 in the lowest bit of `field` of `register`; 0 where the map has no such field."""
        return next((1 << f.low for f in self.registers[register].fields if f.name == field), 0)

    def get(self, register: str) -> int:
        """The value of `register`, by its name."""
        return self.driver.read(self.registers[register].address)

    def put(self, register: str, value: int, strobe: int = 15) -> None:
        """Write `value` to `register`, by its name; `strobe` as of `RegisterDriver.write`."""
        self.driver.write(self.registers[register].address, value, strobe)

    def give(self, name: str, value: bytes, more: int = 0, wait: bool = True) -> None:
        """Write and load the key or the initial value `name`, with the bytes of `value` (byte 0 of the
        standard at the lowest address), its first word byte by byte. `more`: bits beside the command; wait:
        until it is taken, where that needs no message. Raises CheckFailed where it is not.
        """
        start = self.registers[name].address
        for at in range(0, len(value), 4):
            word = int.from_bytes(value[at : at + 4], "little")
            for strobe in (1, 2, 4, 8) if not at else (15,):
                self.driver.write(start + at, word, strobe)
        self.put("CONTROL", self.bit("CONTROL", f"LOAD_{name}") | more)
        if name not in self.awaited or not wait:
            return
        for _ in range(1000):
            if not self.get("STATUS") & self.bit("STATUS", f"{name}_PENDING"):
                return
        raise CheckFailed(f"a written {name} is not taken")


@dataclass(frozen=True)
class RegisterUser:
    """Software that gives a core blocks or words of messages over its registers (`software`)."""

    software: Software

    def status(self, field: str) -> bool:
        """Whether the bit `field` of STATUS is 1; False where the map has none."""
        return bool(self.software.get("STATUS") & self.software.bit("STATUS", field))

    def words(self, name: str, data: bytes) -> None:
        """Write the bytes of `data` to the words of register `name`, the first byte at the lowest address; of
        the last word only those that are there.
        """
        start = self.software.registers[name].address
        for at in range(0, len(data), 4):
            part = data[at : at + 4]
            self.software.driver.write(
                start + at, int.from_bytes(part, "little"), strobe=(1 << len(part)) - 1
            )

    def shown(self, name: str) -> bytes:
        """All words of the result in register `name`, the byte at the lowest address first."""
        register = self.software.registers[name]
        words = (self.software.driver.read(register.address + 4 * k) for k in range(register.count))
        return b"".join(word.to_bytes(4, "little") for word in words)

    def rejected(self) -> bool:
        """Whether REJECTED is 1; it is cleared."""
        bit = self.software.bit("INTERRUPT_STATUS", "REJECTED")
        seen = bool(self.software.get("INTERRUPT_STATUS") & bit)
        self.software.put("INTERRUPT_STATUS", bit)
        return seen

    def wait(self, cycles: int) -> None:
        """So many `cycles` without an access."""
        driver = self.software.driver
        driver.model.run(driver.rows(cycles))


def registers_in(source: str) -> dict[str, Register]:
    """The registers of the map `source`, a text of SystemRDL, by their names."""
    return {r.name: r for r in registers_of(read_map(source))}


def check_registers(folder: CoreFolder) -> str:
    """The check `registers` of a core `folder`; what was checked, in words. Raises CheckFailed with what is
    not as the map says.
    """
    p = folder.record["parameters"]
    bench = AxiBench.compile(folder.sources, folder.record)
    registers, messages = registers_in(folder.register_map), 0
    model = bench.start()
    try:
        awaited = ("KEY", "IV") if bench.ports.iv_valid else ("KEY",)
        software = Software(RegisterDriver(bench.simulation, model, p["control"]), registers, awaited)
        check_constants(software)
        check_closed(software, p["key_bits"] // 8)
        for seed in range(3):
            messages += messages_over_bus(bench, model, software, p, seed)
        check_taken(software)
        check_secrets(software)
        check_events(software)
        check_zeroise_closes(software)
    finally:
        model.close()
    return (
        f"{messages} messages under keys written over {p['control']} equal to {reference_of(p).name}; keys "
        f"read as 0; constants, interrupts and zeroising as in the map of {len(registers)} registers"
    )


def check_constants(software: Software) -> None:
    """Raise CheckFailed unless the constants that `software` reads are as in the map."""
    for register in software.registers.values():
        value, wanted = software.get(register.name), 0
        constant = [f for f in register.fields if f.kind == "constant"]
        for f in constant:
            wanted |= f.reset << f.low
        if constant and value != wanted:
            raise CheckFailed(f"{register.name} reads as {value:#x}, not {wanted:#x}")


def offered(software: Software) -> int:
    """Whether (1 or 0) a beat is taken within 64 cycles in which one is offered to the core of `software`."""
    driver = software.driver
    keep = (1 << 8 * driver.simulation.view(driver.rows(1), "s_axis_tkeep").shape[1]) - 1
    rows = driver.rows(_MOST, s_axis_tvalid=1, s_axis_tkeep=keep, s_axis_tlast=1)
    return int(driver.simulation.view(driver.model.run(rows), "s_axis_tready")[:, 0].any())


def check_closed(software: Software, key_bytes: int, needed: Collection[str] = ("IV", "UNIT")) -> None:
    """Raise CheckFailed where the core of `software` takes a block before a key of `key_bytes` was written,
    loaded and complete, or in a mode that needs an initial value or a unit's number before there is one.
    needed: registers of these without which no beat is taken.
    """
    load = software.bit("CONTROL", "LOAD_KEY")
    for place in range(0, key_bytes, 4):
        software.put("CONTROL", load)
        if offered(software):
            raise CheckFailed(f"a block is taken with {place} bytes of the key written")
        software.driver.write(software.registers["KEY"].address + place, 0x0123_4567)
    if offered(software):
        raise CheckFailed("a block is taken before the key is loaded")
    for name in {*needed} & software.registers.keys():
        software.put("CONTROL", load)
        software.put("CONTROL", software.bit("CONTROL", f"LOAD_{name}"))
        if offered(software):
            raise CheckFailed("a block is taken without an initial value")


def messages_over_bus(
    bench: AxiBench, model: Model, software: Software, p: Mapping[str, Any], seed: int
) -> int:
    """Messages in each direction under one key, which `software` writes, through a `model` of the core of
    `bench` with parameters `p`; how many. `seed`: of key and blocks. Raises CheckFailed where one differs
    from the reference.
    """
    rng, size = np.random.default_rng(seed), p["block_bits"] // 8
    key = rng.bytes(p["key_bits"] // 8)
    for way in ways(p["direction"]):
        iv = rng.bytes(size)
        _prepare(software, way, key, iv)
        data = rng.integers(0, 256, (5, size), dtype=np.uint8)
        firsts = np.array([1, 0, 0, 0, 0], dtype=np.uint8)
        links = (firsts, np.zeros((1, size), dtype=np.uint8)) if bench.ports.first else None
        directions = np.full(5, way, dtype=np.uint8)
        got = bench.exchange(
            model, np.zeros((1, len(key)), dtype=np.uint8), directions[:1], data, links=links
        )
        if p["mode"] == "ecb":
            want = reference_of(p).bulk(key, data.tobytes(), bool(way))
        else:
            want = in_mode(p, key, iv, data.tobytes(), directions)
        if got.blocks.tobytes() != want:
            raise CheckFailed(f"a message under a key from its registers differs from {reference_of(p).name}")
    return len(ways(p["direction"]))


def _prepare(software: Software, way: int, key: bytes, iv: bytes) -> None:
    """The key with the direction, where that is held, and the initial value; until a block can be taken."""
    software.give("KEY", key, software.bit("CONTROL", "DECRYPT") * way)
    if "IV" in software.registers:
        software.give("IV", iv)
    for _ in range(_MOST * 8):
        if software.get("STATUS") & software.bit("STATUS", "READY"):
            return
    raise CheckFailed("no block can be taken after a key and an initial value were written")


def check_taken(software: Software) -> None:
    """Raise CheckFailed where STATUS tells of something written, though `software` has loaded all that it
    wrote, and the core has taken it.
    """
    status = software.get("STATUS")
    for f in software.registers["STATUS"].fields:
        if f.name.endswith("_WRITTEN") and status >> f.low & 1:
            raise CheckFailed(f"{f.name} is 1 after what was written was taken")


def check_secrets(software: Software) -> None:
    """Raise CheckFailed unless secrets read as 0 through `software` while they are there, and STATUS tells of
    each that is written whole, and of no other. It writes them.
    """
    for name, register in software.registers.items():
        if register.fields[0].kind != "secret":
            continue
        before = software.get("STATUS")
        for k in range(register.count):
            software.driver.write(register.address + 4 * k, 0xA5C3_5A3C)
            if value := software.driver.read(register.address + 4 * k):
                raise CheckFailed(f"{name} reads as {value:#x}")
        if not before & software.bit("STATUS", f"{_thing(name)}_PENDING"):  # then no write changes it
            _check_told(software, name, before)


def _thing(register: str) -> str:
    """What a register of a secret is called in STATUS."""
    return "DATA" if register == "DATA_IN" else register


def _check_told(software: Software, name: str, before: int) -> None:
    """Raise CheckFailed unless STATUS, which was `before`, now tells that `name` was written, and of nothing
    else that it was.
    """
    after, told = software.get("STATUS"), software.bit("STATUS", f"{_thing(name)}_WRITTEN")
    new = sum(
        1 << f.low
        for f in software.registers["STATUS"].fields
        if f.name.endswith("_WRITTEN") and (after & ~before) >> f.low & 1
    )
    if told & ~after or new & ~told:
        raise CheckFailed(f"STATUS is {after:#x} when {name} was written, and {before:#x} before")


def check_interrupts(software: Software) -> None:
    """Raise CheckFailed unless irq_o is 1 where an event has happened that is enabled, and at no other time:
    for each event that `software` can enable, with all events that are told now, and with one after the other
    cleared. Nothing may happen meanwhile; the events are cleared, and all are enabled in the end.
    """
    fields = software.registers["INTERRUPT_ENABLE"].fields
    for cleared in (0, *(1 << f.low for f in fields)):
        software.put("INTERRUPT_STATUS", cleared)
        happened = software.get("INTERRUPT_STATUS")
        if happened & cleared:
            raise CheckFailed("an interrupt is not cleared by writing a 1")
        for f in fields:
            software.put("INTERRUPT_ENABLE", 1 << f.low)
            if software.driver.output("irq_o") != happened >> f.low & 1:
                raise CheckFailed(f"irq_o does not tell of {f.name} alone, which is enabled")
    software.put("INTERRUPT_ENABLE", sum(1 << f.low for f in fields))


def check_events(software: Software) -> None:
    """Raise CheckFailed unless what has happened, as `software` reads it, raises irq_o where it is enabled,
    until it is cleared. A message must have left before.
    """
    seen = software.get("INTERRUPT_STATUS")
    message = software.bit("INTERRUPT_STATUS", "MESSAGE")
    if not seen & message:
        raise CheckFailed("INTERRUPT_STATUS does not tell of a message that left")
    if software.driver.output("irq_o"):
        raise CheckFailed("irq_o is 1 with all interrupts disabled")
    software.put("INTERRUPT_ENABLE", message)
    if software.get("INTERRUPT_ENABLE") != message or not software.driver.output("irq_o"):
        raise CheckFailed("an enabled interrupt does not raise irq_o")
    software.put("INTERRUPT_STATUS", message)
    if software.get("INTERRUPT_STATUS") & message or software.driver.output("irq_o"):
        raise CheckFailed("an interrupt is not cleared by writing a 1")
    if software.get("INTERRUPT_STATUS") != seen & ~message:
        raise CheckFailed("clearing one interrupt changes others")
    check_interrupts(software)


def check_zeroised(software: Software) -> None:
    """Raise CheckFailed unless a ZEROISE of `software` is shown by BUSY, and ends, which IDLE tells."""
    busy, idle = software.bit("STATUS", "BUSY"), software.bit("INTERRUPT_STATUS", "IDLE")
    software.put("CONTROL", software.bit("CONTROL", "ZEROISE"))
    if not software.get("STATUS") & busy:
        raise CheckFailed("BUSY is not 1 after ZEROISE")
    software.put("INTERRUPT_STATUS", idle)
    for _ in range(4096):
        if not software.get("STATUS") & busy:
            break
    else:
        raise CheckFailed("BUSY stays 1 after ZEROISE")
    if idle and not software.get("INTERRUPT_STATUS") & idle:
        raise CheckFailed("IDLE does not tell that ZEROISE has ended")


def check_zeroise_closes(software: Software) -> None:
    """Raise CheckFailed unless a ZEROISE of `software` ends, and no block is taken without a new key."""
    check_zeroised(software)
    if software.get("STATUS") & software.bit("STATUS", "READY") or offered(software):
        raise CheckFailed("blocks are taken after ZEROISE without a new key")
