"""The same cipher as an iterative core: one or more rounds in a loop, and several blocks in flight (C-slow).

The loop is an ordinary graph whose outputs feed its inputs, so the scheduler places its registers and the
same lowering prints it. An iteration through the loop takes `stages` cycles; with several stages, as many
independent blocks are in flight, each with its own round counter that travels with it. A block takes one
iteration to load and rounds / rounds_per_cycle iterations to compute; a slot loads its next block in the
iteration in which it delivers one.
"""

from __future__ import annotations

from ...cipher.word import all_over, all_under, over, under
from ...graph import STATIC
from ..form import Form, HeldForm
from ..forms import derived_form
from ..key_memory import key_memory
from .base import Fold, Loop, check_steps, small_table
from .rounds import fold_rounds, read_rounds
from .steps import fold_steps, read_steps

__all__ = ["fold", "fold_held", "fold_read"]


def fold(form: Form, rounds_per_cycle: int, direction: str) -> Loop:
    """The loop graph of `form` with `rounds_per_cycle` rounds in an iteration, for `direction`: encrypt,
    decrypt or both. Ports: valid, ready, block, key, decrypt (where `direction` is both); one slot a stage.
    A loop of the cipher's own that has one round an iteration is the derived one with more. Raises
    UserError where the cipher has no such loop.

    >>> from cipherwright.arch.forms import form_of
    >>> from cipherwright.cipher import CATALOGUE
    >>> loop = fold(form_of(CATALOGUE["des"], 64), 1, "encrypt")
    >>> loop.iterations, [name for name, _ in loop.loops]  # 16 rounds, and the load
    (17, ['busy', 'count', 'state0', 'state1', 'key0'])
    """
    if form.loop == "rounds":
        return fold_rounds(form, rounds_per_cycle, direction)
    if form.loop == "steps":
        return fold_steps(form, rounds_per_cycle, direction)
    if rounds_per_cycle == 1:
        return _KeyedLoop(form, direction).finished()
    return fold_steps(derived_form(form.cipher, form.key_bits), rounds_per_cycle, direction)


class _HeldLoop(Fold):
    """Round keys are held inputs rk0, rk1 … in the order of use, or with both directions in that of
    encryption. Loading is an iteration of its own, and the iteration that delivers may load.

    Where the plan's length is no multiple of the steps in an iteration, a block enters in the middle of the
    one after its load: the steps before it leave the state as it is.
    """

    def __init__(self, form: Form, per_iteration: int, direction: str) -> None:
        assert isinstance(form, HeldForm), "a spec lets no other cipher have such a loop"
        self.held, self.plan = form, form.held_plan()
        check_steps(form, len(self.plan), per_iteration)
        self.entry = -len(self.plan) % per_iteration
        turns = -(-len(self.plan) // per_iteration)
        super().__init__(form, per_iteration, direction, turns + 1, True, True)

    def finished(self) -> Loop:
        held, b, back = self.held, self.b, over(self.b, self.dir)
        reverse = back if self.direction == "both" else over(b, b.const(1, 0))
        keys = [b.input(f"rk{i}", self.form.key_words(i), STATIC) for i in range(self.form.round_keys)]
        new_state = all_under(b, held.held_start(over(b, self.block), over(b, self.new_dir)))
        state = now = tuple(self.looped(f"state{i}", b.width(w)) for i, w in enumerate(new_state))
        self.control()
        index = b.select(self.count, range(self.count_bits - 1, -1, -1))
        for position in range(self.per_iteration):
            number = position if self.per_iteration > 1 else ""
            table = [self._word(code, position) for code in range(1 << self.count_bits)]
            control = over(b, small_table(b, f"control{number}", table, held.held_bits, index))
            iteration = held.held_iteration(control, all_over(b, now), all_over(b, keys), back, reverse)
            made = all_under(b, iteration)
            if position < self.entry:
                skips = small_table(b, "skips", [int(c == self.first) for c in range(len(table))], 1, index)
                made = tuple(b.mux(skips, old, new) for old, new in zip(now, made, strict=True))
            now = made
        out = under(b, held.held_finish(all_over(b, state), back))
        return self.close(out, tuple(zip(now, new_state, strict=True)), ())

    def _word(self, code: int, position: int) -> int:
        """Control word of the step at a position of an iteration, which the count tells; 0 of none."""
        step = (code - self.first) * self.per_iteration + position - self.entry
        return self.plan[step] if step >= 0 else 0


def fold_held(form: Form, rounds_per_cycle: int, direction: str) -> Loop:
    """The loop graph of `form` over held round keys, for `direction`: encrypt, decrypt or both. Ports: valid,
    ready, block, decrypt (where `direction` is both), rk0, rk1 … Raises UserError where the cipher has no
    loop of `rounds_per_cycle` steps a cycle.
    """
    return _HeldLoop(form, rounds_per_cycle, direction).finished()


def fold_read(form: Form, rounds_per_cycle: int, direction: str, stages: int) -> Loop:
    """The loop graph of `form` whose round keys are read by address, with `rounds_per_cycle` rounds in an
    iteration; `direction` and `stages` as of `key_memory`. Ports: valid, ready, block, decrypt (where
    `direction` is both), address0 and word0, …, and round keys that registers hold.
    """
    memory = key_memory(form, direction, rounds_per_cycle, stages)
    return (read_rounds if form.loop == "rounds" else read_steps)(form, direction, memory)


class _KeyedLoop(Fold):
    """The first round key is added where a block is loaded, so the schedule takes a step in that iteration
    too.
    Where decryption needs steps before (`key_setup`), the block waits as it came.

    The step unit makes the round key of the iteration that delivers too, so the next block waits an
    iteration.
    """

    def __init__(self, form: Form, direction: str) -> None:
        self.setup = form.key_setup(True) if direction != "encrypt" else 0
        super().__init__(form, 1, direction, self.setup + form.rounds + 1, False)

    def finished(self) -> Loop:
        form, b = self.form, self.b
        state = self.looped("state0", form.cipher.block_bits)
        held = tuple(self.looped(f"key{i}", b.width(w)) for i, w in enumerate(self.new_keys))
        self.control()
        load = self.load
        keys = tuple(b.mux(load, new, old) for new, old in zip(self.new_keys, held, strict=True))
        decrypt = (
            b.named(b.mux(load, self.new_dir, self.dir), "dir") if self.direction == "both" else self.dir
        )
        iteration = self.masked_iteration()
        control = self.control_word("control", self._word, iteration, decrypt)
        made_key, stepped = self.key_step(control, keys, decrypt)
        round_key, before = over(b, made_key), over(b, state)
        rounded = under(b, form.round(0, (before,), round_key)[0])
        if not self.setup:
            loaded = form.start(over(b, self.block), round_key)[0]
            value = b.mux(load, under(b, loaded), rounded)
        else:
            begins = self.flag("begins", iteration, {self.setup})
            waits = self.flag("waits", iteration, set(range(1, self.setup)))
            started = form.start(before, round_key)[0]
            value = b.mux(load, self.block, b.mux(waits, state, b.mux(begins, under(b, started), rounded)))
            idle = b.and_(b.or_(load, waits), b.not_(decrypt))
            stepped = tuple(b.mux(idle, old, new) for old, new in zip(keys, stepped, strict=True))
        out = under(b, form.finish((before,), round_key if form.last_key else None))
        return self.close(out, ((value, None),), tuple((s, None) for s in stepped))

    def _word(self, iteration: int, back: bool) -> int:
        """Control word of the schedule's step in an iteration."""
        last = self.setup + self.form.round_keys
        return self.form.key_control(iteration - self.setup, back) if iteration < last else 0
