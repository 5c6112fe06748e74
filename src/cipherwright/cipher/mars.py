"""MARS (Burwick et al., "MARS - a candidate cipher for AES", round 2, 1999): 128-bit block, keys of 128 to
448 bits in steps of 32.

Mixing with two S-boxes surrounds a core with additions, multiplications and rotations by data. All words
have 32 bits and are little-endian in block and key: byte 0 of the block is the lowest of D[0]. Rounds move
the four words on by one, so that the source word is always the first.
"""

from __future__ import annotations

from collections.abc import Callable

from .mars_tables import S0, S1, S
from .standard import Kind, Standard
from .word import Table, Word, Words, choose, concat, lookup, step

__all__ = [
    "MARS",
    "S_BOX_0",
    "S_BOX_1",
    "WORDS",
    "Look",
    "Mars",
    "backward_lookups",
    "backward_mixing_round",
    "backward_source",
    "block_of",
    "byte",
    "e_function",
    "expanded_key",
    "forward_mixing_round",
    "linear_step",
    "mask_step",
    "run_mask",
    "s_box",
    "stirring_step",
    "words_of",
]

S_BOX, S_BOX_0, S_BOX_1 = Table("S", 32, S), Table("S0", 32, S0), Table("S1", 32, S1)
B = Table("B", 32, S[265:269])
"""The four words of the S-box that the key expansion takes as patterns, section 3.2."""

WORDS = 40
"""Words of the expanded key."""


def byte(word: Word, i: int) -> Word:
    """Byte `i` of `word`, 0 being the lowest."""
    return word[8 * i + 7 : 8 * i]


