"""A cipher's rounds and key schedule as hardware takes them: both directions in one datapath.

A standard states encryption, its inverse, and a key schedule (`cipher/standard.py`). A `Form` is what an
architecture is made from: rounds in which a bit chooses the direction, round keys straight from the key,
and a step of the key schedule whose constants come as a control word. Every cipher has the form that is
derived here. Where another arrangement makes better hardware, a subclass gives it, and `forms.py` lists it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Literal

from ..cipher import KEY_SCHEDULES, ROUND_KEY, Kind, Standard
from ..cipher.word import Word, Words, choose, concat
from .iterations import Iterations

__all__ = ["Form", "HeldForm", "RoundForm", "either"]


class Form:
    """The derived form of `cipher` with keys of one size, `key_bits`.

    A round key is a key word and, where steps differ by the direction, below it that bit (1: decryption).
    `back` is the direction: as a word of one bit, or where it is a bool, True for decryption. Rounds and
    round keys are numbered in the order of use.
    """

    cipher: Standard
    loop: Literal["steps", "rounds", "keyed"] = "steps"
    """The loop that repeats the rounds (`arch/loop`)."""
    first_key: bool = False
    """Whether `start` takes a round key of its own, number 0 then."""
    last_key: bool = False
    """Whether `finish` takes a round key of its own, the last one."""
    in_place: bool = False
    """Whether a step of decryption that does as many of the standard's rounds as one of encryption is in its
    place, though the standard's inverse steps, in reverse order, are not.
    """

    same_keys: bool = True
    """Whether both directions take the key words of encryption, which a key-expansion unit can hold then."""
    late_finish: bool = False
    """Whether `finish` takes an iteration of a loop, so that the result leaves at its end."""

    def __init__(self, cipher: Standard, key_bits: int) -> None:
        """Raises ValueError where the cipher has no such key size."""
        cipher.check_key_bits(key_bits)
        self.cipher, self.key_bits = cipher, key_bits

    # -- the rounds

    @property
    def rounds(self) -> int:
        """Number of rounds that `round` does."""
        return len(self.cipher.steps(self.key_bits))

    @property
    def round_keys(self) -> int:
        """Number of round keys, those of `start` and `finish` included."""
        return self.rounds + self.first_key + self.last_key

    def start(self, block: Word, round_key: Word | None = None) -> Words:
        """The state before the first round, from `block`; `round_key` where `first_key` says so."""
        return self.cipher.begin(block)

    def kind(self, index: int) -> Hashable:
        """What round `index` does in both directions: rounds of one kind can be one circuit."""
        return self._kinds()[index]

    def _kinds(self) -> list[tuple[Kind, Kind]]:
        """Of each of the standard's steps: its kind, and the kind that decryption takes in its place."""
        steps = self.cipher.steps(self.key_bits)
        return list(zip(steps, steps[::-1] if self.cipher.undoes(self.key_bits) else steps, strict=True))

    def titles(self) -> list[str]:
        """Where each of the standard's steps, in the order of use, is among its rounds (`step_titles`).
        Where the two directions differ in that, all of them count as rounds.
        """
        alike = all(one.rounds == other.rounds for one, other in self._kinds())
        if alike or self.in_place:
            return self.cipher.step_titles(self.key_bits)
        return [f"round {i}" for i in range(1, self.round_keys + 1)]

    def unnamed_round(self, index: int, state: Words, round_key: Word) -> Words:
        """Round `index` (from 0) of `state`, in the direction that its `round_key` tells."""
        kind, undone = self._kinds()[index]
        if not self.cipher.tells(self.key_bits):
            return kind.apply(state, kind.cut(round_key))
        return either(state, round_key[round_key.width - 1 : 1], round_key[0], kind, undone)

    def round(self, index: int, state: Words, round_key: Word) -> Words:
        """Round `index` (from 0) of `state` under `round_key`, as `unnamed_round`; its result under the names
        that it has in the emitted text.
        """
        return self.state_named(self.unnamed_round(index, state, round_key))

    def finish(self, state: Words, round_key: Word | None = None) -> Word:
        """The block from `state`, which is after the last round; `round_key` where `last_key` says so."""
        return self.cipher.end(state)

    @staticmethod
    def state_named(state: Words) -> Words:
        """The words of `state` under their names in the emitted text: state, or state0, state1 … of
        several.
        """
        if len(state) == 1:
            return (state[0].named("state"),)
        return tuple(w.named(f"state{i}") for i, w in enumerate(state))

    # -- round keys straight from the key

    def key_words(self, index: int) -> int:
        """Width of the key word of round key `index` (in the order of use), the wider of both directions."""
        return max(kind.key_bits for kind in self._kinds()[index])

    def unit_keys(self, key: Word, back: bool) -> list[Word]:
        """What a key-expansion unit of one direction holds for `key`, in the order of use (`back`: of
        decryption): the round keys of encryption, whose key words `supplied_key` takes in both directions.
        """
        keys = list(self.direct_keys(key, key.const(1, 0)))
        return keys[::-1] if back else keys

    def held_key(self, words: Sequence[Word], index: int, back: Word) -> Word:
        """Round key `index` (in the order of use) in the direction `back`. `words`: the key words of
        encryption in order, which a key-expansion unit holds for both directions.
        """
        return self.supplied_key(choose(back, words[-1 - index], words[index]), back)

    @property
    def one_network(self) -> bool:
        """Whether a pipeline over held round keys has one network for both directions, in which a bit chooses
        between round keys, and not a network for each: where decryption takes the steps of encryption.
        """
        return not self.cipher.undoes(self.key_bits)

    def supplied_key(self, word: Word, back: Word) -> Word:
        """The round key from its key word `word`: with the direction `back` below it where rounds
        read that.
        """
        return concat(word, back) if self.cipher.tells(self.key_bits) else word

    def direct_keys(self, key: Word, back: Word, variant: str = "kept") -> Iterator[Word]:
        """All round keys in the order of use, from the supplied `key`, in the direction `back`. `variant`:
        one of the cipher's `key_variants`.
        """
        words = self.cipher.expanded(key)
        for kinds, one, other in zip(self._kinds(), words, reversed(words), strict=True):
            wider = max(kinds, key=lambda kind: kind.key_bits)
            word = choose(back, wider.cut(other), wider.cut(one))
            yield self.supplied_key(word, back).named(ROUND_KEY)

    @property
    def runs_back(self) -> bool:
        """Whether decryption has its round keys step by step."""
        return self.cipher.runs_back(self.key_bits)

    # -- the key schedule, one round key per iteration. Decryption runs the schedule to its end, and then
    # backwards: a step undoes the one whose key word it gives. A control word is the constant, and below it:
    # 1 where a step runs back; 1 where the state is mirrored after a step.

    @property
    def control_bits(self) -> int:
        """Width of a control word."""
        return self.cipher.control_width + 2

    def key_setup(self, back: bool) -> int:
        """Steps that a direction (`back`: decryption) takes before the one that gives its first round key."""
        setup = self.cipher.key_setup_steps(self.key_bits)
        return setup + self.rounds if back else setup

    def key_control(self, index: int, back: bool = False) -> int:
        """The control word of step `index`, which gives round key `index`; steps of the setup count from
        -key_setup to -1. `back`: of decryption.
        """
        setup, count = self.cipher.key_setup_steps(self.key_bits), self.rounds
        if not back:
            return self._constant(index + setup) << 2
        if index < 0:
            return self._constant(index + self.key_setup(True)) << 2 | int(index == -1)
        return self._constant(count - 1 - index + setup) << 2 | 2

    def _constant(self, step: int) -> int:
        """That of a step (from 0, those of the setup first); 0 where there is no such step."""
        constants = self.cipher.key_constants(self.key_bits)
        return constants[step] if 0 <= step < len(constants) else 0

    def key_start(self, key: Word, back: Word) -> Words:
        """The key schedule's state before its first step, from the supplied `key`, in the direction
        `back`.
        """
        return self.cipher.key_begin(key)

    def key_step(self, control: Word, state: Words, back: Word) -> tuple[Word, Words]:
        """One step from `state` under the word `control`, in the direction `back`: its round key, and the
        state after it.
        """
        cipher, never = self.cipher, control.const(1, 0)
        constant, reverse, turn = (
            control[control.width - 1 : 2],
            choose(back, control[1], never),
            choose(back, control[0], never),
        )
        after = cipher.key_next(constant, state)
        forward = cipher.key_word(constant, after if cipher.key_after else state)
        mirrored = cipher.key_mirror(state)
        if mirrored is not None:
            turned = cipher.key_mirror(after)
            assert turned is not None
            word = choose(
                reverse, cipher.key_word(constant, mirrored if cipher.key_after else turned), forward
            )
            following = tuple(choose(turn, t, a) for t, a in zip(turned, after, strict=True))
        else:
            before = cipher.key_previous(constant, state) or after  # after: encryption alone
            word = choose(reverse, cipher.key_word(constant, state if cipher.key_after else before), forward)
            following = tuple(choose(reverse, p, a) for p, a in zip(before, after, strict=True))
        out = self.supplied_key(word, back)
        return out, tuple(w.named(f"key{j}") for j, w in enumerate(following))

    def stepped_keys(self, key: Word, back: Word, controls: Word | None = None) -> Iterator[Word]:
        """All round keys in the order of use, step by step, from the supplied `key`, in the direction `back`.
        `controls`: the control words of all of them as one word (`all_controls`), in place of constants.
        """
        state, width = self.key_start(key, back), self.control_bits
        setup = [self.key_setup(way) for way in (False, True)]
        for i in range(-max(setup), self.round_keys):
            words = [self.key_control(i, way) if i >= -setup[way] else None for way in (False, True)]
            if controls is not None and i >= 0:
                low = width * (self.round_keys - 1 - i)
                control = controls[low + width - 1 : low]
            else:
                one, other = (
                    key.const(width, next(w for w in (mine, theirs) if w is not None))
                    for mine, theirs in (words, words[::-1])
                )
                control = choose(back, other, one)
            round_key, after = self.key_step(control, state, back)
            if words[0] is None:  # encryption waits
                after = tuple(choose(back, new, old) for new, old in zip(after, state, strict=True))
            elif words[1] is None:
                after = tuple(choose(back, old, new) for new, old in zip(after, state, strict=True))
            state = after
            if i >= 0:
                yield round_key.named(ROUND_KEY)

    def tells_alike(self, ways: Iterable[bool]) -> bool:
        """Whether one word of controls serves the directions `ways` (True: decryption): none has a setup, and
        all take equal words.
        """
        return not any(self.key_setup(way) for way in ways) and all(
            self.key_control(i, way) == self.key_control(i) for way in ways for i in range(self.round_keys)
        )

    def all_controls(self) -> int:
        """The control words of all round keys as one word, the first at the top (`tells_alike`)."""
        out = 0
        for i in range(self.round_keys):
            out = out << self.control_bits | self.key_control(i)
        return out

    # -- narrower datapaths

    def iterations(self, datapath_bits: int) -> Iterations:
        """Encryption over `datapath_bits` a cycle instead of a block. Raises ValueError where there is no
        such datapath.
        """
        self.cipher.check_datapath(datapath_bits)
        raise ValueError(
            f"{self.cipher.title} states a datapath of {datapath_bits} bits, which its form lacks"
        )

    # -- the whole cipher, unrolled

    def crypt(
        self,
        block: Word,
        key: Word,
        back: Word,
        schedule: str = "direct",
        controls: Word | None = None,
        variant: str = "kept",
    ) -> Word:
        """`block` under the supplied `key`, in the direction `back`. `schedule` is one of KEY_SCHEDULES
        (ValueError otherwise); `controls` as of `stepped_keys`; `variant` concerns the direct schedule.
        """
        if schedule not in KEY_SCHEDULES:
            raise ValueError(f"the key schedule is one of {', '.join(KEY_SCHEDULES)}, not {schedule}")
        keys = (
            self.direct_keys(key, back, variant)
            if schedule == "direct"
            else self.stepped_keys(key, back, controls)
        )
        return self.crypt_with_keys(block, keys)

    def crypt_with_keys(self, block: Word, keys: Iterator[Word]) -> Word:
        """The rounds alone, from `block`, over the round keys `keys` in the order of use; operations know
        which round they are in.
        """

        def key_of(index: int) -> Word:
            block.section(f"round key {index}")
            return next(keys)

        titles = self.titles()
        if not self.first_key:
            titles.insert(0, "before round 1")
        if not self.last_key:
            titles.append(f"after round {self.cipher.standard_rounds(self.key_bits)}")
        first = key_of(0) if self.first_key else None
        block.section(titles[0])
        state = self.start(block, first)
        for i in range(1, self.rounds + 1):
            key = key_of(i)
            block.section(titles[i])
            state = self.round(i - 1, state, key)
        last = key_of(self.rounds + 1) if self.last_key else None
        block.section(titles[-1])
        out = self.finish(state, last)
        block.section("")
        return out


