"""Blocks over registers by drivers from outside: cocotbext-axi, cocotbext-apb and cocotbext-wishbone.

What must come out is computed by the cipher's reference model.
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout

from tests.shell.cocotb_axi_stream import KEY_BYTES, MODE, SIZE, expected
from tests.shell.cocotb_registers import REGISTERS, bit
from tests.shell.cocotb_software import Registers

WAYS = (False, True) if bit("CONTROL", "DECRYPT") else (False,)


class Software(Registers):
    """The registers as software uses them."""

    async def command(self, *fields: str, decrypt: bool = False) -> None:
        way = bit("CONTROL", "DECRYPT") if decrypt else 0
        await self.write(REGISTERS["CONTROL"].address, sum(bit("CONTROL", f) for f in fields) | way)

    async def load(self, key: bytes, iv: bytes) -> None:
        await self.words("KEY", key)
        if "IV" in REGISTERS:
            await self.words("IV", iv)
        await self.command("LOAD_KEY", "LOAD_IV")

    async def start(self, block: bytes, decrypt: bool) -> None:
        await self.words("DATA_IN", block)
        await self.command("START", decrypt=decrypt)

    async def result(self) -> bytes:
        for _ in range(400):
            if await self.status("RESULT"):
                break
        else:
            raise AssertionError("there is no result")
        order = list(range(0, SIZE, 4))
        random.Random(7).shuffle(order)
        words = {at: await self.read(REGISTERS["DATA_OUT"].address + at) for at in order}
        return b"".join(words[at].to_bytes(4, "little") for at in sorted(words))

    async def message(self, key: bytes, iv: bytes, data: bytes, decrypt: bool) -> bytes:
        await self.load(key, iv)
        out = b""
        for at in range(0, len(data), SIZE):
            await self.start(data[at : at + SIZE], decrypt)
            out += await self.result()
        return out


@cocotb.test(timeout_time=900, timeout_unit="us")
async def messages(dut: Any) -> None:
    """Messages in each direction come out right, the next block written while one is inside."""
    software, r = await Software.begin(dut), random.Random(5)
    for decrypt in WAYS:
        for blocks in (3, 1):
            key, iv, data = r.randbytes(KEY_BYTES), r.randbytes(SIZE), r.randbytes(blocks * SIZE)
            assert await software.message(key, iv, data, decrypt) == expected(key, iv, data, decrypt)
            for name in {"KEY", "IV", "DATA_IN"} & REGISTERS.keys():
                assert await software.read(REGISTERS[name].address) == 0
    assert not await software.rejected()


@cocotb.test(timeout_time=900, timeout_unit="us")
async def nothing_is_lost(dut: Any) -> None:
    """A block waits for the result before it. What cannot be done meanwhile is told."""
    software, r = await Software.begin(dut), random.Random(6)
    key, iv, data = r.randbytes(KEY_BYTES), r.randbytes(SIZE), r.randbytes(2 * SIZE)
    await software.words("DATA_IN", data[:SIZE])
    await software.command("START")
    assert await software.rejected(), "START without a key"
    await software.load(key, iv)
    await software.command("START")
    while await software.status("DATA_PENDING"):
        pass
    await software.start(data[SIZE:], False)
    await ClockCycles(dut.clk, 600)
    assert await software.status("RESULT") and await software.status("DATA_PENDING")
    assert not await software.rejected()
    await software.words("DATA_IN", bytes(SIZE))
    assert await software.rejected(), "a write to a block that waits"
    await software.words("KEY", bytes(KEY_BYTES))
    await software.command("LOAD_KEY")
    assert await software.rejected(), "LOAD_KEY behind a block that waits"
    assert await software.result() + await software.result() == expected(key, iv, data, False)


@cocotb.test(timeout_time=900, timeout_unit="us")
async def interrupts(dut: Any) -> None:
    """A result raises irq_o once it is enabled, until a 1 is written; the result stays."""
    software = await Software.begin(dut)
    status, result = REGISTERS["INTERRUPT_STATUS"].address, bit("INTERRUPT_STATUS", "RESULT")
    await software.write(REGISTERS["INTERRUPT_ENABLE"].address, result)
    key, iv, data = bytes(KEY_BYTES), bytes(SIZE), bytes(range(SIZE))
    await software.load(key, iv)
    await software.start(data, False)
    if not int(dut.irq_o.value):
        await with_timeout(RisingEdge(dut.irq_o), 100, "us")
    await software.write(status, result)
    assert not await software.read(status) & result
    assert int(dut.irq_o.value) == 0
    assert await software.result() == expected(key, iv, data, False)


@cocotb.test(timeout_time=900, timeout_unit="us")
async def zeroise_and_reset(dut: Any) -> None:
    """After ZEROISE, and after a reset, with a result that waits and a block written, nothing is left."""
    software = await Software.begin(dut)
    for k in range(2):
        await software.load(bytes([k] * KEY_BYTES), bytes(SIZE))
        await software.start(bytes(range(SIZE)), False)
        await ClockCycles(dut.clk, 600)
        await software.words("DATA_IN", bytes(SIZE))
        if k:
            dut.rst_i.value = 1
            await RisingEdge(dut.clk)
            dut.rst_i.value = 0
            await RisingEdge(dut.clk)
        else:
            await software.command("ZEROISE")
            while await software.status("BUSY"):
                pass
        assert not await software.status("RESULT") and not await software.status("DATA_WRITTEN")
        assert await software.read(REGISTERS["DATA_OUT"].address) == 0
        key, iv, data = bytes([7 + k] * KEY_BYTES), bytes([3] * SIZE), bytes(range(2 * SIZE))
        assert await software.message(key, iv, data, False) == expected(key, iv, data, False)
    assert MODE
