"""The generated logic of the MARS engine (Satoh et al. 2000, figures 4 and 5): its mixer, one round of the
core, one step of the key expansion. The S-boxes are memories outside.
"""

from __future__ import annotations

from functools import cache

from ...arch.own.mars import CoreRound, core_body, split_words
from ...arch.own.mars_mixer import add_or_subtract_by_carry, mixer
from ...cipher.mars import linear_step, mask_step, stirring_step
from ...cipher.word import Word, Words, choose, concat, over, under
from ...graph import Graph, GraphBuilder
from ...rewrite import narrow

__all__ = ["STEP_INPUTS", "core_graph", "engine_core", "key_expansion_step", "mixer_graph", "step_graph"]

STEP_INPUTS = (("kind", 2), ("a", 32), ("b", 32), ("s", 32), ("before2", 32), ("number", 6))
"""Operands of a step of the key expansion, and their widths."""


def mixer_graph(halves: bool) -> Graph:
    """The mixer: one round of mixing, or an addition or subtraction of key words, of 128 bits; `operation`
    says which. `halves`: a round takes two cycles, with one read of S0 and one of S1 in each.
    """
    b = GraphBuilder("mars_mixer")
    state, keys, operation, half = (
        over(b, b.input(name, width))
        for name, width in (("state", 128), ("keys", 128), ("operation", 4), ("half", 1))
    )
    words = tuple(over(b, b.input(n, 32)) for n in ("s0_first", "s0_second", "s1_first", "s1_second"))
    addresses, after = mixer(
        split_words(state),
        split_words(keys),
        operation,
        words,
        half if halves else None,
        add_or_subtract_by_carry,
    )
    names = ("s0_first_address", "s0_second_address", "s1_first_address", "s1_second_address")
    for i, (name, address) in enumerate(zip(names, addresses, strict=True)):
        other = addresses[i | 1]
        b.output(name, under(b, choose(half, other, addresses[i & 2]) if halves else address))
    b.output("next", under(b, concat(*after)))
    return narrow(b.build())


def engine_core(
    state: Words, k_add: Word, k_mul: Word, second_half: Word, last: Word, decrypt: Word, word: Word
) -> tuple[Word, Words]:
    """A round of the core: the nine-bit address of the S-box, and the next state.

    state: four words, of which the first is the source; k_add, k_mul: its two key words; second_half: the
    last eight of the sixteen rounds; last: the last round; decrypt: the direction; these three of one bit;
    word: what the S-box reads at the address.

    In decryption the source word comes rotated left by 19 before every round, so a round begins without a
    choice; after the `last` one it is not rotated.
    """
    asked: list[Word] = []

    def look(m: Word) -> Word:
        asked.append(m[8:0])
        return word

    source = state[0]
    kind = CoreRound(second_half, decrypt, look, add_or_subtract_by_carry)
    front, *others = core_body(state, source, source.rotl(13), k_add, k_mul, kind)
    turns = (decrypt & ~last).named("turns")
    return asked[0], (choose(turns, front.rotl(19), front), *others)


def core_graph() -> Graph:
    """A round of the core."""
    b = GraphBuilder("mars_core")
    state, k_add, k_mul = (over(b, b.input(n, w)) for n, w in (("state", 128), ("k_add", 32), ("k_mul", 32)))
    second, last, decrypt, word = (
        over(b, b.input(n, w)) for n, w in (("second_half", 1), ("last", 1), ("decrypt", 1), ("word", 32))
    )
    address, after = engine_core(split_words(state), k_add, k_mul, second, last, decrypt, word)
    b.output("address", under(b, address))
    b.output("next", under(b, concat(*after)))
    return b.build()


def key_expansion_step(kind: Word, t: Word, t7: Word, s: Word, t2: Word, number: Word) -> Word:
    """One step of the key expansion over a store, as `kind` (two bits) says: 0 linear, 1 stirring, 2 mask, 3
    the word `t` as it is. t: the word T[i] that is replaced; t7, t2: T[i - 7] and T[i - 2], but in a mask
    step t7 is the key word before; s: what the S-box reads; number: 4 i + j of the linear step, six bits.
    """
    wide = concat(t.const(26, 0), number)
    first = choose(kind[0], stirring_step(t, s), linear_step(t, t7, t2, wide))
    second = choose(kind[0], t, mask_step(t, t7, s))
    return choose(kind[1], second, first)


@cache
def step_graph() -> Graph:
    """One step of the key expansion."""
    b = GraphBuilder("mars_key_step_logic")
    b.output("y", under(b, key_expansion_step(*(over(b, b.input(n, w)) for n, w in STEP_INPUTS))))
    return narrow(b.build())
