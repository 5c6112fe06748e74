"""The registers of a core as software uses them, over the driver of its bus."""

from __future__ import annotations

from typing import Any, Self

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge

from tests.shell.cocotb_registers import REGISTERS, Read, Write, bit, bus_of


class Registers:
    """What blocks and words of messages have in common."""

    def __init__(self, write: Write, read: Read) -> None:
        self.write, self.read = write, read

    @classmethod
    async def begin(cls, dut: Any) -> Self:
        """Clock, reset and the bus."""
        Clock(dut.clk, 10, "ns").start()
        dut.rst_i.value = 1
        await ClockCycles(dut.clk, 2)
        made = bus_of(dut)
        dut.rst_i.value = 0
        await RisingEdge(dut.clk)
        return cls(*made)

    async def words(self, name: str, data: bytes) -> None:
        for at in range(0, len(data), 4):
            await self.write(REGISTERS[name].address + at, int.from_bytes(data[at : at + 4], "little"))

    async def status(self, field: str) -> bool:
        return bool(await self.read(REGISTERS["STATUS"].address) & bit("STATUS", field))

    async def rejected(self) -> bool:
        address, rejected = REGISTERS["INTERRUPT_STATUS"].address, bit("INTERRUPT_STATUS", "REJECTED")
        seen = bool(await self.read(address) & rejected)
        await self.write(address, rejected)
        return seen
