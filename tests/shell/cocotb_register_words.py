"""Words of GCM, CCM, XTS or CMAC over registers by drivers from outside: cocotbext-axi, -apb and -wishbone.

What must come out is computed by `cryptography`.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

import cocotb
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

from tests.shell.cocotb_axi_stream import MODE
from tests.shell.cocotb_registers import REGISTERS, bit, give
from tests.shell.cocotb_software import Registers

SIZE = 16
_MOST = 3000


class Software(Registers):
    """The registers as software uses them."""

    async def until(self, field: str, value: bool = True) -> None:
        for _ in range(_MOST):
            if await self.status(field) == value:
                return
        raise AssertionError(f"{field} does not become {value}")

    async def start(self, data: bytes, last: bool, *kinds: str) -> None:
        await self.until("READY")
        await self.words("DATA_IN", data)
        fields = ("START", *kinds, *(("LAST",) if last else ()))
        count = len(data) * bit("CONTROL", "BYTES")
        await self.write(REGISTERS["CONTROL"].address, sum(bit("CONTROL", f) for f in fields) | count)

    async def message(self, data: bytes, *kinds: str) -> None:
        for at in range(0, max(len(data), 1), SIZE):
            await self.start(data[at : at + SIZE], at + SIZE >= len(data), *kinds)

    async def shown(self, name: str) -> bytes:
        register = REGISTERS[name]
        words = [await self.read(register.address + 4 * k) for k in range(register.count)]
        return b"".join(word.to_bytes(4, "little") for word in words)

    async def result(self, size: int) -> bytes:
        out = b""
        while len(out) < size:
            await self.until("RESULT")
            told = await self.read(REGISTERS["RESULT"].address)
            out += (await self.shown("DATA_OUT"))[: told & 31]
            assert bool(told & bit("RESULT", "DATA_LAST")) == (len(out) >= size)
        return out


async def packets(s: Software, key: bytes, r: random.Random) -> None:
    """Packets of both directions; the verdict tells of a tag that is not the expected one."""
    for a, n, way, good in ((20, 37, 1, True), (0, 16, 1, False), (5, 0, 0, True), (0, 0, 0, True)):
        iv, aad, text = r.randbytes(13 if MODE == "ccm" else 12), r.randbytes(a), r.randbytes(n)
        sealed = (AESCCM if MODE == "ccm" else AESGCM)(key).encrypt(iv, text, aad)
        data, tag = sealed[:n], sealed[n:]
        wrong = bytes([tag[0] ^ 1]) + tag[1:]
        if way:
            await s.words("TAG", tag if good else wrong)
        for name, size in (("AAD_BYTES", a), ("DATA_BYTES", n)):
            if name in REGISTERS:
                await s.write(REGISTERS[name].address, size)
        await give(s.write, s.read, "IV", iv)
        kinds = ("DECRYPT",) if way else ()
        for at in range(0, a, SIZE):
            await s.start(aad[at : at + SIZE], at + SIZE >= a and not n, "AAD", *kinds)
        if n or not a:
            await s.message(data if way else text, *kinds)
        assert await s.result(n) == (text if way else data)
        await s.until("TAG")
        told = await s.read(REGISTERS["RESULT"].address)
        fields = {"DECRYPTED": bool(way), "GOOD": bool(way) and good, "TEXT": n > 0}
        assert {name: bool(told & bit("RESULT", name)) for name in fields} == fields
        assert await s.shown("TAG_OUT") == (bytes(16) if way else tag)
        assert await s.read(REGISTERS["RESULT"].address) == 0


async def tags(s: Software, key: bytes, r: random.Random) -> None:
    """Messages of some lengths."""
    for message in (r.randbytes(16), r.randbytes(40), b"", r.randbytes(5)):
        assert not await s.status("TAG")
        assert await s.shown("TAG_OUT") == bytes(16)
        await s.message(message)
        worker = CMAC(AES(key))
        worker.update(message)
        await s.until("TAG")
        assert await s.shown("TAG_OUT") == worker.finalize()


async def units(s: Software, key: bytes, r: random.Random) -> None:
    """Data units, with bytes stolen and without, in both directions."""
    both = int(bit("CONTROL", "DECRYPT") > 0)
    for n, way in ((16, 0), (31, both), (48, 0)):
        number, text = r.randbytes(16), r.randbytes(n)
        await give(s.write, s.read, "UNIT", number)
        worker = Cipher(AES(key), modes.XTS(number))
        await s.message(text, *(("DECRYPT",) if way else ()))
        assert await s.result(n) == (worker.decryptor() if way else worker.encryptor()).update(text)


PLAY: dict[str, Callable[[Software, bytes, random.Random], Awaitable[None]]] = {
    "gcm": packets,
    "ccm": packets,
    "xts": units,
    "cmac": tags,
}


@cocotb.test(timeout_time=4, timeout_unit="ms")
async def messages(dut: Any) -> None:
    """Messages under a key. No secret is read; irq_o tells of a message; ZEROISE leaves nothing."""
    s, r = await Software.begin(dut), random.Random(3)
    enable, status = REGISTERS["INTERRUPT_ENABLE"].address, REGISTERS["INTERRUPT_STATUS"].address
    key = r.randbytes(32 if MODE == "xts" else 16)
    await give(s.write, s.read, "KEY", key)
    await s.write(enable, bit("INTERRUPT_ENABLE", "MESSAGE"))
    assert int(dut.irq_o.value) == 0
    await PLAY[MODE](s, key, r)
    assert int(dut.irq_o.value) == 1
    assert not await s.rejected()
    await s.write(status, bit("INTERRUPT_STATUS", "MESSAGE"))
    for name in {"KEY", "IV", "UNIT", "TAG", "AAD_BYTES", "DATA_BYTES", "DATA_IN"} & REGISTERS.keys():
        await s.write(REGISTERS[name].address, 0x1234_5678)
        assert await s.read(REGISTERS[name].address) == 0
    await s.write(REGISTERS["CONTROL"].address, bit("CONTROL", "ZEROISE"))
    await s.until("BUSY", False)
    assert await s.read(REGISTERS["STATUS"].address) == 0


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def nothing_without_a_key(dut: Any) -> None:
    """START without a key, and of a part of a word, is told as rejected, and does nothing."""
    s = await Software.begin(dut)
    for size in (SIZE, SIZE - 1):
        await s.words("DATA_IN", bytes(SIZE if size == SIZE else 4))
        word = bit("CONTROL", "START") | bit("CONTROL", "LAST") | size * bit("CONTROL", "BYTES")
        await s.write(REGISTERS["CONTROL"].address, word)
        assert await s.rejected()
        assert not await s.status("DATA_PENDING")
