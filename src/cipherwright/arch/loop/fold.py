"""The same cipher as an iterative core: one or more rounds in a loop, and several blocks in flight (C-slow).

The loop is an ordinary graph whose outputs feed its inputs, so the scheduler places its registers and the
same lowering prints it. A trip through the loop takes `stages` cycles; with several stages, as many
independent blocks are in flight, each with its own round counter that travels with it. A block takes one
trip to load and rounds / rounds_per_cycle trips to compute; a slot loads its next block in the trip in
which it delivers one.
"""

from __future__ import annotations

from ...cipher import Cipher, HeldCipher, LoopedCipher, Standard
from ...errors import UserError
from ...graph import STATIC
from .base import Fold, Loop, small_table
from .rounds import fold_rounds
from .steps import fold_steps

__all__ = ["fold", "fold_held"]


def fold(cipher: Cipher, key_bits: int, rounds_per_cycle: int, direction: str) -> Loop:
    """The loop graph. Ports: valid, ready, block, key, decrypt (where `direction` is both); one slot a
    stage.
    """
    if isinstance(cipher, Standard):
        return fold_steps(cipher, key_bits, rounds_per_cycle, direction)
    if isinstance(cipher, LoopedCipher):
        return fold_rounds(cipher, key_bits, rounds_per_cycle, direction)
    rounds = cipher.rounds(key_bits)
    if rounds_per_cycle < 1 or rounds % rounds_per_cycle:
        fit = [n for n in range(1, rounds + 1) if rounds % n == 0]
        standard = cipher.standard_rounds(key_bits)
        which = (
            f"has {rounds} rounds"
            if rounds == standard
            else f"has {standard} rounds, for which its loop has {rounds} equal steps"
        )
        raise UserError(f"{cipher.name} {which}: rounds_per_cycle is one of {fit}, not {rounds_per_cycle}")
    return (_KeyedLoop if cipher.first_key else _PlainLoop)(
        cipher, key_bits, rounds_per_cycle, direction
    ).finished()


