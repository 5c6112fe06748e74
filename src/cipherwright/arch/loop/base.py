"""What every loop has: ports, the slot's control, the loop's registers, and flags and control words by the
number of an iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...cipher.word import all_over, all_under, over, under
from ...errors import UserError
from ...graph import Graph, GraphBuilder
from ...schedule import Io
from ..form import Form
from ..key_memory import KeyMemory

__all__ = ["Fold", "Loop", "check_steps", "small_table", "sparse_table"]


@dataclass(frozen=True)
class Loop:
    """The loop's `graph`; `loops` pairs each looped input with its output; `io` says what leaves at once;
    `iterations` from a block's load to its result, and until the slot may load again.
    """

    graph: Graph
    loops: tuple[tuple[str, str], ...]
    io: Io
    iterations: int
    memory: KeyMemory | None = None
    """The round keys that it reads by address, in the cycle in which it shows the address."""


class Fold:
    """What every kind of loop has: ports, the slot's control, and the loop's registers."""

    def __init__(
        self,
        form: Form,
        per_iteration: int,
        direction: str,
        iterations: int,
        overlap: bool,
        held: bool = False,
    ) -> None:
        """`iterations` from load to result; `overlap`: the iteration that delivers may load; `held`: round
        keys are inputs of their own.
        """
        cipher, key_bits = form.cipher, form.key_bits
        self.form, self.per_iteration, self.direction = form, per_iteration, direction
        self.iterations, self.overlap = iterations, overlap
        self.count_bits, self.first = self.counter(iterations)
        self.b = b = GraphBuilder(f"{cipher.name}_loop")
        self.loops: list[tuple[str, str]] = []
        self.valid, self.block = b.input("valid", 1), b.input("block", cipher.block_bits)
        key = None if held else b.input("key", key_bits)
        self.new_dir = (
            b.input("decrypt", 1) if direction == "both" else b.const(1, int(direction == "decrypt"))
        )
        self.busy, self.count = self.looped("busy", 1), self.looped("count", self.count_bits + 1)
        self.dir = self.looped("dir", 1) if direction == "both" else self.new_dir
        self.new_keys: tuple[int, ...] = (
            () if key is None else all_under(b, form.key_start(over(b, key), over(b, self.new_dir)))
        )

    def counter(self, iterations: int) -> tuple[int, int]:
        """For so many `iterations`: bits of the counter below the one that says that the result is there, and
        its value after a load.
        """
        counted = iterations - 1
        bits = max(1, (counted - 1).bit_length())
        return bits, (1 << bits) - counted

    def looped(self, name: str, width: int) -> int:
        """A register of the loop: the input `name` of `width` bits, whose next value is the output
        `name`_next.
        """
        self.loops.append((name, f"{name}_next"))
        return self.b.input(name, width)

    def key_step(self, control: int, keys: Sequence[int], back: int) -> tuple[int, tuple[int, ...]]:
        """A step of the key schedule from the state `keys` under the word `control`, in the direction `back`:
        its round key, and the schedule's state after it.
        """
        b = self.b
        round_key, after = self.form.key_step(over(b, control), all_over(b, keys), over(b, back))
        return under(b, round_key), all_under(b, after)

    def key_now(self, keys: Sequence[int], back: int) -> int:
        """The round key of a step from the state `keys` whose control word is 0, in the direction `back`."""
        return self.key_step(self.b.const(self.form.control_bits, 0), keys, back)[0]

    def control(self) -> None:
        """done, ready, load, deliver."""
        b = self.b
        self.done = b.select(self.count, (self.count_bits,))
        # not busy, or (where the two may meet) done
        self.ready = b.named(
            b.lut(0b1011, self.busy, self.done) if self.overlap else b.not_(self.busy), "ready"
        )
        self.load = b.named(b.and_(self.valid, self.ready), "load")
        self.deliver = b.named(b.and_(self.busy, self.done), "deliver")

    def count_up(self) -> int:
        """The counter after an iteration."""
        return self.b.add(self.count, self.b.const(self.count_bits + 1, 1))

    def close(
        self, out: int, state: tuple[tuple[int, int | None], ...], keys: tuple[tuple[int, int | None], ...]
    ) -> Loop:
        """The loop, once its outputs are made. `out`: the block that leaves. `state` and `keys`: (value for
        the next iteration, value of a load or None where that is in the first), a pair for each word.
        """
        b, load = self.b, self.load
        count_up = self.count_up()
        b.output("ready", self.ready)
        b.output("valid", self.deliver)
        b.output("block", out)
        # A slot stays busy while it computes; a delivered or idle one is busy next if a block is offered.
        table = 0b11110100 if self.overlap else 0b01110100
        b.output("busy_next", b.named(b.lut(table, self.valid, self.busy, self.done), "busy"))
        b.output(
            "count_next", b.named(b.mux(load, b.const(self.count_bits + 1, self.first), count_up), "count")
        )
        if self.direction == "both":
            b.output("dir_next", b.named(b.mux(load, self.new_dir, self.dir), "dir"))
        for kind, words in (("state", state), ("keys", keys)):
            for i, (value, new) in enumerate(words):
                name = f"{kind}{i}"
                b.output(
                    f"{name.replace('keys', 'key')}_next",
                    b.named(value if new is None else b.mux(load, new, value), name),
                )
        # A result that waits in the state leaves at once; one that the last iteration computes leaves at that
        # iteration's end.
        now = (("ready", 0), ("valid", 0), ("block", 0)) if self.overlap else (("ready", 0),)
        apart = not self.overlap
        return Loop(b.build(), tuple(self.loops), Io(leave=now), self.iterations + apart)

    def masked_iteration(self) -> int:
        """The counter, or 0 where a block is loaded; `iteration_of` tells the iteration from its value."""
        b = self.b
        return b.and_(self.count, b.select(b.not_(self.load), (0,) * (self.count_bits + 1)))

    def iteration_of(self, code: int) -> int | None:
        """Iteration number (0 loads) of the value `code` of the masked counter; None of a value that it never
        has.
        """
        return 0 if code == 0 else code - self.first + 1 if code >= self.first else None

    def flag(self, name: str, iteration: int, when: set[int]) -> int:
        """A bit `name` that is 1 in the iterations `when`; `iteration`: the masked counter."""
        table = [int(self.iteration_of(code) in when) for code in range(2 << self.count_bits)]
        return small_table(self.b, name, table, 1, iteration)

    def control_word(self, name: str, word: Callable[[int, bool], int], iteration: int, decrypt: int) -> int:
        """The control word `name` of the key schedule; `word`, `iteration` and `decrypt` are those of
        `told`.
        """
        return self.told(name, word, self.form.control_bits, iteration, decrypt)

    def told(
        self, name: str, word: Callable[[int, bool], int], bits: int, iteration: int, decrypt: int
    ) -> int:
        """The word `name` of `bits` bits whose value is `word(number, back)` in an iteration of that number;
        `iteration`: the masked counter, and `decrypt`: the direction, tell which.
        """
        b = self.b
        iterations = [self.iteration_of(code) for code in range(2 << self.count_bits)]
        there, again = ([0 if t is None else word(t, back) for t in iterations] for back in (False, True))
        if self.direction != "both" or there == again:
            return small_table(b, name, again if self.direction == "decrypt" else there, bits, iteration)
        return small_table(b, name, there + again, bits, b.cat(decrypt, iteration))


def check_steps(form: Form, steps: int, per_iteration: int) -> None:
    """Raise UserError where a loop of `form`, which has so many `steps`, can't do `per_iteration` of them in
    an iteration.
    """
    if not 1 <= per_iteration <= steps:
        raise UserError(
            f"a loop of {form.cipher.name} has 1 to {steps} steps a cycle, not rounds_per_cycle = "
            f"{per_iteration}"
        )


def sparse_table(b: GraphBuilder, name: str, table: Sequence[int | None], width: int, index: int) -> int:
    """A control word as `small_table` makes it from `b`, `name`, `table`, `width` and `index`, where entries
    that are None never occur: every bit of the word takes only the bits of `index` that it needs.
    """
    n, out = b.width(index), []
    for k in reversed(range(width)):
        wanted = {a: e >> k & 1 for a, e in enumerate(table) if e is not None}
        read = list(range(n))
        for bit in reversed(range(n)):
            mask = sum(1 << i for i in read if i != bit)
            seen: dict[int, int] = {}
            if all(seen.setdefault(a & mask, v) == v for a, v in wanted.items()):
                read.remove(bit)
        packed = [0] * (1 << len(read))
        for a, v in wanted.items():
            packed[sum((a >> i & 1) << j for j, i in enumerate(read))] |= v
        out.append(
            small_table(b, f"{name}_{k}", packed, 1, b.select(index, read[::-1]))
            if read
            else b.const(1, packed[0])
        )
    return b.cat(*out)


def small_table(b: GraphBuilder, name: str, table: Sequence[int], width: int, index: int) -> int:
    """A control word, a node of `b`: entry number `index` (a node) of `table`, which has one for each value.
    It has `width` bits, and `name` names its parts. One truth table a bit where the index has at most six
    bits, else a choice of two such words.
    """
    n = b.width(index)
    if len(set(table)) == 1:
        return b.const(width, table[0])
    if n > 6:
        below, half = b.select(index, range(n - 2, -1, -1)), len(table) // 2
        low, high = (
            small_table(b, f"{name}_{kind}", part, width, below)
            for kind, part in (("low", table[:half]), ("high", table[half:]))
        )
        return b.named(b.mux(b.select(index, (n - 1,)), high, low), name)
    bits = [b.select(index, (k,)) for k in reversed(range(n))]
    out = []
    for k in reversed(range(width)):
        truth = sum((e >> k & 1) << a for a, e in enumerate(table))
        whole = truth in (0, (1 << (1 << n)) - 1)
        out.append(b.const(1, truth & 1) if whole else b.named(b.lut(truth, *bits), f"{name}_{k}"))
    return b.cat(*out)
