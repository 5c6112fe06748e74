"""The general loop: any number of rounds an iteration, of any kinds, with any words of state.

Loading is an iteration of its own, in which the result of the block before may leave. Then come the steps
of the key schedule that give no key word yet, while the block waits (of decryption also those that run the
schedule to its end), and then the rounds. Where the number of rounds is no multiple of those in an iteration,
the first iteration leaves out its first places. A last round key, where the form has one, is read from the
schedule's state as the block leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial

from ...cipher.word import Word, Words, all_under, choose, over, under
from ...errors import UserError
from ..form import Form
from ..key_memory import KeyMemory
from .base import Fold, Loop, check_steps, small_table
from .reads import KeyReads

__all__ = ["fold_steps", "read_steps"]


class _StepLoop(Fold):
    """memory: where round keys are read by address."""

    def __init__(
        self,
        form: Form,
        per_iteration: int,
        direction: str,
        memory: KeyMemory | None = None,
    ) -> None:
        cipher, self.rounds = form.cipher, form.rounds
        ways = {"encrypt": (False,), "decrypt": (True,), "both": (False, True)}[direction]
        if True in ways and memory is None and not form.runs_back:
            raise UserError(
                f"the key schedule of {cipher.title} does not run backwards, so a loop can't decrypt with it"
            )
        check_steps(form, self.rounds, per_iteration)
        self.ways, self.entry = ways, -self.rounds % per_iteration
        self.key_setups = {way: 0 if memory else form.key_setup(way) for way in ways}
        longest = max(self.key_setups.values())
        self.setup = -(-longest // per_iteration)
        self.turns = self.setup + (self.rounds + self.entry) // per_iteration
        super().__init__(
            form, per_iteration, direction, self.turns + 1, not form.late_finish, memory is not None
        )
        self.reads = KeyReads(self, memory) if memory else None

    def _step(self, place: int, iteration: int) -> int:
        """Number of the schedule's step at a place of an iteration (from 0, the load not counted):
        negative in the setup.
        """
        if iteration < self.setup:
            return (iteration - self.setup) * self.per_iteration + place
        return (iteration - self.setup) * self.per_iteration + place - self.entry

    def _told(self, name: str, value: Callable[[int, bool], int], width: int) -> int:
        """A control word by the iteration and, where it differs, the direction: `value(iteration, back)`."""
        b = self.b
        tables = []
        for back in self.ways:
            codes = range(1 << self.count_bits)
            tables.append([value(c - self.first, back) if c >= self.first else 0 for c in codes])
        index = b.select(self.count, range(self.count_bits - 1, -1, -1))
        if len(tables) == 1 or tables[0] == tables[1]:
            return small_table(b, name, tables[0], width, index)
        return small_table(b, name, tables[0] + tables[1], width, b.cat(self.dir, index))

    def finished(self) -> Loop:
        form, b = self.form, self.b
        start = form.start(over(b, self.block), self._end(0, self.new_dir) if form.first_key else None)
        state = tuple(over(b, self.looped(f"state{i}", w.width)) for i, w in enumerate(start))
        keys = tuple(self.looped(f"key{i}", b.width(w)) for i, w in enumerate(self.new_keys))
        self.control()
        last = self._last(keys) if form.last_key else None
        out = under(b, form.finish(state, last))
        now, running = state, keys
        for place in range(self.per_iteration):
            now, running = self._place(place, now, running)
        if self.setup:
            waits = over(b, self._told("waits", lambda i, _: int(i < self.setup), 1))
            now = tuple(choose(waits, old, new) for old, new in zip(state, now, strict=True))
        loaded: tuple[int, ...] = all_under(b, start)
        loop = self.close(
            out,
            tuple(zip(all_under(b, now), loaded, strict=True)),
            tuple(zip(running, self.new_keys, strict=True)),
        )
        return self.reads.finished(loop) if self.reads else loop

    def _end(self, step: int, back: int) -> Word:
        """The round key of `start` or `finish`, which registers hold."""
        assert self.reads is not None
        return self.reads.end(step, over(self.b, back))

    def _last(self, keys: Sequence[int]) -> Word:
        """The round key of `finish`."""
        if self.reads:
            return self._end(self.form.round_keys - 1, self.dir)
        return over(self.b, self.key_now(keys, self.dir))

    def _place(self, place: int, state: Words, keys: Sequence[int]) -> tuple[Words, tuple[int, ...]]:
        """One step of the key schedule and, with its key word, one of the cipher."""
        b = self.b
        round_key, after = self._key(place, keys)
        made = self._round(place, state, round_key)
        if place < self.entry:
            skips = over(b, self._told(f"skips{place}", lambda i, _: int(self._step(place, i) < 0), 1))
            made = tuple(choose(skips, old, new) for old, new in zip(state, made, strict=True))
        return made, after

    def _key(self, place: int, keys: Sequence[int]) -> tuple[Word, tuple[int, ...]]:
        """The round key at a place, and the schedule's state after it."""
        b, form, setups = self.b, self.form, self.key_setups
        if self.reads:
            first = int(form.first_key)
            read = self.reads.read(place, self._told, lambda i: self._step(place, i) + first)
            return form.supplied_key(read, over(b, self.dir)), tuple(keys)

        def active(iteration: int, back: bool) -> bool:
            step = self._step(place, iteration)
            return -setups[back] <= step < (0 if iteration < self.setup else self.rounds) and (
                iteration < self.setup or step >= 0
            )

        def control(iteration: int, back: bool) -> int:
            step = self._step(place, iteration)
            return form.key_control(step, back) if active(iteration, back) else 0

        word = self._told(f"control{place}", control, form.control_bits)
        round_key, after = self.key_step(word, keys, self.dir)
        if not all(active(i, way) for way in self.ways for i in range(self.turns)):
            moves = self._told(f"moves{place}", lambda i, back: int(active(i, back)), 1)
            after = tuple(b.mux(moves, new, old) for new, old in zip(after, keys, strict=True))
        return over(b, round_key), after

    def _round(self, place: int, state: Words, key: Word) -> Words:
        """A round: every kind that comes at this place, and the active one of them."""
        form, b = self.form, self.b

        def kind(iteration: int) -> Hashable:
            step = self._step(place, iteration)
            return None if iteration < self.setup or step < 0 else form.kind(step)

        here, first = set(map(kind, range(self.turns))), dict[Hashable, int]()
        for i in range(self.rounds):
            first.setdefault(form.kind(i), i)
        kinds = [k for k in first if k in here]
        out, *others = (form.unnamed_round(first[k], state, key) for k in kinds)
        for n, other in enumerate(others, 1):
            is_kind = partial(lambda n, i, _: int(kind(i) == kinds[n]), n)
            which = over(b, self._told(f"kind{place}_{n}", is_kind, 1))
            out = tuple(choose(which, o, f) for o, f in zip(other, out, strict=True))
        return form.state_named(out)


def fold_steps(form: Form, per_iteration: int, direction: str) -> Loop:
    """The loop graph of `form` with `per_iteration` rounds in an iteration, for `direction`. Ports as of
    `fold`; one slot a stage. Raises UserError where the cipher has no such loop.
    """
    return _StepLoop(form, per_iteration, direction).finished()


def read_steps(form: Form, direction: str, memory: KeyMemory) -> Loop:
    """The same as `fold_steps` of `form` for `direction`, over round keys that are read from `memory` by
    address (`KeyReads`); as many rounds in an iteration as it has reads. Ports as of `fold_read`.
    """
    return _StepLoop(form, memory.reads, direction, memory).finished()
