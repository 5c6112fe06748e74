"""Packets through a core's AXI-Stream ports by a driver from outside (cocotbext-axi): idle pattern x
back-pressure x lengths. What must come out is computed by the cipher's reference model.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from cipherwright.cipher import CATALOGUE
from cipherwright.cipher.modes import mode_block

CIPHER, MODE = CATALOGUE[os.environ["CIPHER"]], os.environ["MODE"]
SIZE, KEY_BYTES = CIPHER.block_bits // 8, int(os.environ["KEY_BYTES"])

SWEEP = int(os.environ.get("SWEEP", "0"))
"""Of a sweep (benchmarks/bus_sweep.py), the length up to which there is a message of each; 0: a few."""

IDLE = ("never", "alternate", "random", *(("bursts",) if SWEEP else ()))
PRESSURE = ("never", "alternate", "bursts", *(("random",) if SWEEP else ()))


def lengths(r: random.Random) -> list[int]:
    """Bytes of the messages."""
    if SWEEP:
        return [*range(1, SWEEP + 1), *(r.randint(1, 5 * SWEEP) for _ in range(SWEEP // 2))]
    return [SIZE, 1, 5 * SIZE, *(r.randint(1, 40) for _ in range(3)), 2 * SIZE]


def pattern(kind: str) -> Iterator[bool]:
    """Whether a side pauses in each cycle."""
    r = random.Random(kind)
    match kind:
        case "never":
            return itertools.repeat(False)
        case "alternate":
            return itertools.cycle([True, False])
        case "bursts":
            return itertools.cycle([False] * 30 + [True] * 70)
        case _:
            return (r.random() < 0.6 for _ in itertools.count())


def expected(key: bytes, iv: bytes, data: bytes, decrypt: bool) -> bytes:
    """What a message becomes. In modes of whole blocks the last one is filled up with zeros."""
    link, out = int.from_bytes(iv, "big"), b""

    def crypt(word: int, back: bool) -> int:
        return int.from_bytes(CIPHER.encrypt_block(key, word.to_bytes(SIZE, "big"), back), "big")

    whole = data + bytes(-len(data) % SIZE)
    for at in range(0, len(whole), SIZE):
        block = int.from_bytes(whole[at : at + SIZE], "big")
        if MODE == "ecb":
            block = crypt(block, decrypt)
        else:
            block, link = mode_block(MODE, decrypt, crypt, link, block)
        out += block.to_bytes(SIZE, "big")
    return out if MODE in ("ecb", "cbc") else out[: len(data)]


async def stays(dut: Any, side: str) -> None:
    """What a side offers stays until it is taken."""
    names = [n for n in ("tdata", "tkeep", "tlast", "tuser", "tid") if hasattr(dut, f"{side}_axis_{n}")]
    before: list[int] | None = None
    while True:
        await ReadOnly()
        valid, ready = (int(getattr(dut, f"{side}_axis_{n}").value) for n in ("tvalid", "tready"))
        shown = [int(getattr(dut, f"{side}_axis_{n}").value) for n in names] if valid else None
        assert before is None or shown == before, "an offer changed before it was taken"
        before = shown if valid and not ready else None
        await RisingEdge(dut.clk)


async def begin(dut: Any) -> tuple[AxiStreamSource, AxiStreamSink, bytes, bytes]:
    """Clock, one cycle of reset, key and initial value at their ports."""
    r = random.Random(3)
    key, iv = r.randbytes(KEY_BYTES), r.randbytes(SIZE)
    Clock(dut.clk, 10, "ns").start()
    dut.rst_i.value = 1
    await RisingEdge(dut.clk)
    await ReadOnly()
    await RisingEdge(dut.clk)
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clk, dut.rst_i)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clk, dut.rst_i)
    dut.s_key_i.value = int.from_bytes(key, "big")
    if hasattr(dut, "s_iv_i"):
        dut.s_iv_i.value = int.from_bytes(iv, "big")
    await reset(dut)
    return source, sink, key, iv


async def reset(dut: Any) -> None:
    dut.rst_i.value = 1
    await RisingEdge(dut.clk)
    dut.rst_i.value = 0
    await RisingEdge(dut.clk)


@cocotb.test()
@cocotb.parametrize(idle=IDLE, pressure=PRESSURE)
async def packets(dut: Any, idle: str, pressure: str) -> None:
    """Messages of many lengths, whole blocks and others, in both directions where the core has both."""
    r = random.Random(f"{idle} {pressure}")
    source, sink, key, iv = await begin(dut)
    source.set_pause_generator(pattern(idle))
    sink.set_pause_generator(pattern(pressure))
    cocotb.start_soon(stays(dut, "m"))
    ways, ids = hasattr(dut, "s_axis_tuser"), hasattr(dut, "s_axis_tid")
    sent = [
        (r.randbytes(n), r.getrandbits(1) if ways else 0, r.randrange(8) if ids else 0) for n in lengths(r)
    ]
    for data, decrypt, tid in sent:
        await source.send(AxiStreamFrame(data, tid=tid if ids else None, tuser=decrypt if ways else None))
    for data, decrypt, tid in sent:
        frame = await with_timeout(sink.recv(compact=False), 200, "us")
        kept = bytes(b for b, keep in zip(frame.tdata, frame.tkeep, strict=True) if keep)
        assert kept == expected(key, iv, data, bool(decrypt))
        assert not any(b for b, keep in zip(frame.tdata, frame.tkeep, strict=True) if not keep)
        users = frame.tuser if isinstance(frame.tuser, list) else [frame.tuser] * len(frame.tdata)
        if ways:
            assert {u & 1 for u in users} == {decrypt}
        if MODE in ("ecb", "cbc"):
            assert users[-1] >> int(ways) == int(len(data) % SIZE > 0)
        if ids:
            assert set(frame.tid if isinstance(frame.tid, list) else [frame.tid]) == {tid}
    for _ in range(60):
        await RisingEdge(dut.clk)
    assert sink.empty()


@cocotb.test()
async def reset_within_a_packet(dut: Any) -> None:
    """One cycle of reset in the middle of a message: nothing of it leaves, and the next message is right."""
    source, sink, key, iv = await begin(dut)
    for cycles in range(1, 12, 3):
        sink.pause = True
        await source.send(AxiStreamFrame(bytes(range(200))))
        for _ in range(cycles):
            await RisingEdge(dut.clk)
        await reset(dut)
        source.clear()
        sink.clear()
        sink.pause = False
        await RisingEdge(dut.clk)
        assert int(dut.m_axis_tvalid.value) == 0
        message = bytes(range(SIZE))
        await source.send(AxiStreamFrame(message))
        frame = await with_timeout(sink.recv(), 100, "us")
        assert bytes(frame.tdata) == expected(key, iv, message, False)
        assert sink.empty()
