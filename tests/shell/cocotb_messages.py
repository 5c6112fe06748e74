"""Packets of GCM and CCM, data units of XTS and messages of CMAC through AXI-Stream by a driver from outside
(cocotbext-axi): idle pattern x back-pressure x lengths. What must come out is computed by `cryptography`.
"""

from __future__ import annotations

import os
import random
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, with_timeout
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM
from cryptography.hazmat.primitives.cmac import CMAC

from tests.shell.cocotb_axi_stream import pattern, reset, stays

MODE, PATIENCE = os.environ["MODE"], 2000
LONGEST = int(os.environ.get("LONGEST", "0"))
"""Words of data of a packet that waits for its verdict in the core (0: none waits)."""

LENGTHS = ("s_aad_bytes_i", "s_data_bytes_i")
"""Ports of the lengths of a packet, which CCM has."""


async def begin(dut: Any, key: bytes) -> dict[str, Any]:
    """Clock, reset, a key, and the streams by name."""
    Clock(dut.clk, 10, "ns").start()
    for name in ("key_valid_i", "key_i", "zeroise_i"):
        getattr(dut, name).value = 0
    for name in (*LENGTHS, "s_iv_i", "s_tag_i", "unit_valid_i", "unit_i"):
        if hasattr(dut, name):
            getattr(dut, name).value = 0
    dut.rst_i.value = 1
    for _ in range(2):
        await RisingEdge(dut.clk)
    names = {"s_axis": AxiStreamSource, "m_axis": AxiStreamSink, "m_tag": AxiStreamSink}
    found = {n for n in names if hasattr(dut, f"{n}_tvalid")}
    sides = {n: names[n](AxiStreamBus.from_prefix(dut, n), dut.clk, dut.rst_i) for n in found}
    await reset(dut)
    dut.key_i.value, dut.key_valid_i.value = int.from_bytes(key, "big"), 1
    await taken(dut, "key_ready_o")
    dut.key_valid_i.value = 0
    return sides


async def taken(dut: Any, ready: str) -> None:
    """Wait for a cycle in which `ready` is 1, and for its end."""
    for _ in range(PATIENCE):
        await ReadOnly()
        seen = int(getattr(dut, ready).value)
        await RisingEdge(dut.clk)
        if seen:
            return
    raise AssertionError(f"{ready} stays 0")


async def received(sink: AxiStreamSink) -> AxiStreamFrame:
    return await with_timeout(sink.recv(compact=False), 400, "us")


def kept(frame: AxiStreamFrame) -> bytes:
    """The bytes that TKEEP names; the others are 0."""
    pairs = list(zip(frame.tdata, frame.tkeep, strict=True))
    assert not any(b for b, keep in pairs if not keep)
    return bytes(b for b, keep in pairs if keep)


