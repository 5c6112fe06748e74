"""MARS (Burwick et al., round 2 of the AES process): mixing with two S-boxes around a core with additions,
multiplications and rotations by data.

Words are 32 bits, little-endian in block and key. A round here is a round of the cryptographic core; the
eight rounds of forward mixing and the addition of K0 … K3 before them are `start`, backward mixing and the
subtraction of K36 … K39 are `finish`.

Decryption runs the same network. With the four words in reverse order the inverse of backward mixing is
forward mixing and the other way round, and the core's rounds are the same but for three things: they
subtract, the rotation of the source word goes the other way, and the round keys come in reverse order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .base import ROUND_KEY, HeldCipher, State
from .builder import Builder
from .mars_tables import S0, S1, S

__all__ = [
    "MARS",
    "Mars",
    "add_or_subtract",
    "core_body",
    "core_round",
    "e_function",
    "expanded_key",
    "key_expansion_step",
    "key_numbers",
    "mixing_body",
    "mixing_round",
    "mixing_source",
    "rol",
    "split",
]

WORD = 32
WORDS = 40
"""Words of the expanded key."""

_EVERY_TWO = range(4)


def rol(b: Builder[Any], a: Any, n: int) -> Any:
    """Rotation to the left by n bits: wiring."""
    w = b.width(a)
    return b.select(a, [(k - n) % w for k in range(w - 1, -1, -1)])


def rol_by(b: Builder[Any], a: Any, by: Any) -> Any:
    """Rotation to the left by the five-bit word `by`."""
    for k in range(b.width(by)):
        a = b.named(b.mux(b.select(by, (k,)), rol(b, a, 1 << k), a), f"rol{1 << k}")
    return a


def low(b: Builder[Any], a: Any, bits: int) -> Any:
    """The `bits` lowest bits."""
    return b.select(a, range(bits - 1, -1, -1))


def byte(b: Builder[Any], a: Any, i: int) -> Any:
    """Byte i, 0 being the lowest."""
    return b.select(a, range(8 * i + 7, 8 * i - 1, -1))


def words_of(b: Builder[Any], a: Any) -> list[Any]:
    """The words of a block or key, from its first byte on: little-endian."""
    out = []
    for top in range(b.width(a) - 1, 0, -WORD):
        out.append(b.select(a, [top - 8 * (3 - i) - k for i in _EVERY_TWO for k in range(8)]))
    return out


def split(b: Builder[Any], a: Any) -> State:
    """The words that stand in `a`, the first one at the top; bits below the last whole word are left out."""
    return tuple(b.select(a, range(top, top - WORD, -1)) for top in range(b.width(a) - 1, WORD - 2, -WORD))


def block_of(b: Builder[Any], words: Sequence[Any]) -> Any:
    """The inverse of `words_of`."""
    return b.cat(*(byte(b, w, i) for w in words for i in range(4)))


# -- the cipher's functions
# -------------------------------------------------------------------------------------------
def s_lookup(b: Builder[Any], a: Any) -> Any:
    """S[a mod 512]."""
    return b.named(b.lookup("S", S, WORD, low(b, a, 9)), "s")


Look = Callable[[Any], Any]
"""The S-box's word at the nine lowest bits of a word: as a table, or from a memory outside."""


def e_function(
    b: Builder[Any], rotated: Any, source: Any, k_add: Any, k_mul: Any, look: Look
) -> tuple[Any, Any, Any]:
    """E: (L, M, R) of the source word; `rotated` is the source word rotated left by 13."""
    m = b.named(b.add(source, k_add), "m_sum")
    r = rol(b, b.named(b.mul(rotated, k_mul), "product"), 5)
    left = b.xor(look(m), r)
    m = rol_by(b, m, low(b, r, 5))
    r = rol(b, r, 5)
    left = rol_by(b, b.named(b.xor(left, r), "left"), low(b, r, 5))
    return left, m, r


def core_round(
    b: Builder[Any],
    state: State,
    k_add: Any,
    k_mul: Any,
    second_half: Any,
    decrypt: Any,
    look: Look | None = None,
) -> State:
    """A round of the cryptographic core. `second_half` (one bit): rounds 8 to 15, where L and R change
    places. `look`: the S-box (none: as a table).
    """
    a = state[0]
    source, rotated = b.mux(decrypt, rol(b, a, 19), a), b.mux(decrypt, a, rol(b, a, 13))
    return core_body(
        b, state, source, rotated, k_add, k_mul, second_half, decrypt, look or (lambda m: s_lookup(b, m))
    )