class RoundForm(Form, ABC):
    """A form whose rounds, all but the first addition of a key, are one circuit in which one of them leaves
    something out; its loop is `arch/loop/rounds.py`.
    """

    loop = "rounds"

    @property
    @abstractmethod
    def loop_rounds(self) -> int:
        """Number of such rounds; with `start` before the first, they are the cipher."""

    @abstractmethod
    def plain_round(self, back: bool) -> int:
        """Which of the rounds (from 0) leaves it out, in encryption or, where `back`, in decryption."""

    @abstractmethod
    def loop_round(self, state: Word, round_key: Word, plain: Word, direction: str, back: Word) -> Word:
        """A round of a loop on `state` under `round_key`, for `direction`: encrypt, decrypt or both (then the
        bit `back` tells); `plain` (one bit): whether it is that one.
        """


class HeldForm(Form, ABC):
    """A form with a loop over held round keys, whose iterations are several kinds of steps: a control word
    says which.
    """

    held_bits: int
    """Width of a control word."""

    @abstractmethod
    def held_plan(self) -> tuple[int, ...]:
        """The control words of the iterations after a block's load."""

    @abstractmethod
    def held_start(self, block: Word, back: Word) -> Words:
        """The state as `block` is loaded, in the direction `back`; wiring."""

    @abstractmethod
    def held_iteration(
        self, control: Word, state: Words, round_keys: Sequence[Word], back: Word, reverse: Word
    ) -> Words:
        """One iteration from `state`, which the word `control` tells, in the direction `back`. `round_keys`:
        what a key-expansion unit supplies, in the order of use; where the bit `reverse` is 1 they are those
        of encryption and `back` is decryption (`held_key`).
        """

    @abstractmethod
    def held_finish(self, state: Words, back: Word) -> Word:
        """The block from `state`, which is after the last iteration, in the direction `back`; wiring."""


def either(state: Words, word: Word, back: Word, forward: Kind, backward: Kind) -> Words:
    """A step of encryption of the kind `forward` on `state`, or where the bit `back` is 1 of decryption,
    which undoes the kind `backward`. `word`: the key word of either, of which each kind takes the top.
    """
    one = forward.apply(state, forward.cut(word))
    given = backward.turned(backward.cut(word)) if backward.turned else backward.cut(word)
    other = backward.undo(state, given) if backward.undo else backward.apply(state, given)
    return tuple(choose(back, o, f) for o, f in zip(other, one, strict=True))
