"""Rijndael with the sizes of block and key as inputs: one round and one step of the key schedule for all
nine.

A size is three bits, one of them set: bit 0 for 128 bits, bit 1 for 192, bit 2 for 256. The state stands
at the top of 256 bits; what is below a shorter block has no meaning. The key schedule's window holds Nk
consecutive words of the expanded key in its lowest places; a step moves it by Nb words. Words are counted
from 0 at the top, as everywhere in FIPS 197.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ...cipher import Builder, rijndael
from ...cipher.rijndael import INV_SBOX, SBOX, SHIFTS, kind_of_word
from ...cipher.word import over, under
from ...rewrite import BOTH_BOXES

__all__ = [
    "BUFFER_ADDRESS_BITS",
    "CONTROL_BITS",
    "KEY_ADDRESS_BITS",
    "UNIT_BITS",
    "WORDS",
    "buffer_control_table",
    "control_table",
    "four_words",
    "key_step",
    "round_of_any_size",
    "size_code",
]

WORDS = 8
"""Words of the widest block and of the window."""

COUNTS = (4, 6, 8)
"""Words of the three sizes, in the order of the bits of a size."""

UNIT_BITS = 11
"""Of a substitution in a step: whether it is at the first of its two places, at the second, whether it is
rotated; its constant.
"""

CONTROL_BITS = 2 * UNIT_BITS
"""Of a key step: the substitution at word 0 or 2, and below it the one at word 4 or 6."""

KEY_ADDRESS_BITS = 10
"""Of the table of control words: size of the block, size of the key, step."""

BUFFER_ADDRESS_BITS = 8
"""Of the table of control words for a buffer of round keys: size of the key, step."""


def size_code(bits: int) -> int:
    """The three bits that stand for a size of 128, 192 or 256 `bits`.

    >>> [size_code(bits) for bits in (128, 192, 256)]
    [1, 2, 4]
    """
    return 1 << COUNTS.index(bits // 32)


def mix_columns(b: Builder[Any], state: Any, inverse: bool = False) -> Any:
    """MixColumns, or with `inverse` InvMixColumns, of FIPS 197 (sections 5.1.3 and 5.3.3) on every column of
    `state`; `b`: what the operations are made with.
    """
    return under(b, (rijndael.inv_mix_columns if inverse else rijndael.mix_columns)(over(b, state)))


def sub_bytes(b: Builder[Any], word: Any) -> Any:
    """SubBytes of FIPS 197 (section 5.1.1) on every byte of `word`; `b`: what the operations are
    made with.
    """
    return under(b, rijndael.sub_bytes(over(b, word)))


def _pick(b: Builder[Any], size: Any, *choices: Any) -> Any:
    """The choice for 128, 192 or 256 bits; without a `size` (None), that for 128."""
    if size is None:
        return choices[0]
    distinct = list(dict.fromkeys(choices))
    if len(distinct) == 1:
        return distinct[0]
    width = b.width(choices[0])

    def bit(k: int) -> Any:
        return b.select(size, (k,))

    if len(distinct) == 2:
        alone = next(k for k in range(3) if choices.count(choices[k]) == 1)
        return b.mux(bit(alone), choices[alone], choices[(alone + 1) % 3])
    total = None
    for k, choice in enumerate(choices):
        part = b.and_(b.select(size, [k] * width), choice)
        total = part if total is None else b.or_(total, part)
    return total


def _byte(b: Builder[Any], state: Any, column: int, row: int) -> Any:
    high = b.width(state) - 1 - 32 * column - 8 * row
    return b.select(state, range(high, high - 8, -1))


def _shift_rows(b: Builder[Any], state: Any, block: Any, decrypt: Any) -> Any:
    """ShiftRows for the block's size, or its inverse; `decrypt` is None where there is only one way."""

    def source(nb: int, column: int, row: int, back: bool) -> Any:
        if column >= nb:  # no column of this block
            nb, back = WORDS, False
        by = SHIFTS[nb][row]
        return _byte(b, state, (column + (-by if back else by)) % nb, row)

    out = []
    for column in range(WORDS):
        for row in range(4):
            ways = [
                _pick(b, block, *(source(nb, column, row, back) for nb in COUNTS)) for back in (False, True)
            ]
            out.append(ways[0] if decrypt is None else b.mux(decrypt, ways[1], ways[0]))
    return b.cat(*out)