def add_or_subtract(b: Builder[Any], x: Any, y: Any, minus: Any) -> Any:
    """x + y, or x - y = ~(~x + y) where `minus`."""
    flip = b.mux(minus, b.const(WORD, (1 << WORD) - 1), b.const(WORD, 0))
    return b.xor(b.add(b.xor(x, flip), y), flip)


def core_body(
    b: Builder[Any],
    state: State,
    source: Any,
    rotated: Any,
    k_add: Any,
    k_mul: Any,
    second_half: Any,
    decrypt: Any,
    look: Look,
    summed: Callable[..., Any] = add_or_subtract,
) -> State:
    """What a round does with its source word, as it is and rotated left by 13, and the three other words
    of `state`. `summed`: how words are added and subtracted.
    """
    _, w1, w2, w3 = state
    left, m, r = e_function(b, source=source, rotated=rotated, k_add=k_add, k_mul=k_mul, look=look)

    other = b.mux(second_half, w3, w1)
    sum_left, sum_r = (
        b.named(summed(b, other, left, decrypt), "plus_l"),
        b.named(b.xor(b.mux(second_half, w1, w3), r), "xor_r"),
    )
    w1, w3 = b.mux(second_half, sum_r, sum_left), b.mux(second_half, sum_left, sum_r)
    return w1, b.named(summed(b, w2, m, decrypt), "plus_m"), w3, b.mux(decrypt, source, rotated)


Tables = Callable[[int, Any], Any]
"""The word of S0 (0) or S1 (1) at a byte."""


def mixing_source(b: Builder[Any], state: State, index: int) -> State:
    """What a round of backward mixing does first: in rounds 2, 3, 6 and 7 another word is subtracted from
    the source word.
    """
    a, w1, w2, w3 = state
    if index % 4 > 1:
        a = b.named(b.sub(a, w3 if index % 4 == 2 else w1), "mix_a")
    return a, w1, w2, w3


def mixing_round(b: Builder[Any], state: State, index: int, backward: bool) -> State:
    """A round of forward mixing, or of backward mixing."""
    return mixing_body(b, mixing_source(b, state, index) if backward else state, index, backward)


def mixing_body(
    b: Builder[Any], state: State, index: int, backward: bool, tables: Tables | None = None
) -> State:
    """The rest of a round. `tables`: the S-boxes (none: as tables)."""
    a, w1, w2, w3 = state

    def look(table: int, address: Any) -> Any:
        return b.lookup(f"S{table}", (S0, S1)[table], WORD, address)

    def s(table: int, i: int) -> Any:
        return b.named((tables or look)(table, byte(b, a, i)), f"s{table}")

    if not backward:
        w1 = b.named(b.add(b.named(b.xor(w1, s(0, 0)), "mix_x"), s(1, 1)), "mix_b")
        w2, w3 = b.named(b.add(w2, s(0, 2)), "mix_c"), b.named(b.xor(w3, s(1, 3)), "mix_d")
        a = rol(b, a, 8)
        if index % 4 < 2:
            a = b.named(b.add(a, w3 if index % 4 == 0 else w1), "mix_a")
        return w1, w2, w3, a
    w1, w2 = b.named(b.xor(w1, s(1, 0)), "mix_b"), b.named(b.sub(w2, s(0, 3)), "mix_c")
    w3 = b.named(b.xor(b.named(b.sub(w3, s(1, 2)), "mix_x"), s(0, 1)), "mix_d")
    return w1, w2, w3, rol(b, a, 24)


# -- key expansion
# ----------------------------------------------------------------------------------------------------
def linear_step(b: Builder[Any], t: Any, t7: Any, t2: Any, number: Any) -> Any:
    """T[i] after the linear transformation from T[i], T[i-7], T[i-2]; `number` is the word 4i + j."""
    return b.xor(b.xor(t, rol(b, b.xor(t7, t2), 3)), number)


def stirring_step(b: Builder[Any], t: Any, s: Any) -> Any:
    """T[i] after one of the four passes of stirring, from T[i] and the S-box's word at T[i-1]."""
    return rol(b, b.named(b.add(t, s), "stirred"), 9)


