"""A loop over less than a round: the counter tells the round and the trip in it, and a block's load is a
trip of its own.
"""

from __future__ import annotations

from ...cipher.word import all_over, all_under, over, under
from ..form import Form
from .base import Fold, Loop, sparse_table

__all__ = ["fold_trips"]


class _TripLoop(Fold):
    def __init__(self, form: Form, datapath_bits: int) -> None:
        self.plan = form.trips(datapath_bits)
        self.trip_bits = (self.plan.group - 1).bit_length()
        super().__init__(form, 1, "encrypt", self.plan.rounds * self.plan.group + 1, True, True)

    def counter(self, trips: int) -> tuple[int, int]:
        """Round above trip; the round counts up to a power of two."""
        bits = (self.plan.rounds - 1).bit_length()
        return bits + self.trip_bits, (1 << bits) - self.plan.rounds << self.trip_bits

    def count_up(self) -> int:
        b, n = self.b, self.trip_bits
        trip, rounds = (
            b.select(self.count, range(n - 1, -1, -1)),
            b.select(self.count, range(self.count_bits, n - 1, -1)),
        )
        last = self.plan.group - 1
        table: list[int | None] = [
            None if t > last else 1 << n if t == last else t + 1 for t in range(1 << n)
        ]
        after = sparse_table(b, "trip", table, n + 1, trip)
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
            number, trip = code - self.first >> self.trip_bits, code & (1 << self.trip_bits) - 1
            table.append(plan.control(number, trip) if number >= 0 and trip < plan.group else None)
        index = b.select(self.count, range(self.count_bits - 1, -1, -1))
        control = over(b, sparse_table(b, "control", table, plan.bits, index))
        now = plan.trip(control, all_over(b, state))
        loaded = [None if w is None else under(b, w) for w in new_state]
        out = under(b, plan.finish(all_over(b, state)))
        return self.close(out, tuple(zip(all_under(b, now), loaded, strict=True)), ())


def fold_trips(form: Form, datapath_bits: int) -> Loop:
    """The loop graph of encryption. Ports as of `fold`."""
    return _TripLoop(form, datapath_bits).finished()
