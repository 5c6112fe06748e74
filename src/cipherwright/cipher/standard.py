"""A cipher as its standard states it: a list of steps of a few kinds, and one key schedule.

Everything else is derived here, for every cipher: round keys straight from the key or from step to step,
in either direction; the setup that decryption takes before its first round key; what a key-expansion unit
holds; what a loop does in an iteration.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from .base import ROUND_KEY, Cipher
from .builder import Builder, IntBuilder
from .word import Table, Word, Words, choose, concat, over, under

__all__ = ["Kind", "Standard"]

W = TypeVar("W")

Step = Callable[[Words, Word], Words]
"""(state, key word) -> state."""


@dataclass(frozen=True)
class Kind:
    """A kind of step. `apply` is the step, `undo` its inverse with the same key word; without one the
    cipher decrypts by the same steps with the key words in reverse order. `turned`: the key word as
    decryption takes it, where that differs; wiring. `key_bits`: width of the key word.
    """

    name: str
    key_bits: int
    apply: Step
    undo: Step | None = None
    turned: Callable[[Word], Word] | None = None


class Standard(Cipher):
    """One block cipher by its standard.

    A subclass gives `steps`, `begin`, `end` and the key schedule: `key_begin`, `key_constants`,
    `key_next`, `key_word`, and for decryption on the fly one of `key_previous` and `key_mirror`. Words are
    as the standard prints them: byte 0 is the most significant.

    Example: SM4 in `cipherwright/cipher/sm4.py`, Camellia in `camellia.py`, PRESENT in
    `examples/present.py`.
    """

    key_unit = "loop"
    lookups: tuple[Table, ...] = ()
    """Every lookup table."""
    control_width: int = 1
    """Width of the constant that a step of the key schedule takes."""
    key_after: bool = False
    """Whether the key word of a step is read from the schedule's state after that step."""

    @abstractmethod
    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        """The steps of encryption in order."""

    @abstractmethod
    def begin(self, block: Word) -> Words:
        """The state before the first step; wiring."""

    @abstractmethod
    def end(self, state: Words) -> Word:
        """The block from the state after the last step; wiring. Of a cipher that decrypts by its own
        steps it also undoes the last exchange.
        """

    @abstractmethod
    def key_begin(self, key: Word) -> Words:
        """The key schedule's state before its first step."""

    @abstractmethod
    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        """The constant of every step of the key schedule, those of the setup first; none for the last key
        word where that is read before its step.
        """

    @abstractmethod
    def key_next(self, constant: Word, state: Words) -> Words:
        """The key schedule's state after a step."""

    @abstractmethod
    def key_word(self, constant: Word, state: Words) -> Word:
        """The key word of a step, from the state before it or, with `key_after`, after it. Where kinds of
        steps take key words of different widths the used bits are the most significant.
        """

    def key_setup_steps(self, key_bits: int) -> int:
        """Steps of the key schedule before the first that gives a key word."""
        return 0

    def key_previous(self, constant: Word, state: Words) -> Words | None:
        """The state before a step from the state after it (`constant` of that step); None where the
        schedule does not run backwards that way.
        """
        return None

    def key_mirror(self, state: Words) -> Words | None:
        """The state mirrored so that `key_next` runs the schedule backwards; None where it does not. To
        mirror twice changes nothing.
        """
        return None

    # -- derived: tables, sizes

    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        return {table.name: (table.width, table.entries) for table in self.lookups}

    def runs_back(self, key_bits: int) -> bool:
        """Whether the key schedule runs backwards, so that decryption has its round keys step by step."""
        b = IntBuilder()
        state = self.key_begin(over(b, b.const(key_bits, 0)))
        constant = state[0].const(self.control_width, 0)
        return self.key_mirror(state) is not None or self.key_previous(constant, state) is not None

    def undoes(self, key_bits: int) -> bool:
        """Whether decryption takes inverse steps (else it is encryption with the key words reversed)."""
        return any(kind.undo for kind in self.steps(key_bits))

    def tells(self, key_bits: int) -> bool:
        """Whether a round key carries the direction below its word, since steps differ by it."""
        return any(kind.undo or kind.turned for kind in self.steps(key_bits))

    def rounds(self, key_bits: int) -> int:
        """Number of steps."""
        return len(self.steps(key_bits))

    def key_words(self, key_bits: int, index: int) -> int:
        return self.steps(key_bits)[index].key_bits

    def word_bits(self, key_bits: int) -> int:
        """Width of the widest key word, which is what the schedule gives."""
        return max(kind.key_bits for kind in self.steps(key_bits))

    # -- derived: the cipher over round keys

    def start(self, b: Builder[W], block: W, round_key: W | None) -> tuple[W, ...]:
        return tuple(under(b, w) for w in self.begin(over(b, block)))

    def round(
        self, b: Builder[W], key_bits: int, index: int, state: tuple[W, ...], round_key: W
    ) -> tuple[W, ...]:
        steps, words, key = self.steps(key_bits), tuple(over(b, w) for w in state), over(b, round_key)
        if self.tells(key_bits):
            other = steps[-1 - index] if self.undoes(key_bits) else steps[index]
            made = either(words, key[key.width - 1 : 1], key[0], steps[index], other)
        else:
            made = steps[index].apply(words, key[key.width - 1 : key.width - steps[index].key_bits])
        return tuple(under(b, w) for w in self.state_named(made))

    @staticmethod
    def state_named(state: Words) -> Words:
        """The state's words under their names in the emitted text."""
        if len(state) == 1:
            return (state[0].named("state"),)
        return tuple(w.named(f"state{i}") for i, w in enumerate(state))

    def finish(self, b: Builder[W], state: tuple[W, ...], round_key: W | None) -> W:
        return under(b, self.end(tuple(over(b, w) for w in state)))

    def supplied_key(self, b: Builder[W], word: W, decrypt: W) -> W:
        """The key word, and below it the direction where steps differ by it."""
        return b.cat(word, decrypt) if self.tells(self.key_sizes[0]) else word

    # -- derived: the key schedule

    def round_key(
        self, b: Builder[W], key_bits: int, index: int, key: W, decrypt: W, variant: str = "kept"
    ) -> W:
        return next(islice(self.direct_keys(b, key_bits, key, decrypt, variant), index, None))

    def direct_keys(
        self, b: Builder[W], key_bits: int, key: W, decrypt: W, variant: str = "kept"
    ) -> Iterator[W]:
        words, back = self._words(over(b, key), key_bits), over(b, decrypt)
        for i, (one, other) in enumerate(zip(words, reversed(words), strict=True)):
            word = choose(back, self._cut(other, key_bits, i), self._cut(one, key_bits, i))
            yield b.named(under(b, concat(word, back) if self.tells(key_bits) else word), ROUND_KEY)

    def _cut(self, word: Word, key_bits: int, index: int) -> Word:
        return word[word.width - 1 : word.width - self.key_words(key_bits, index)]

    def _words(self, key: Word, key_bits: int) -> list[Word]:
        """All key words of encryption, from the key."""
        state, out = self.key_begin(key), list[Word]()
        for i in range(self.key_setup_steps(key_bits) + self.rounds(key_bits)):
            constant = key.const(self.control_width, self._constant(key_bits, i))
            after = self.key_next(constant, state)
            if i >= self.key_setup_steps(key_bits):
                out.append(self.key_word(constant, after if self.key_after else state).named(ROUND_KEY))
            state = tuple(w.named(f"key{j}") for j, w in enumerate(after))
        return out

    def _constant(self, key_bits: int, step: int) -> int:
        """That of a step (from 0, those of the setup first); 0 where there is no such step."""
        constants = self.key_constants(key_bits)
        return constants[step] if 0 <= step < len(constants) else 0

    # By steps decryption runs the schedule to its end, and then back: a step undoes the one whose key word
    # it gives. A control word is the constant, and
    # below it: 1 where a step runs back; 1 where the state is mirrored after a step.

    def control_bits(self, key_bits: int) -> int:
        return self.control_width + 2

    def key_start(self, b: Builder[W], key_bits: int, key: W, decrypt: W) -> tuple[W, ...]:
        return tuple(under(b, w) for w in self.key_begin(over(b, key)))

    def key_setup(self, key_bits: int, decrypt: bool = True) -> int:
        if not decrypt:
            return self.key_setup_steps(key_bits)
        return self.key_setup_steps(key_bits) + self.rounds(key_bits)

    def key_control(self, key_bits: int, index: int, decrypt: bool = False) -> int:
        setup, count = self.key_setup_steps(key_bits), self.rounds(key_bits)
        if not decrypt:
            return self._constant(key_bits, index + setup) << 2
        if index < 0:
            return self._constant(key_bits, index + self.key_setup(key_bits)) << 2 | int(index == -1)
        return self._constant(key_bits, count - 1 - index + setup) << 2 | 2

    def key_step(
        self, b: Builder[W], key_bits: int, control: W, state: tuple[W, ...], decrypt: W
    ) -> tuple[W, tuple[W, ...]]:
        word, words, way = over(b, control), tuple(over(b, w) for w in state), over(b, decrypt)
        never = word.const(1, 0)
        constant, back, turn = (
            word[word.width - 1 : 2],
            choose(way, word[1], never),
            choose(way, word[0], never),
        )
        after = self.key_next(constant, words)
        forward = self.key_word(constant, after if self.key_after else words)
        mirrored = self.key_mirror(words)
        if mirrored is not None:
            turned = self.key_mirror(after)
            assert turned is not None
            given = choose(back, self.key_word(constant, mirrored if self.key_after else turned), forward)
            following = tuple(choose(turn, t, a) for t, a in zip(turned, after, strict=True))
        else:
            before = self.key_previous(constant, words) or after  # after: encryption alone
            given = choose(back, self.key_word(constant, words if self.key_after else before), forward)
            following = tuple(choose(back, p, a) for p, a in zip(before, after, strict=True))
        out = concat(given, way) if self.tells(key_bits) else given
        named = tuple(w.named(f"key{j}") for j, w in enumerate(following))
        return under(b, out), tuple(under(b, w) for w in named)


def either(state: Words, word: Word, back: Word, forward: Kind, backward: Kind) -> Words:
    """A step of encryption of one kind, or where `back` is 1 of decryption, which undoes another."""

    def cut(kind: Kind) -> Word:
        return word[word.width - 1 : word.width - kind.key_bits]

    one = forward.apply(state, cut(forward))
    given = backward.turned(cut(backward)) if backward.turned else cut(backward)
    other = backward.undo(state, given) if backward.undo else backward.apply(state, given)
    return tuple(choose(back, o, f) for o, f in zip(other, one, strict=True))
