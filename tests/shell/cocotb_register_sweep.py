"""Messages through a core's register bus, over idle pattern x access pattern x length, by drivers from
outside: cocotbext-axi, cocotbext-apb and cocotbext-wishbone. Blocks are registers, or go through AXI-Stream
beside the bus.

What must come out is computed by the cipher's reference model.
"""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from tests.shell.cocotb_axi_stream import KEY_BYTES, MODE, SIZE, expected
from tests.shell.cocotb_registers import AWAITED, REGISTERS, Read, Write, apb, axi_lite, bit, wishbone

LONGEST = int(os.environ["SWEEP"])
"""Blocks of the longest message: there is one of each length, and as many of random lengths."""

IDLE = ("never", "one", "random", "long")
ACCESS = ("ordered", "reversed", "polled", "mixed")
BLOCKS = "DATA_IN" in REGISTERS
WAYS = (False, True) if BLOCKS and bit("CONTROL", "DECRYPT") else (False,)
HOLE = 0x18
"""An address without a register."""


class Patterned:
    """A register bus whose accesses have gaps, an order, and others between them."""

    def __init__(self, dut: Any, write: Write, read: Read, idle: str, access: str) -> None:
        self._dut, self._write, self._read = dut, write, read
        self._idle, self._access = idle, access
        self.random = random.Random(f"{idle} {access}")

    async def _gap(self) -> None:
        r = self.random
        cycles = {"never": 0, "one": 1, "random": r.randrange(8), "long": r.choice((0, 60))}[self._idle]
        if cycles:
            await ClockCycles(self._dut.clk, cycles)

    async def _between(self) -> None:
        if self._access == "polled":
            await self._read(REGISTERS["STATUS"].address)
        elif self._access == "mixed":
            address = self.random.choice((HOLE, *(REGISTERS[n].address for n in ("VERSION", "KEY"))))
            if self.random.random() < 0.5 and address != REGISTERS["KEY"].address:
                await self._write(address, self.random.getrandbits(32))
            else:
                assert await self._read(address) == (
                    self._version if address == REGISTERS["VERSION"].address else 0
                )

    async def begin(self) -> None:
        self._version = await self._read(REGISTERS["VERSION"].address)

    async def write(self, address: int, word: int) -> None:
        await self._gap()
        await self._between()
        await self._write(address, word)

    async def read(self, address: int) -> int:
        await self._gap()
        return await self._read(address)

    def _places(self) -> list[int]:
        return list(range(0, SIZE, 4))[:: -1 if self._access == "reversed" else 1]

    async def words(self, name: str, data: bytes) -> None:
        places = list(range(0, len(data), 4))[:: -1 if self._access == "reversed" else 1]
        for at in places:
            await self.write(REGISTERS[name].address + at, int.from_bytes(data[at : at + 4], "little"))

    async def status(self, field: str) -> bool:
        return bool(await self.read(REGISTERS["STATUS"].address) & bit("STATUS", field))

    async def command(self, *fields: str, decrypt: bool = False) -> None:
        way = bit("CONTROL", "DECRYPT") if decrypt else 0
        await self.write(REGISTERS["CONTROL"].address, sum(bit("CONTROL", f) for f in fields) | way)

    async def give(self, name: str, value: bytes) -> None:
        """A key or an initial value."""
        if name not in REGISTERS:
            return
        await self.words(name, value)
        await self.command(f"LOAD_{name}")
        while name in AWAITED and await self.status(f"{name}_PENDING"):
            pass

    async def blocks(self, data: bytes, decrypt: bool) -> bytes:
        """Blocks over registers, each written while the one before may still be inside."""
        out = b""
        for at in range(0, len(data), SIZE):
            await self.words("DATA_IN", data[at : at + SIZE])
            await self.command("START", decrypt=decrypt)
            while not await self.status("RESULT"):
                pass
            words = {p: await self.read(REGISTERS["DATA_OUT"].address + p) for p in self._places()}
            out += b"".join(words[p].to_bytes(4, "little") for p in sorted(words))
        return out


@cocotb.test()
@cocotb.parametrize(idle=IDLE, access=ACCESS)
async def messages(dut: Any, idle: str, access: str) -> None:
    """Messages of many lengths, each under a key of its own."""
    Clock(dut.clk, 10, "ns").start()
    dut.rst_i.value = 1
    await ClockCycles(dut.clk, 2)
    made = {"axi-lite": axi_lite, "apb": apb, "wishbone": wishbone}[os.environ["CONTROL"]](dut)
    if not BLOCKS:
        source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst_i)
        sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst_i)
    await ClockCycles(dut.clk, 1)
    dut.rst_i.value = 0
    await RisingEdge(dut.clk)
    bus = Patterned(dut, *made, idle, access)
    await bus.begin()
    lengths = [*range(1, LONGEST + 1), *(bus.random.randint(1, 2 * LONGEST) for _ in range(LONGEST))]
    for decrypt in WAYS:
        for blocks in lengths:
            key, iv = bus.random.randbytes(KEY_BYTES), bus.random.randbytes(SIZE)
            data = bus.random.randbytes(blocks * SIZE)
            await bus.give("KEY", key)
            await bus.give("IV", iv)
            if BLOCKS:
                got = await bus.blocks(data, decrypt)
            else:
                await source.send(AxiStreamFrame(data))
                got = bytes((await with_timeout(sink.recv(), 500, "us")).tdata)
            assert got == expected(key, iv, data, decrypt), (MODE, blocks)
