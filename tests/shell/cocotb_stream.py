"""The bench that cocotb runs inside the simulator. One test for each combination of patterns and length."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from cipherwright.cipher import CATALOGUE

CIPHER = CATALOGUE[os.environ["CIPHER"]]


def pattern(kind: str, seed: int) -> Iterator[bool]:
    """Whether to offer (or take) in each cycle."""
    r = random.Random(seed)
    match kind:
        case "always":
            return itertools.repeat(True)
        case "alternate":
            return itertools.cycle([True, False])
        case "bursts":
            return itertools.cycle([True] * 20 + [False] * 60)
        case _:
            return (r.random() < 0.4 for _ in itertools.count())


async def source(dut: Any, words: list[tuple[int, int, int]], offers: Iterator[bool]) -> None:
    for key, decrypt, block in words:
        while not next(offers):
            dut.s_valid_i.value = 0
            await RisingEdge(dut.clk)
        dut.s_valid_i.value, dut.s_key_i.value, dut.s_decrypt_i.value, dut.s_block_i.value = (
            1,
            key,
            decrypt,
            block,
        )
        while True:
            await ReadOnly()
            accepted = int(dut.s_ready_o.value) == 1
            await RisingEdge(dut.clk)
            if accepted:
                break
    dut.s_valid_i.value = 0


async def sink(dut: Any, takes: Iterator[bool], got: list[int]) -> None:
    shown = None
    while True:
        dut.m_ready_i.value = take = int(next(takes))
        await ReadOnly()
        valid = int(dut.m_valid_o.value) == 1
        if shown is not None:
            assert valid, "a result disappeared before it was taken"
            assert int(dut.m_block_o.value) == shown, "a result changed before it was taken"
        shown = int(dut.m_block_o.value) if valid and not take else None
        if valid and take:
            got.append(int(dut.m_block_o.value))
        await RisingEdge(dut.clk)


@cocotb.test()
@cocotb.parametrize(
    idle=["always", "alternate", "random"], pressure=["always", "alternate", "bursts"], length=[1, 5, 60]
)
async def patterns(dut: Any, idle: str, pressure: str, length: int) -> None:
    await exchange(dut, idle, pressure, length)


@cocotb.test()
async def long_stall(dut: Any) -> None:
    """Nothing is taken until the shell stops accepting; then everything comes out."""
    await exchange(dut, "always", "bursts", 200)


async def exchange(dut: Any, idle: str, pressure: str, length: int) -> None:
    r = random.Random(f"{idle} {pressure} {length}")
    Clock(dut.clk, 10, "ns").start()
    for name in ("s_valid_i", "s_key_i", "s_decrypt_i", "s_block_i", "m_ready_i"):
        getattr(dut, name).value = 0
    dut.rst_i.value = 1
    for _ in range(40):
        await RisingEdge(dut.clk)
    dut.rst_i.value = 0
    words = [(r.getrandbits(64), r.getrandbits(1), r.getrandbits(64)) for _ in range(length)]
    want = [
        int.from_bytes(CIPHER.encrypt_block(k.to_bytes(8, "big"), b.to_bytes(8, "big"), bool(d)), "big")
        for k, d, b in words
    ]
    got: list[int] = []
    cocotb.start_soon(sink(dut, pattern(pressure, 2), got))
    await source(dut, words, pattern(idle, 1))
    for _ in range(60 * length + 400):
        if len(got) >= length:
            break
        await RisingEdge(dut.clk)
    for _ in range(120):  # the sink stays empty
        await RisingEdge(dut.clk)
    assert got == want