def words_of(data: Word) -> Words:
    """The words of `data`, a block or a key, from its first byte on: little-endian."""
    return tuple(concat(*(byte(w, i) for i in range(4))) for w in data.split(data.width // 32))


def block_of(words: Words) -> Word:
    """The inverse of `words_of`: the bytes of `words`, the lowest byte of the first word on top."""
    return concat(*(byte(w, i) for w in words for i in range(4)))


# -- the rounds


def s_box(m: Word) -> Word:
    """The S-box's word at the nine lowest bits of `m`."""
    return lookup(S_BOX, m[8:0]).named("s")


Look = Callable[[Word], Word]
"""The S-box's word at the nine lowest bits of a word: by the table, or from a memory outside."""


@step("E")
def e_function(source: Word, rotated: Word, k_add: Word, k_mul: Word, look: Look = s_box) -> Words:
    """(L, M, R), section 3.1.2 and figure 5, of the word `source` as it is and `rotated` left by 13. `k_add`
    and `k_mul`: the key words that are added and multiplied; `look`: the S-box.
    """
    m = (source + k_add).named("m_sum")
    r = (rotated * k_mul).named("product").rotl(5)
    left = look(m) ^ r
    m = m.rotl(r[4:0])
    r = r.rotl(5)
    left = (left ^ r).named("left").rotl(r[4:0])
    return left, m, r


def core_forwards(d: Words, key: Word) -> Words:
    """A round of the first half of the core, section 3.1.1."""
    source, rotated = d[0], d[0].rotl(13)
    k_add, k_mul = key.split(2)
    left, m, r = e_function(source, rotated, k_add, k_mul)
    return d[1] + left, d[2] + m, d[3] ^ r, rotated


def core_backwards(d: Words, key: Word) -> Words:
    """A round of the second half of the core: L and R change places."""
    source, rotated = d[0], d[0].rotl(13)
    k_add, k_mul = key.split(2)
    left, m, r = e_function(source, rotated, k_add, k_mul)
    return d[1] ^ r, d[2] + m, d[3] + left, rotated


def core_forwards_inverse(d: Words, key: Word) -> Words:
    source, rotated = d[3].rotr(13), d[3]
    k_add, k_mul = key.split(2)
    left, m, r = e_function(source, rotated, k_add, k_mul)
    return source, d[0] - left, d[1] - m, d[2] ^ r


def core_backwards_inverse(d: Words, key: Word) -> Words:
    source, rotated = d[3].rotr(13), d[3]
    k_add, k_mul = key.split(2)
    left, m, r = e_function(source, rotated, k_add, k_mul)
    return source, d[0] ^ r, d[1] - m, d[2] - left


Boxes = Callable[[int, Word], Word]
"""The word of S0 (0) or S1 (1) at a byte: by the tables, or from memories outside."""


def s_halves(half: int, address: Word) -> Word:
    return lookup((S_BOX_0, S_BOX_1)[half], address).named(f"s{half}")


@step("forward mixing")
def forward_mixing_round(d: Words, i: int, s: Boxes = s_halves) -> Words:
    """Round `i` (0 to 7) of forward mixing, section 3.1.1, of the four words `d`, the source word first. `s`:
    S0 and S1, by number and address.
    """
    a, w1, w2, w3 = d
    w1 = ((w1 ^ s(0, byte(a, 0))).named("mix_x") + s(1, byte(a, 1))).named("mix_b")
    w2 = (w2 + s(0, byte(a, 2))).named("mix_c")
    w3 = (w3 ^ s(1, byte(a, 3))).named("mix_d")
    a = a.rotr(24)
    if i % 4 == 0:
        a = (a + w3).named("mix_a")
    if i % 4 == 1:
        a = (a + w1).named("mix_a")
    return w1, w2, w3, a


def forward_mixing_round_inverse(d: Words, i: int) -> Words:
    w1, w2, w3, a = d
    if i % 4 == 0:
        a = a - w3
    if i % 4 == 1:
        a = a - w1
    a = a.rotl(24)
    w1 = (w1 - s_halves(1, byte(a, 1))) ^ s_halves(0, byte(a, 0))
    return a, w1, w2 - s_halves(0, byte(a, 2)), w3 ^ s_halves(1, byte(a, 3))


def backward_source(d: Words, i: int) -> Words:
    """What round `i` (0 to 7) of backward mixing does first with the four words `d`: it subtracts from the
    source word, the first of them.
    """
    a, w1, w2, w3 = d
    if i % 4 == 2:
        a = (a - w3).named("mix_a")
    if i % 4 == 3:
        a = (a - w1).named("mix_a")
    return a, w1, w2, w3


def backward_lookups(d: Words, s: Boxes = s_halves) -> Words:
    """What a round of backward mixing does with the four words `d` then. `s`: S0 and S1, by number and
    address.
    """
    a, w1, w2, w3 = d
    w1 = (w1 ^ s(1, byte(a, 0))).named("mix_b")
    w2 = (w2 - s(0, byte(a, 3))).named("mix_c")
    w3 = ((w3 - s(1, byte(a, 2))).named("mix_x") ^ s(0, byte(a, 1))).named("mix_d")
    return w1, w2, w3, a.rotl(24)


@step("backward mixing")
def backward_mixing_round(d: Words, i: int) -> Words:
    """Round `i` (0 to 7) of backward mixing, section 3.1.1, of the four words `d`, the source word first."""
    return backward_lookups(backward_source(d, i))


def backward_mixing_round_inverse(d: Words, i: int) -> Words:
    w1, w2, w3, a = d
    a = a.rotr(24)
    w1, w2 = w1 ^ s_halves(1, byte(a, 0)), w2 + s_halves(0, byte(a, 3))
    w3 = (w3 ^ s_halves(0, byte(a, 1))) + s_halves(1, byte(a, 2))
    if i % 4 == 2:
        a = a + w3
    if i % 4 == 3:
        a = a + w1
    return a, w1, w2, w3


def forward_mixing(d: Words, key: Word) -> Words:
    """Key words are added, then come eight rounds: phase 1."""
    d = tuple(w + k for w, k in zip(d, key.split(4), strict=True))
    for i in range(8):
        d = forward_mixing_round(d, i)
    return d


def forward_mixing_inverse(d: Words, key: Word) -> Words:
    for i in reversed(range(8)):
        d = forward_mixing_round_inverse(d, i)
    return tuple(w - k for w, k in zip(d, key.split(4), strict=True))


def backward_mixing(d: Words, key: Word) -> Words:
    """Eight rounds, then key words are subtracted: phase 3."""
    for i in range(8):
        d = backward_mixing_round(d, i)
    return tuple(w - k for w, k in zip(d, key.split(4), strict=True))


def backward_mixing_inverse(d: Words, key: Word) -> Words:
    d = tuple(w + k for w, k in zip(d, key.split(4), strict=True))
    for i in reversed(range(8)):
        d = backward_mixing_round_inverse(d, i)
    return d


FORWARD_MIXING = Kind("forward_mixing", 128, forward_mixing, forward_mixing_inverse, rounds=8)
CORE_FORWARDS = Kind("core_forwards", 64, core_forwards, core_forwards_inverse)
CORE_BACKWARDS = Kind("core_backwards", 64, core_backwards, core_backwards_inverse)
BACKWARD_MIXING = Kind("backward_mixing", 128, backward_mixing, backward_mixing_inverse, rounds=8)


# -- the key expansion, section 3.2


def linear_step(t: Word, t7: Word, t2: Word, number: Word | int) -> Word:
    """T[i] after the linear transformation, from `t`, `t7` and `t2`, which are T[i], T[i-7], T[i-2]; `number`
    is 4i + j.
    """
    return t ^ (t7 ^ t2).rotl(3) ^ number


def stirring_step(t: Word, s: Word) -> Word:
    """T[i] after one of the four passes of stirring, from `t`, which is T[i], and `s`, the S-box's word at
    T[i-1].
    """
    return (t + s).named("stirred").rotl(9)


def run_mask(w: Word) -> Word:
    """Bits 2 to 30 that lie inside a run of ten or more equal bits of `w` (neither of its ends)."""

    def both(x: Word, by: int) -> Word:
        """x and x moved down by `by`, in the bits where they overlap."""
        return x[x.width - 1 - by : 0] & x[x.width - 1 : by]

    def either(x: Word, by: int) -> Word:
        """x or x moved up by `by`."""
        zero = x.const(by, 0)
        return concat(zero, x) | concat(x, zero)

    runs = ~(w[30:0] ^ w[31:1])
    for by in (1, 2, 4, 1):  # nine equalities in a row: bit s stands for a run from s to s + 9
        runs = both(runs, by)
    for by in (1, 2, 4):
        runs = either(runs, by)
    inside = concat(w.const(1, 0), runs, w.const(1, 0))  # a run from s covers s + 1 to s + 8
    return concat(w.const(1, 0), inside[30:2], w.const(2, 0))


def mask_step(word: Word, before: Word, pattern: Word) -> Word:
    """`word`, a multiplication key, without long runs of equal bits, odd and with bit 1 set. `before` is the
    key word below it, `pattern` the word of B at its two lowest bits.
    """
    w = word | 3
    return (w ^ (pattern.rotl(before[4:0]) & run_mask(w))).named("k_mul")


def expanded_key(key: Word) -> Words:
    """K[0] to K[39] of a key of 4 to 14 words."""
    given = words_of(key)
    t = [*given, *(key.const(32, n) for n in (len(given), *[0] * (14 - len(given))))]
    k: list[Word] = []
    for j in range(4):
        for i in range(15):
            t[i] = linear_step(t[i], t[(i - 7) % 15], t[(i - 2) % 15], 4 * i + j)
        for _ in range(4):
            for i in range(15):
                t[i] = stirring_step(t[i], s_box(t[i - 1]))
        k += [t[4 * i % 15] for i in range(10)]
    for i in range(5, 37, 2):
        k[i] = mask_step(k[i], k[i - 1], lookup(B, k[i][1:0]).named("pattern"))
    return tuple(k)


class Mars(Standard):
    """MARS. A step's key word is four words of the expanded key for mixing, two for a round of the core."""

    name = "mars"
    title = "MARS"
    standard = "MARS, AES round 2 (1999)"
    block_bits = 128
    key_sizes = tuple(range(128, 449, 32))
    lookups = (S_BOX, S_BOX_0, S_BOX_1, B)
    key_unit = "store"

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        core = (CORE_FORWARDS,) * 8 + (CORE_BACKWARDS,) * 8
        return (FORWARD_MIXING, *core, BACKWARD_MIXING)

    def begin(self, block: Word) -> Words:
        return words_of(block)

    def end(self, state: Words) -> Word:
        return block_of(state)

    # Every word depends on the whole key, so the schedule's state is all of them. A step moves on by two, the
    # first one by four.

    def key_begin(self, key: Word) -> Words:
        return expanded_key(key)

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        """1 in the step of four words at the start."""
        return (1, *[0] * 16)

    def key_next(self, constant: Word, state: Words) -> Words:
        moved = zip(state[4:] + state[:4], state[2:] + state[:2], strict=True)
        return tuple(choose(constant, four, two) for four, two in moved)

    def key_previous(self, constant: Word, state: Words) -> Words:
        moved = zip(state[-4:] + state[:-4], state[-2:] + state[:-2], strict=True)
        return tuple(choose(constant, four, two) for four, two in moved)

    def key_word(self, constant: Word, state: Words) -> Word:
        return concat(*state[:4])


MARS = Mars()
