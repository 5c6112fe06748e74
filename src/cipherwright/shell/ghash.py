"""GHASH at a block a cycle, with one multiplier of L stages (SP 800-38D, section 6.4).

A slot is a cycle. In the slot at time t the unit computes Y[t] = (X[t] + g Y[t - L]) H^k, where k is the
number of blocks that the packet has in the L slots from t on, and g is 1 where the slot at t - L belongs to
the same packet. So L interleaved sums follow Horner's rule. A block's products multiply up to H to the number
of blocks from it to the packet's end, and GHASH of the packet is the sum of the Y of its last L slots. A slot
without a block has X = 0 and counts nothing; where no block follows within L slots, k is 0.

The flags of a slot come L + 3 cycles before its block, so that k is known when the block is there. k is
counted while the slots go through L places: every block that enters makes the counts of open slots, those of
its own packet, one higher. A count is the state of a shift register with feedback, which is also the address
of H^k. In the cycle after that, each piece of the memory of powers has its own copy of the address. What is
read passes a register on the way to the multiplier: one is near the memory, the other near the multiplier.

The powers are made by the multiplier itself: `setup_i` goes with a slot whose block is the field's one; the
next slot's block is H, and so is that of the slot L cycles after the first, which is a packet of its own. In
the slots between and after these, until `filled_o`, `block_i` is 1, and after the last the block is 0. Then H
goes round and becomes H^2, H^3 and so on, once in L cycles.

With two banks the powers of two hash keys are there, and each block says whose are read. They come from
outside (gcm/powers.py), so that one bank is written while the other is read. What is read from both is
registered before it is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Held,
    Note,
    Pin,
    Reg,
    Step,
    Store,
    Wire,
    Wrapper,
    WrapperItem,
    declared_first,
)
from ..rtl.timer import steps_of
from .copies import copies, pieces, spread

__all__ = ["BANK_PINS", "COUNT_BITS", "READ", "GhashTiming", "ghash_unit"]

COUNT_BITS = 4
"""Bits of a count: 15 states, which are powers 0 to 14."""

READ = 1
"""Registers between a memory of powers and the factor."""


@dataclass(frozen=True)
class GhashTiming:
    """Cycles of a unit whose multiplier has `stages` registers, with the powers of so many hash keys
    (`banks`).

    The loop has one more: that of the sum of block and feedback.
    """

    stages: int
    banks: int = 1

    def __post_init__(self) -> None:
        if not 4 <= self.loop < 1 << COUNT_BITS:
            raise ValueError(f"GHASH needs a multiplier of 3 to {(1 << COUNT_BITS) - 2} stages")

    @property
    def loop(self) -> int:
        """L: slots from a product to the one that it is fed back to."""
        return self.stages + 1

    @property
    def flags_lead(self) -> int:
        """Cycles from a slot's flags to its block: L places, one for copies of what they tell, and that of
        what is read.
        """
        return self.loop + 2 + READ

    @property
    def sum_latency(self) -> int:
        """Cycles from a packet's last block to the sum."""
        return self.loop + 1

    def count(self, k: int) -> int:
        """The state that stands for the count k."""
        return steps_of(COUNT_BITS, k)


def _place(name: str, k: int) -> str:
    """Copy k of a count or an address."""
    return f"{name}[{COUNT_BITS * k + COUNT_BITS - 1}:{COUNT_BITS * k}]"


def _places(name: str, value: str) -> tuple[WrapperItem, ...]:
    """`name`: registered copies of the count or address `value`, one for each piece of the memory of
    powers.
    """
    count = len(pieces())
    cells = [
        Cell(
            "cipherwright_copy",
            f"u_{name}_{k}_{bit}",
            {"clk": "clk", "d": f"{value}[{bit}]", "q": f"{name}[{COUNT_BITS * k + bit}]"},
        )
        for k in range(count)
        for bit in range(COUNT_BITS)
    ]
    return (Wire((name,), COUNT_BITS * count), *cells)


def _stepped(name: str) -> str:
    """The state of a count after `name`."""
    return f"{{{name}[2:0], {name}[3] ^ {name}[2]}}"


