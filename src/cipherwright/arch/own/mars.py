"""MARS as hardware takes it: one network for both directions, over round keys that are held.

With the four words in reverse order the inverse of backward mixing is forward mixing and the other way
round. The core's rounds are the same but for three things: decryption subtracts, rotates the source word
the other way, and takes the round keys in reverse order. So the rounds are those of the core; `start` is
the first key words and forward mixing, `finish` backward mixing and the last key words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...cipher import ROUND_KEY
from ...cipher.mars import (
    S_BOX_0,
    S_BOX_1,
    Look,
    backward_mixing_round,
    block_of,
    e_function,
    expanded_key,
    forward_mixing_round,
    s_box,
    words_of,
)
from ...cipher.word import Word, Words, choose, concat, lookup
from ..form import HeldForm
from .mars_mixer import MIX_OPERATIONS, add_or_subtract, mix_operation, mixer

__all__ = ["CoreRound", "MarsForm", "core_body", "core_round", "key_numbers", "split_words"]


def key_numbers(index: int, back: bool) -> list[int]:
    """Numbers of the expanded key's words in round key `index` of the 18, in the order of use: four, two
    (added, multiplied) or four. `back`: of decryption.

    >>> key_numbers(0, False), key_numbers(1, False), key_numbers(1, True)
    ([0, 1, 2, 3], [4, 5], [34, 35])
    """
    if index in (0, 17):
        first = (index == 0) != back
        numbers = list(range(4) if first else range(36, 40))
        return numbers[::-1] if back else numbers
    i = 16 - index if back else index - 1
    return [2 * i + 4, 2 * i + 5]


def core_round(
    state: Words, k_add: Word, k_mul: Word, second_half: Word, back: Word, look: Look = s_box
) -> Words:
    """A round of the core on `state`, four words, in either direction: encryption, or where the bit `back` is
    1 decryption. `k_add` and `k_mul`: the words of its key, added and multiplied. `second_half` (one bit):
    rounds 8 to 15, where L and R change places. `look`: the S-box.
    """
    rotated = choose(back, state[0], state[0].rotl(13))
    return core_body(state, rotated.rotl(19), rotated, k_add, k_mul, CoreRound(second_half, back, look))


@dataclass(frozen=True)
class CoreRound:
    """What tells a round of the core from others. `second_half` (one bit): rounds 8 to 15, where L and R
    change places; `back` (one bit): decryption; `look`: the S-box; `summed`: how words are added and
    subtracted.
    """

    second_half: Word
    back: Word
    look: Look = s_box
    summed: Callable[[Word, Word, Word], Word] = add_or_subtract


def core_body(state: Words, source: Word, rotated: Word, k_add: Word, k_mul: Word, kind: CoreRound) -> Words:
    """What a round of the `kind` does with its `source` word, as it is and `rotated` left by 13, and the
    three other words of `state`, under the key words `k_add` (added) and `k_mul` (multiplied).
    """
    second_half, back = kind.second_half, kind.back
    _, w1, w2, w3 = state
    left, m, r = e_function(source, rotated, k_add, k_mul, kind.look)
    other = choose(second_half, w3, w1)
    sum_left = kind.summed(other, left, back).named("plus_l")
    sum_r = (choose(second_half, w1, w3) ^ r).named("xor_r")
    w1, w3 = choose(second_half, sum_r, sum_left), choose(second_half, sum_left, sum_r)
    return w1, kind.summed(w2, m, back).named("plus_m"), w3, choose(back, source, rotated)


def _turned(words: Sequence[Word], back: Word) -> list[Word]:
    """The words, in reverse order for decryption."""
    return [choose(back, last, first) for first, last in zip(words, reversed(words), strict=True)]


def split_words(word: Word) -> Words:
    """The words of 32 bits in `word`, a round key, the most significant first; bits below the last whole word
    are left out.
    """
    return tuple(word[top : top - 31] for top in range(word.width - 1, 30, -32))


class MarsForm(HeldForm):
    """A round key is its words, the first one at the top, and below them the direction."""

    first_key = True
    last_key = True

    @property
    def rounds(self) -> int:
        return 16

    @property
    def one_network(self) -> bool:
        return True

    def start(self, block: Word, round_key: Word | None = None) -> Words:
        assert round_key is not None
        keys, back = split_words(round_key), round_key[0]
        words = _turned(words_of(block), back)
        state: Words = tuple((w + k).named("key_sum") for w, k in zip(words, keys, strict=True))
        for i in range(8):
            state = forward_mixing_round(state, i)
        return state

    def round(self, index: int, state: Words, round_key: Word) -> Words:
        (k_add, k_mul, *_), back = split_words(round_key), round_key[0]
        return core_round(state, k_add, k_mul, back.const(1, int(index > 7)), back)

    def finish(self, state: Words, round_key: Word | None = None) -> Word:
        assert round_key is not None
        keys, back = split_words(round_key), round_key[0]
        for i in range(8):
            state = backward_mixing_round(state, i)
        words = [(w - k).named("key_difference") for w, k in zip(state, keys, strict=True)]
        return block_of(tuple(_turned(words, back)))

    # -- the key schedule: every word depends on the whole key, so they are all there from the start. In a
    # loop they move on, in the order of use of the direction, by four words first and then by two.

    def direct_keys(self, key: Word, back: Word, variant: str = "kept") -> Iterator[Word]:
        words = expanded_key(key)
        for i in range(self.round_keys):
            pairs = zip(key_numbers(i, False), key_numbers(i, True), strict=True)
            chosen = (choose(back, words[last], words[first]) for first, last in pairs)
            yield concat(*chosen, back).named(ROUND_KEY)

    def unit_keys(self, key: Word, back: bool) -> list[Word]:
        """The round keys of the direction: decryption also reverses the four words of a mixing phase."""
        return list(self.direct_keys(key, key.const(1, int(back))))

    def held_key(self, words: Sequence[Word], index: int, back: Word) -> Word:
        """Decryption also reverses the four words of a mixing phase."""
        last = words[-1 - index]
        if index in (0, self.round_keys - 1):
            last = concat(*reversed(split_words(last)))
        return self.supplied_key(choose(back, last, words[index]), back)

    def supplied_key(self, word: Word, back: Word) -> Word:
        """`word`: the round key's words in the order of use, the first one at the top."""
        return concat(word, back)

    @property
    def control_bits(self) -> int:
        return 1

    def key_setup(self, back: bool) -> int:
        return 0

    def key_control(self, index: int, back: bool = False) -> int:
        return int(index == 0)

    def key_start(self, key: Word, back: Word) -> Words:
        words = expanded_key(key)
        orders = ([n for i in range(18) for n in key_numbers(i, way)] for way in (False, True))
        return tuple(choose(back, words[last], words[first]) for first, last in zip(*orders, strict=True))

    def key_step(self, control: Word, state: Words, back: Word) -> tuple[Word, Words]:
        after = self.cipher.key_next(control, state)
        return concat(*state[:4], back), after

    # -- a loop over held round keys: key words, eight rounds, sixteen, eight, key words. From the lowest bit,
    # a control word is the mixer's operation (4), core instead of mixer (1), the number of the core's round
    # (4, the top one being its second half), the last key words instead of the first (1).

    held_bits = 10

    def held_plan(self) -> tuple[int, ...]:
        keys = 1 << MIX_OPERATIONS["keys"]
        forward, backward = ([mix_operation(i, way) for i in range(8)] for way in (False, True))
        core = [_CORE | j << _ROUND for j in range(16)]
        return (
            keys,
            *forward,
            *core,
            *(w | _END for w in backward),
            keys | 1 << MIX_OPERATIONS["backward"] | _END,
        )

    def held_start(self, block: Word, back: Word) -> Words:
        a, w1, w2, w3 = _turned(words_of(block), back)
        return w3, a, w1, w2  # as the mixer takes it

    def held_iteration(
        self, control: Word, state: Words, round_keys: Sequence[Word], back: Word, reverse: Word
    ) -> Words:
        """One read of S0 and one of S1 serve mixer and core. Decryption over the round keys of encryption
        reads those of the core by the round's number counted downwards.
        """
        words = [split_words(k) for k in round_keys]
        begin, last = (split_words(self.held_key(round_keys, i, reverse)) for i in (0, len(words) - 1))
        operation, in_core, end = control[3:0], control[4], control[9]

        def chosen(which: int) -> Word:
            """The word of the core's round."""
            found = [w[which] for w in words[1:17]]
            for k in range(4):
                bit = control[_ROUND + k] ^ reverse
                found = [choose(bit, found[i + 1], found[i]) for i in range(0, len(found), 2)]
            return found[0].named(("k_add", "k_mul")[which])

        first = (begin[3], *begin[:3])
        keys = tuple(choose(end, o, f) for f, o in zip(first, last, strict=True))
        addresses, _ = mixer(state, keys, operation, (state[0],) * 4)
        reads: list[Word] = []

        def look(m: Word) -> Word:
            low = m[7:0]
            for table, address in ((S_BOX_0, addresses[0]), (S_BOX_1, addresses[2])):
                reads.append(lookup(table, choose(in_core, low, address).named("address")).named("s"))
            return choose(m[8], reads[1], reads[0])

        core = core_round(state, chosen(0), chosen(1), control[_ROUND + 3], back, look)
        second = [
            lookup(table, addresses[1 + 2 * i]).named("s") for i, table in enumerate((S_BOX_0, S_BOX_1))
        ]
        _, mixed = mixer(state, keys, operation, (reads[0], second[0], reads[1], second[1]))
        return tuple(choose(in_core, c, m) for c, m in zip(core, mixed, strict=True))

    def held_finish(self, state: Words, back: Word) -> Word:
        w1, w2, w3, a = state
        return block_of(tuple(_turned((a, w1, w2, w3), back)))


_CORE, _ROUND, _END = 1 << 4, 5, 1 << 9
