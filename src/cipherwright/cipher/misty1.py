"""MISTY1 (RFC 2994; Matsui 1997): FO, FI and FL functions in a Feistel network, whose key schedule uses FI.

A step is two rounds with the FL functions before them. The last step is the last pair of FL functions. The
number of rounds is 8 or any other even number. Indices of subkeys are modulo 8, so later rounds start over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from . import misty1_tables as tables
from .standard import Kind, Standard
from .word import Table, Word, Words, concat, lookup, step

__all__ = ["MISTY1", "Misty1", "Subkey", "fi", "fl", "fl_inverse", "fl_subkeys", "fo", "fo_subkeys"]

S7 = Table("S7", 7, tables.S7)
S9 = Table("S9", 9, tables.S9)

Subkey = tuple[bool, int]
"""Whether it is a word of K' (else of K), and its index, modulo 8 and from 0."""


@step("FI")
def fi(x: Word, ki: Word) -> Word:
    """FI, section 2.3: `x`, 16 bits, under the subkey `ki` of 16 bits."""
    d9, d7 = x[15:7], x[6:0]
    zero = x.const(2, 0)
    d9 = (lookup(S9, d9) ^ concat(zero, d7)).named("d9")
    d7 = lookup(S7, d7) ^ d9[6:0]
    d7 = (d7 ^ ki[15:9]).named("d7")
    d9 = (d9 ^ ki[8:0]).named("d9k")
    d9 = (lookup(S9, d9) ^ concat(zero, d7)).named("fi")
    return concat(d7, d9)


@step("FO")
def fo(x: Word, ko: Sequence[Word], ki: Sequence[Word]) -> Word:
    """FO, section 2.3: `x`, 32 bits, under the subkeys `ko`, KO1 … KO4, and `ki`, KI1 … KI3, of 16
    bits each.
    """
    t0, t1 = x.split(2)
    for j in range(3):
        t0, t1 = t1, (fi((t0 ^ ko[j]).named("ko"), ki[j]) ^ t1).named("fo")
    return concat((t0 ^ ko[3]).named("fo4"), t1)


@step("FL")
def fl(x: Word, kl1: Word, kl2: Word) -> Word:
    """FL, section 2.3: `x`, 32 bits, under the subkeys `kl1` and `kl2`, KL1 and KL2 of 16 bits."""
    d0, d1 = x.split(2)
    d1 = (d1 ^ (d0 & kl1)).named("fl_r")
    d0 = (d0 ^ (d1 | kl2)).named("fl_l")
    return concat(d0, d1)


@step("FLINV")
def fl_inverse(x: Word, kl1: Word, kl2: Word) -> Word:
    """FLINV, section 2.3: `x`, 32 bits, under the subkeys `kl1` and `kl2`, KL1 and KL2 of 16 bits."""
    d0, d1 = x.split(2)
    d0 = (d0 ^ (d1 | kl2)).named("fl_l")
    d1 = (d1 ^ (d0 & kl1)).named("fl_r")
    return concat(d0, d1)


def fl_subkeys(k: int) -> tuple[Subkey, Subkey]:
    """KL1 and KL2 of FL number `k` (from 0)."""
    i = k // 2
    return ((False, i), (True, i + 6)) if k % 2 == 0 else ((True, i + 2), (False, i + 4))


def fo_subkeys(k: int) -> tuple[Subkey, ...]:
    """KO1 … KO4 and KI1 … KI3 of FO number `k` (from 0)."""
    return (*((False, k + i) for i in (0, 2, 7, 4)), *((True, k + i) for i in (5, 1, 3)))


def _fl_layer(d: Words, key: Word) -> Words:
    kl = key.split(4)
    return fl(d[0], kl[0], kl[1]), fl(d[1], kl[2], kl[3])