def ghash_unit(name: str, multiplier: str, timing: GhashTiming, sum_bits: int = 128) -> Wrapper:
    """The unit around the module `multiplier` (x_i, h_i -> a_o, b_o). Of the sum the first `sum_bits` bits
    are shown.
    """
    first = "" if sum_bits == 128 else f"[127:{128 - sum_bits}]"
    banked = timing.banks > 1
    pins = tuple(Pin(n, with_block=True) for n in ("first_i", "block_i", "last_i"))
    pins = (*pins, *BANK_PINS) if banked else (*pins, Pin("setup_i", with_block=True))
    items = (
        *_counts(timing),
        *_gates(timing, sum_bits),
        *(_banks(timing) if banked else _powers(timing)),
        Note("The loop: a block and what is fed back, times a power of H."),
        Wire(("a", "b"), 128),
        Reg(("s_q", "h_q", *(() if banked else ("h_0",))), 128),
        Reg(("sum_q",), sum_bits),
        Clocked(
            (
                Step("s_q", f"x_i ^ ({spread('gate')} & (a ^ b))"),
                *([] if banked else _reads("h_0", "power")),
                Step("h_q", f"(h_1 & {spread('bank')}) | (h_0 & ~{spread('bank')})" if banked else "h_0"),
                Step("sum_q", f"a{first} ^ b{first} ^ ({spread('keep', sum_bits)} & sum_q)"),
            )
        ),
        Cell(multiplier, "u_multiplier", {"clk": "clk", "x_i": "s_q", "h_i": "h_q", "a_o": "a", "b_o": "b"}),
        Drive("sum_o", "sum_q"),
        *(() if banked else (Drive("filled_o", "filled_q"),)),
    )
    filled = () if banked else (Pin("filled_o", out=True),)
    return Wrapper(
        name,
        (
            f"GHASH, a block a cycle. A slot's flags come {timing.flags_lead} cycles before its block x_i; "
            f"sum_o is GHASH of a packet {timing.sum_latency} cycles after the packet's last block.",
            "first_i, last_i: the packet's ends; block_i: the slot has a block, otherwise x_i is 0.",
            "slot_i: whose powers are read, a cycle before the block. A cycle after write_i (one bit a slot) "
            "power_i is written to address_i."
            if banked
            else "setup_i: powers of the hash key are made next; filled_o: they are there.",
        ),
        (
            ClockReset(reset="" if banked else "rst_i"),
            Held((*pins, Pin("x_i", 128), Pin("sum_o", sum_bits, True), *filled)),
        ),
        declared_first(items),
    )


BANK_PINS = (
    Pin("slot_i", with_block=True),
    Pin("write_i", 2),
    Pin("address_i", COUNT_BITS),
    Pin("power_i", 128),
)
"""Ports of a unit with two banks: whose powers a block reads, and what writes them."""


def _reads(factor: str, memory: str) -> list[Step]:
    """What is read from each piece of a memory of powers by the counts."""
    return [
        Step(f"{factor}[{high}:{low}]", f"{memory}_{k}[{_place('count', k)}]")
        for k, (low, high) in enumerate(pieces())
    ]


def _banks(timing: GhashTiming) -> tuple[WrapperItem, ...]:
    """The memories of powers of two hash keys, written from outside, and what is read from each."""
    banks = range(timing.banks)
    return (
        Note("Powers 0 to L of the hash key of each slot."),
        *(
            Store(f"power_{b}_{k}", high - low + 1, 1 << COUNT_BITS)
            for b in banks
            for k, (low, high) in enumerate(pieces())
        ),
        *(item for b in banks for item in copies(f"write_{b}", f"write_i[{b}]")),
        *_places("address", "address_i"),
        *copies("bank", "slot_i"),
        Reg(tuple(f"h_{b}" for b in banks), 128),
        Clocked(tuple(step for b in banks for step in _reads(f"h_{b}", f"power_{b}"))),
        Clocked(
            tuple(
                Step(f"power_{b}_{k}[{_place('address', k)}]", f"power_i[{high}:{low}]", f"write_{b}[{k}]")
                for b in banks
                for k, (low, high) in enumerate(pieces())
            )
        ),
    )