class _PlainLoop(Fold):
    """Loading is a trip of its own: the block's first state and the schedule's are taken as they are. The
    last round key, where the cipher has one, waits in the schedule's state.
    """

    def __init__(self, cipher: Cipher, key_bits: int, per_trip: int, direction: str) -> None:
        self.rounds = cipher.rounds(key_bits)
        super().__init__(cipher, key_bits, per_trip, direction, self.rounds // per_trip + 1, True)

    def finished(self) -> Loop:
        cipher, b, key_bits = self.cipher, self.b, self.key_bits
        new_state = cipher.start(b, self.block, None)
        state = tuple(self.looped(f"state{i}", b.width(w)) for i, w in enumerate(new_state))
        keys = tuple(self.looped(f"key{i}", b.width(w)) for i, w in enumerate(self.new_keys))
        self.control()
        last = (
            cipher.key_step(b, key_bits, b.const(cipher.control_bits(key_bits), 0), keys, self.dir)[0]
            if cipher.last_key
            else None
        )
        out = cipher.finish(b, state, last)
        now, now_keys = state, keys
        index = b.select(self.count, range(self.count_bits - 1, -1, -1))
        for step in range(self.per_trip):
            table = [
                cipher.key_control(key_bits, (i - self.first) * self.per_trip + step)
                if i >= self.first
                else 0
                for i in range(1 << self.count_bits)
            ]
            control = small_table(b, f"control{step}", table, cipher.control_bits(key_bits), index)
            round_key, now_keys = cipher.key_step(b, key_bits, control, now_keys, self.dir)
            now = cipher.folded_round(b, key_bits, control, now, round_key)
        return self.close(
            out, tuple(zip(now, new_state, strict=True)), tuple(zip(now_keys, self.new_keys, strict=True))
        )


class _HeldLoop(Fold):
    """Round keys are held inputs rk0, rk1 …; loading is a trip of its own, and the trip that delivers may
    load.
    """

    def __init__(self, cipher: HeldCipher, key_bits: int, direction: str) -> None:
        self.held, self.plan = cipher, cipher.held_plan(key_bits)
        super().__init__(cipher, key_bits, 1, direction, len(self.plan) + 1, True, True)

    def finished(self) -> Loop:
        cipher, b = self.held, self.b
        keys = [
            b.input(f"rk{i}", cipher.key_words(self.key_bits, i), STATIC)
            for i in range(cipher.round_keys(self.key_bits))
        ]
        new_state = cipher.held_start(b, self.block, self.new_dir)
        state = tuple(self.looped(f"state{i}", b.width(w)) for i, w in enumerate(new_state))
        self.control()
        index = b.select(self.count, range(self.count_bits - 1, -1, -1))
        table = [self.plan[i - self.first] if i >= self.first else 0 for i in range(1 << self.count_bits)]
        now = cipher.held_trip(
            b, small_table(b, "control", table, cipher.held_bits(), index), state, keys, self.dir
        )
        return self.close(cipher.held_finish(b, state, self.dir), tuple(zip(now, new_state, strict=True)), ())


def fold_held(cipher: HeldCipher, key_bits: int, direction: str) -> Loop:
    """The loop graph of a cipher over held round keys, in one direction. Ports: valid, ready, block, rk0,
    rk1 …
    """
    return _HeldLoop(cipher, key_bits, direction).finished()


class _KeyedLoop(Fold):
    """The first round key is added where a block is loaded, so the schedule takes a step in that trip too.
    Where decryption needs steps before (`key_setup`), the block waits as it came.

    The step unit makes the round key of the trip that delivers too, so the next block waits a trip.
    """

    def __init__(self, cipher: Cipher, key_bits: int, per_trip: int, direction: str) -> None:
        if per_trip != 1:
            raise UserError(
                f"an iterative {cipher.name} core computes one round a trip: rounds_per_cycle = 1"
            )
        self.setup = cipher.key_setup(key_bits) if direction != "encrypt" else 0
        super().__init__(cipher, key_bits, 1, direction, self.setup + cipher.rounds(key_bits) + 1, False)

    def finished(self) -> Loop:
        cipher, b, key_bits = self.cipher, self.b, self.key_bits
        width = cipher.block_bits
        state = self.looped("state0", width)
        held = tuple(self.looped(f"key{i}", b.width(w)) for i, w in enumerate(self.new_keys))
        self.control()
        load = self.load
        keys = tuple(b.mux(load, new, old) for new, old in zip(self.new_keys, held, strict=True))
        decrypt = (
            b.named(b.mux(load, self.new_dir, self.dir), "dir") if self.direction == "both" else self.dir
        )
        trip = self.masked_trip()
        control = self.control_word("control", self._word, trip, decrypt)
        round_key, stepped = cipher.key_step(b, key_bits, control, keys, decrypt)
        (rounded,) = cipher.folded_round(b, key_bits, control, (state,), round_key)
        if not self.setup:
            (loaded,) = cipher.start(b, self.block, round_key)
            value = b.mux(load, loaded, rounded)
        else:
            begins = self.flag("begins", trip, {self.setup})
            waits = self.flag("waits", trip, set(range(1, self.setup)))
            (started,) = cipher.start(b, state, round_key)
            value = b.mux(load, self.block, b.mux(waits, state, b.mux(begins, started, rounded)))
            idle = b.and_(b.or_(load, waits), b.not_(decrypt))
            stepped = tuple(b.mux(idle, old, new) for old, new in zip(keys, stepped, strict=True))
        out = cipher.finish(b, (state,), round_key if cipher.last_key else None)
        return self.close(out, ((value, None),), tuple((s, None) for s in stepped))

    def _word(self, trip: int, back: bool) -> int:
        """Control word of the schedule's step in a trip."""
        last = self.setup + self.cipher.round_keys(self.key_bits)
        return self.cipher.key_control(self.key_bits, trip - self.setup, back) if trip < last else 0