def run_mask(b: Builder[Any], w: Any) -> Any:
    """Bits 2 to 30 that lie inside a run of ten or more equal bits of w (neither of its ends)."""

    def both(x: Any, by: int) -> Any:
        """x and x moved down by `by`, in the bits where they overlap."""
        n = b.width(x)
        return b.and_(b.select(x, range(n - 1 - by, -1, -1)), b.select(x, range(n - 1, by - 1, -1)))

    def either(x: Any, by: int) -> Any:
        """x or x moved up by `by`."""
        zero = b.const(by, 0)
        return b.or_(b.cat(zero, x), b.cat(x, zero))

    runs = b.not_(b.xor(b.select(w, range(30, -1, -1)), b.select(w, range(31, 0, -1))))
    for by in (1, 2, 4, 1):  # nine equalities in a row: bit s stands for a run from s to s + 9
        runs = both(runs, by)
    for by in (1, 2, 4):
        runs = either(runs, by)
    inside = b.cat(b.const(1, 0), runs, b.const(1, 0))  # a run from s covers s + 1 to s + 8
    return b.cat(b.const(1, 0), b.select(inside, range(30, 1, -1)), b.const(2, 0))


def mask_step(b: Builder[Any], word: Any, before: Any, pattern: Any) -> Any:
    """A multiplication key without long runs of equal bits, odd and with bit 1 set; `before` is the key
    word below it, `pattern` the S-box's word at 265 + (word mod 4).
    """
    w = b.or_(word, b.const(WORD, 3))
    return b.named(b.xor(w, b.and_(rol_by(b, pattern, low(b, before, 5)), run_mask(b, w))), "k_mul")


def expanded_key(b: Builder[Any], key: Any) -> list[Any]:
    """K[0..39] of a key of 4 to 14 words."""
    t = words_of(b, key)
    n = len(t)
    t = [*t, b.const(WORD, n), *[b.const(WORD, 0)] * (14 - n)]
    k: list[Any] = []
    for j in range(4):
        for i in range(15):
            t[i] = linear_step(b, t[i], t[(i - 7) % 15], t[(i - 2) % 15], b.const(WORD, 4 * i + j))
        for _ in range(4):
            for i in range(15):
                t[i] = stirring_step(b, t[i], s_lookup(b, t[i - 1]))
        k += [t[4 * i % 15] for i in range(10)]
    for i in range(5, 37, 2):
        k[i] = mask_step(
            b, k[i], k[i - 1], b.named(b.lookup("B", S[265:269], WORD, low(b, k[i], 2)), "pattern")
        )
    return k


def key_expansion_step(b: Builder[Any], kind: Any, t: Any, t7: Any, s: Any, t2: Any, number: Any) -> Any:
    """One step of the key expansion by memory, as `kind` (two bits) says: 0 linear, 1 stirring, 2 mask
    (`t7` being the key word before), 3 the word `t` as it is. `number` has six bits.
    """
    wide = b.cat(b.const(WORD - 6, 0), number)
    first = b.mux(b.select(kind, (0,)), stirring_step(b, t, s), linear_step(b, t, t7, t2, wide))
    second = b.mux(b.select(kind, (0,)), t, mask_step(b, t, t7, s))
    return b.mux(b.select(kind, (1,)), second, first)


def key_numbers(index: int, decrypt: bool) -> list[int]:
    """Numbers of the expanded key's words in round key `index` of the 18: four, two (k_add, k_mul) or
    four.
    """
    if index in (0, 17):
        return (
            list(range(39, 35, -1) if index == 0 else range(3, -1, -1))
            if decrypt
            else list(range(4) if index == 0 else range(36, 40))
        )
    i = 16 - index if decrypt else index - 1
    return [2 * i + 4, 2 * i + 5]


