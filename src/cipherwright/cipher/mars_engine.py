"""The data paths of the MARS engine (Satoh et al. 2000, Figures 4 and 5): one mixer for both directions of
mixing and for the key words before and behind them, one core round. The S-boxes are memories outside.

The mixer subtracts from the source word of rounds 2, 3, 6 and 7 of backward mixing at the end of the round
before, where both operands are made anyway; so in both directions a round starts with its lookups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .base import State
from .builder import Builder
from .mars import WORD, add_or_subtract, byte, core_body, core_round, rol
from .mars_tables import S0, S1

__all__ = [
    "HELD_BITS",
    "MIX_OPERATIONS",
    "add_or_subtract_by_carry",
    "engine_core",
    "engine_mixer",
    "held_plan",
    "held_trip",
    "mix_operation",
]

MIX_OPERATIONS = {"backward": 0, "keys": 1, "with_a": 2, "near": 3}
"""Bits of the mixer's operation: backward mixing (with `keys` a subtraction); key words instead of a
round; the source word takes another word in; that word being the nearer one (w3 in forward mixing, the
rotated source word in backward mixing).
"""


def mix_operation(index: int, backward: bool) -> int:
    """The operation of round `index` (0 to 7) of mixing."""
    following = (index + 1) % 8  # whose subtraction backward mixing does early
    with_a = following % 4 > 1 if backward else index % 4 < 2
    near = following % 4 == 2 if backward else index % 4 == 0
    return int(backward) | with_a << 2 | (with_a and near) << 3


def add_or_subtract_by_carry(b: Builder[Any], x: Any, y: Any, minus: Any) -> Any:
    """x + y, or x - y = x + ~y + 1 where `minus`: a column below the lowest makes the carry in. Smaller
    than `add_or_subtract` in gates, not in lookup tables.
    """
    flip = b.named(_spread(b, minus), "minus")
    both = b.add(b.cat(x, b.const(1, 1)), b.cat(b.xor(y, flip), minus))
    return b.select(both, range(WORD, 0, -1))


def _spread(b: Builder[Any], bit: Any) -> Any:
    return b.select(bit, (0,) * WORD)


def engine_mixer(
    b: Builder[Any],
    state: State,
    keys: State,
    operation: Any,
    words: tuple[Any, Any, Any, Any],
    half: Any | None = None,
    summed: Callable[..., Any] = add_or_subtract,
) -> tuple[tuple[Any, Any, Any, Any], State]:
    """(byte addresses of the two reads of S0 and of S1, next state). `words`: what S0 and S1 read, in the
    order of the addresses.
    `summed`: how words are added and subtracted. `half` (one bit, none for a round a cycle): only the
    first, or the second reads of S0 and S1, and the part of the round that needs them; the first part
    leaves words where they are.

    After key words the state stands as after any other forward round, with the source word at its end:
    before forward mixing the block comes in turned by a word, and `keys` are in the order of `state`.
    """
    a, w1, w2, w3 = state
    backward, with_keys, with_a, near = (b.select(operation, (k,)) for k in range(4))
    s0_first, s0_second, s1_first, s1_second = words
    # Forward: S0[a0], S1[a1], then S0[a2], S1[a3]. Backward: S0[a3], S1[a0], then S0[a1], S1[a2].
    places = (("s0_first", 3, 0), ("s0_second", 1, 2), ("s1_first", 0, 1), ("s1_second", 2, 3))
    addresses = tuple(
        b.named(b.mux(backward, byte(b, a, back), byte(b, a, there)), f"{name}_byte")
        for name, back, there in places
    )

    # One adder for w1 (forward) and w3 (backward), one for w2, one for the source word, and one more for key
    # words alone.
    rounds = b.named(b.not_(with_keys), "no_keys")
    back = b.named(b.and_(backward, rounds), "back")
    word_first = b.named(b.and_(b.mux(backward, s1_first, s0_first), _spread(b, rounds)), "word_first")
    first = b.named(b.xor(w1, word_first), "mix_first")
    wide = b.named(
        summed(
            b,
            b.named(b.mux(back, w3, first), "wide_left"),
            b.named(b.mux(with_keys, keys[1], b.mux(backward, s1_second, s1_first)), "wide_right"),
            backward,
        ),
        "mix_wide",
    )
    middle = b.named(
        summed(
            b,
            w2,
            b.named(b.mux(with_keys, keys[2], b.mux(backward, s0_first, s0_second)), "middle_right"),
            backward,
        ),
        "mix_middle",
    )
    last = b.named(b.xor(b.mux(backward, wide, w3), b.mux(backward, s0_second, s1_second)), "mix_last")
    if half is None:
        done_w1, done_w2 = b.mux(back, first, wide), middle
    else:  # the first part has stored them
        done_w1, done_w2 = b.mux(with_keys, wide, w1), b.mux(back, w2, middle)
    turned = b.named(b.mux(backward, rol(b, a, 24), rol(b, a, 8)), "turned")
    taken = b.named(b.mux(near, b.mux(backward, turned, last), b.mux(backward, done_w2, done_w1)), "taken")
    source = b.named(b.mux(with_keys, a, b.mux(backward, done_w1, turned)), "source")
    new_source = b.named(summed(b, source, b.mux(with_keys, keys[0], taken), backward), "mix_source")
    fourth = b.named(summed(b, w3, keys[3], backward), "mix_key")
    # Backward, the word that was subtracted from is the next source word; forward, it goes to the end.
    straight = b.named(b.or_(back, b.not_(b.or_(with_a, with_keys))), "straight")
    end = b.named(b.mux(straight, turned, new_source), "end_word")
    front = b.named(b.mux(b.and_(back, with_a), new_source, done_w1), "front")
    out = (front, done_w2, b.mux(with_keys, fourth, last), end)
    if half is None:
        return addresses, out
    kept = (a, b.mux(backward, first, wide), b.mux(backward, middle, w2), w3)
    chosen = tuple(b.mux(b.or_(half, with_keys), o, k) for o, k in zip(out, kept, strict=True))
    return addresses, chosen


def engine_core(
    b: Builder[Any],
    state: State,
    k_add: Any,
    k_mul: Any,
    second_half: Any,
    last: Any,
    decrypt: Any,
    word: Any,
) -> tuple[Any, State]:
    """(nine-bit address of the S-box, next state) of a core round; `word`: what the S-box reads. In
    decryption the source word stands rotated left by 19 before every round, so a round begins without a
    choice; after the `last` one it stands as it is.
    """
    asked: list[Any] = []

    def look(m: Any) -> Any:
        asked.append(b.select(m, range(8, -1, -1)))
        return word

    source = state[0]
    front, *others = core_body(
        b,
        state,
        source,
        rol(b, source, 13),
        k_add,
        k_mul,
        second_half,
        decrypt,
        look,
        add_or_subtract_by_carry,
    )
    turns = b.named(b.and_(decrypt, b.not_(last)), "turns")
    return asked[0], (b.mux(turns, rol(b, front, 19), front), *others)


# -- both in a loop over held round keys
# -------------------------------------------------------------------------------
HELD_BITS = 10
"""Of a trip's control word: the mixer's operation (4), core instead of mixer (1), the number of the core's
round (4, the top one being its second half), and the key words after the rounds instead of before them
(1).
"""

_CORE, _ROUND, _END = 1 << 4, 5, 1 << 9


def held_plan() -> tuple[int, ...]:
    """Control words of the 34 trips of a block."""
    keys = 1 << MIX_OPERATIONS["keys"]
    forward, backward = ([mix_operation(i, back) for i in range(8)] for back in (False, True))
    core = [_CORE | j << _ROUND for j in range(16)]
    return (
        keys,
        *forward,
        *core,
        *(w | _END for w in backward),
        keys | 1 << MIX_OPERATIONS["backward"] | _END,
    )


def held_trip(
    b: Builder[Any], control: Any, state: State, words: Sequence[Sequence[Any]], decrypt: Any
) -> State:
    """A trip: a round of mixing, of the core, or key words. `words`: those of the 18 round keys. One read
    of S0 and one of S1 serve mixer and core.
    """
    operation, in_core, end = (
        b.select(control, (3, 2, 1, 0)),
        b.select(control, (4,)),
        b.select(control, (9,)),
    )

    def chosen(which: int) -> Any:
        """The word of the core's round."""
        found = [w[which] for w in words[1:17]]
        for k in range(4):
            bit = b.select(control, (_ROUND + k,))
            found = [b.mux(bit, found[i + 1], found[i]) for i in range(0, len(found), 2)]
        return b.named(found[0], ("k_add", "k_mul")[which])

    keys = tuple(
        b.mux(end, last, first) for first, last in zip((words[0][3], *words[0][:3]), words[17], strict=True)
    )
    addresses, _ = engine_mixer(b, state, keys, operation, (state[0],) * 4)
    reads: list[Any] = []

    def look(m: Any) -> Any:
        low = b.select(m, range(7, -1, -1))
        for table, address in ((S0, addresses[0]), (S1, addresses[2])):
            reads.append(
                b.named(
                    b.lookup(f"S{len(reads)}", table, WORD, b.named(b.mux(in_core, low, address), "address")),
                    "s",
                )
            )
        return b.mux(b.select(m, (8,)), reads[1], reads[0])

    core = core_round(b, state, chosen(0), chosen(1), b.select(control, (_ROUND + 3,)), decrypt, look)
    second = tuple(
        b.named(b.lookup(f"S{i}", t, WORD, addresses[1 + 2 * i]), "s") for i, t in enumerate((S0, S1))
    )
    _, mixed = engine_mixer(b, state, keys, operation, (reads[0], second[0], reads[1], second[1]))
    return tuple(b.mux(in_core, c, m) for c, m in zip(core, mixed, strict=True))
