"""Rijndael with blocks and keys of 128, 192 and 256 bits; AES (FIPS 197) is the three with a block of 128
bits.

Names are those of FIPS 197: SubBytes, ShiftRows, MixColumns, AddRoundKey; Nb and Nk words of block and
key, Nr rounds; SubWord, RotWord, Rcon in the key expansion. The wider blocks are in the original
submission (Daemen and Rijmen, AES proposal).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from .base import LoopedCipher, State, Trips
from .builder import Builder
from .field import byte_matrix, product

__all__ = ["AES", "RIJNDAEL", "Rijndael"]

POLYNOMIAL = 0x11B
SHIFTS = {4: (0, 1, 2, 3), 6: (0, 1, 2, 3), 8: (0, 1, 3, 4)}
"""Columns by which ShiftRows moves each row, by the number of columns."""

SIZES = (128, 192, 256)
AFFINE_CONSTANT = 0x63


def affine(a: int) -> int:
    """The linear part of the affine map (FIPS 197, section 5.1.1)."""
    return sum((sum(a >> (i + r) % 8 & 1 for r in (0, 4, 5, 6, 7)) & 1) << i for i in range(8))


def _s_box() -> tuple[int, ...]:
    inverse = [next((x for x in range(256) if product(a, x, POLYNOMIAL) == 1), 0) for a in range(256)]
    return tuple(AFFINE_CONSTANT ^ affine(inverse[a]) for a in range(256))


SBOX = _s_box()
INV_SBOX = tuple(SBOX.index(x) for x in range(256))
BOTH_BOXES = "SBoxBoth"
"""Name of the table that is SBox or, with the address's top bit, InvSBox."""


@cache
def mix_rows(inverse: bool) -> tuple[int, ...]:
    """MixColumns or InvMixColumns on one column."""
    first = (14, 11, 13, 9) if inverse else (2, 3, 1, 1)
    return byte_matrix(4, lambda i, j: first[(j - i) % 4], POLYNOMIAL)


def _byte(b: Builder[Any], word: Any, i: int) -> Any:
    high = b.width(word) - 1 - 8 * i
    return b.select(word, range(high, high - 8, -1))


def _word(b: Builder[Any], words: Any, i: int) -> Any:
    high = b.width(words) - 1 - 32 * i
    return b.select(words, range(high, high - 32, -1))