def _counts(timing: GhashTiming) -> tuple[WrapperItem, ...]:
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
        one_more, same = _stepped(before), before
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
        *_places("count", f"count_{timing.loop - 1}"),
        Clocked(tuple(steps)),
    )


def _gates(timing: GhashTiming, sum_bits: int) -> tuple[WrapperItem, ...]:
    """gate: what is fed back belongs to the slot's packet. keep: the sum so far does."""
    loop = timing.loop
    length, low, high = 2 * loop - 3 + READ, loop - 3 + READ, 2 * loop - 4 + READ
    groups = [(k, min(k + 3, high)) for k in range(low, high + 1, 4)]
    near = [Step(f"near[{n}]", f"|first_line[{top}:{bottom}]") for n, (bottom, top) in enumerate(groups)]
    return (
        Note("The packet's first slot is at least L slots back: a product of the same packet is fed back."),
        Reg(("first_line",), length),
        Reg(("near",), len(groups)),
        Reg(("fed",)),
        *copies("gate", "fed"),
        Note("The slot before is one of the last L of the same packet."),
        Reg(("open_before",)),
        Reg(("keep_line",), loop + READ),
        *copies("keep", f"keep_line[{loop + READ - 1}]", sum_bits),
        Clocked(
            (
                Step("first_line", f"{{first_line[{length - 2}:0], first_q}}"),
                *near,
                Step("fed", "~(|near)"),
                Step("open_before", f"open[{loop - 1}]"),
                Step(
                    "keep_line", f"{{keep_line[{loop + READ - 2}:0], ~first_line[{loop - 1}] & ~open_before}}"
                ),
            )
        ),
    )


def _powers(timing: GhashTiming) -> tuple[WrapperItem, ...]:
    """The memory of powers, in pieces, and how it is filled. `ahead` is the address of the next cycle."""
    loop = timing.loop
    wait = timing.flags_lead
    start, last = timing.count(0), timing.count(loop)
    steps = (
        Step("turn", f"{{turn[{loop - 2}:0], setup_line[{wait}] | (turn[{loop - 1}] & ~at_last_q)}}"),
        Step("filled_q", f"~setup_i & (filled_q | (turn[{loop - 1}] & at_last_q))"),
        Step("at_last_q", "at_last"),
        Step("advance", f"setup_line[{wait - 2}] | turn[{loop - 3}]"),
    )
    address = f"advance ? {_stepped('ahead')} : ahead"
    return (
        Note("Powers 0 to L of the hash key: each is written when it comes round."),
        *(Store(f"power_{k}", high - low + 1, 1 << COUNT_BITS) for k, (low, high) in enumerate(pieces())),
        Reg(("setup_line",), wait + 1),
        Reg(("turn",), loop),
        Reg(("filled_q", "at_last", "at_last_q", "advance", "write_ahead")),
        Reg(("ahead",), COUNT_BITS),
        *copies("write", "write_ahead"),
        *_places("address", "ahead"),
        Clocked(
            (Step("setup_line", f"{{setup_line[{wait - 1}:0], setup_i}}"),),
            (("setup_line", f"{wait + 1}'d0"),),
            gated=True,
        ),
        Clocked(
            steps,
            (
                ("turn", f"{loop}'d0"),
                *((name, "1'b0") for name in ("filled_q", "at_last_q", "advance")),
            ),
        ),
        Clocked(
            (Step("write_ahead", f"setup_line[{wait - 2}] | setup_line[{wait - 1}] | turn[{loop - 3}]"),)
        ),
        Clocked(
            (
                Step("ahead", f"setup_line[{wait - 2}] ? {COUNT_BITS}'d{start} : {address}"),
                Step("at_last", f"ahead == {COUNT_BITS}'d{last}"),
            ),
            (("ahead", f"{COUNT_BITS}'d{start}"), ("at_last", "1'b0")),
        ),
        Clocked(
            tuple(
                Step(f"power_{k}[{_place('address', k)}]", f"s_q[{high}:{low}]", f"write[{k}]")
                for k, (low, high) in enumerate(pieces())
            )
        ),
    )
