"""Packets for the testbench of a core of CCM, whose results the reference model computed.

The messages are those of the examples of NIST SP 800-38C, appendix C, cut to the nonce and the tag of the
core. For AES-128 with a nonce of 7, 8 or 12 bytes and a tag of 4, 6 or 8 the results are the published ones
(`tests/cipher/test_ccm.py`).
"""

from __future__ import annotations

from dataclasses import replace

from ...cipher.ccm import CcmInput, ccm
from ...spec import Loop
from ..gcm import KnownPacket

__all__ = ["known_ccm_packets"]

_KEY = bytes(range(0x40, 0x50))
_NONCE = bytes(range(0x10, 0x1D))
_SIZES = ((8, 4), (16, 16), (20, 24), (14, 0), (0, 33), (0, 0))
"""Bytes of additional data and of data: those of examples 1 to 3, then additional data that fill a block with
their length, and packets in which one of the two is missing, or both.
"""


def known_ccm_packets(spec: Loop) -> list[KnownPacket]:
    """Packets under two keys for a core of `spec`: encrypted, and decrypted with the right tag; the last
    again with a wrong tag.
    """
    size, cipher, found = spec.key_bits // 8, spec.described, list[KnownPacket]()
    tag_bytes, nonce = spec.tag_bits // 8, _NONCE[: spec.nonce_bytes]
    for key in ((_KEY * 3)[:size], bytes(range(size))):

        def crypt(word: int, key: bytes = key) -> int:
            return int.from_bytes(cipher.encrypt_block(key, word.to_bytes(16, "big")), "big")

        for n_aad, n_text in _SIZES:
            aad, text = bytes(range(n_aad)), bytes(range(0x20, 0x20 + n_text))
            made = ccm(crypt, CcmInput(nonce, aad, text), tag_bytes)
            tag = made.tag.ljust(16, b"\0")
            found.append(KnownPacket(key, nonce, aad, text, made.data, tag))
            found.append(KnownPacket(key, nonce, aad, made.data, text, tag, True, True))
    last = found[-1]
    wrong = bytes([last.tag[0] ^ 1, *last.tag[1:]])
    return [*found, replace(last, tag=wrong, good=False)]
