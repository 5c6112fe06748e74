"""A loop over less than a round: the counter tells the round and the iteration in it. A block's load is an
iteration of its own.
"""

from __future__ import annotations

from ...cipher.word import all_over, all_under, over, under
from ..form import Form
from .base import Fold, Loop, sparse_table

__all__ = ["fold_narrow"]


class _NarrowLoop(Fold):
    def __init__(self, form: Form, datapath_bits: int) -> None:
        self.plan = form.iterations(datapath_bits)
        self.iteration_bits = (self.plan.group - 1).bit_length()
        super().__init__(form, 1, "encrypt", self.plan.rounds * self.plan.group + 1, True, True)

    def counter(self, iterations: int) -> tuple[int, int]:
        """Round above iteration; the round counts up to a power of two."""
        bits = (self.plan.rounds - 1).bit_length()
        return bits + self.iteration_bits, (1 << bits) - self.plan.rounds << self.iteration_bits

    def count_up(self) -> int:
        b, n = self.b, self.iteration_bits
        iteration, rounds = (
            b.select(self.count, range(n - 1, -1, -1)),
            b.select(self.count, range(self.count_bits, n - 1, -1)),
        )
        last = self.plan.group - 1
        table: list[int | None] = [
            None if t > last else 1 << n if t == last else t + 1 for t in range(1 << n)
        ]
        after = sparse_table(b, "iteration", table, n + 1, iteration)
        carry = b.cat(b.const(b.width(rounds) - 1, 0), b.select(after, (n,)))
        return b.cat(b.add(rounds, carry), b.select(after, range(n - 1, -1, -1)))

    def finished(self) -> Loop:
        b, plan = self.b, self.plan
        key = b.input("key", self.form.key_bits)
        new_state = plan.start(over(b, self.block), over(b, key))
        state = tuple(self.looped(f"state{i}", width) for i, width in enumerate(plan.widths()))
        self.control()
        table: list[int | None] = []
        for code in range(1 << self.count_bits):
            number, iteration = (
                code - self.first >> self.iteration_bits,
                code & (1 << self.iteration_bits) - 1,
            )
            table.append(plan.control(number, iteration) if number >= 0 and iteration < plan.group else None)
        index = b.select(self.count, range(self.count_bits - 1, -1, -1))
        control = over(b, sparse_table(b, "control", table, plan.bits, index))
        now = plan.iteration(control, all_over(b, state))
        loaded = [None if w is None else under(b, w) for w in new_state]
        out = under(b, plan.finish(all_over(b, state)))
        return self.close(out, tuple(zip(all_under(b, now), loaded, strict=True)), ())


def fold_narrow(form: Form, datapath_bits: int) -> Loop:
    """The loop graph of encryption by `form` over `datapath_bits` a cycle. Ports as of `fold`. Raises
    ValueError where the cipher has no such datapath.
    """
    return _NarrowLoop(form, datapath_bits).finished()
