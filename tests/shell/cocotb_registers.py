"""A core's register bus by drivers from outside: cocotbext-axi, cocotbext-apb and cocotbext-wishbone.

Software's way: a key and an initial value are written, a message goes through AXI-Stream, status and
interrupts tell of it; with gaps between accesses, and in AXI-Lite with pauses on every channel.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Awaitable, Callable
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.apb import ApbBus, ApbMaster
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)
from cocotbext.wishbone.driver import WBOp, WishboneMaster

from cipherwright.shell import Register, read_map, registers_of
from tests.shell.cocotb_axi_stream import KEY_BYTES, MODE, SIZE, expected, reset

Write = Callable[[int, int], Awaitable[None]]
Read = Callable[[int], Awaitable[int]]

AWAITED = os.environ["AWAITED"].split()
"""What is taken without a message."""
REGISTERS: dict[str, Register] = {r.name: r for r in registers_of(read_map(os.environ["MAP"]))}
WISHBONE = {
    "cyc": "cyc_i",
    "stb": "stb_i",
    "we": "we_i",
    "adr": "adr_i",
    "datwr": "dat_i",
    "datrd": "dat_o",
    "ack": "ack_o",
}


def axi_lite(dut: Any) -> tuple[Write, Read]:
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst_i)
    for k, channel in enumerate(
        (
            master.write_if.aw_channel,
            master.write_if.w_channel,
            master.write_if.b_channel,
            master.read_if.ar_channel,
            master.read_if.r_channel,
        )
    ):
        channel.set_pause_generator(itertools.cycle([False] * (k + 1) + [True] * (k % 3)))

    async def write(address: int, word: int) -> None:
        await master.write(address, word.to_bytes(4, "little"))

    async def read(address: int) -> int:
        return int.from_bytes((await master.read(address, 4)).data, "little")

    return write, read


def apb(dut: Any) -> tuple[Write, Read]:
    master = ApbMaster(ApbBus.from_prefix(dut, "s_apb"), dut.clk, dut.rst_i)

    async def write(address: int, word: int) -> None:
        await master.write(address, word.to_bytes(4, "little"))

    async def read(address: int) -> int:
        return int.from_bytes(bytes(await master.read(address)), "little")

    return write, read


def wishbone(dut: Any) -> tuple[Write, Read]:
    dut.wb_sel_i.value = 15
    master = WishboneMaster(dut, "wb", dut.clk, timeout=50, signals_dict=WISHBONE)

    async def write(address: int, word: int) -> None:
        await master.send_cycle([WBOp(address, word)])

    async def read(address: int) -> int:
        return int((await master.send_cycle([WBOp(address)]))[0].datrd)

    return write, read


def bus_of(dut: Any) -> tuple[Write, Read]:
    """Accesses by the driver of the core's bus."""
    return {"axi-lite": axi_lite, "apb": apb, "wishbone": wishbone}[os.environ["CONTROL"]](dut)


def bit(register: str, field: str) -> int:
    return next((1 << f.low for f in REGISTERS[register].fields if f.name == field), 0)


async def begin(dut: Any) -> tuple[AxiStreamSource, AxiStreamSink, Write, Read]:
    Clock(dut.clk, 10, "ns").start()
    dut.rst_i.value = 1
    await ClockCycles(dut.clk, 2)
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst_i)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst_i)
    write, read = bus_of(dut)
    await reset(dut)
    return source, sink, write, read


async def give(write: Write, read: Read, name: str, value: bytes) -> None:
    if name not in REGISTERS:
        return
    for at in range(0, len(value), 4):
        await write(REGISTERS[name].address + at, int.from_bytes(value[at : at + 4], "little"))
    await write(REGISTERS["CONTROL"].address, bit("CONTROL", f"LOAD_{name}"))
    while name in AWAITED and await read(REGISTERS["STATUS"].address) & bit("STATUS", f"{name}_PENDING"):
        pass


@cocotb.test(timeout_time=400, timeout_unit="us")
async def messages(dut: Any) -> None:
    source, sink, write, read = await begin(dut)
    r = random.Random(5)
    for length in (SIZE, 3 * SIZE, 1):
        key, iv, data = r.randbytes(KEY_BYTES), r.randbytes(SIZE), r.randbytes(length)
        await give(write, read, "KEY", key)
        await give(write, read, "IV", iv)
        await source.send(AxiStreamFrame(data))
        frame = await with_timeout(sink.recv(), 500, "us")
        assert bytes(frame.tdata) == expected(key, iv, data, False)
        assert await read(REGISTERS["KEY"].address) == 0
        if "IV" in REGISTERS:
            assert await read(REGISTERS["IV"].address) == 0
        await ClockCycles(dut.clk, r.randrange(5))


@cocotb.test(timeout_time=400, timeout_unit="us")
async def interrupts(dut: Any) -> None:
    """A message that left raises irq_o once it is enabled, until a 1 is written."""
    source, sink, write, read = await begin(dut)
    status, enable = REGISTERS["INTERRUPT_STATUS"].address, REGISTERS["INTERRUPT_ENABLE"].address
    left = bit("INTERRUPT_STATUS", "MESSAGE")
    await write(enable, left)
    await give(write, read, "KEY", bytes(KEY_BYTES))
    await give(write, read, "IV", bytes(SIZE))
    assert int(dut.irq_o.value) == 0
    await source.send(AxiStreamFrame(bytes(SIZE)))
    await with_timeout(RisingEdge(dut.irq_o), 500, "us")
    await with_timeout(sink.recv(), 500, "us")
    assert await read(status) & left
    await write(status, left)
    assert not await read(status) & left
    assert int(dut.irq_o.value) == 0


