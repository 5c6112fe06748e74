"""Modes of operation (SP 800-38A) on words: what a block becomes, and what the next one is chained to."""

from __future__ import annotations

from collections.abc import Callable

__all__ = [
    "CHAIN_MODES",
    "MAC_MODES",
    "ONE_WAY_MODES",
    "PACKET_MODES",
    "UNIT_MODES",
    "WIDE_MODES",
    "cipher_way",
    "counted_bits",
    "given_key_bits",
    "keys_read",
    "mode_block",
    "next_counter",
    "second_encrypts",
    "ways",
]

CHAIN_MODES = ("cbc", "cfb", "ofb", "ctr")
"""Sections 6.2 to 6.5; CFB with segments of a whole block."""


ONE_WAY_MODES = ("ofb", "ctr")
"""Modes in which decryption is encryption."""

PACKET_MODES = ("gcm", "ccm")
"""Modes of whole packets, which have additional data and a tag (SP 800-38D and SP 800-38C)."""

UNIT_MODES = ("xts",)
"""Modes of whole data units, each with a number, under a key of two halves (SP 800-38E)."""

MAC_MODES = ("cmac",)
"""Modes that make a tag of a message and nothing else (SP 800-38B)."""


WIDE_MODES = ("hctr2",)
"""Modes of whole packets whose result is as long as their text: a tweakable block cipher of any length."""


def given_key_bits(mode: str, key_bits: int) -> int:
    """Bits of the key that a core in `mode` takes, where the cipher's key has `key_bits`: in XTS two keys.

    >>> given_key_bits("xts", 128), given_key_bits("ctr", 128)
    (256, 128)
    """
    return 2 * key_bits if mode in UNIT_MODES else key_bits


def keys_read(mode: str, key_slots: int = 1) -> int:
    """How many keys' round keys a pipeline in `mode` reads, among which every block chooses: two of a mode
    whose key is two, and as many of every one of the `key_slots` resident keys.
    """
    return (2 if mode in UNIT_MODES else 1) * key_slots


def second_encrypts(mode: str) -> bool:
    """Whether the second of the keys of `mode` encrypts alone, in both directions of the mode: the key of
    XTS's tweaks does (SP 800-38E).
    """
    return mode in UNIT_MODES


def ways(direction: str) -> list[int]:
    """Values of the direction bit (1: decryption) that a core of `direction` (encrypt, decrypt or
    both) has.
    """
    return {"encrypt": [0], "decrypt": [1], "both": [0, 1]}[direction]


def cipher_way(mode: str, direction: str) -> str:
    """The direction in which the cipher itself runs in a core of `mode` and `direction`: only ECB, CBC, XTS
    and HCTR2 decrypt by decryption.

    >>> cipher_way("ctr", "both"), cipher_way("cbc", "both")
    ('encrypt', 'both')
    """
    return direction if mode in ("ecb", "cbc", *UNIT_MODES, *WIDE_MODES) else "encrypt"


def counted_bits(counter_bits: int, block_bits: int) -> int:
    """Bits of a counter block of `block_bits` that count where `counter_bits` are asked for: at most the
    whole block.
    """
    return min(counter_bits, block_bits)


def next_counter(value: int, count: int, n: int = 1) -> int:
    """The counter block `n` blocks after `value`: its lowest `count` bits count."""
    return value >> count << count | value + n & (1 << count) - 1


def mode_block(
    mode: str, decrypt: bool, crypt: Callable[[int, bool], int], link: int, block: int, count: int = 128
) -> tuple[int, int]:
    """(result, next link) of one `block` in `mode`, one of CHAIN_MODES (SP 800-38A, sections 6.2 to 6.5;
    ValueError for another); all blocks are integers whose most significant bit is the standard's leftmost.

    decrypt: the mode's direction; crypt: `crypt(block, decrypt)` is the cipher under its key; link: the IV,
    or what the block before left; count: bits of a counter block that count.

    >>> mode_block("ctr", False, lambda block, decrypt: block ^ 0xFF, 7, 1)  # the "cipher" inverts 8 bits
    (249, 8)
    """
    match mode:
        case "cbc" if decrypt:
            return crypt(block, True) ^ link, block
        case "cbc":
            out = crypt(block ^ link, False)
            return out, out
        case "cfb":
            out = crypt(link, False) ^ block
            return out, block if decrypt else out
        case "ofb":
            stream = crypt(link, False)
            return stream ^ block, stream
        case "ctr":
            return crypt(link, False) ^ block, next_counter(link, count)
    raise ValueError(f"there is no mode {mode}; there are {', '.join(CHAIN_MODES)}")
