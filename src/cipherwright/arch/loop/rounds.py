"""A loop over rounds that are all one circuit: any number of them in an iteration, and the iteration that
delivers loads the next block.

Where the number of rounds is no multiple of those in an iteration, a block enters in the middle of its first
iteration, so that the last round always ends an iteration. Round keys are made on the way. For decryption the
key schedule first runs to its end while the block waits, then comes back.
"""

from __future__ import annotations

from functools import partial

from ...cipher.word import Word, over, under
from ..form import Form, RoundForm
from ..key_memory import KeyMemory
from .base import Fold, Loop
from .reads import KeyReads

__all__ = ["fold_rounds", "read_rounds"]


class _RoundLoop(Fold):
    """memory: where round keys are read by address."""

    def __init__(
        self,
        form: RoundForm,
        per_iteration: int,
        direction: str,
        memory: KeyMemory | None = None,
    ) -> None:
        self.looping, self.nr = form, form.loop_rounds
        self.entry = -self.nr % per_iteration
        self.turns = -(-self.nr // per_iteration)
        self.setup = self.turns if direction != "encrypt" and memory is None else 0
        super().__init__(form, per_iteration, direction, self.setup + self.turns, True, memory is not None)
        self.reads = KeyReads(self, memory) if memory else None

    def counter(self, iterations: int) -> tuple[int, int]:
        """The count after a load is not 0, which stands for the load itself."""
        bits = max(1, (iterations - 1).bit_length())
        return bits, (1 << bits) - iterations + 1

    def _step(self, position: int, iteration: int, back: bool) -> int:
        """Control word of the schedule's step at a position of an iteration."""
        s = iteration * self.per_iteration + position - self.entry
        lowest = 0
        if iteration < self.setup:
            s, lowest = s - self.nr, -self.nr
        else:
            s -= self.setup * self.per_iteration
        return self.form.key_control(s, back) if lowest <= s < self.nr else 0

    def _plain(self, position: int, iteration: int, decrypt: int) -> int:
        """Whether the round at this position is the one without MixColumns."""
        b, found = self.b, []
        for back in (False, True):
            s = self.looping.plain_round(back) + self.entry
            found.append(self.setup + s // self.per_iteration if s % self.per_iteration == position else None)
        there, again = (
            self.flag(f"plain{position}", iteration, {t}) if t is not None else b.const(1, 0) for t in found
        )
        if self.direction == "both":
            return b.mux(decrypt, again, there)
        return again if self.direction == "decrypt" else there

    def finished(self) -> Loop:
        form, b = self.looping, self.b
        state = self.looped("state0", form.cipher.block_bits)
        held = tuple(self.looped(f"key{i}", b.width(w)) for i, w in enumerate(self.new_keys))
        self.control()
        load = self.load
        decrypt = (
            b.named(b.mux(load, self.new_dir, self.dir), "dir") if self.direction == "both" else self.dir
        )
        iteration = self.masked_iteration()
        keys = tuple(b.mux(load, new, old) for new, old in zip(self.new_keys, held, strict=True))
        begins = self.flag("begins", iteration, {self.setup}) if self.setup else load
        enters = begins if not self.setup else b.named(b.or_(begins, load), "enters")
        now, running = state, held if self.entry else keys
        for position in range(self.per_iteration):
            if position == self.entry:
                first = self._first(keys, decrypt)
                (started,) = form.start(over(b, state if self.setup else self.block), first)
                now = b.named(b.mux(begins, under(b, started), now), "entered")
                if self.entry:
                    running = tuple(b.mux(enters, k, r) for k, r in zip(keys, running, strict=True))
            round_key, running = self._key(position, iteration, running, decrypt)
            plain = self._plain(position, iteration, decrypt)
            made = form.loop_round(over(b, now), round_key, over(b, plain), self.direction, over(b, decrypt))
            now = under(b, made)
        if self.setup:
            stays = self.flag("stays", iteration, set(range(1, self.setup)))
            now = b.mux(load, self.block, b.mux(stays, state, now))
        loop = self.close(state, ((b.named(now, "state"), None),), tuple((s, None) for s in running))
        return self.reads.finished(loop) if self.reads else loop

    def _first(self, keys: tuple[int, ...], decrypt: int) -> Word:
        """The round key that is added before the first round."""
        if self.reads:
            return self.reads.end(0, over(self.b, decrypt))
        return over(self.b, self.key_now(keys, decrypt))

    def _key(
        self, position: int, iteration: int, before: tuple[int, ...], decrypt: int
    ) -> tuple[Word, tuple[int, ...]]:
        """The round key at a position, and the schedule's state after it."""
        b = self.b
        if self.reads:
            word = self.reads.read(
                position,
                lambda name, value, bits: self.told(name, value, bits, iteration, decrypt),
                lambda i: self._round(position, i) + 1,
            )
            return self.form.supplied_key(word, over(b, decrypt)), before
        control = self.control_word(f"control{position}", partial(self._step, position), iteration, decrypt)
        _, running = self.key_step(control, before, decrypt)
        if self.setup:  # encryption waits until decryption has run to the last round key
            waits = self.flag("waits", iteration, set(range(self.setup)))
            idle = b.and_(waits, b.not_(decrypt))
            running = tuple(b.mux(idle, old, new) for old, new in zip(before, running, strict=True))
        return over(b, self.key_now(running, decrypt)), running

    def _round(self, position: int, iteration: int) -> int:
        """Number of the round at a position of an iteration; below 0 before the first."""
        return iteration * self.per_iteration + position - self.entry


def fold_rounds(form: Form, rounds_per_cycle: int, direction: str) -> Loop:
    """The loop graph of `form`, a `RoundForm`, with `rounds_per_cycle` rounds in an iteration, for
    `direction`. Ports as of `fold`.
    """
    assert isinstance(form, RoundForm)
    return _RoundLoop(form, rounds_per_cycle, direction).finished()


def read_rounds(form: Form, direction: str, memory: KeyMemory) -> Loop:
    """The same as `fold_rounds` of `form` for `direction`, over round keys that are read from `memory` by
    address (`KeyReads`); as many rounds in an iteration as it has reads. Ports as of `fold_read`.
    """
    assert isinstance(form, RoundForm)
    return _RoundLoop(form, memory.reads, direction, memory).finished()