@cocotb.test(timeout_time=400, timeout_unit="us")
async def constants_and_holes(dut: Any) -> None:
    """Constants read as in the map; an address without a register reads as 0, and writing it does nothing."""
    _, _, write, read = await begin(dut)
    for register in REGISTERS.values():
        wanted = sum(f.reset << f.low for f in register.fields if f.kind == "constant")
        if register.fields[0].kind == "constant":
            await write(register.address, 0xFFFFFFFF)
            assert await read(register.address) == wanted
    await write(0x18, 0xFFFFFFFF)
    assert await read(0x18) == 0


@cocotb.test(timeout_time=400, timeout_unit="us")
async def zeroise_and_reset(dut: Any) -> None:
    """After ZEROISE, and after a reset in the middle of an access, the next message is right."""
    source, sink, write, read = await begin(dut)
    for k in range(2):
        await give(write, read, "KEY", bytes([k] * KEY_BYTES))
        if k:
            await reset(dut)
        else:
            await write(REGISTERS["CONTROL"].address, bit("CONTROL", "ZEROISE"))
            while await read(REGISTERS["STATUS"].address) & bit("STATUS", "BUSY"):
                pass
        key, iv, data = bytes([7 + k] * KEY_BYTES), bytes([3] * SIZE), bytes(range(SIZE))
        await give(write, read, "KEY", key)
        await give(write, read, "IV", iv)
        await source.send(AxiStreamFrame(data))
        frame = await with_timeout(sink.recv(), 500, "us")
        assert bytes(frame.tdata) == expected(key, iv, data, False)


async def closed(dut: Any) -> None:
    """A beat that is offered is not taken."""
    dut.s_axis_tvalid.value = 1
    for _ in range(40):
        await RisingEdge(dut.clk)
        assert int(dut.s_axis_tready.value) == 0, "a block is taken without a key or an initial value"
    dut.s_axis_tvalid.value = 0
    await RisingEdge(dut.clk)


async def write_slowly(dut: Any, write: Write, name: str, length: int) -> None:
    """Write a secret word by word, with a command that loads it before each, while a beat is offered."""
    for at in range(0, length, 4):
        await write(REGISTERS["CONTROL"].address, bit("CONTROL", f"LOAD_{name}"))
        await closed(dut)
        await write(REGISTERS[name].address + at, 0x01020304 + at)
    await closed(dut)


@cocotb.test(timeout_time=800, timeout_unit="us")
async def nothing_without_a_key(dut: Any) -> None:
    """No block is taken before a whole key is loaded and, where the mode needs one, a whole initial
    value; nor after ZEROISE.
    """
    source, sink, write, read = await begin(dut)
    for again in range(2):
        await write_slowly(dut, write, "KEY", KEY_BYTES)
        if "IV" in REGISTERS:
            await write(REGISTERS["CONTROL"].address, bit("CONTROL", "LOAD_KEY"))
            await ClockCycles(dut.clk, 100)
            await write_slowly(dut, write, "IV", SIZE)
        if not again:
            await write(REGISTERS["CONTROL"].address, bit("CONTROL", "ZEROISE"))
            while await read(REGISTERS["STATUS"].address) & bit("STATUS", "BUSY"):
                pass
    key, iv, data = bytes(KEY_BYTES), bytes(range(SIZE)), bytes(range(1, SIZE + 1))
    await give(write, read, "KEY", key)
    await give(write, read, "IV", iv)
    for name in {"KEY", "IV"} & REGISTERS.keys():
        await write(REGISTERS[name].address, 0xFFFFFFFF)  # nothing that was loaded changes
    await source.send(AxiStreamFrame(data))
    assert bytes((await sink.recv()).tdata) == expected(key, iv, data, False)
    if MODE in ("cbc", "cfb", "ofb") or (MODE == "ctr" and "IV" not in AWAITED):
        await closed(dut)  # an initial value is for one message


HELD = 2
"""Results that wait in a FIFO at once."""


@cocotb.test(timeout_time=800, timeout_unit="us")
async def keys_in_flight(dut: Any) -> None:
    """A key that is written while a block is inside is for the blocks after it. BUSY is 1 meanwhile. Results
    wait in the FIFO, which has two places at least.
    """
    source, sink, write, read = await begin(dut)
    r, sent = random.Random(11), []
    sink.pause = True
    keys = [r.randbytes(KEY_BYTES) for _ in range(5)]

    async def put(name: str, value: bytes) -> None:
        for at in range(0, len(value) if name in REGISTERS else 0, 4):
            await write(REGISTERS[name].address + at, int.from_bytes(value[at : at + 4], "little"))

    await put("KEY", keys[0])
    for key, following in itertools.pairwise(keys):
        iv, data = r.randbytes(SIZE), r.randbytes(SIZE)
        await write(REGISTERS["CONTROL"].address, bit("CONTROL", "LOAD_KEY"))
        while await read(REGISTERS["STATUS"].address) & bit("STATUS", "KEY_PENDING"):
            pass
        await put("IV", iv)
        if "IV" in REGISTERS:
            await write(REGISTERS["CONTROL"].address, bit("CONTROL", "LOAD_IV"))
        await put("KEY", following)  # in time, so that it is offered while the block is inside
        await source.send(AxiStreamFrame(data))
        await source.wait()
        assert await read(REGISTERS["STATUS"].address) & bit("STATUS", "BUSY")
        sent.append((key, iv, data))
        if len(sent) % HELD == 0:
            sink.pause = False
            for key, iv, data in sent[-HELD:]:
                assert bytes((await sink.recv()).tdata) == expected(key, iv, data, False)
            sink.pause = True
