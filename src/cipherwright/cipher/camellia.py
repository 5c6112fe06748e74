"""Camellia (RFC 3713): 128-bit block, keys of 128, 192 and 256 bits, 18 or 24 rounds of a Feistel network
with a layer of FL and its inverse after every six.

Decryption is encryption with the subkeys in reverse order. All subkeys are halves of KL, KR, KA and KB
rotated by 0, 15, 30, 45, 60, 77, 94 and 111 bits, so the schedule keeps these words and rotates all of them
at once, by 15 bits up to 60 and by 17 from there on.
"""

from __future__ import annotations

from itertools import pairwise

from .camellia_tables import SBOX1
from .field import columns_of
from .standard import Kind, Standard
from .word import Matrix, Table, Word, Words, choose, concat, linear, lookup, step

__all__ = ["CAMELLIA", "Camellia", "subkeys"]

S1 = Table("CamelliaSBox1", 8, SBOX1)
SIGMA = (
    0xA09E667F3BCC908B,
    0xB67AE8584CAA73B2,
    0xC6EF372FE94F82BE,
    0x54FF53A5F1D36F1C,
    0x10E527FADE682D1D,
    0xB05688C2B3E6C1FD,
)
"""Constants of the key schedule, section 2.2."""


def _p(t: int) -> int:
    """The P-function of section 2.4.1, bytes t1 … t8 from the most significant."""
    t1, t2, t3, t4, t5, t6, t7, t8 = t.to_bytes(8, "big")
    y = (
        t1 ^ t3 ^ t4 ^ t6 ^ t7 ^ t8,
        t1 ^ t2 ^ t4 ^ t5 ^ t7 ^ t8,
        t1 ^ t2 ^ t3 ^ t5 ^ t6 ^ t8,
        t2 ^ t3 ^ t4 ^ t5 ^ t6 ^ t7,
        t1 ^ t2 ^ t6 ^ t7 ^ t8,
        t2 ^ t3 ^ t5 ^ t7 ^ t8,
        t3 ^ t4 ^ t5 ^ t6 ^ t8,
        t1 ^ t4 ^ t5 ^ t6 ^ t7,
    )
    return int.from_bytes(bytes(y), "big")


P = Matrix("P", columns_of(_p, 64, 64))


@step("SBOX1")
def s1(x: Word) -> Word:
    return lookup(S1, x)


def s2(x: Word) -> Word:
    return s1(x).rotl(1)


def s3(x: Word) -> Word:
    return s1(x).rotl(7)


def s4(x: Word) -> Word:
    return s1(x.rotl(1))


@step("F")
def f(x: Word, k: Word) -> Word:
    """The F-function, section 2.4.1: `x`, 64 bits, under the subkey `k` of 64 bits."""
    boxes = (s1, s2, s3, s4, s2, s3, s4, s1)
    return linear(P, concat(*(s(t) for s, t in zip(boxes, (x ^ k).split(8), strict=True))))


@step("FL")
def fl(x: Word, k: Word) -> Word:
    """FL, section 2.4.2: `x`, 64 bits, under the subkey `k` of 64 bits."""
    (x1, x2), (k1, k2) = x.split(2), k.split(2)
    x2 = x2 ^ (x1 & k1).rotl(1)
    return concat(x1 ^ (x2 | k2), x2)


@step("FLINV")
def fl_inverse(y: Word, k: Word) -> Word:
    """FLINV, section 2.4.3: `y`, 64 bits, under the subkey `k` of 64 bits."""
    (y1, y2), (k1, k2) = y.split(2), k.split(2)
    y1 = y1 ^ (y2 | k2)
    return concat(y1, y2 ^ (y1 & k1).rotl(1))


def _whiten(d: Words, kw: Word) -> Words:
    return d[0] ^ kw[127:64], d[1] ^ kw[63:0]


def _whiten_out(d: Words, kw: Word) -> Words:
    """The last one, on the halves in their places: section 2.3 ends with D2 and then D1."""
    return d[1] ^ kw[127:64], d[0] ^ kw[63:0]


def _round(d: Words, k: Word) -> Words:
    """One round, after which the halves have changed places."""
    return d[1] ^ f(d[0], k), d[0]


def _fl_layer(d: Words, ke: Word) -> Words:
    return fl(d[0], ke[127:64]), fl_inverse(d[1], ke[63:0])


def _exchanged(word: Word) -> Word:
    return concat(word[63:0], word[127:64])


WHITEN = Kind("whiten", 128, _whiten, rounds=0)
WHITEN_OUT = Kind("whiten_out", 128, _whiten_out, rounds=0)
ROUND = Kind("round", 64, _round)
FL_LAYER = Kind("fl", 128, _fl_layer, turned=_exchanged, rounds=0)