class Mars(HeldCipher):
    """MARS: 128-bit block, keys of 128 to 448 bits in steps of 32."""

    name = "mars"
    title = "MARS"
    standard = "MARS, AES round 2 (1999)"
    block_bits = 128
    key_sizes = tuple(range(128, 449, 32))
    first_key = last_key = True
    key_unit = "store"

    def rounds(self, key_bits: int) -> int:
        """Rounds of the cryptographic core."""
        return 16

    def standard_rounds(self, key_bits: int) -> int:
        return 32

    # A round key is its words, the first one at the top, and below them the direction.
    @staticmethod
    def _words(b: Builder[Any], round_key: Any) -> tuple[State, Any]:
        return split(b, round_key), b.select(round_key, (0,))

    @staticmethod
    def _turned(b: Builder[Any], words: Sequence[Any], decrypt: Any) -> list[Any]:
        """The words, in reverse order for decryption."""
        return [b.mux(decrypt, back, there) for there, back in zip(words, reversed(words), strict=True)]

    def start(self, b: Builder[Any], block: Any, round_key: Any) -> State:
        keys, decrypt = self._words(b, round_key)
        words = self._turned(b, words_of(b, block), decrypt)
        state: State = tuple(b.named(b.add(w, k), "key_sum") for w, k in zip(words, keys, strict=True))
        for i in range(8):
            state = mixing_round(b, state, i, backward=False)
        return state

    def round(self, b: Builder[Any], key_bits: int, index: int, state: State, round_key: Any) -> State:
        (k_add, k_mul, *_), decrypt = self._words(b, round_key)
        return core_round(b, state, k_add, k_mul, b.const(1, int(index > 7)), decrypt)

    def finish(self, b: Builder[Any], state: State, round_key: Any) -> Any:
        keys, decrypt = self._words(b, round_key)
        for i in range(8):
            state = mixing_round(b, state, i, backward=True)
        words = [b.named(b.sub(w, k), "key_difference") for w, k in zip(state, keys, strict=True)]
        return block_of(b, self._turned(b, words, decrypt))

    def _round_key(self, b: Builder[Any], words: Sequence[Any], index: int, decrypt: Any) -> Any:
        pairs = zip(key_numbers(index, False), key_numbers(index, True), strict=True)
        return b.cat(*(b.mux(decrypt, words[back], words[there]) for there, back in pairs), decrypt)

    def round_key(
        self, b: Builder[Any], key_bits: int, index: int, key: Any, decrypt: Any, variant: str = "kept"
    ) -> Any:
        return self._round_key(b, expanded_key(b, key), index, decrypt)

    # Every word of the expanded key depends on the whole key, so the schedule by steps has all of them as its
    # state, in the order of
    # use, and moves on by two words; the first step is of four words.
    def _round_keys(
        self,
        b: Builder[Any],
        key_bits: int,
        key: Any,
        decrypt: Any,
        schedule: str,
        controls: Any,
        variant: str,
    ) -> Iterator[Any]:
        if schedule != "direct":
            yield from super()._round_keys(b, key_bits, key, decrypt, schedule, controls, variant)
            return
        words = expanded_key(b, key)  # once, not for each round
        for i in range(self.round_keys(key_bits)):
            yield b.named(self._round_key(b, words, i, decrypt), ROUND_KEY)

    def key_words(self, key_bits: int, index: int) -> int:
        return WORD * len(key_numbers(index, False))

    def supplied_key(self, b: Builder[Any], word: Any, decrypt: Any) -> Any:
        """`word`: the round key's words in the order of use, the first one at the top."""
        return b.cat(word, decrypt)

    # -- trips over held round keys: key words, eight rounds, sixteen, eight, key words
    # ----------------------------------
    def held_plan(self, key_bits: int) -> tuple[int, ...]:
        from .mars_engine import held_plan

        return held_plan()

    def held_bits(self) -> int:
        from .mars_engine import HELD_BITS

        return HELD_BITS

    def held_start(self, b: Builder[Any], block: Any, decrypt: Any) -> State:
        a, w1, w2, w3 = self._turned(b, words_of(b, block), decrypt)
        return w3, a, w1, w2  # as engine_mixer wants it

    def held_trip(
        self, b: Builder[Any], control: Any, state: State, round_keys: Sequence[Any], decrypt: Any
    ) -> State:
        from .mars_engine import held_trip

        return held_trip(b, control, state, [split(b, k) for k in round_keys], decrypt)

    def held_finish(self, b: Builder[Any], state: State, decrypt: Any) -> Any:
        w1, w2, w3, a = state
        return block_of(b, self._turned(b, (a, w1, w2, w3), decrypt))

    def key_start(self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any) -> State:
        words = expanded_key(b, key)
        pairs = zip(*([n for i in range(18) for n in key_numbers(i, d)] for d in (False, True)), strict=True)
        return tuple(b.mux(decrypt, words[back], words[there]) for there, back in pairs)

    def control_bits(self, key_bits: int) -> int:
        return 1

    def key_control(self, key_bits: int, index: int, decrypt: bool = False) -> int:
        """1 in the step of four words at the start."""
        return int(index == 0)

    def key_step(
        self, b: Builder[Any], key_bits: int, control: Any, state: State, decrypt: Any
    ) -> tuple[Any, State]:
        first = tuple(
            b.mux(control, far, near) for far, near in zip(_moved(state, 4), _moved(state, 2), strict=True)
        )
        return b.cat(*state[:4], decrypt), first

    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        return {"S": (WORD, S), "S0": (WORD, S0), "S1": (WORD, S1), "B": (WORD, S[265:269])}


def _moved(words: State, by: int) -> State:
    return words[by:] + words[:by]


MARS = Mars()
