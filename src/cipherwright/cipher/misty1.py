"""MISTY1 (RFC 2994; Matsui 1997): FO, FI and FL functions in a Feistel network, and a key schedule made of
FI.

Two rounds with the FL functions before them are one round here, so that every round is the same; the last
pair of FL functions is `finish`. Decryption runs the same network with the FL functions inverted and the
subkeys in reverse. The number of rounds is 8 or any other even number; the subkeys of later rounds start
over, as indices are modulo 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import BuilderCipher, State
from .builder import Builder
from .misty1_tables import S7, S9

__all__ = ["MISTY1", "Misty1", "fi", "fl", "fo"]


def _part(b: Builder[Any], a: Any, high: int, low: int) -> Any:
    return b.select(a, range(high, low - 1, -1))


def fi(b: Builder[Any], x: Any, ki: Any) -> Any:
    """FI: 16 bits under the 16-bit subkey KI (its left 7 bits KI1, its right 9 bits KI2)."""
    left, right = _part(b, x, 15, 7), _part(b, x, 6, 0)
    zero = b.const(2, 0)
    d9 = b.named(b.xor(b.lookup("S9", S9, 9, left), b.cat(zero, right)), "d9")
    d7 = b.xor(b.xor(b.lookup("S7", S7, 7, right), _part(b, d9, 6, 0)), _part(b, ki, 15, 9))
    d7 = b.named(d7, "d7")
    d9 = b.named(b.xor(d9, _part(b, ki, 8, 0)), "d9k")
    out = b.named(b.xor(b.lookup("S9", S9, 9, d9), b.cat(zero, d7)), "fi")
    return b.cat(d7, out)


def fo(b: Builder[Any], x: Any, ko: Sequence[Any], ki: Sequence[Any]) -> Any:
    """FO: 32 bits under KO1 … KO4 and KI1 … KI3."""
    left, right = _part(b, x, 31, 16), _part(b, x, 15, 0)
    for j in range(3):
        left, right = right, b.named(b.xor(fi(b, b.named(b.xor(left, ko[j]), "ko"), ki[j]), right), "fo")
    return b.cat(b.named(b.xor(left, ko[3]), "fo4"), right)


def fl(b: Builder[Any], x: Any, kl1: Any, kl2: Any, inverse: Any) -> Any:
    """FL on 32 bits, or its inverse where the bit `inverse` says so."""
    left, right = _part(b, x, 31, 16), _part(b, x, 15, 0)
    first = b.mux(inverse, b.xor(left, b.or_(right, kl2)), left)
    second = b.mux(inverse, right, b.xor(right, b.and_(left, kl1)))
    return b.cat(
        b.named(b.xor(left, b.or_(second, kl2)), "fl_l"), b.named(b.xor(right, b.and_(first, kl1)), "fl_r")
    )


class Misty1(BuilderCipher):
    """MISTY1: 64-bit block, 128-bit key."""

    name = "misty1"
    title = "MISTY1"
    standard = "RFC 2994"
    block_bits = 64
    key_sizes = (128,)
    last_key = True
    key_variants = ("kept", "recomputed")

    def __init__(self, rounds: int = 8) -> None:
        self.total = rounds

    def with_rounds(self, rounds: int) -> Misty1:
        if rounds < 2 or rounds % 2:
            raise ValueError(f"MISTY1 has an even number of rounds, not {rounds}")
        return Misty1(rounds)

    def standard_rounds(self, key_bits: int) -> int:
        return self.total

    def rounds(self, key_bits: int) -> int:
        """Pairs of rounds."""
        return self.total // 2

    def start(self, b: Builder[Any], block: Any, round_key: Any) -> State:
        return _part(b, block, 63, 32), _part(b, block, 31, 0)

    # A round key is the words of one FL pair (KL1, KL2 left, KL1, KL2 right), for a round followed by KO1 …
    # KO4,
    # KI1 … KI3 of each FO, and at the end the direction, which FL needs.
    @staticmethod
    def _words(b: Builder[Any], round_key: Any) -> tuple[list[Any], Any]:
        n = b.width(round_key)
        return [_part(b, round_key, high, high - 15) for high in range(n - 1, 1, -16)], b.select(
            round_key, (0,)
        )

    @staticmethod
    def _fl_pair(b: Builder[Any], state: State, words: Sequence[Any], inverse: Any) -> State:
        left, right = state
        return fl(b, left, words[0], words[1], inverse), fl(b, right, words[2], words[3], inverse)

    def round(self, b: Builder[Any], key_bits: int, index: int, state: State, round_key: Any) -> State:
        words, inverse = self._words(b, round_key)
        left, right = self._fl_pair(b, state, words, inverse)
        right = b.named(b.xor(right, fo(b, left, words[4:8], words[8:11])), "state")
        left = b.named(b.xor(left, fo(b, right, words[11:15], words[15:18])), "state")
        return left, right

    def finish(self, b: Builder[Any], state: State, round_key: Any) -> Any:
        words, inverse = self._words(b, round_key)
        left, right = self._fl_pair(b, state, words, inverse)
        return b.cat(right, left)

    # -- key schedule: K_1 … K_8 are the key, K'_i = FI(K_i, K_(i+1)); indices here are from 0
    # ---------------------------
    @staticmethod
    def _key_words(b: Builder[Any], key: Any) -> list[Any]:
        return [_part(b, key, high, high - 15) for high in range(127, 0, -16)]

    @staticmethod
    def _k_prime(b: Builder[Any], words: Sequence[Any], i: int, which: str = "") -> Any:
        """K'_(i+1); `which` names one of several computations of it."""
        one, other = words[i % 8], words[(i + 1) % 8]
        if which:
            one, other = b.again(one, which), b.again(other, which)
        return fi(b, one, other)

    @staticmethod
    def _fl_index(i: int) -> tuple[tuple[bool, int], tuple[bool, int]]:
        """(of K', index) of KL1 and KL2 of FL number i (from 0)."""
        return (
            ((False, i // 2), (True, i // 2 + 6)) if i % 2 == 0 else ((True, i // 2 + 2), (False, i // 2 + 4))
        )

    @classmethod
    def _indices(cls, fls: Sequence[int], fos: Sequence[int]) -> list[tuple[bool, int]]:
        out = [w for i in fls for w in cls._fl_index(i)]
        for k in fos:
            out += [
                (False, k),
                (False, k + 2),
                (False, k + 7),
                (False, k + 4),
                (True, k + 5),
                (True, k + 1),
                (True, k + 3),
            ]
        return out

    def _plan(self, index: int, decrypt: bool) -> list[tuple[bool, int]]:
        """(of K', index) of every word of round key `index`."""
        n, last = self.total, index == self.total // 2
        if not decrypt:
            return self._indices((2 * index, 2 * index + 1), () if last else (2 * index, 2 * index + 1))
        return self._indices(
            (n + 1 - 2 * index, n - 2 * index), () if last else (n - 1 - 2 * index, n - 2 - 2 * index)
        )

    def round_key(
        self, b: Builder[Any], key_bits: int, index: int, key: Any, decrypt: Any, variant: str = "kept"
    ) -> Any:
        """The subkeys of a pair of rounds. `recomputed`: every pair of rounds computes the K' words that
        it needs.
        """
        words = self._key_words(b, key)
        which = f"round{index}" if variant == "recomputed" else ""

        def word(item: tuple[bool, int]) -> Any:
            prime, i = item[0], item[1] % 8
            return self._k_prime(b, words, i, which) if prime else words[i]

        pairs = zip(self._plan(index, False), self._plan(index, True), strict=True)
        return b.cat(*(b.mux(decrypt, word(back), word(there)) for there, back in pairs), decrypt)

    @classmethod
    def subkeys(cls, i: int) -> list[str]:
        """Names of KO_i1 … KO_i4, KI_i1 … KI_i3, KL_i1 and KL_i2 (round and FL number from 1)."""
        words = cls._indices((), (i - 1,)) + cls._indices((i - 1,), ())
        return [f"K'{w % 8 + 1}" if prime else f"K{w % 8 + 1}" for prime, w in words]

    # By steps the state is K and K' as they stand for the FO functions (moving by two words a step) and for
    # FL (by one).
    def key_start(self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any) -> State:
        words = self._key_words(b, key)
        primes = [self._k_prime(b, words, i) for i in range(8)]
        n = self.total

        def turned(ws: Sequence[Any], by: int) -> Any:
            return b.cat(*(b.mux(decrypt, ws[(i + by) % 8], ws[i]) for i in range(8)))

        return turned(words, n - 2), turned(primes, n - 2), turned(words, n // 2), turned(primes, n // 2)

    def control_bits(self, key_bits: int) -> int:
        return 1

    def key_control(self, key_bits: int, index: int, decrypt: bool = False) -> int:
        return 0

    def key_step(
        self, b: Builder[Any], key_bits: int, control: Any, state: State, decrypt: Any
    ) -> tuple[Any, State]:
        k, kp, fl_k, fl_kp = (self._key_words(b, word) for word in state)
        there, back = self._indices((0, 1), (0, 1)), self._indices((1, 0), (1, 0))

        def word(item: tuple[bool, int], position: int) -> Any:
            ordinary, prime = (fl_k, fl_kp) if position < 4 else (k, kp)
            return (prime if item[0] else ordinary)[item[1] % 8]

        pairs = zip(there, back, strict=True)
        round_key = b.cat(
            *(b.mux(decrypt, word(q, i), word(p, i)) for i, (p, q) in enumerate(pairs)), decrypt
        )

        def moved(ws: Sequence[Any], by: int) -> Any:
            return b.cat(*(b.mux(decrypt, ws[(i - by) % 8], ws[(i + by) % 8]) for i in range(8)))

        return round_key, (moved(k, 2), moved(kp, 2), moved(fl_k, 1), moved(fl_kp, 1))

    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        return {"S7": (7, S7), "S9": (9, S9)}


MISTY1 = Misty1()
