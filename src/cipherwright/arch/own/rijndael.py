"""Rijndael's form: both directions in the same rounds, and an expanded key arranged for depth.

Encryption adds a round key after SubBytes, ShiftRows and MixColumns, decryption after InvShiftRows and
InvSubBytes, with InvMixColumns after the addition (FIPS 197, sections 5.1 and 5.3). So the rounds of the two
directions are grouped as the standard's pseudo codes print them, around one addition each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...cipher import ROUND_KEY
from ...cipher.rijndael import (
    INV_SBOX,
    SBOX,
    Rijndael,
    add_round_key,
    byte,
    inv_mix_columns,
    inv_shift_rows,
    inv_sub_bytes,
    key_temp,
    kind_of_word,
    mix_columns,
    shift_rows,
    sub_bytes,
    word_of,
)
from ...cipher.word import Table, Word, Words, choose, concat, lookup
from ...rewrite import BOTH_BOXES
from ..form import RoundForm
from ..iterations import Iterations
from .rijndael_columns import Columns

__all__ = ["RijndaelForm"]

_BOTH = Table(BOTH_BOXES, 8, SBOX + INV_SBOX)


class RijndaelForm(RoundForm):
    """The final round is `finish`. A round key is Nb words and below them the direction."""

    cipher: Rijndael
    first_key = True
    last_key = True
    in_place = True

    def __init__(self, cipher: Rijndael, key_bits: int) -> None:
        super().__init__(cipher, key_bits)
        self.nb, self.nk, self.nr = cipher.nb, key_bits // 32, cipher.nr(key_bits)

    @property
    def rounds(self) -> int:
        """The rounds with MixColumns."""
        return self.nr - 1

    def _parts(self, round_key: Word) -> tuple[Word, Word]:
        return round_key[self.cipher.block_bits : 1], round_key[0]

    def start(self, block: Word, round_key: Word | None = None) -> Words:
        assert round_key is not None
        return (add_round_key(block, self._parts(round_key)[0]).named("state"),)

    def round(self, index: int, state: Words, round_key: Word) -> Words:
        (s,), (key, back) = state, self._parts(round_key)
        forward = add_round_key(mix_columns(shift_rows(sub_bytes(s))), key)
        inverse = inv_mix_columns(add_round_key(inv_sub_bytes(inv_shift_rows(s)), key))
        return (choose(back, inverse, forward).named("state"),)

    def finish(self, state: Words, round_key: Word | None = None) -> Word:
        assert round_key is not None
        (s,), (key, back) = state, self._parts(round_key)
        forward = shift_rows(sub_bytes(s))
        inverse = inv_sub_bytes(inv_shift_rows(s))
        return add_round_key(choose(back, inverse, forward), key).named("state")

    # -- a loop, in which the final round is one of the rounds

    @property
    def loop_rounds(self) -> int:
        return self.nr

    def plain_round(self, back: bool) -> int:
        return 0 if back else self.nr - 1

    def loop_round(self, state: Word, round_key: Word, plain: Word, direction: str, back: Word) -> Word:
        """SubBytes, ShiftRows, MixColumns but in the last round, AddRoundKey; for decryption InvMixColumns
        but in the first round, then InvSubBytes, InvShiftRows, AddRoundKey. Where both directions are
        wanted, they share their boxes.
        """
        key = self._parts(round_key)[0]
        if direction == "encrypt":
            forward = shift_rows(sub_bytes(state))
            return add_round_key(choose(plain, forward, mix_columns(forward)), key).named("state")
        unmixed = choose(plain, state, inv_mix_columns(state))
        if direction == "decrypt":
            inverse = inv_shift_rows(inv_sub_bytes(unmixed.named("unmixed")))
            return add_round_key(inverse, key).named("state")
        state = choose(back, unmixed, state).named("unmixed")
        replaced = concat(
            *(lookup(_BOTH, concat(back, byte(state, i))) for i in range(self.cipher.block_bits // 8))
        )
        forward = shift_rows(replaced)
        made = choose(back, inv_shift_rows(replaced), choose(plain, forward, mix_columns(forward)))
        return add_round_key(made, key).named("state")

    def iterations(self, datapath_bits: int) -> Iterations:
        return (
            Columns(self.cipher, self.key_bits) if datapath_bits == 32 else super().iterations(datapath_bits)
        )

    # -- round keys straight from the key

    def direct_keys(self, key: Word, back: Word, variant: str = "kept") -> Iterator[Word]:
        words = self._words(key, self.nb * (self.nr + 1))
        for index in range(self.nr + 1):
            forward, inverse = (
                concat(*words[self.nb * i : self.nb * i + self.nb]) for i in (index, self.nr - index)
            )
            yield concat(choose(back, inverse, forward), back).named(ROUND_KEY)

    def _words(self, key: Word, count: int) -> list[Word]:
        """The first `count` words of the expanded key.

        w[i] = w[i - Nk] + w[i - 1] is a running sum that starts at a substituted word t. Written with t as
        the last term (w1 + w0 + t, w2 + w1 + w0 + t), and the operand of the next SubWord apart from the
        words, so that no sum of a whole group stands between two substitutions.
        """
        nk = self.nk
        words = [word_of(key, i) for i in range(nk)]
        group = 4 if nk > 6 else nk
        t, start = None, 0
        for i in range(nk, count):
            rcon, substitute = kind_of_word(i, nk)
            key.section(f"round key {i // self.nb}")
            if substitute:
                before = words[i - 1]
                if t is not None:
                    before = _sum(words[start - nk : i - nk]) ^ t
                rotate = key.const(1, int(rcon != 0))
                t, start = key_temp(before, key.const(8, rcon), rotate, key.const(1, 1)), i
            if t is not None and i - start < min(3, group):
                new = _sum(words[start - nk : i - nk + 1]) ^ t
            else:
                new = words[i - nk] ^ words[i - 1]
            words.append(new.named("w"))
        return words[:count]

    # -- the key schedule, one round key per iteration. The state is a window of max(Nb, Nk) words, of which
    # the first Nb are the round key. A step moves it by Nb words; decryption runs to the last round key
    # first and then walks back.

    @property
    def _window(self) -> int:
        return max(self.nb, self.nk)

    def key_start(self, key: Word, back: Word) -> Words:
        return (concat(*self._words(key, self._window)),)

    def key_setup(self, back: bool) -> int:
        return self.nr if back else 0

    def _usual(self, t: int) -> tuple[bool, bool]:
        """RotWord and SubWord of word t in the first step: where Nb is a multiple of Nk, in every step."""
        rcon, substitute = kind_of_word(self._window + t, self.nk)
        return rcon != 0, substitute

    @property
    def control_bits(self) -> int:
        """Ten bits for each of the Nb words of a step, word 0 on top: whether RotWord and SubWord differ
        from the usual (`_usual`), and the constant; bit 0: back.
        """
        return 10 * self.nb + 1

    def key_control(self, index: int, back: bool = False) -> int:
        nb, nk, nr = self.nb, self.nk, self.nr
        step = index + nr if index < 0 else index
        back = back and index >= 0
        first = nb * (nr - step) if back else nb * step  # first word of the window before the step
        out = 0
        for t in range(nb):
            j = first - nb + t + nk if back else first + self._window + t
            rotate, substitute = self._usual(t)
            if (back and j >= nk) or (not back and step < nr):
                rcon, sub = kind_of_word(j, nk)
                out = out << 10 | (rotate ^ (rcon != 0)) << 9 | (substitute ^ sub) << 8 | rcon
            else:
                out <<= 10
        return out << 1 | int(back)

    def key_step(self, control: Word, state: Words, back: Word) -> tuple[Word, Words]:
        nb, nk, n = self.nb, self.nk, self._window
        w = {i: word_of(state[0], i) for i in range(n)}  # by place in the window
        reverse = control[0] & back
        round_key = concat(*(w[i] for i in range(nb)), back)
        earlier, later = dict(w), dict(w)

        def temp(t: int, before: Word) -> Word:
            high = 10 * (nb - t)
            rotate, substitute = (control[high - i] ^ int(usual) for i, usual in enumerate(self._usual(t)))
            return key_temp(before, control[high - 2 : high - 9], rotate, substitute)

        if nk >= nb:
            # Both ways share the substitution of word t: their operands do not depend on it.
            units = {}
            for t in range(nb):
                j = n + t
                before = t - nb + nk - 1  # of the way back: place of word j - 1
                old = w[before] if before >= 0 else w[nk + before] ^ w[nk + before - 1]
                units[t] = temp(t, choose(reverse, old, later[j - 1]))
                later[j] = (later[j - nk] ^ units[t]).named("w")
            for t in range(nb - 1, -1, -1):
                earlier[t - nb] = (earlier[t - nb + nk] ^ units[t]).named("w")
        else:
            for t in range(nb):
                later[n + t] = (later[n + t - nk] ^ temp(t, later[n + t - 1])).named("w")
            for t in range(nb - 1, -1, -1):
                earlier[t - nb] = (earlier[t - nb + nk] ^ temp(t, earlier[t - nb + nk - 1])).named("w")
        new = choose(
            reverse, concat(*(earlier[i - nb] for i in range(n))), concat(*(later[i + nb] for i in range(n)))
        )
        return round_key, (new.named("k"),)


def _sum(words: Sequence[Word]) -> Word:
    """The sum of words, the latest first."""
    total = words[-1]
    for w in reversed(words[:-1]):
        total = total ^ w
    return total