async def packets(dut: Any, sides: dict[str, Any], key: bytes, r: random.Random) -> None:
    """Packets of both directions, tags right and wrong; each is sent when the one before has been taken, so
    that its IV and its tag stay. Where packets wait for their verdict, one just fits, and one is too long.
    """
    sent, beat = [], len(dut.s_axis_tkeep)
    long = [(3, 16 * LONGEST), (0, 16 * LONGEST + 1), (0, 5)] if LONGEST else []
    for a, n in ((20, 37), (0, 16), (5, 0), (0, 0), (16, 1), *long):
        iv, aad, text, way = (
            r.randbytes(len(dut.s_iv_i) // 8),
            r.randbytes(a),
            r.randbytes(n),
            r.getrandbits(1),
        )
        sealed = (AESCCM if MODE == "ccm" else AESGCM)(key).encrypt(iv, text, aad)
        data, tag = sealed[:n], sealed[n:]
        good = bool(r.getrandbits(1))
        given = tag if good else bytes([tag[0] ^ 1]) + tag[1:]
        filled = aad + bytes(-a % beat)
        body = filled + (data if way else text)
        keep = [1] * a + [0] * (-a % beat) + [1] * n
        user = [way | 2] * len(filled) + [way] * n
        dut.s_iv_i.value, dut.s_tag_i.value = int.from_bytes(iv, "big"), int.from_bytes(given, "big")
        for name, size in zip(LENGTHS, (a, n), strict=True):
            if hasattr(dut, name):
                getattr(dut, name).value = size
        if not body:
            body, keep, user = bytes(1), [0], [way]
        await sides["s_axis"].send(AxiStreamFrame(body, tkeep=keep, tuser=user))
        await sides["s_axis"].wait()
        too_long = bool(way and LONGEST and n > 16 * LONGEST)
        good &= not too_long
        refused = way and LONGEST and not good
        sent.append((b"" if refused else text if way else data, way, good, tag, too_long))
    for out, way, good, tag, too_long in sent:
        if out:
            frame = await received(sides["m_axis"])
            assert kept(frame) == out
        verdict = await received(sides["m_tag"])
        users = verdict.tuser if isinstance(verdict.tuser, list) else [verdict.tuser]
        assert set(users) == {way | (way & good) << 1 | bool(out) << 2 | too_long << 3}
        assert bytes(verdict.tdata) == (bytes(16) if way else tag)


async def tags(dut: Any, sides: dict[str, Any], key: bytes, r: random.Random) -> None:
    """Messages of many lengths, one behind the other."""
    sent = [r.randbytes(n) for n in (1, 16, 40, 0, 17, 5)]
    for k, message in enumerate(sent):
        frame = (message, [1] * len(message)) if message else (bytes(1), [0])
        await sides["s_axis"].send(AxiStreamFrame(frame[0], tkeep=frame[1], tid=k))
    for k, message in enumerate(sent):
        worker = CMAC(algorithms.AES(key))
        worker.update(message)
        frame = await received(sides["m_axis"])
        assert kept(frame) == worker.finalize()
        assert set(frame.tid if isinstance(frame.tid, list) else [frame.tid]) == {k}


async def units(dut: Any, sides: dict[str, Any], key: bytes, r: random.Random) -> None:
    """Data units, with bytes stolen and without, both directions; their numbers are announced first."""
    sent = []
    for k, n in enumerate((16, 17, 48, 31, 40, 33)):
        number, text, way = r.randbytes(16), r.randbytes(n), r.getrandbits(1)
        worker = Cipher(algorithms.AES(key), modes.XTS(number))
        done = (worker.decryptor() if way else worker.encryptor()).update(text)
        dut.unit_i.value, dut.unit_valid_i.value = int.from_bytes(number, "big"), 1
        await taken(dut, "unit_ready_o")
        dut.unit_valid_i.value = 0
        await sides["s_axis"].send(AxiStreamFrame(text, tuser=way, tid=k % 4))
        sent.append((done, way, k % 4))
    for done, way, tid in sent:
        frame = await received(sides["m_axis"])
        assert kept(frame) == done
        assert set(frame.tuser if isinstance(frame.tuser, list) else [frame.tuser]) == {way}
        assert set(frame.tid if isinstance(frame.tid, list) else [frame.tid]) == {tid}


@cocotb.test()
@cocotb.parametrize(idle=("never", "random"), pressure=("never", "alternate", "bursts"))
async def messages(dut: Any, idle: str, pressure: str) -> None:
    """Messages of each kind; afterwards nothing is left in any stream."""
    r = random.Random(f"{idle} {pressure}")
    key = r.randbytes(32 if MODE == "xts" else 16)
    sides = await begin(dut, key)
    sides["s_axis"].set_pause_generator(pattern(idle))
    for side in sides.keys() - {"s_axis"}:
        sides[side].set_pause_generator(pattern(pressure))
    cocotb.start_soon(stays(dut, "m"))
    await {"gcm": packets, "ccm": packets, "xts": units, "cmac": tags}[MODE](dut, sides, key, r)
    for _ in range(60):
        await RisingEdge(dut.clk)
    assert all(sides[side].empty() for side in sides.keys() - {"s_axis"})
