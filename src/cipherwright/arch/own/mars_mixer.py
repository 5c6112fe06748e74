"""One mixer of MARS for both directions of mixing and for the key words before and behind them (Satoh et
al. 2000, figure 4), for the engine and for the loop over held round keys. The S-boxes are outside.

The mixer subtracts from the source word of rounds 2, 3, 6 and 7 of backward mixing at the end of the round
before, where both operands are made anyway. So in both directions a round starts with its lookups.
"""

from __future__ import annotations

from collections.abc import Callable

from ...cipher.mars import byte
from ...cipher.word import Word, Words, choose, concat

__all__ = [
    "MIX_OPERATIONS",
    "add_or_subtract",
    "add_or_subtract_by_carry",
    "mix_operation",
    "mixer",
    "spread",
]

MIX_OPERATIONS = {"backward": 0, "keys": 1, "with_a": 2, "near": 3}
"""Bits of the mixer's operation: backward mixing (with `keys` a subtraction); key words instead of a
round; the source word takes another word in; that word being the nearer one (w3 in forward mixing, the
rotated source word in backward mixing).
"""


def mix_operation(index: int, backward: bool) -> int:
    """The operation of round `index` (0 to 7) of forward mixing, or where `backward`, of backward mixing;
    bits as in MIX_OPERATIONS.

    >>> bin(mix_operation(0, backward=False))  # the source word takes the nearer word in
    '0b1100'
    """
    following = (index + 1) % 8  # whose subtraction backward mixing does early
    with_a = following % 4 > 1 if backward else index % 4 < 2
    near = following % 4 == 2 if backward else index % 4 == 0
    return int(backward) | with_a << 2 | (with_a and near) << 3


def add_or_subtract(x: Word, y: Word, minus: Word) -> Word:
    """`x` + `y`, or x - y = ~(~x + y) where the bit `minus` is 1; modulo 2^width."""
    flip = choose(minus, x.const(x.width, (1 << x.width) - 1), x.const(x.width, 0))
    return ((x ^ flip) + y) ^ flip


def spread(bit: Word) -> Word:
    """`bit`, a word of one bit, 32 times."""
    return bit.bits((0,) * 32)


def add_or_subtract_by_carry(x: Word, y: Word, minus: Word) -> Word:
    """`x` + `y`, words of 32 bits, or x - y = x + ~y + 1 where the bit `minus` is 1: a column below the
    lowest makes the carry in. Smaller than `add_or_subtract` in gates, not in lookup tables.
    """
    flip = spread(minus).named("minus")
    both = concat(x, x.const(1, 1)) + concat(y ^ flip, minus)
    return both[32:1]


def mixer(
    state: Words,
    keys: Words,
    operation: Word,
    words: Words,
    half: Word | None = None,
    summed: Callable[[Word, Word, Word], Word] = add_or_subtract,
) -> tuple[Words, Words]:
    """(byte addresses of the two reads of S0 and of S1, next state). `state`: four words, the source word
    first; `keys`: four key words; `operation`: bits as in MIX_OPERATIONS. `words`: what S0 and S1 read, in
    the order of the addresses. `summed`: how words are added and subtracted. `half` (one bit, none for a
    round a cycle): only the first, or the second reads of S0 and S1, and the part of the round that needs
    them; the first part leaves words where they are.

    After key words the state stands as after any other forward round, with the source word at its end: before
    forward mixing the block comes in turned by a word, and `keys` are in the order of `state`.
    """
    a, w1, w2, w3 = state
    backward, with_keys, with_a, near = (operation[k] for k in range(4))
    s0_first, s0_second, s1_first, s1_second = words
    # Forward: S0[a0], S1[a1], then S0[a2], S1[a3]. Backward: S0[a3], S1[a0], then S0[a1], S1[a2].
    places = (("s0_first", 3, 0), ("s0_second", 1, 2), ("s1_first", 0, 1), ("s1_second", 2, 3))
    addresses = tuple(
        choose(backward, byte(a, back), byte(a, forward)).named(f"{name}_byte")
        for name, back, forward in places
    )

    # One adder for w1 (forward) and w3 (backward), one for w2, one for the source word, and one more for key
    # words alone.
    rounds = (~with_keys).named("no_keys")
    back = (backward & rounds).named("back")
    word_first = (choose(backward, s1_first, s0_first) & spread(rounds)).named("word_first")
    first = (w1 ^ word_first).named("mix_first")
    wide = summed(
        choose(back, w3, first).named("wide_left"),
        choose(with_keys, keys[1], choose(backward, s1_second, s1_first)).named("wide_right"),
        backward,
    ).named("mix_wide")
    middle = summed(
        w2,
        choose(with_keys, keys[2], choose(backward, s0_first, s0_second)).named("middle_right"),
        backward,
    ).named("mix_middle")
    last = (choose(backward, wide, w3) ^ choose(backward, s0_second, s1_second)).named("mix_last")
    if half is None:
        done_w1, done_w2 = choose(back, first, wide), middle
    else:  # the first part has stored them
        done_w1, done_w2 = choose(with_keys, wide, w1), choose(back, w2, middle)
    turned = choose(backward, a.rotl(24), a.rotl(8)).named("turned")
    taken = choose(near, choose(backward, turned, last), choose(backward, done_w2, done_w1)).named("taken")
    source = choose(with_keys, a, choose(backward, done_w1, turned)).named("source")
    new_source = summed(source, choose(with_keys, keys[0], taken), backward).named("mix_source")
    fourth = summed(w3, keys[3], backward).named("mix_key")
    # Backward, the word that was subtracted from is the next source word; forward, it goes to the end.
    straight = (back | ~(with_a | with_keys)).named("straight")
    end = choose(straight, turned, new_source).named("end_word")
    front = choose(back & with_a, new_source, done_w1).named("front")
    out = (front, done_w2, choose(with_keys, fourth, last), end)
    if half is None:
        return addresses, out
    kept = (a, choose(backward, first, wide), choose(backward, middle, w2), w3)
    chosen = tuple(choose(half | with_keys, o, k) for o, k in zip(out, kept, strict=True))
    return addresses, chosen
