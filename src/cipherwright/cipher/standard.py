"""A cipher as its standard states it: a list of steps of a few kinds, and one key schedule.

From that follow here the reference model, and in `arch/form.py` what hardware is made from: round keys
straight from the key or from step to step, in either direction; the setup that decryption takes before its
first round key; what a key-expansion unit holds; what a loop does in an iteration.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeVar

from .base import ROUND_KEY, Cipher, numbered
from .builder import Builder, IntBuilder
from .word import Table, Word, Words, choose, over, under

__all__ = ["Kind", "Misfit", "Standard"]

W = TypeVar("W")

Step = Callable[[Words, Word], Words]
"""(state, key word) -> state."""


class Misfit(ValueError):
    """A cipher's description gives something of another kind or size than its place asks for: one
    sentence.
    """


@dataclass(frozen=True)
class Kind:
    """A kind of step. `name`: the standard's; `apply` is the step, `undo` its inverse with the same key word;
    without one the cipher decrypts by the same steps with the key words in reverse order. `turned`: the key
    word as decryption takes it, where that differs; wiring. `key_bits`: width of the key word. `rounds`: of
    the standard's rounds it is so many; 0 for what comes before, between or after them.
    """

    name: str
    key_bits: int
    apply: Step
    undo: Step | None = None
    turned: Callable[[Word], Word] | None = None
    rounds: int = 1

    def cut(self, word: Word) -> Word:
        """The step's own part of `word`, a key word: its most significant bits. Raises Misfit where that has
        fewer than `key_bits`.
        """
        if not 0 < self.key_bits <= word.width:
            raise Misfit(
                f"the Kind {self.name} has key_bits = {self.key_bits}, its key word {word.width} bits"
            )
        return word[word.width - 1 : word.width - self.key_bits]


class Standard(Cipher):
    """One block cipher by its standard.

    A subclass gives `steps`, `begin`, `end` and the key schedule: `key_begin`, `key_constants`,
    `key_next`, `key_word`, and for decryption on the fly one of `key_previous` and `key_mirror`. Words are
    as the standard prints them: byte 0 is the most significant.

    Example: SM4 in `cipherwright/cipher/sm4.py`, Camellia in `camellia.py`, PRESENT in
    `examples/present.py`.
    """

    key_unit: Literal["", "loop", "store"] = "loop"
    lookups: tuple[Table, ...] = ()
    """Every lookup table."""
    control_width: int = 1
    """Width of the constant that a step of the key schedule takes."""
    key_after: bool = False
    """Whether the key word of a step is read from the schedule's state after that step."""
    key_names: tuple[str, ...] = ()
    """Names of the schedule's words in the emitted text; without any they are key0, key1 …"""

    @abstractmethod
    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        """The steps of encryption in order, with a key of `key_bits`."""

    @abstractmethod
    def begin(self, block: Word) -> Words:
        """The state before the first step, from `block`; wiring."""

    @abstractmethod
    def end(self, state: Words) -> Word:
        """The block from `state`, which is after the last step; wiring. Of a cipher that decrypts by its own
        steps it also undoes the last exchange.
        """

    @abstractmethod
    def key_begin(self, key: Word) -> Words:
        """The key schedule's state before its first step, from the supplied `key`."""

    @abstractmethod
    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        """The constant of every step of the key schedule with a key of `key_bits`, those of the setup first;
        none for the last key word where that is read before its step. `()`: all of them are 0.
        """

    @abstractmethod
    def key_next(self, constant: Word, state: Words) -> Words:
        """The key schedule's state after a step from `state`; `constant`: that step's,
        `control_width` bits.
        """

    @abstractmethod
    def key_word(self, constant: Word, state: Words) -> Word:
        """The key word of the step with this `constant`, from the `state` before it or, with `key_after`,
        after it. Where kinds of steps take key words of different widths the used bits are the most
        significant.
        """

    def key_setup_steps(self, key_bits: int) -> int:
        """Steps of the key schedule before the first that gives a key word, with a key of `key_bits`."""
        return 0

    def key_previous(self, constant: Word, state: Words) -> Words | None:
        """The state before a step from the `state` after it (`constant` of that step); None where the
        schedule does not run backwards that way.
        """
        return None

    def key_mirror(self, state: Words) -> Words | None:
        """`state` mirrored so that `key_next` runs the schedule backwards; None where it does not. To mirror
        twice changes nothing.
        """
        return None

    def key_end(self, key: Word) -> Words | None:
        """The state after the last step straight from `key`; None where the schedule must run for it."""
        return None

    # -- what follows for the reference model

    def tables(self) -> dict[str, tuple[int, Sequence[int]]]:
        """Every lookup table by its standard name: (output width in bits, entries)."""
        return {table.name: (table.width, table.entries) for table in self.lookups}

    def rounds(self, key_bits: int) -> int:
        """Number of steps with a key of `key_bits`."""
        return len(self.steps(key_bits))

    def standard_rounds(self, key_bits: int) -> int:
        """The standard's number of rounds with a key of `key_bits`."""
        return sum(kind.rounds for kind in self.steps(key_bits))

    def step_titles(self, key_bits: int) -> list[str]:
        """Where each of `steps(key_bits)` is among the standard's rounds, for comments: `round 7`, `rounds 1
        and 2`; what is no round is `before round 1` or `after round 6`.
        """
        done, out = 0, list[str]()
        for kind in self.steps(key_bits):
            beside = f"after round {done}" if done else "before round 1"
            out.append(numbered("round", done + 1, done + kind.rounds) if kind.rounds else beside)
            done += kind.rounds
        return out

    def runs_back(self, key_bits: int) -> bool:
        """Whether the key schedule, with a key of `key_bits`, runs backwards, so that decryption has its
        round keys step by step.
        """
        b = IntBuilder()
        state = self.key_begin(over(b, b.const(key_bits, 0)))
        constant = state[0].const(self.control_width, 0)
        return self.key_mirror(state) is not None or self.key_previous(constant, state) is not None

    def undoes(self, key_bits: int) -> bool:
        """Whether decryption with a key of `key_bits` takes inverse steps (else it is encryption with the key
        words reversed).
        """
        return any(kind.undo for kind in self.steps(key_bits))

    def tells(self, key_bits: int) -> bool:
        """Whether a round key, with a key of `key_bits`, carries the direction below its word, since steps
        differ by it.
        """
        return any(kind.undo or kind.turned for kind in self.steps(key_bits))

    def step_constants(self, key_bits: int) -> tuple[int, ...]:
        """`key_constants` with a key of `key_bits`, and a 0 for each step that needs none. Raises Misfit
        where their number is not that of the steps, or one is wider than `control_width`.
        """
        constants, steps = tuple(self.key_constants(key_bits)), len(self.steps(key_bits))
        count = self.key_setup_steps(key_bits) + steps
        if len(constants) not in (0, count) and (self.key_after or len(constants) != count - 1):
            raise Misfit(
                f"key_constants gives {len(constants)} constants with a key of {key_bits} bits, and the key "
                f"schedule has {count} steps"
            )
        for constant in constants:
            if constant < 0 or constant >> self.control_width:
                raise Misfit(
                    f"the constant {constant:#x} does not fit into control_width, which is "
                    f"{self.control_width}"
                )
        return constants + (0,) * (count - len(constants))

    def expanded(self, key: Word) -> list[Word]:
        """The key words of encryption in order, each as wide as the widest, from the supplied `key`. Raises
        Misfit where the constants do not fit the schedule.
        """
        setup, constants = self.key_setup_steps(key.width), self.step_constants(key.width)
        state, out = self.key_begin(key), list[Word]()
        for i in range(setup + self.rounds(key.width)):
            key.section(f"round key {max(1, i + 1 - setup)}")
            constant = key.const(self.control_width, constants[i])
            after = self.key_next(constant, state)
            if i >= setup:
                out.append(self.key_word(constant, after if self.key_after else state).named(ROUND_KEY))
            state = self.key_named(after)
        return out

    def key_named(self, state: Words) -> Words:
        """The schedule's words in `state` under their names in the emitted text."""
        names = self.key_names or tuple(f"key{j}" for j in range(len(state)))
        return tuple(w.named(name) for w, name in zip(state, names, strict=True))

    def encrypt(self, block: Word, key: Word) -> Word:
        """`block` after the steps in order, each with its key word from the supplied `key`."""
        return self._encrypt(block, key.width, self.expanded(key))

    def _encrypt(self, block: Word, key_bits: int, words: Sequence[Word]) -> Word:
        state = self.begin(block)
        for kind, word in zip(self.steps(key_bits), words, strict=True):
            state = kind.apply(state, kind.cut(word))
        return self.end(state)

    def decrypt(self, block: Word, key: Word) -> Word:
        """`block` after the inverse steps in reverse order, with the key words from the supplied `key`; or
        after the same steps with the key words in reverse order.
        """
        return self._decrypt(block, key.width, self.expanded(key))

    def _decrypt(self, block: Word, key_bits: int, words: Sequence[Word]) -> Word:
        state, steps = self.begin(block), self.steps(key_bits)
        for kind, word in zip(
            reversed(steps) if self.undoes(key_bits) else steps, reversed(words), strict=True
        ):
            given = kind.turned(kind.cut(word)) if kind.turned else kind.cut(word)
            state = (kind.undo or kind.apply)(state, given)
        return self.end(state)

    def crypt(self, b: Builder[W], block: W, key: W, decrypt: W) -> W:
        """The description over the builder `b`: `block` under `key` in both directions, between which
        `decrypt` (one bit) chooses. Raises ValueError where the cipher has no such key size.
        """
        self.check_key_bits(b.width(key))
        words = over(b, block), over(b, key)
        return under(b, choose(over(b, decrypt), self.decrypt(*words), self.encrypt(*words)))

    def encrypt_block(self, key: bytes, block: bytes, decrypt: bool = False) -> bytes:
        """The reference model on bytes: `block` under `key`, encrypted, or with `decrypt` decrypted. Raises
        ValueError where key or block have another size.
        """
        if len(block) * 8 != self.block_bits:
            raise ValueError(f"{self.name} takes blocks of {self.block_bits // 8} bytes, not {len(block)}")
        self.check_key_bits(8 * len(key))
        out = (self._decrypt if decrypt else self._encrypt)(
            _integer(block), 8 * len(key), _key_words(self, key)
        )
        return under(_INTEGERS, out).value.to_bytes(len(block), "big")


_INTEGERS = IntBuilder()


def _integer(data: bytes) -> Word:
    return over(_INTEGERS, _INTEGERS.const(8 * len(data), int.from_bytes(data, "big")))


@lru_cache(maxsize=16)
def _key_words(cipher: Standard, key: bytes) -> tuple[Word, ...]:
    """The key words on integers. Blocks come many under one key, and to expand it takes longer than a
    block does.
    """
    return tuple(cipher.expanded(_integer(key)))
