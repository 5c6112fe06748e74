"""AES over 32 bits a cycle: four S-boxes, which do a column of the state in four iterations of a round and
the key's words in the fifth.

State and key move through shift registers by one place an iteration, so that nothing is addressed. A byte of
the state that went in j iterations ago is in place j of its row, and so does a word of the key. ShiftRows
is then a choice of two places a row: the byte that column c takes from column c + r (mod 4) came in 5 - r
iterations ago, or 9 - r where c + r wraps around. Encryption only. Names are those of FIPS 197; iteration 0
of a round is the key's, iterations 1 to 4 are the columns 0 to 3.
"""

from __future__ import annotations

from ...cipher.rijndael import Rijndael, byte, kind_of_word, mix_columns, sub_bytes, word_of
from ...cipher.word import Word, Words, choose, concat
from ..iterations import Iterations

__all__ = ["Columns"]

TRIPS = 5
"""Of a round."""


def _age(u: int) -> int:
    """Place, in the key's iteration, of the word that u others follow."""
    return 1 + u + u // 4


class Columns(Iterations):
    """The loop for keys of one length."""

    def __init__(self, cipher: Rijndael, key_bits: int) -> None:
        if cipher.block_bits != 128:
            raise ValueError(f"a datapath of 32 bits is for blocks of 128 bits, not {cipher.block_bits}")
        self.cipher, self.key_bits, self.nk = cipher, key_bits, key_bits // 32

    bits = 8 + 9
    group = TRIPS

    @property
    def rounds(self) -> int:
        return self.cipher.nr(self.key_bits)

    def _substituted(self, n: int) -> tuple[int, int, bool] | None:
        """Of round n (from 1): the iteration whose word takes the substituted one, its constant, whether it
        is rotated.
        """
        first = self.nk + 4 * (n - 1)
        for t in range(4):
            rcon, substitute = kind_of_word(first + t, self.nk)
            if substitute:
                return t + 1, rcon, rcon != 0
        return None

    def control(self, round_number: int, iteration: int) -> int:
        """From the top: the round constant; whether the iteration is the key's; no MixColumns; the
        substituted word is added; the word before is across the key's iteration; the boxes' operand is two
        words on; it is rotated; of rows 3, 2, 1, whether the byte wraps around.
        """
        found = self._substituted(round_number + 1)
        at, rcon, rotate = found or (0, 0, False)
        flags = (
            iteration == 0,
            round_number == self.rounds - 1,
            found is not None and iteration == at,
            iteration == 1,
            at == 3,
            rotate,
        )
        packed = rcon
        for flag in flags:
            packed = packed << 1 | int(flag)
        return packed << 3 | sum((iteration - 1 + r > 3) << r - 1 for r in (1, 2, 3))

    def widths(self) -> tuple[int, ...]:
        return (8,) * sum(self._rows()) + (32,) * (self._words() + 1)

    def _rows(self) -> tuple[int, ...]:
        """Places that each row has."""
        return (5, 8, 7, 6)

    def _words(self) -> int:
        """Places that the key has, seen from the iteration of a column."""
        return max(_age(self.nk - 1) + 1, 5)

    def start(self, block: Word, key: Word) -> tuple[Word | None, ...]:
        """The block plus the first four words in the places after four columns; the key's words likewise.
        What else is there has no meaning (None).
        """
        summed = block ^ key[self.key_bits - 1 : self.key_bits - 128]
        rows: list[Word | None] = []
        for r, places in enumerate(self._rows()):
            for place in range(1, places + 1):
                column = 4 - place
                rows.append(byte(summed, 4 * column + r) if 0 <= column < 4 else None)
        words: list[Word | None] = [None] * self._words()
        for u in range(self.nk):
            words[_age(u) - 1] = word_of(key, self.nk - 1 - u)
        return (*rows, *words, None)

    def iteration(self, control: Word, state: Words) -> Words:
        lengths = self._rows()
        starts = [sum(lengths[:r]) for r in range(4)]
        rows = [state[starts[r] : starts[r] + lengths[r]] for r in range(4)]
        words, held = state[sum(lengths) : -1], state[-1]
        sub, last, use, over, late, rotate = (control[k] for k in (8, 7, 6, 5, 4, 3))
        rcon = control[16:9]

        # What the boxes take: the word before the key's next group, or a byte of each row.
        operand = words[0]
        if self.nk == 6:
            ahead = words[_age(4) - 1] ^ words[_age(5) - 1]
            operand = operand ^ choose(late, ahead, control.const(32, 0))
        turned = concat(operand[23:0], operand[31:24])
        operand = choose(rotate, turned, operand) if self.nk == 8 else turned
        bytes_in = [rows[0][4]]
        bytes_in += [choose(control[r - 1], rows[r][8 - r], rows[r][4 - r]) for r in (1, 2, 3)]
        replaced = sub_bytes(choose(sub, operand, concat(*bytes_in)).named("boxed"))

        # The key's next word, and the word that this column takes.
        temp = choose(sub, replaced ^ concat(rcon, control.const(24, 0)), held).named("temp")
        if self.nk == 6:
            before = choose(over, words[1], words[0])
            early = ~control[1]  # columns 0 and 1: row 2 does not wrap around
            oldest, taken_from = choose(early, words[7], words[6]), choose(early, words[2], words[1])
        else:
            before, oldest = words[0], words[4 if self.nk == 4 else 9]
        word = (oldest ^ choose(use, held, before)).named("w")
        taken = word if self.nk == 4 else words[4] if self.nk == 8 else taken_from
        column = (choose(last, replaced, mix_columns(replaced)) ^ taken).named("column")
        out: list[Word] = []
        for r in range(4):
            out += [byte(column, r), *rows[r][:-1]]
        return (*out, word, *words[:-1], temp)

    def finish(self, state: Words) -> Word:
        """The four columns that came in last."""
        lengths = self._rows()
        return concat(*(state[sum(lengths[:r]) + 3 - c] for c in range(4) for r in range(4)))