def sub_bytes(b: Builder[Any], word: Any, inverse: bool = False) -> Any:
    name, table = ("InvSBox", INV_SBOX) if inverse else ("SBox", SBOX)
    return b.cat(*(b.lookup(name, table, 8, _byte(b, word, i)) for i in range(b.width(word) // 8)))


def mix_columns(b: Builder[Any], state: Any, inverse: bool = False) -> Any:
    name = "InvMixColumns" if inverse else "MixColumns"
    return b.cat(
        *(b.linear(name, mix_rows(inverse), _word(b, state, c)) for c in range(b.width(state) // 32))
    )


@cache
def _rcon(i: int) -> int:
    """Round constant i (from 1), section 5.2."""
    return 1 if i == 1 else product(_rcon(i - 1), 2, POLYNOMIAL)


def kind_of_word(j: int, nk: int) -> tuple[int, bool]:
    """Of word j of the expanded key: its round constant (0: no RotWord, no constant), and whether SubWord
    applies.
    """
    return (_rcon(j // nk), True) if j % nk == 0 else (0, nk > 6 and j % nk == 4)


class Rijndael(LoopedCipher):
    """Rijndael with one block size; a round key is Nb words and, below them, the direction."""

    standard = "FIPS 197"
    key_sizes = SIZES
    first_key = True
    last_key = True
    key_unit = "loop"

    def __init__(self, name: str = "aes", block_bits: int = 128) -> None:
        self.name, self.block_bits = name, block_bits
        self.title = "AES" if name == "aes" else "Rijndael"
        if name != "aes":
            self.standard, self.block_sizes = "AES proposal (Daemen and Rijmen)", SIZES

    def with_block(self, block_bits: int) -> Rijndael:
        self.check_block_bits(block_bits)
        return Rijndael(self.name, block_bits)

    @property
    def nb(self) -> int:
        """Columns of the state."""
        return self.block_bits // 32

    def nr(self, key_bits: int) -> int:
        """The standard's number of rounds."""
        return max(self.nb, key_bits // 32) + 6

    def standard_rounds(self, key_bits: int) -> int:
        return self.nr(key_bits)

    def rounds(self, key_bits: int) -> int:
        """The rounds with MixColumns; the last one, without it, is `finish`."""
        return self.nr(key_bits) - 1

    def _shift_rows(self, b: Builder[Any], state: Any, inverse: bool = False) -> Any:
        """Row r moves by SHIFTS[Nb][r] columns."""
        nb, by, sign = self.nb, SHIFTS[self.nb], -1 if inverse else 1
        return b.cat(*(_byte(b, state, (c + sign * by[r]) % nb * 4 + r) for c in range(nb) for r in range(4)))

    def _parts(self, b: Builder[Any], round_key: Any) -> tuple[Any, Any]:
        return b.select(round_key, range(self.block_bits, 0, -1)), b.select(round_key, (0,))

    def supplied_key(self, b: Builder[Any], word: Any, decrypt: Any) -> Any:
        return b.cat(word, decrypt)

    def start(self, b: Builder[Any], block: Any, round_key: Any) -> State:
        return (b.named(b.xor(block, self._parts(b, round_key)[0]), "state"),)

    def round(self, b: Builder[Any], key_bits: int, index: int, state: State, round_key: Any) -> State:
        key, decrypt = self._parts(b, round_key)
        there = b.xor(mix_columns(b, self._shift_rows(b, sub_bytes(b, state[0]))), key)
        back = mix_columns(b, b.xor(sub_bytes(b, self._shift_rows(b, state[0], True), True), key), True)
        return (b.named(b.mux(decrypt, back, there), "state"),)

    def finish(self, b: Builder[Any], state: State, round_key: Any) -> Any:
        key, decrypt = self._parts(b, round_key)
        there = self._shift_rows(b, sub_bytes(b, state[0]))
        back = sub_bytes(b, self._shift_rows(b, state[0], True), True)
        return b.named(b.xor(b.mux(decrypt, back, there), key), "state")

    datapaths = (32,)

    def trips(self, key_bits: int, datapath_bits: int) -> Trips:
        from .rijndael_columns import Columns

        return Columns(self, key_bits) if datapath_bits == 32 else super().trips(key_bits, datapath_bits)

    def loop_rounds(self, key_bits: int) -> int:
        return self.nr(key_bits)

    def plain_round(self, key_bits: int, decrypt: bool) -> int:
        return 0 if decrypt else self.nr(key_bits) - 1

    def loop_round(
        self, b: Builder[Any], state: Any, round_key: Any, plain: Any, direction: str, decrypt: Any
    ) -> Any:
        """SubBytes, ShiftRows, MixColumns but in the last round, AddRoundKey; for decryption InvMixColumns
        but in the first round, then InvSubBytes, InvShiftRows, AddRoundKey. Where both directions are
        wanted, they share their boxes.
        """
        key = self._parts(b, round_key)[0]
        if direction == "encrypt":
            there = self._shift_rows(b, sub_bytes(b, state))
            return b.named(b.xor(b.mux(plain, there, mix_columns(b, there)), key), "state")
        back = b.mux(plain, state, mix_columns(b, state, True))
        if direction == "decrypt":
            return b.named(
                b.xor(self._shift_rows(b, sub_bytes(b, b.named(back, "unmixed"), True), True), key), "state"
            )
        state = b.named(b.mux(decrypt, back, state), "unmixed")
        boxes = SBOX + INV_SBOX
        replaced = b.cat(
            *(
                b.lookup(BOTH_BOXES, boxes, 8, b.cat(decrypt, _byte(b, state, i)))
                for i in range(self.block_bits // 8)
            )
        )
        there = self._shift_rows(b, replaced)
        mixed = b.mux(
            decrypt, self._shift_rows(b, replaced, True), b.mux(plain, there, mix_columns(b, there))
        )
        return b.named(b.xor(mixed, key), "state")

    # -- key expansion, section 5.2
    # -----------------------------------------------------------------------------------
    @staticmethod
    def _temp(b: Builder[Any], before: Any, rcon: Any, rotate: Any, substitute: Any) -> Any:
        """What is added to a word: the word before, or SubWord of it (rotated where `rotate` says so) plus
        the constant.
        """
        rotated = b.cat(*(_byte(b, before, i) for i in (1, 2, 3, 0)))
        replaced = b.xor(sub_bytes(b, b.mux(rotate, rotated, before)), b.cat(rcon, b.const(24, 0)))
        return b.mux(substitute, replaced, before)

    def _words(self, b: Builder[Any], key: Any, count: int) -> list[Any]:
        """The first `count` words of the expanded key.

        w[j] = w[j - Nk] + w[j - 1] is a running sum that starts at a substituted word t. Written with t as
        the last term (w1 + w0 + t, w2 + w1 + w0 + t), and the operand of the next SubWord apart from the
        words, so that no sum of a whole group stands between two substitutions.
        """
        nk = b.width(key) // 32
        words = [_word(b, key, i) for i in range(nk)]
        group = 4 if nk > 6 else nk
        t, start = None, 0
        for j in range(nk, count):
            rcon, substitute = kind_of_word(j, nk)
            if substitute:
                before = words[j - 1]
                if t is not None:
                    before = b.xor(self._sum(b, words[start - nk : j - nk]), t)
                one = b.const(1, int(rcon != 0))
                t, start = self._temp(b, before, b.const(8, rcon), one, b.const(1, 1)), j
            if t is not None and j - start < min(3, group):
                new = b.xor(self._sum(b, words[start - nk : j - nk + 1]), t)
            else:
                new = b.xor(words[j - nk], words[j - 1])
            words.append(b.named(new, "w"))
        return words[:count]

    @staticmethod
    def _sum(b: Builder[Any], words: Sequence[Any]) -> Any:
        """The sum of words, the latest first."""
        total = words[-1]
        for w in reversed(words[:-1]):
            total = b.xor(total, w)
        return total

    def round_key(
        self, b: Builder[Any], key_bits: int, index: int, key: Any, decrypt: Any, variant: str = "kept"
    ) -> Any:
        nb, nr = self.nb, self.nr(key_bits)
        words = self._words(b, key, nb * (nr + 1))
        there, back = (b.cat(*words[nb * i : nb * i + nb]) for i in (index, nr - index))
        return b.cat(b.mux(decrypt, back, there), decrypt)

    # By steps the state is a window of max(Nb, Nk) words, of which the first Nb are the round key. A step
    # moves it by Nb
    # words; decryption runs to the last round key first and then walks back.
    def _window(self, key_bits: int) -> int:
        return max(self.nb, key_bits // 32)

    def key_start(self, b: Builder[Any], key_bits: int, key: Any, decrypt: Any) -> State:
        return (b.cat(*self._words(b, key, self._window(key_bits))),)

    def key_setup(self, key_bits: int, decrypt: bool = True) -> int:
        return self.nr(key_bits) if decrypt else 0

    def _usual(self, key_bits: int, t: int) -> tuple[bool, bool]:
        """RotWord and SubWord of word t in the first step: where Nb is a multiple of Nk, in every step."""
        rcon, substitute = kind_of_word(self._window(key_bits) + t, key_bits // 32)
        return rcon != 0, substitute

    def control_bits(self, key_bits: int) -> int:
        """Ten bits for each of the Nb words of a step, word 0 on top: whether RotWord and SubWord differ
        from the usual (`_usual`), and the constant; bit 0: back.
        """
        return 10 * self.nb + 1

    def key_control(self, key_bits: int, index: int, decrypt: bool = False) -> int:
        nb, nk, nr = self.nb, key_bits // 32, self.nr(key_bits)
        step = index + nr if index < 0 else index
        back = decrypt and index >= 0
        first = nb * (nr - step) if back else nb * step  # first word of the window before the step
        out = 0
        for t in range(nb):
            j = first - nb + t + nk if back else first + self._window(key_bits) + t
            rotate, substitute = self._usual(key_bits, t)
            if (back and j >= nk) or (not back and step < nr):
                rcon, sub = kind_of_word(j, nk)
                out = out << 10 | (rotate ^ (rcon != 0)) << 9 | (substitute ^ sub) << 8 | rcon
            else:
                out <<= 10
        return out << 1 | int(back)

    def key_step(
        self, b: Builder[Any], key_bits: int, control: Any, state: State, decrypt: Any
    ) -> tuple[Any, State]:
        nb, nk, n = self.nb, key_bits // 32, self._window(key_bits)
        w = {i: _word(b, state[0], i) for i in range(n)}  # by place in the window
        back = b.and_(b.select(control, (0,)), decrypt)
        round_key = b.cat(*(w[i] for i in range(nb)), decrypt)
        units = {}
        earlier, later = dict(w), dict(w)

        def temp(t: int, before: Any) -> Any:
            high = 10 * (nb - t)
            rotate, substitute = (
                b.xor(b.select(control, (high - i,)), b.const(1, int(usual)))
                for i, usual in enumerate(self._usual(key_bits, t))
            )
            return self._temp(
                b, before, b.select(control, range(high - 2, high - 10, -1)), rotate, substitute
            )

        # Both ways share the substitution of word t where their operands do not depend on it (Nk of at least
        # Nb).
        shared = nk >= nb
        for t in range(nb):
            j = n + t
            if shared:
                before = t - nb + nk - 1  # of the way back: place of word j - 1
                old = w[before] if before >= 0 else b.xor(w[nk + before], w[nk + before - 1])
                units[t] = temp(t, b.mux(back, old, later[j - 1]))
                later[j] = b.named(b.xor(later[j - nk], units[t]), "w")
        for t in range(nb - 1, -1, -1):
            place = t - nb
            if shared:
                earlier[place] = b.named(b.xor(earlier[place + nk], units[t]), "w")
        if not shared:
            for t in range(nb):
                later[n + t] = b.named(b.xor(later[n + t - nk], temp(t, later[n + t - 1])), "w")
            for t in range(nb - 1, -1, -1):
                earlier[t - nb] = b.named(b.xor(earlier[t - nb + nk], temp(t, earlier[t - nb + nk - 1])), "w")
        new = b.mux(
            back, b.cat(*(earlier[i - nb] for i in range(n))), b.cat(*(later[i + nb] for i in range(n)))
        )
        return round_key, (b.named(new, "k"),)

    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        return {"SBox": (8, SBOX), "InvSBox": (8, INV_SBOX)}


AES = Rijndael()
RIJNDAEL = Rijndael("rijndael")