def _two_rounds(d: Words, key: Word) -> Words:
    """The FL layer and two rounds, section 2.3. Key words: KL1 and KL2 of both FL, then KO1 … KO4 and KI1 …
    KI3 of each FO.
    """
    k = key.split(18)
    d0, d1 = _fl_layer(d, concat(*k[:4]))
    d1 = (d1 ^ fo(d0, k[4:8], k[8:11])).named("state")
    d0 = (d0 ^ fo(d1, k[11:15], k[15:18])).named("state")
    return d0, d1


# Decryption begins as encryption ends, with the halves exchanged.


def _fl_layer_undone(d: Words, key: Word) -> Words:
    kl = key.split(4)
    return fl_inverse(d[0], kl[2], kl[3]), fl_inverse(d[1], kl[0], kl[1])


def _two_rounds_undone(d: Words, key: Word) -> Words:
    k = key.split(18)
    d1, d0 = d
    d0 = (d0 ^ fo(d1, k[11:15], k[15:18])).named("state")
    d1 = (d1 ^ fo(d0, k[4:8], k[8:11])).named("state")
    return _fl_layer_undone((d1, d0), concat(*k[:4]))


TWO_ROUNDS = Kind("two_rounds", 18 * 16, _two_rounds, _two_rounds_undone, rounds=2)
FL_LAYER = Kind("fl", 4 * 16, _fl_layer, _fl_layer_undone, rounds=0)


class Misty1(Standard):
    """MISTY1. State of the key schedule: K and K' for the FO functions, moving by two words a step, and K and
    K' for the FL functions, moving by one.
    """

    name = "misty1"
    title = "MISTY1"
    standard = "RFC 2994"
    block_bits = 64
    lookups = (S7, S9)
    key_sizes = (128,)
    key_variants = ("kept", "recomputed")

    def __init__(self, rounds: int = 8) -> None:
        self.total = rounds

    def with_rounds(self, rounds: int) -> Self:
        if rounds < 2 or rounds % 2:
            raise ValueError(f"MISTY1 has an even number of rounds, not {rounds}")
        return type(self)(rounds)

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return (*(TWO_ROUNDS,) * (self.total // 2), FL_LAYER)

    def begin(self, block: Word) -> Words:
        return block.split(2)

    def end(self, state: Words) -> Word:
        d0, d1 = state
        return concat(d1, d0)

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        return (0,) * (self.total // 2)

    def key_begin(self, key: Word) -> Words:
        """K' of index i is FI of K of i under K of i + 1."""
        k = key.split(8)
        prime = concat(*(fi(k[i], k[(i + 1) % 8]) for i in range(8)))
        return key, prime, key, prime

    def key_next(self, constant: Word, state: Words) -> Words:
        k, prime, fl_k, fl_prime = state
        return k.rotl(32), prime.rotl(32), fl_k.rotl(16), fl_prime.rotl(16)

    def key_word(self, constant: Word, state: Words) -> Word:
        k, prime, fl_k, fl_prime = (word.split(8) for word in state)
        kl = ((fl_prime if p else fl_k)[i % 8] for n in range(2) for p, i in fl_subkeys(n))
        ko_ki = ((prime if p else k)[i % 8] for n in range(2) for p, i in fo_subkeys(n))
        return concat(*kl, *ko_ki)

    def key_previous(self, constant: Word, state: Words) -> Words:
        k, prime, fl_k, fl_prime = state
        return k.rotr(32), prime.rotr(32), fl_k.rotr(16), fl_prime.rotr(16)

    @staticmethod
    def subkeys(i: int) -> list[str]:
        """Names of the subkeys of round and FL number `i` (from 1): KO_i1 … KO_i4, KI_i1 … KI_i3, KL_i1 and
        KL_i2, each as a word of K or K'.

        >>> Misty1.subkeys(1)
        ['K1', 'K3', 'K8', 'K5', "K'6", "K'2", "K'4", 'K1', "K'7"]
        """
        words = (*fo_subkeys(i - 1), *fl_subkeys(i - 1))
        return [f"K'{w % 8 + 1}" if prime else f"K{w % 8 + 1}" for prime, w in words]


MISTY1 = Misty1()
