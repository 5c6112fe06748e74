"""MISTY1 as hardware takes it: one circuit for both directions, with one FL for FL and its inverse.

Decryption begins with the last pair of FL functions, inverted. So its steps can be cut like those of
encryption, a pair of FL functions and then two rounds, and one pair at the end. Only the subkeys and the
direction of FL differ.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from ...cipher import ROUND_KEY
from ...cipher.misty1 import Subkey, fi, fl_subkeys, fo, fo_subkeys
from ...cipher.word import Word, Words, choose, concat, step
from ..form import Form

__all__ = ["Misty1Form", "fl_either"]


@step("FL")
def fl_either(x: Word, kl1: Word, kl2: Word, inverse: Word) -> Word:
    """FL of MISTY1 on `x`, 32 bits, or its inverse where the bit `inverse` is 1, under the subkeys `kl1` and
    `kl2` of 16 bits (RFC 2994).
    """
    d0, d1 = x.split(2)
    first = choose(inverse, d0 ^ (d1 | kl2), d0)
    second = choose(inverse, d1, d1 ^ (d0 & kl1))
    return concat((d0 ^ (second | kl2)).named("fl_l"), (d1 ^ (first & kl1)).named("fl_r"))


class Misty1Form(Form):
    """A round key: KL1 and KL2 of both FL, then for two rounds KO1 … KO4 and KI1 … KI3 of each FO, and below
    them the direction. The stepped schedule is that of the standard, and moves the other way for decryption.
    Its control words are not read.
    """

    last_key = True
    in_place = True
    same_keys = False  # a step of decryption takes subkeys of two steps of encryption

    # -- the rounds

    @property
    def rounds(self) -> int:
        return len(self.cipher.steps(self.key_bits)) - 1

    def kind(self, index: int) -> Hashable:
        """All are alike."""
        return self.cipher.steps(self.key_bits)[0]

    def unnamed_round(self, index: int, state: Words, round_key: Word) -> Words:
        k = _words(round_key)
        d0, d1 = self._fl_pair(state, round_key)
        d1 = (d1 ^ fo(d0, k[4:8], k[8:11])).named("state")
        d0 = (d0 ^ fo(d1, k[11:15], k[15:18])).named("state")
        return d0, d1

    def finish(self, state: Words, round_key: Word | None = None) -> Word:
        assert round_key is not None
        return self.cipher.end(self._fl_pair(state, round_key))

    @staticmethod
    def _fl_pair(state: Words, round_key: Word) -> Words:
        k, inverse = _words(round_key), round_key[0]
        return fl_either(state[0], k[0], k[1], inverse), fl_either(state[1], k[2], k[3], inverse)

    # -- straight from the key

    def _subkeys(self, index: int, back: bool) -> tuple[Subkey, ...]:
        """Those of round key `index`."""
        first = self.cipher.standard_rounds(self.key_bits) - 2 * index if back else 2 * index
        fls = (first + 1, first) if back else (first, first + 1)
        if index == self.rounds:
            return _listed(fls, ())
        return _listed(fls, (first - 1, first - 2) if back else (first, first + 1))

    def direct_keys(self, key: Word, back: Word, variant: str = "kept") -> Iterator[Word]:
        """`recomputed`: every two rounds compute the words of K' that they need."""
        words = key.split(8)
        for index in range(self.round_keys):
            tag = f"round{index}" if variant == "recomputed" else ""
            pairs = zip(self._subkeys(index, False), self._subkeys(index, True), strict=True)
            chosen = [choose(back, _subkey(words, q, tag), _subkey(words, p, tag)) for p, q in pairs]
            yield concat(*chosen, back).named(ROUND_KEY)

    # -- step by step

    @property
    def control_bits(self) -> int:
        return 1

    def key_setup(self, back: bool) -> int:
        return 0

    def key_control(self, index: int, back: bool = False) -> int:
        return 0

    def key_start(self, key: Word, back: Word) -> Words:
        """The standard's words, or for decryption as they stand after the last step."""
        n = self.cipher.standard_rounds(self.key_bits)
        state = self.cipher.key_begin(key)
        return tuple(
            _moved(w, back, 0, by) for w, by in zip(state, (n - 2, n - 2, n // 2, n // 2), strict=True)
        )

    def key_step(self, control: Word, state: Words, back: Word) -> tuple[Word, Words]:
        k, prime, fl_k, fl_prime = (w.split(8) for w in state)

        def word(place: int, subkey: Subkey) -> Word:
            of_prime, i = subkey
            words = (fl_prime if of_prime else fl_k) if place < 4 else (prime if of_prime else k)
            return words[i % 8]

        pairs = enumerate(zip(_listed((0, 1), (0, 1)), _listed((1, 0), (1, 0)), strict=True))
        round_key = concat(*(choose(back, word(i, q), word(i, p)) for i, (p, q) in pairs), back)
        return round_key, tuple(_moved(w, back, by, -by) for w, by in zip(state, (2, 2, 1, 1), strict=True))


def _words(round_key: Word) -> Words:
    return round_key[round_key.width - 1 : 1].split(round_key.width // 16)


def _listed(fls: Sequence[int], fos: Sequence[int]) -> tuple[Subkey, ...]:
    """The subkeys of FL and FO functions by their numbers."""
    return (*(s for i in fls for s in fl_subkeys(i)), *(s for i in fos for s in fo_subkeys(i)))


def _subkey(key: Words, subkey: Subkey, tag: str) -> Word:
    """A word of K, or one of K' computed from it; with a tag by hardware of its own."""
    of_prime, i = subkey
    if not of_prime:
        return key[i % 8]
    one, other = key[i % 8], key[(i + 1) % 8]
    return fi(one.no_share(tag), other.no_share(tag)) if tag else fi(one, other)


def _moved(word: Word, back: Word, there: int, again: int) -> Word:
    """Eight words of 16 bits moved left by `there` places, or for decryption by `again`."""
    w = word.split(8)
    return concat(*(choose(back, w[(i + again) % 8], w[(i + there) % 8]) for i in range(8)))
