"""TDES as hardware takes it: the three keys in the order of use first, and then three schedules of DES.

Decryption is encryption with the keys in reverse order and each pass in the other direction. So two choices
of 56 bits put the keys in order. From then on only the direction of a pass matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from ...cipher import ROUND_KEY, Standard
from ...cipher.des import DES, PC1, PC2, rotated
from ...cipher.des_tables import SHIFTS
from ...cipher.word import Permutation, Word, Words, choose
from ..ahead import AheadForm
from ..form import Form

__all__ = ["TdesForm"]

_ROUNDS = 16
_KEPT = tuple(n for n in range(1, 65) if n % 8)
"""Numbers of a key's bits without its parity bits, which PC1 does not take."""
_WITHOUT_PARITY = Permutation(64, _KEPT)
_PC1 = Permutation(56, tuple(1 + _KEPT.index(n) for n in PC1.numbers))
"""PC1 of a key without its parity bits."""


class TdesForm(Form):
    """A control word, from its least significant bit: the next key is two places away; the pass ends; it is
    the middle pass. The state of the stepped schedule: C and D of the key in use, of the next
    pass's, of the last one's.
    """

    def __init__(self, cipher: Standard, key_bits: int) -> None:
        super().__init__(cipher, key_bits)
        self.single = AheadForm(DES, 64)

    @staticmethod
    def _keys(key: Word) -> Words:
        """Keys 1, 2 and 3 without parity bits; key 3 is key 1 where two are supplied."""
        keys = tuple(map(_WITHOUT_PARITY, key.split(key.width // 64)))
        return keys if len(keys) == 3 else (*keys, keys[0])

    def _ordered(self, key: Word, back: Word) -> Words:
        """The keys of the three passes."""
        k1, k2, k3 = self._keys(key)
        return choose(back, k3, k1).named("key_first"), k2, choose(back, k1, k3).named("key_last")

    @staticmethod
    def state_named(state: Words) -> Words:
        """A round names its result itself."""
        return state

    # -- straight from the key

    def direct_keys(self, key: Word, back: Word, variant: str = "kept") -> Iterator[Word]:
        k1, _, k3 = map(_PC1, self._keys(key))
        # In the first pass choosing the key and choosing the direction is one choice.
        yield from _round_keys(k1, k3, back)
        _, k2, last = map(_PC1, self._ordered(key, back))
        yield from _round_keys(k2, k2, ~back)
        yield from _round_keys(last, last, back)

    # -- step by step

    @property
    def control_bits(self) -> int:
        return 3

    def key_setup(self, back: bool) -> int:
        return 0

    def key_control(self, index: int, back: bool = False) -> int:
        which, i = divmod(index, _ROUNDS)
        ends = i == _ROUNDS - 1 and which < 2
        return self.single.key_control(i) | int(ends) << 1 | int(which == 1) << 2

    def key_start(self, key: Word, back: Word) -> Words:
        ways = (back, ~back, back)
        starts = []
        for k, way in zip(self._ordered(key, back), ways, strict=True):
            cd = _PC1(k)
            starts.append(choose(way, cd, rotated(cd, 1)).named("cd"))
        return tuple(starts)

    def key_step(self, control: Word, state: Words, back: Word) -> tuple[Word, Words]:
        cd, second, third = state
        ends, middle = control[1], control[2]
        round_key, (stepped,) = self.single.key_step(control[0], (cd,), back ^ middle)
        return round_key, (choose(ends, second, stepped), choose(ends, third, second), third)


_TOTALS = tuple(accumulate(SHIFTS))
"""Places by which C and D are rotated for each round."""


def _round_keys(forward: Word, backward: Word, back: Word) -> Iterator[Word]:
    """Those of a pass. `forward` and `backward`: C and D as DES begins with them, for either direction."""
    for there, again in zip(_TOTALS, reversed(_TOTALS), strict=True):
        word = choose(back, PC2(rotated(backward, again)), PC2(rotated(forward, there)))
        yield word.named(ROUND_KEY)
