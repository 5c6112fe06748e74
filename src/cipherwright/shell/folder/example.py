"""One worked block: key, block and result as the standard prints them, computed from its description."""

from __future__ import annotations

from dataclasses import dataclass

from ...cipher.modes import CHAIN_MODES, mode_block
from ...spec import Spec

__all__ = ["Worked", "worked_block"]


@dataclass(frozen=True)
class Worked:
    """Bytes, byte 0 of the standard first. `iv` is empty in ECB; `decrypt`: the block is decrypted."""

    key: bytes
    iv: bytes
    block: bytes
    result: bytes
    decrypt: bool

    @staticmethod
    def shows(mode: str) -> bool:
        """Whether a core in this mode turns the block into the result: not where it takes whole packets."""
        return mode == "ecb" or mode in CHAIN_MODES


def worked_block(spec: Spec) -> Worked:
    """The first block of a message under the key 00 01 02 …, with the initial value ff ee dd …: encrypted
    unless the core only decrypts. Of a mode of whole packets, it is a block of the cipher alone.
    """
    key = bytes(range(spec.key_bits // 8))
    size = spec.block_bits // 8
    iv = bytes(0x11 * (15 - i % 16) for i in range(size)) if spec.mode in CHAIN_MODES else b""
    block = bytes(0x11 * (i % 16) for i in range(size))
    decrypt = spec.direction == "decrypt"
    cipher = spec.described

    def crypt(word: int, back: bool) -> int:
        return int.from_bytes(cipher.encrypt_block(key, word.to_bytes(size, "big"), back), "big")

    word = int.from_bytes(block, "big")
    if iv:
        result, _ = mode_block(spec.mode, decrypt, crypt, int.from_bytes(iv, "big"), word)
    else:
        result = crypt(word, decrypt)
    return Worked(key, iv, block, result.to_bytes(size, "big"), decrypt)
