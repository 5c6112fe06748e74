"""Registers of a core of GCM, CCM, XTS or CMAC by drivers from outside: cocotbext-axi, -apb and -wishbone.

Software's way: a key is written; before each packet its IV or nonce, in CCM its lengths, and its expected
tag; before each data unit its number. Messages go through AXI-Stream. What must come out is computed by
`cryptography`.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM
from cryptography.hazmat.primitives.cmac import CMAC

from tests.shell.cocotb_axi_stream import MODE, reset
from tests.shell.cocotb_messages import kept, received
from tests.shell.cocotb_registers import REGISTERS, Read, Write, bit, bus_of, give

Sides = dict[str, Any]


async def begin(dut: Any) -> tuple[Sides, Write, Read]:
    """Clock, reset, the streams by name, and the bus."""
    Clock(dut.clk, 10, "ns").start()
    dut.rst_i.value = 1
    await ClockCycles(dut.clk, 2)
    kinds = {"s_axis": AxiStreamSource, "m_axis": AxiStreamSink, "m_tag": AxiStreamSink}
    found = [n for n in kinds if hasattr(dut, f"{n}_tvalid")]
    sides = {n: kinds[n](AxiStreamBus.from_prefix(dut, n), dut.clk, dut.rst_i) for n in found}
    write, read = bus_of(dut)
    await reset(dut)
    return sides, write, read


async def packets(sides: Sides, write: Write, read: Read, key: bytes, r: random.Random) -> None:
    """Packets of both directions; WRONG_TAG tells of a tag that is not the expected one."""
    status, wrong = REGISTERS["INTERRUPT_STATUS"].address, bit("INTERRUPT_STATUS", "WRONG_TAG")
    for a, n, way, good in ((20, 37, 1, True), (0, 16, 1, False), (5, 0, 0, True), (16, 1, 0, True)):
        iv, aad, text = r.randbytes(13 if MODE == "ccm" else 12), r.randbytes(a), r.randbytes(n)
        sealed = (AESCCM if MODE == "ccm" else AESGCM)(key).encrypt(iv, text, aad)
        data, tag = sealed[:n], sealed[n:]
        for at in range(0, 16 * way, 4):
            word = int.from_bytes(tag[at : at + 4], "little") ^ (not good and not at)
            await write(REGISTERS["TAG"].address + at, word)
        for name, size in (("AAD_BYTES", a), ("DATA_BYTES", n)):
            if name in REGISTERS:
                await write(REGISTERS[name].address, size)
        await give(write, read, "IV", iv)
        filled = aad + bytes(-a % 16)
        keep = [1] * a + [0] * (-a % 16) + [1] * n
        user = [way | 2] * len(filled) + [way] * n
        await sides["s_axis"].send(AxiStreamFrame(filled + (data if way else text), tkeep=keep, tuser=user))
        if n:
            assert kept(await received(sides["m_axis"])) == (text if way else data)
        verdict = await received(sides["m_tag"])
        assert bytes(verdict.tdata) == (bytes(16) if way else tag)
        assert bool(await read(status) & wrong) != good
        await write(status, wrong)


async def tags(sides: Sides, write: Write, read: Read, key: bytes, r: random.Random) -> None:
    """Messages of some lengths."""
    for message in (r.randbytes(16), r.randbytes(40), r.randbytes(5)):
        await sides["s_axis"].send(AxiStreamFrame(message))
        worker = CMAC(algorithms.AES(key))
        worker.update(message)
        assert kept(await received(sides["m_axis"])) == worker.finalize()


async def units(sides: Sides, write: Write, read: Read, key: bytes, r: random.Random) -> None:
    """Data units, with bytes stolen and without, in both directions."""
    for n, way in ((16, 0), (31, 1), (48, 0)):
        number, text = r.randbytes(16), r.randbytes(n)
        await give(write, read, "UNIT", number)
        worker = Cipher(algorithms.AES(key), modes.XTS(number))
        done = (worker.decryptor() if way else worker.encryptor()).update(text)
        await sides["s_axis"].send(AxiStreamFrame(text, tuser=way))
        assert kept(await received(sides["m_axis"])) == done


PLAY: dict[str, Callable[[Sides, Write, Read, bytes, random.Random], Awaitable[None]]] = {
    "gcm": packets,
    "ccm": packets,
    "xts": units,
    "cmac": tags,
}


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def messages(dut: Any) -> None:
    """Messages under two keys, with ZEROISE between them. No secret is read; irq_o tells of a message."""
    sides, write, read = await begin(dut)
    r = random.Random(3)
    enable, status = REGISTERS["INTERRUPT_ENABLE"].address, REGISTERS["INTERRUPT_STATUS"].address
    left = bit("INTERRUPT_STATUS", "MESSAGE")
    for again in range(2):
        key = r.randbytes(32 if MODE == "xts" else 16)
        await give(write, read, "KEY", key)
        await write(enable, left)
        assert int(dut.irq_o.value) == 0
        await PLAY[MODE](sides, write, read, key, r)
        assert int(dut.irq_o.value) == 1
        await write(status, left)
        for name in {"KEY", "IV", "UNIT", "TAG", "AAD_BYTES", "DATA_BYTES"} & REGISTERS.keys():
            await write(REGISTERS[name].address, 0x1234_5678)
            assert await read(REGISTERS[name].address) == 0
        await write(REGISTERS["CONTROL"].address, bit("CONTROL", "ZEROISE"))
        while await read(REGISTERS["STATUS"].address) & bit("STATUS", "BUSY"):
            pass
        assert not await read(REGISTERS["STATUS"].address) & bit("STATUS", "READY"), again


@cocotb.test(timeout_time=800, timeout_unit="us")
async def nothing_without_an_iv(dut: Any) -> None:
    """With a key, and without an IV or a unit's number, no beat is taken."""
    _, write, read = await begin(dut)
    await give(write, read, "KEY", bytes(range(32 if MODE == "xts" else 16)))
    if MODE == "cmac":
        return
    await ClockCycles(dut.clk, 300)
    name = "UNIT" if MODE == "xts" else "IV"
    await write(REGISTERS[name].address, 1)  # not all of it
    await write(REGISTERS["CONTROL"].address, bit("CONTROL", f"LOAD_{name}"))
    dut.s_axis_tkeep.value, dut.s_axis_tvalid.value = 0xFFFF, 1
    for _ in range(40):
        await RisingEdge(dut.clk)
        assert int(dut.s_axis_tready.value) == 0
