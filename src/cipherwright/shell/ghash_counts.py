"""How many blocks of its packet follow a slot of GHASH within the loop, which is the power of the hash key
that its product takes (ghash.py).

With one lane every slot starts with its own block, and its count goes up while the slots of the next cycles
enter. A word of several blocks has a lane for each, in their order. The turn of a block's lane comes again L
slots later. So the blocks in between are those behind it in its own slot, those of the L - 1 slots after, and
those in front of its lane in the slot after these. The count of the slots in between is shared by all lanes.
Each lane adds what is of its own slot and of the last one in a step of its own, a cycle later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ..rtl import Cell, Clocked, Note, Reg, Step, Wire, WrapperItem, concatenated
from ..rtl.timer import TAPS, steps_of
from .copies import pieces

__all__ = ["COUNT_BITS", "READ", "GhashTiming", "count_items", "of_lane", "place", "placed", "stepped"]

COUNT_BITS = 4
"""Bits of a count of one lane: 15 states, which are powers 0 to 14."""

READ = 1
"""Registers between a memory of powers and the factor."""


@dataclass(frozen=True)
class GhashTiming:
    """Cycles of a unit whose multipliers have `stages` registers, with the powers of so many hash keys
    (`banks`), for words of so many blocks (`lanes`), each with a multiplier of its own.

    The loop has one more: that of the sum of block and feedback.
    """

    stages: int
    banks: int = 1
    lanes: int = 1

    def __post_init__(self) -> None:
        if not 4 <= self.loop < 1 << COUNT_BITS:
            raise ValueError(f"GHASH needs a multiplier of 3 to {(1 << COUNT_BITS) - 2} stages")
        if self.lanes > 1 and self.banks > 1:
            raise ValueError("GHASH of several lanes has the powers of one hash key")

    @property
    def loop(self) -> int:
        """L: slots from a product to the one that it is fed back to."""
        return self.stages + 1

    @property
    def most(self) -> int:
        """The highest power: that of a block whose lane is filled until its turn comes again."""
        return self.lanes * self.loop

    @property
    def count_bits(self) -> int:
        """Bits of a count, whose states are one fewer than its values."""
        if self.lanes == 1:
            return COUNT_BITS
        return next(width for width in TAPS if (1 << width) - 1 > self.most)

    @property
    def of_lanes(self) -> int:
        """Cycles that several lanes take besides: a step of each lane's count, and a sum of products."""
        return int(self.lanes > 1)

    @property
    def flags_lead(self) -> int:
        """Cycles from a slot's flags to its block: L places, one for copies of what they tell, that of what
        is read, and the last step of the count of several lanes.
        """
        return self.loop + 2 + READ + self.of_lanes

    @property
    def sum_latency(self) -> int:
        """Cycles from a packet's last block to the sum."""
        return self.loop + 1 + self.of_lanes

    def count(self, k: int) -> int:
        """The state that stands for the count `k`."""
        return steps_of(self.count_bits, k)


def of_lane(name: str, lane: int, lanes: int) -> str:
    """The name of what each of `lanes` lanes has, for the one numbered `lane`: with its number behind `name`,
    which is used alone where there is one lane.

    >>> of_lane("count", 1, 2), of_lane("count", 0, 1)
    ('count_of_1', 'count')
    """
    return f"{name}_of_{lane}" if lanes > 1 else name


def place(name: str, k: int, bits: int = COUNT_BITS) -> str:
    """Copy `k` of the count or address `name`, of `bits` bits a copy: a part of the wire that has all copies.

    >>> place("count", 2)
    'count[11:8]'
    """
    return f"{name}[{bits * k + bits - 1}:{bits * k}]"


def placed(name: str, value: str, bits: int = COUNT_BITS) -> tuple[WrapperItem, ...]:
    """The wire `name`: registered copies of the count or address `value`, of `bits` bits, one for each piece
    of the memory of powers.
    """
    count = len(pieces())
    cells = [
        Cell(
            "cipherwright_copy",
            f"u_{name}_{k}_{bit}",
            {"clk": "clk", "d": f"{value}[{bit}]", "q": f"{name}[{bits * k + bit}]"},
        )
        for k in range(count)
        for bit in range(bits)
    ]
    return (Wire((name,), bits * count), *cells)


def stepped(name: str, bits: int = COUNT_BITS) -> str:
    """The state of a count of `bits` bits after `name`.

    >>> stepped("n"), stepped("n", 5)
    ('{n[2:0], n[3] ^ n[2]}', '{n[3:0], n[4] ^ n[2]}')
    """
    return f"{{{name}[{bits - 2}:0], {name}[{bits - 1}] ^ {name}[{TAPS[bits] - 1}]}}"


def count_items(timing: GhashTiming) -> tuple[WrapperItem, ...]:
    """Every slot's count, `count`, in copies; of several lanes that of each lane. `first_q` and `last_q` are
    the slot's flags a cycle later, and `open` tells in which places slots are whose packet goes on. timing:
    of the unit that has them.
    """
    return _one_lane(timing) if timing.lanes == 1 else _lanes(timing)