def round_of_any_size(
    b: Builder[Any], state: Any, round_key: Any, mix: Any, block: Any, decrypt: Any = None
) -> Any:
    """One round on 256 bits, made with the builder `b`. Encryption: SubBytes, ShiftRows, MixColumns where
    `mix` is set (all rounds but the last), AddRoundKey of `round_key`. `state` and round key have byte 0 at
    the top; `block`: the size of the block, three bits; `decrypt`: the direction, one bit, or None where the
    round only encrypts.

    Decryption takes the same number of rounds: InvMixColumns where `mix` is set (all but the first),
    InvSubBytes, InvShiftRows, AddRoundKey. So its MixColumns comes before the boxes and encryption's after
    them.
    """
    both = decrypt is not None
    if both:
        state = b.named(
            b.mux(b.named(b.and_(mix, decrypt), "unmix"), mix_columns(b, state, True), state), "unmixed"
        )
        boxes = SBOX + INV_SBOX
        sub = [
            b.lookup(BOTH_BOXES, boxes, 8, b.cat(decrypt, _byte(b, state, c, r)))
            for c in range(WORDS)
            for r in range(4)
        ]
        replaced = b.cat(*sub)
        mix = b.and_(mix, b.not_(decrypt))
    else:
        replaced = sub_bytes(b, state)
    moved = _shift_rows(b, replaced, block, decrypt)
    mixed = b.named(b.mux(mix, mix_columns(b, moved), moved), "mixed")
    return b.named(b.xor(mixed, round_key), "state")


# -- the key schedule
# -------------------------------------------------------------------------------------------------
def _control_word(nb: int, nk: int, i: int) -> int:
    """Of the step in which the window moves from word nb i to word nb (i + 1), or back."""
    places = {t: kind_of_word(nk + nb * i + t, nk) for t in range(nb)}
    found = [(t, rcon) for t, (rcon, substitute) in places.items() if substitute]
    word = 0
    for low in (0, 4):
        unit = [x for x in found if low <= x[0] < low + 4]
        if len(unit) > 1 or any(t % 2 for t, _ in unit):
            raise AssertionError("a step has a substitution that its two units can't make")
        t, rcon = unit[0] if unit else (None, 0)
        word = word << UNIT_BITS | (t == low) << 10 | (t == low + 2) << 9 | (rcon != 0) << 8 | rcon
    return word


@cache
def control_table() -> tuple[int, ...]:
    """Control words by address: size of the block (three bits), size of the key, and below them the step
    (four bits). 0 where there is no such size.
    """
    out = [0] * (1 << KEY_ADDRESS_BITS)
    for block, nb in enumerate(COUNTS):
        for key, nk in enumerate(COUNTS):
            for i in range(16):
                out[1 << block << 7 | 1 << key << 4 | i] = _control_word(nb, nk, i)
    return tuple(out)


@cache
def buffer_control_table() -> tuple[int, ...]:
    """Control words (of the earlier substitution only) of steps of four words, by address: size of the
    key, and below it the step (five bits).
    """
    out = [0] * (1 << BUFFER_ADDRESS_BITS)
    for key, nk in enumerate(COUNTS):
        for i in range(32):
            out[1 << key << 5 | i] = _control_word(4, nk, i) >> UNIT_BITS
    return tuple(out)


def _sum(b: Builder[Any], words: Sequence[Any]) -> Any:
    total = words[0]
    for w in words[1:]:
        total = b.xor(total, w)
    return total


