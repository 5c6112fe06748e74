"""What the page of registers says of CONTROL, and the README of interrupts, tried over the bus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from cipherwright.shell import Register
from cipherwright.verify import CoreFolder
from cipherwright.verify.register_bus import RegisterDriver, registers_in
from cipherwright.verify.simulate import Model, compile_simulation
from tests.conftest import LIGHT_GCM, LIGHT_LOOP, Built

BLOCKS = ("des-small", "interface=registers", "control=apb")
STREAM = ("des-small", "mode=cbc", "key=static", "key_expansion=unit", "interface=axi-stream", "control=apb")
WORDS = ("aes-gcm-small", *LIGHT_LOOP, "interface=registers", "control=wishbone")
SLOTS = (*LIGHT_GCM, "stages=16", "key_slots=2", "interface=axi-stream", "control=axi-lite")


@contextmanager
def software(folder: CoreFolder) -> Iterator[tuple[RegisterDriver, dict[str, Register]]]:
    """The bus of a core that was just reset, and its registers by name."""
    simulation = compile_simulation(folder.sources, folder.record["top"])
    model, reset = Model(simulation), folder.record["ports"]["reset"]
    try:
        driver = RegisterDriver(simulation, model, folder.record["parameters"]["control"])
        model.run(driver.rows(2, **{reset: 1}))
        yield driver, registers_in(folder.register_map)
    finally:
        model.close()


def bit(register: Register, name: str) -> int:
    """A field's lowest bit."""
    return next(1 << f.low for f in register.fields if f.name == name)


@pytest.mark.parametrize("variant", [BLOCKS, WORDS, SLOTS, STREAM], ids=" ".join)
def test_what_control_reads_as(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    """Commands read as 0, what goes with them as it was written, byte by byte."""
    _, folder = built(*variant)
    with software(folder) as (driver, registers):
        control = registers["CONTROL"]
        kept = sum(((1 << f.width) - 1) << f.low for f in control.fields if f.kind == "storage")
        zeroise = bit(control, "ZEROISE")
        driver.write(control.address, 0xFFFFFFFF & ~zeroise)
        assert driver.read(control.address) == kept
        assert ("and fields that go with a command as they were written" in control.meaning) == bool(kept)
        for byte in range(4):
            driver.write(control.address, 0, 1 << byte)
            kept &= ~(255 << 8 * byte)
            assert driver.read(control.address) == kept


@pytest.mark.parametrize("variant", [BLOCKS, WORDS, SLOTS, STREAM], ids=" ".join)
def test_what_no_bit_tells(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    """A key that is loaded by the write that zeroises is gone; and what is ignored beside streams."""
    _, folder = built(*variant)
    with software(folder) as (driver, registers):
        control, status, key = (registers[n] for n in ("CONTROL", "STATUS", "KEY"))
        happened = registers["INTERRUPT_STATUS"]
        rejected = [f.name for f in happened.fields if f.name == "REJECTED"]
        silent = "A command that is ignored, and a write to words that wait to be taken, set no bit"
        assert (silent in control.meaning) == (not rejected)
        driver.write(control.address, bit(control, "LOAD_KEY"))
        assert driver.read(happened.address) == sum(bit(happened, name) for name in rejected)
        driver.write(happened.address, 0xFFFFFFFF)
        for word in range(key.count):
            driver.write(key.address + 4 * word, 1 + word)
        assert driver.read(status.address) & bit(status, "KEY_WRITTEN")
        driver.write(control.address, bit(control, "LOAD_KEY") | bit(control, "ZEROISE"))
        while driver.read(status.address) & bit(status, "BUSY"):
            pass
        assert driver.read(status.address) == 0
        assert driver.read(happened.address) & ~bit(happened, "IDLE") == 0
        (zeroise,) = (f for f in control.fields if f.name == "ZEROISE")
        assert "other commands of the same write are dropped, and no bit tells of it" in zeroise.meaning


def test_an_event_wins_over_a_clear(built: Callable[..., Built]) -> None:
    """In the very cycle of the event; a cycle later it is cleared."""
    _, folder = built(*BLOCKS)
    said = (folder.path / "README.md").read_text()
    assert "It stays 1 where its event is in the same cycle." in said
    assert "`irq_o` is a level, active high" in said
    with software(folder) as (driver, registers):
        control, happened = registers["CONTROL"], registers["INTERRUPT_STATUS"]
        came = bit(happened, "RESULT")

        def begin() -> None:
            for name in ("DATA_OUT", "KEY", "DATA_IN"):
                for word in range(2):
                    at = registers[name].address + 4 * word
                    driver.read(at) if name == "DATA_OUT" else driver.write(at, 7)
            driver.write(happened.address, 0xFFFFFFFF)
            driver.write(control.address, bit(control, "LOAD_KEY") | bit(control, "START"))

        def until_irq(value: int) -> int:
            return next(k for k in range(100) if driver.output("irq_o") == value)

        driver.write(registers["INTERRUPT_ENABLE"].address, came)
        begin()
        event = until_irq(1)
        driver.write(happened.address, came)
        falls = until_irq(0)
        begin()
        driver.read(happened.address)
        access = event - until_irq(1)
        for later in (0, 1):
            begin()
            for _ in range(event - access - falls + later):
                assert not driver.output("irq_o")
            driver.write(happened.address, came)
            for _ in range(10):
                shown = driver.output("irq_o")
            assert shown == 1 - later
