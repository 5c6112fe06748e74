"""One worked block: key, block and result as the standard prints them, computed from its description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...cipher.ccm import CcmInput, ccm
from ...cipher.cmac import cmac, tag_length
from ...cipher.gcm import gcm
from ...cipher.hctr2 import hctr2
from ...cipher.modes import CHAIN_MODES, MAC_MODES, PACKET_MODES, UNIT_MODES, WIDE_MODES, mode_block
from ...cipher.xts import halves, xts
from ...spec import Datapath, Loop, Spec

__all__ = ["Worked", "message_result", "on_blocks", "on_numbers", "wide_result", "worked_block"]


@dataclass(frozen=True)
class Worked:
    """A worked `block` under `key` and what becomes of it (`result`), in bytes, byte 0 of the standard first.
    `iv` is empty in ECB; `decrypt`: the block is decrypted. Of a worked packet also `aad`, which is its tweak
    where the result is as long as the text.
    """

    key: bytes
    iv: bytes
    block: bytes
    result: bytes
    decrypt: bool
    aad: bytes = b""
    tag: bytes = b""
    """Of a worked packet: additional data, and the tag that is shown. Of a worked message: its tag; `block`
    is the message.
    """

    @staticmethod
    def shows(mode: str) -> bool:
        """Whether a core in the mode `mode` turns the block into the result: not where it takes whole packets
        or units.
        """
        return mode == "ecb" or mode in CHAIN_MODES


def worked_block(spec: Spec) -> Worked:
    """The first block of a message under the key 00 01 02 …, with the initial value ff ee dd …, for a core of
    `spec`: encrypted unless the core only decrypts. In a mode of whole packets or units it is a packet
    (`_worked_packet`, `_worked_wide`) or a unit (`_worked_unit`), in a mode that makes tags a message
    (`_worked_message`).
    """
    key = bytes(range(spec.key_bits // 8))
    size = spec.block_bits // 8
    iv = bytes(0x11 * (15 - i % 16) for i in range(size)) if spec.mode in CHAIN_MODES else b""
    block = bytes(0x11 * (i % 16) for i in range(size))
    decrypt = spec.direction == "decrypt"
    if spec.mode in PACKET_MODES:
        return _worked_packet(spec, key)
    if spec.mode in UNIT_MODES:
        return _worked_unit(spec)
    if spec.mode in MAC_MODES:
        return _worked_message(spec, key)
    if spec.mode in WIDE_MODES:
        return _worked_wide(spec, key)
    return Worked(key, iv, block, message_result(spec, key, iv, decrypt, block), decrypt)


def message_result(
    spec: Spec, key: bytes, iv: bytes, decrypt: bool, data: bytes, counter_bits: int = 128
) -> bytes:
    """What the message `data` becomes under `key` in the mode of `spec`, by the cipher's description;
    `decrypt`: the direction. A last block that is not whole is filled up with zeros; in ECB and CBC it leaves
    whole, in the other modes it is cut off again. `iv` is empty in ECB; `counter_bits`: those of a counter
    block that count.
    """
    size, crypt, out = spec.block_bits // 8, _on_words(spec, key), b""
    link = int.from_bytes(iv, "big")
    for at in range(0, len(data), size):
        block = int.from_bytes(data[at : at + size].ljust(size, b"\0"), "big")
        if iv:
            block, link = mode_block(spec.mode, decrypt, crypt, link, block, counter_bits)
        else:
            block = crypt(block, decrypt)
        out += block.to_bytes(size, "big")
    return out if spec.mode in ("ecb", "cbc") else out[: len(data)]


def wide_result(spec: Spec, key: bytes, tweak: bytes, text: bytes, decrypt: bool = False) -> bytes:
    """What a packet of HCTR2 with `tweak` and `text` becomes under `key`, by the described cipher of `spec`;
    `decrypt`: its direction.
    """
    size, cipher = spec.block_bits // 8, spec.described

    def crypt(word: int, back: bool) -> int:
        return int.from_bytes(cipher.encrypt_block(key, word.to_bytes(size, "little"), back), "little")

    return hctr2(crypt, 8 * size, tweak, text, decrypt)


def on_blocks(spec: Spec, key: bytes) -> Callable[[bytes, bool], bytes]:
    """The described cipher of `spec` under `key`, from a block and whether it is decrypted."""
    return lambda block, back: spec.described.encrypt_block(key, block, back)


def on_numbers(spec: Spec, key: bytes) -> Callable[[int], int]:
    """The described cipher's encryption under `key`, for `spec`, of a block as a number: byte 0 is the most
    significant.
    """
    crypt = _on_words(spec, key)
    return lambda word: crypt(word, False)


def _on_words(spec: Spec, key: bytes) -> Callable[[int, bool], int]:
    """The described cipher under a key, from a block as a number and whether it is decrypted."""
    size, cipher = spec.block_bits // 8, spec.described

    def crypt(word: int, back: bool) -> int:
        return int.from_bytes(cipher.encrypt_block(key, word.to_bytes(size, "big"), back), "big")

    return crypt


def _worked_packet(spec: Spec, key: bytes) -> Worked:
    """A packet with 20 bytes of additional data and 23 of plaintext, so that each ends with a part of a
    word.
    """
    assert isinstance(spec, Datapath)
    iv, aad = bytes(0xF0 + i for i in range(12)), bytes(0xA0 + i for i in range(20))
    text = bytes(0x11 * (i % 16) for i in range(23))
    crypt = on_numbers(spec, key)
    if isinstance(spec, Loop) and spec.mode == "ccm":
        nonce = bytes(0xF0 + i for i in range(spec.nonce_bytes))
        sealed = ccm(crypt, CcmInput(nonce, aad, text), spec.tag_bits // 8)
        return Worked(key, nonce, text, sealed.data, False, aad, sealed.tag)
    made = gcm(crypt, iv, aad, text)
    return Worked(key, iv, text, made.data, False, aad, made.tag[: spec.tag_bits // 8])


def _worked_message(spec: Spec, key: bytes) -> Worked:
    """A message of a block and seven bytes, so that its last word is padded."""
    assert isinstance(spec, Loop)
    crypt = on_numbers(spec, key)
    text = bytes(0x11 * (i % 16) for i in range(spec.block_bits // 8 + 7))
    tag = cmac(crypt, spec.block_bits, text)
    return Worked(key, b"", text, b"", False, b"", tag[: tag_length(spec.tag_bits, spec.block_bits) // 8])


def _worked_wide(spec: Spec, key: bytes) -> Worked:
    """A packet with a tweak of 5 bytes and a text of a block and seven bytes."""
    size, tweak = spec.block_bits // 8, bytes(0xA0 + i for i in range(5))
    text = bytes(0x11 * (i % 16) for i in range(size + 7))
    return Worked(key, b"", text, wide_result(spec, key, tweak, text), False, tweak)


def _worked_unit(spec: Spec) -> Worked:
    """A unit of 23 bytes, so that bytes of its first word's result are stolen. Its number is in `iv`."""
    key = bytes(range(spec.given_key_bits // 8))
    number = bytes([0x2A]).ljust(16, b"\0")
    text = bytes(0x11 * (i % 16) for i in range(23))
    first, second = (on_blocks(spec, half) for half in halves(key))
    return Worked(key, number, text, xts(first, second, number, text), False)