def _one_lane(timing: GhashTiming) -> tuple[WrapperItem, ...]:
    """Every slot's number of blocks of its packet within L slots, in the last place `count_{L - 1}`; `count`
    has copies of it.
    """
    places = range(timing.loop)
    start = [timing.count(k) for k in (1, 0)]
    steps = [
        Step("first_q", "first_i"),
        Step("block_q", "block_i"),
        Step("last_q", "last_i"),
        Step("inside_q", "first_i | (inside_q & ~last_q)"),
        Step("count_0", f"block_q ? 2'd{start[0]} : 2'd{start[1]}"),
        Step("open[0]", "inside_q & ~last_q"),
        Step("more[0]", "inside_q & ~last_q & block_i"),
    ]
    for j in places[1:]:
        before = f"count_{j - 1}"
        one_more, same = stepped(before), before
        if j + 2 <= COUNT_BITS:
            fed = f"{before}[2]" if j + 1 == COUNT_BITS - 1 else "1'b0"
            one_more, same = f"{{{before}, {fed}}}", f"{{1'b0, {before}}}"
        steps += [
            Step(f"count_{j}", f"more[{j - 1}] ? {one_more} : {same}"),
            Step(f"open[{j}]", f"open[{j - 1}] & ~last_q"),
        ]
        if j < timing.loop - 1:
            steps.append(Step(f"more[{j}]", f"open[{j - 1}] & ~last_q & block_i"))
    return (
        Note("Counts of blocks: those of open slots go up with every block that enters."),
        Reg(("first_q", "block_q", "last_q", "inside_q")),
        Reg(("open",), timing.loop),
        Reg(("more",), timing.loop - 1),
        # So early, a count has ones in its lowest bits only.
        *(Reg((f"count_{j}",), j + 2) for j in places[: COUNT_BITS - 2]),
        Reg(tuple(f"count_{j}" for j in places[COUNT_BITS - 2 :]), COUNT_BITS),
        *placed("count", f"count_{timing.loop - 1}"),
        Clocked(tuple(steps)),
    )


def _lanes(timing: GhashTiming) -> tuple[WrapperItem, ...]:
    """The counts of several lanes. Of the blocks of a word the first ones are there, so the slots in between
    tell how many by ones from the right (`more`).
    """
    loop, lanes, bits = timing.loop, timing.lanes, timing.count_bits
    # The first counts are low, and have ones in their lowest bits only.
    widths = [max(timing.count(k).bit_length() for k in range(lanes * j + 1)) for j in range(loop)]
    everyone = f"{{{{{lanes}{{{{{{}}}}}}}}}}"
    within = ["inside_q & ~last_q", *(f"open[{j}] & ~last_q" for j in range(loop - 1))]
    own = [f"own[{lanes * (loop - 1) + lane}]" for lane in range(lanes)]
    steps = [
        Step("first_q", "first_i"),
        Step("last_q", "last_i"),
        Step("inside_q", "first_i | (inside_q & ~last_q)"),
        Step("own", f"{{own[{lanes * (loop - 1) - 1}:0], block_i}}"),
        *(Step(f"open[{j}]", within[j]) for j in range(loop)),
        *(Step(f"more_{j}", f"{everyone.format(within[j - 1])} & block_i") for j in range(1, loop)),
        Step("between_1", _chosen("more_1", [f"{widths[1]}'d{timing.count(k)}" for k in range(lanes + 1)])),
        *(
            Step(f"between_{j}", _gone_up(timing, f"between_{j - 1}", widths[j - 1], f"more_{j}", widths[j]))
            for j in range(2, loop)
        ),
    ]
    for lane in range(lanes):
        last = [f"({within[loop - 1]} & block_i[{k}])" for k in range(lane)]
        here = [*own[lane:], *last]
        steps += [
            *(Step(f"beside_{lane}[{k}]", _at_least(k + 1, here)) for k in range(lanes)),
            Step(
                f"count_{lane}",
                _gone_up(timing, f"between_{loop - 1}", widths[loop - 1], f"beside_{lane}", bits),
            ),
        ]
    return (
        Note("Counts of blocks: those of open slots go up with the blocks of every slot that enters."),
        Reg(("first_q", "last_q", "inside_q")),
        Reg(("open",), loop),
        Reg(("own",), lanes * loop, "A slot's own blocks, until those of the slot L later enter."),
        Reg(tuple(f"more_{j}" for j in range(1, loop)), lanes, vector=True),
        *(Reg((f"between_{j}",), widths[j]) for j in range(1, loop)),
        Note("Each lane adds its slot's blocks from its own on, and those in front of its next turn."),
        Reg(tuple(f"beside_{lane}" for lane in range(lanes)), lanes, vector=True),
        Reg(tuple(f"count_{lane}" for lane in range(lanes)), bits),
        *(
            item
            for lane in range(lanes)
            for item in placed(of_lane("count", lane, lanes), f"count_{lane}", bits)
        ),
        Clocked(tuple(steps)),
    )


def _chosen(ones: str, values: Sequence[str]) -> str:
    """The value whose number is that of ones in `ones`, which are from the right."""
    found = values[0]
    for k, value in enumerate(values[1:]):
        found = f"{ones}[{k}] ? {value} : {found}" if k == 0 else f"{ones}[{k}] ? {value} : ({found})"
    return found


def _gone_up(timing: GhashTiming, name: str, width: int, ones: str, to: int) -> str:
    """The count `name`, of which `width` bits are there, gone up by the number of ones in `ones`: its `to`
    lowest bits.
    """
    state = [f"{name}[{k}]" if k < width else "" for k in range(timing.count_bits)]
    values = list[str]()
    for _ in range(timing.lanes + 1):
        values.append(concatenated(bit or "1'b0" for bit in state[:to]))
        fed = [state[k - 1] for k in (timing.count_bits, TAPS[timing.count_bits]) if state[k - 1]]
        state = [" ^ ".join(fed), *state[:-1]]
    return _chosen(ones, values)


def _at_least(count: int, bits: Sequence[str]) -> str:
    """Whether so many of these bits are 1."""
    return " | ".join(f"({' & '.join(some)})" for some in combinations(bits, count))