class _Step:
    """One step of the key schedule: the window's words, the sizes, and the two substitutions."""

    def __init__(self, b: Builder[Any], window: Any, block: Any, key: Any, control: Any) -> None:
        self.b, self.block, self.key = b, block, key
        self.w = [
            b.select(window, range(32 * (WORDS - i) - 1, 32 * (WORDS - i) - 33, -1)) for i in range(WORDS)
        ]
        self.at0, self.at2, self.rotate0 = (b.select(control, (k,)) for k in (21, 20, 19))
        self.at4, self.at6, self.rotate1 = (b.select(control, (k,)) for k in (10, 9, 8))
        self.rcon0, self.rcon1 = b.select(control, range(18, 10, -1)), b.select(control, range(7, -1, -1))

    def substituted(self, word: Any, rotate: Any, rcon: Any) -> Any:
        """SubWord, of the rotated word where `rotate` is set, and the constant."""
        b = self.b
        rotated = b.cat(*(b.select(word, range(31 - 8 * i, 23 - 8 * i, -1)) for i in (1, 2, 3, 0)))
        replaced = sub_bytes(b, b.named(b.mux(rotate, rotated, word), "rot_word"))
        return b.named(b.xor(replaced, b.cat(rcon, b.const(24, 0))), "sub_word")

    def old(self, t: int, new: Sequence[Any]) -> Any:
        """Word t of the window: where the window is shorter than that, a word made in this step."""
        line = [*self.w, *new]
        return self.b.named(_pick(self.b, self.key, *(line[WORDS - nk + t] for nk in COUNTS)), f"old{t}")

    def forward(self) -> tuple[list[Any], list[Any]]:
        """(the round key's words, the next window's)."""
        b, last = self.b, self.w[WORDS - 1]
        o = [self.old(t, []) for t in range(4)]
        first = b.xor(o[0], o[1])
        early = self.substituted(b.mux(self.at2, b.xor(last, first), last), self.rotate0, self.rcon0)
        # c is what the sums of words start from; before a substitution at word 2 they start from the last
        # word.
        c = b.named(b.mux(b.or_(self.at0, self.at2), early, last), "after_early")
        before = b.mux(self.at2, last, c)
        q = b.mux(self.at2, o[2], b.xor(first, o[2]))
        new = self.named(
            "new", 0, b.xor(before, o[0]), b.xor(before, first), b.xor(c, q), b.xor(c, b.xor(q, o[3]))
        )
        o += [self.old(t, new) for t in range(4, 8)]
        q3 = b.xor(q, o[3])
        second = b.xor(o[4], o[5])
        late = self.substituted(b.xor(c, b.mux(self.at6, b.xor(q3, second), q3)), self.rotate1, self.rcon1)
        d = b.named(b.mux(b.or_(self.at4, self.at6), late, b.xor(c, q3)), "after_late")
        before = b.mux(self.at6, b.xor(c, q3), d)
        q = b.mux(self.at6, o[6], b.xor(second, o[6]))
        new += self.named(
            "new", 4, b.xor(before, o[4]), b.xor(before, second), b.xor(d, q), b.xor(d, b.xor(q, o[7]))
        )
        line = [*self.w, *new]
        return o, self.named(
            "moved", 0, *(_pick(b, self.block, *(line[p + nb] for nb in COUNTS)) for p in range(WORDS))
        )

    def named(self, name: str, first: int, *words: Any) -> list[Any]:
        """The words with a name and number each."""
        return [self.b.named(w, f"{name}{first + i}") for i, w in enumerate(words)]

    def back(self) -> tuple[list[Any], list[Any]]:
        """(the words before the window, which are the round key's; the window Nb words earlier)."""
        b = self.b
        words: dict[int, Any] = {}  # by their place after the first word that is made here
        longer: dict[
            int, Any
        ] = {}  # the same where Nk is not 4: no path then leads from one substitution to the other

        def later(t: int, nb: int, nk: int) -> Any:
            """Word t, counted from the first that is made, for given sizes."""
            made = longer if nk > COUNTS[0] and t in longer else words
            return self.w[WORDS - nk + t - nb] if t >= nb else made.get(t)

        def chosen(t: int, ahead: int) -> Any:
            """Word t + Nk - ahead: from the window, or made in this step."""
            rows = []
            for nk in COUNTS:
                known = [later(t + nk - ahead, nb, nk) if t < nb else None for nb in COUNTS]
                some = next(x for x in reversed(known) if x is not None)
                rows.append(_pick(b, self.block, *(some if x is None else x for x in known)))
            return _pick(b, self.key, *rows)

        def substitution(t: int, other: int, which: Any, rotate: Any, rcon: Any) -> Any:
            return self.substituted(b.mux(which, chosen(other, 1), chosen(t, 1)), rotate, rcon)

        def word(t: int, unit: Any, at: Any) -> Any:
            return b.named(b.xor(chosen(t, 0), b.mux(at, unit, chosen(t, 1))), f"earlier{t}")

        def unsubstituted(*places: int) -> None:
            for t in places:
                words[t] = b.named(b.xor(chosen(t, 0), chosen(t, 1)), f"earlier{t}")

        unsubstituted(7, 6)  # as it is for Nk = 4
        late = substitution(4, 6, self.at6, self.rotate1, self.rcon1)
        longer[6] = word(6, late, self.at6)
        unsubstituted(5)
        words[4] = word(4, late, self.at4)
        unsubstituted(3)
        early = substitution(0, 2, self.at2, self.rotate0, self.rcon0)
        words[2] = word(2, early, self.at2)
        unsubstituted(1)
        words[0] = word(0, early, self.at0)
        window = []
        for p in range(WORDS):
            choices = []
            for nk in COUNTS:
                m = max(0, p - (WORDS - nk))
                choices.append(_pick(b, self.block, *(later(m, nb, nk) for nb in COUNTS)))
            window.append(_pick(b, self.key, *choices))
        words[6] = _pick(b, self.key, words[6], longer[6], longer[6])
        return [words[t] for t in range(WORDS)], window


def key_step(
    b: Builder[Any], window: Any, control: Any, block: Any, key: Any, back: Any = None
) -> tuple[Any, Any]:
    """(round key, next window), each 256 bits, made with the builder `b`. Forward, the round key is what
    starts at the first word of `window`; back, it is what comes before the window, and so starts at the next
    window's first word.

    control: the step's control word, `CONTROL_BITS` bits (`control_table`); block, key: sizes, three bits
    each; back: whether the step goes back, one bit, or None where there is only one way.
    """
    step = _Step(b, window, block, key, control)
    there = step.forward()
    if back is None:
        return b.cat(*there[0]), b.cat(*there[1])
    again = step.back()
    return b.mux(back, b.cat(*again[0]), b.cat(*there[0])), b.mux(back, b.cat(*again[1]), b.cat(*there[1]))


def four_words(b: Builder[Any], window: Any, control: Any, key: Any) -> tuple[Any, Any]:
    """(the next four words of the expanded key, next window), made with the builder `b`: a step from `window`
    for blocks of 128 bits whatever the block is, to fill a buffer. control: `UNIT_BITS` bits
    (`buffer_control_table`); key: the size of the key, three bits.
    """
    words, after = _Step(b, window, None, key, b.cat(control, b.const(UNIT_BITS, 0))).forward()
    return b.cat(*words[:4]), b.cat(*after)