_AT = (0, 15, 30, 45, 60, 77, 94, 111)
"""Rotations at which subkeys are read."""

_SHORT = "KL0 KA0+ KL15+ KA15+ KA30 KL45+ KA45h KL60l KA60+ KL77 KL94+ KA94+ KL111+ KA111"
_LONG = "KL0 KB0+ KR15+ KA15+ KR30 KB30+ KL45+ KA45+ KL60 KR60+ KB60+ KL77+ KA77 KR94+ KA94+ KL111+ KB111"
"""Subkeys in the order of use (section 2.3): word and rotation; + for a key of the high half and then one of
the low half, h or l for one of them, nothing for both at once.
"""


def subkeys(key_bits: int) -> list[tuple[str, int, bool]]:
    """The subkeys of a key of `key_bits` in the order of encryption (section 2.3): the word of the key
    schedule, its rotation to the left in bits, and whether the subkey is the low half.
    """
    out = []
    for entry in (_SHORT if key_bits == 128 else _LONG).split():
        word, at = entry[:2], int(entry[2:].rstrip("+hl"))
        if entry.endswith("+"):
            out.append((word, at, False))
        out.append((word, at, entry[-1] in "+l"))
    return out


class Camellia(Standard):
    """Camellia. State of the key schedule: KL and KA for 128-bit keys, else KL, KR, KA and KB."""

    name = "camellia"
    title = "Camellia"
    standard = "RFC 3713"
    block_bits = 128
    lookups = (S1,)
    key_sizes = (128, 192, 256)

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        six = (ROUND,) * 6
        body = six + (FL_LAYER, *six) * (2 if key_bits == 128 else 3)
        return (WHITEN, *body, WHITEN_OUT)

    def begin(self, block: Word) -> Words:
        return block.split(2)

    def end(self, state: Words) -> Word:
        return concat(*state)

    # A constant of the schedule, from its least significant bit: rotate by 15; by 17; the word (two bits);
    # the low half; a step of KA; plus KL; the first step of KB; its second; then 64 bits of Sigma.

    control_width = 9 + 64

    def key_setup_steps(self, key_bits: int) -> int:
        """The F functions that make KA, and with longer keys KB."""
        return 4 if key_bits == 128 else 6

    def key_begin(self, key: Word) -> Words:
        """Section 2.2: KL and KR, and what the first F of KA takes."""
        if key.width == 128:
            return key, key
        kl, rest = key[key.width - 1 : key.width - 128], key[key.width - 129 : 0]
        kr = rest if rest.width == 128 else concat(rest, ~rest)
        return kl, kr, kl ^ kr, kr

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        short = key_bits == 128
        out = [SIGMA[i] << 9 | 1 << 5 | int(i == 1) << 6 for i in range(4)]
        if not short:
            out += [SIGMA[4] << 9 | 1 << 7, SIGMA[5] << 9 | 1 << 8]
        order = subkeys(key_bits)
        for (word, at, low), (_, after, _) in pairwise((*order, order[-1])):
            number = ("KL", "KA").index(word) if short else ("KL", "KR", "KA", "KB").index(word)
            out.append((after - at == 15) << 0 | (after - at == 17) << 1 | number << 2 | low << 4)
        return tuple(out)

    def key_word(self, constant: Word, state: Words) -> Word:
        if len(state) == 2:
            word = choose(constant[2], state[1], state[0])
        else:
            kl, kr, ka, kb = state
            word = choose(constant[3], choose(constant[2], kb, ka), choose(constant[2], kr, kl))
        return choose(constant[4], _exchanged(word), word)

    def key_next(self, constant: Word, state: Words) -> Words:
        sigma = constant[72:9]

        def rotated(word: Word) -> Word:
            return choose(constant[1], word.rotl(17), choose(constant[0], word.rotl(15), word))

        def half_round(word: Word) -> Word:
            return concat(*_round(word.split(2), sigma))

        kl = state[0]
        if len(state) == 2:
            d = half_round(state[1])
            ka = choose(constant[5], choose(constant[6], d ^ kl, d), rotated(state[1]))
            return rotated(kl), ka
        _, kr, ka, kb = state
        d = half_round(choose(constant[7], ka ^ kr, choose(constant[8], kb, ka)))
        new = choose(constant[5], choose(constant[6], d ^ kl, d), rotated(ka))
        return rotated(kl), rotated(kr), new, choose(constant[7] | constant[8], d, rotated(kb))

    def key_previous(self, constant: Word, state: Words) -> Words:
        """Back from key word to key word; the setup is not undone."""

        def back(word: Word) -> Word:
            return choose(constant[1], word.rotr(17), choose(constant[0], word.rotr(15), word))

        return tuple(map(back, state))


CAMELLIA = Camellia()
