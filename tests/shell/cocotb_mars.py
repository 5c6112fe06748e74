"""The bench that cocotb runs on the MARS engine: idle pattern x direction and mode x number of blocks,
over the engine's bus.
"""

from __future__ import annotations

import itertools
import os
import random
import struct
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from cipherwright.cipher.mars import MARS
from cipherwright.cipher.mars_tables import S

KEYS, KEY, MESSAGE, RESULT, COMMAND, STATUS = 0x200, 0x228, 0x240, 0x244, 0x248, 0x249
ROM = os.environ["ROM"] == "1"


def idles(kind: str, seed: int) -> Iterator[int]:
    """Cycles between two accesses of the bus."""
    r = random.Random(seed)
    return {
        "none": itertools.repeat(0),
        "some": (r.choice((0, 0, 1, 5)) for _ in itertools.count()),
        "long": itertools.cycle((0, 60)),
    }[kind]


class Bus:
    """The four control signals, address and data; every access counts the cycles that it waits."""

    def __init__(self, dut: Any, waits: Iterator[int]) -> None:
        self.dut, self.waits = dut, waits

    async def access(self, address: int, data: int | None = None) -> int:
        dut = self.dut
        for _ in range(next(self.waits)):
            await RisingEdge(dut.clk)
        dut.select_i.value, dut.write_i.value, dut.address_i.value, dut.data_i.value = (
            1,
            int(data is not None),
            address,
            data or 0,
        )
        for _ in range(2000):
            await ReadOnly()
            ready, seen = int(dut.ready_o.value), dut.data_o.value
            await RisingEdge(dut.clk)
            if ready:
                dut.select_i.value = dut.write_i.value = 0
                return int(seen) if data is None else 0
        raise AssertionError(f"the access to {address:03x} never ends")

    async def words(self, address: int, data: bytes) -> None:
        for i, word in enumerate(struct.unpack(f"<{len(data) // 4}I", data)):
            await self.access(address + i, word)

    async def result(self) -> bytes:
        return struct.pack("<4I", *[await self.access(RESULT + i) for i in range(4)])


def expected(key: bytes, iv: bytes, blocks: list[bytes], decrypt: bool, cbc: bool) -> list[bytes]:
    out, link = [], iv
    for block in blocks:
        given = block if decrypt or not cbc else bytes(x ^ y for x, y in zip(block, link, strict=True))
        done = MARS.encrypt_block(key, given, decrypt)
        if cbc and decrypt:
            done = bytes(x ^ y for x, y in zip(done, link, strict=True))
        link = block if decrypt else done
        out.append(done)
    return out


async def write_s_box(bus: Bus) -> None:
    """Into the memory of an engine that has it there."""
    for i, word in enumerate(S):
        await bus.access(i, word)
    some = (0, 255, 256, 511)
    assert [await bus.access(i) for i in some] == [S[i] for i in some], "a write of the S-box was lost"


async def run(dut: Any, kind: str, decrypt: bool, cbc: bool, count: int) -> None:
    seed = count + 10 * decrypt + 20 * cbc
    r = random.Random(seed)
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.rst_i.value, dut.select_i.value, dut.write_i.value = 1, 0, 0
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst_i.value = 0
    if not ROM:
        await write_s_box(Bus(dut, idles("none", seed)))
    bus = Bus(dut, idles(kind, seed))
    key, iv = r.randbytes(4 * r.randint(4, 14)), r.randbytes(16)
    blocks = [r.randbytes(16) for _ in range(count)]
    await bus.words(KEY, key)
    await bus.access(COMMAND, 1 | decrypt << 1 | cbc << 2 | len(key) // 4 << 4)
    if cbc:
        await bus.words(RESULT, iv)
    want, got = expected(key, iv, blocks, decrypt, cbc), []
    ahead = 2  # blocks that may be in the engine before their results are read
    for i, block in enumerate(blocks):
        await bus.words(MESSAGE, block)
        if i >= ahead:
            got.append(await bus.result())
    while len(got) < count:
        got.append(await bus.result())
    assert got == want
    while not await bus.access(STATUS) >> 4 & 1:
        pass
    secret = {*struct.unpack(f"<{len(key) // 4}I", key)}
    assert not secret & {await bus.access(KEYS + i) for i in range(64)}, "the key can be read"
    assert {await bus.access(KEYS + i) for i in range(64)} == {0}


for _kind, _decrypt, _cbc, _count in itertools.product(
    ("none", "some", "long"), (False, True), (False, True), (1, 4)
):

    async def _one(
        dut: Any, kind: str = _kind, decrypt: bool = _decrypt, cbc: bool = _cbc, count: int = _count
    ) -> None:
        await run(dut, kind, decrypt, cbc, count)

    _one.__name__ = _one.__qualname__ = (
        f"idle_{_kind}_{'decrypt' if _decrypt else 'encrypt'}_{'cbc' if _cbc else 'ecb'}_{_count}"
    )
    globals()[_one.__name__] = cocotb.test()(_one)
