"""KHAZAD as hardware takes it: one datapath for both directions, whose keys the schedule turns by theta.

The first key addition and the last round stand apart (`start`, `finish`), and between them are equal rounds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from ...cipher import ROUND_KEY
from ...cipher.khazad import theta
from ...cipher.word import Word, Words, choose
from ..form import Form

__all__ = ["KhazadForm"]

_OVERRUN = 2
"""Steps by which the schedule passes its last key word before it turns."""


class KhazadForm(Form):
    """A control word, from its least significant bits: the round constant; whether the schedule turns after
    this step; whether the step makes the key of a round between two others.

    The schedule is a Feistel network, so it runs backwards from exchanged words. With one round key per
    iteration, decryption passes K^8 by two steps before it turns. The constants of these two are zero in
    both directions. So the word that a step makes is the round key in both directions.
    """

    loop = "keyed"
    first_key = True
    last_key = True
    late_finish = True

    # -- the rounds

    @property
    def rounds(self) -> int:
        return len(self.cipher.steps(self.key_bits)) - 2

    def start(self, block: Word, round_key: Word | None = None) -> Words:
        return self.state_named(self._step(0, self.cipher.begin(block), round_key))

    def kind(self, index: int) -> Hashable:
        return self.cipher.steps(self.key_bits)[1 + index]

    def unnamed_round(self, index: int, state: Words, round_key: Word) -> Words:
        return self._step(1 + index, state, round_key)

    def finish(self, state: Words, round_key: Word | None = None) -> Word:
        return self.cipher.end(self.state_named(self._step(-1, state, round_key)))

    def _step(self, number: int, state: Words, round_key: Word | None) -> Words:
        """A step of the standard. A key from a unit has the direction below its word, and is turned here."""
        kind = self.cipher.steps(self.key_bits)[number]
        assert round_key is not None
        if round_key.width > kind.key_bits:
            word, back = round_key[round_key.width - 1 : 1], round_key[0]
            # Named, so that a proof can compare the turned key by itself, apart from the sum that takes it.
            round_key = choose(back, kind.turned(word), word).named(ROUND_KEY) if kind.turned else word
        return kind.apply(state, round_key)

    def held_key(self, words: Sequence[Word], index: int, back: Word) -> Word:
        """It is turned before the direction chooses, so that the turned word can be held."""
        other = words[-1 - index]
        return choose(back, theta(other) if self._inner(index) else other, words[index]).named(ROUND_KEY)

    # -- straight from the key

    def direct_keys(self, key: Word, back: Word, variant: str = "kept") -> Iterator[Word]:
        words = self.cipher.expanded(key)
        pairs: Iterable[tuple[Word, Word]] = zip(words, words[::-1], strict=True)
        if variant == "recomputed":
            pairs = ((w, w) for w in self._again(words, back))
        for i, (one, other) in enumerate(pairs):
            turned = theta(other) if self._inner(i) else other
            yield choose(back, turned, one).named(ROUND_KEY)

    def _inner(self, index: int) -> bool:
        """Whether a round key is that of a round between two others, which decryption takes under theta."""
        return 0 < index < self.rounds + 1

    def _again(self, words: list[Word], back: Word) -> Iterator[Word]:
        """The key words in the order of use: the schedule runs once more, from either end."""
        state: Words = choose(back, words[-1], words[0]), choose(back, words[-2], words[1])
        yield from state
        width, last = self.cipher.control_width, len(words) - 1
        for i in range(2, last + 1):
            there, again = (back.const(width, self._constant(r)) for r in (i, last + 2 - i))
            state = self.cipher.key_next(choose(back, again, there), state)
            yield state[1]

    # -- step by step

    @property
    def control_bits(self) -> int:
        return self.cipher.control_width + 2

    def key_setup(self, back: bool) -> int:
        return self.round_keys + _OVERRUN if back else 0

    def key_control(self, index: int, back: bool = False) -> int:
        last, width = self.round_keys - 1, self.cipher.control_width
        r = index + self.key_setup(True) if index < 0 else last + _OVERRUN - index if back else index
        return self._constant(r) | int(index == -1) << width | int(self._inner(index)) << width + 1

    def key_step(self, control: Word, state: Words, back: Word) -> tuple[Word, Words]:
        width = self.cipher.control_width
        turns, middle = control[width], control[width + 1]
        newer, new = self.cipher.key_next(control[width - 1 : 0], state)
        turns, turned = turns & back, middle & back
        round_key = choose(turned, theta(new), new)
        return round_key, (choose(turns, new, newer), choose(turns, newer, new))
