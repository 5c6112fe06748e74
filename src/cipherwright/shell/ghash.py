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

from dataclasses import replace

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
from .copies import copies, pieces, spread
from .ghash_counts import COUNT_BITS, READ, GhashTiming, count_items, of_lane, place, placed, stepped

__all__ = ["BANK_PINS", "COUNT_BITS", "READ", "GhashTiming", "ghash_unit"]


def ghash_unit(name: str, multiplier: str, timing: GhashTiming, sum_bits: int = 128) -> Wrapper:
    """The module `name`: GHASH around the module `multiplier` (x_i, h_i -> a_o, b_o), with the cycles, lanes
    and key banks of `timing`. Of the sum the first `sum_bits` bits are shown.
    """
    banked, lanes = timing.banks > 1, timing.lanes
    flags = (Pin("first_i"), Pin("block_i", lanes), Pin("last_i"))
    pins = tuple(replace(pin, with_block=True) for pin in flags)
    pins = (*pins, *BANK_PINS) if banked else (*pins, Pin("setup_i", with_block=True))
    word = (
        ()
        if lanes == 1
        else (f"A word has {lanes} blocks, in order from bit 0 of block_i and from the highest bits of x_i.",)
    )
    items = (
        *count_items(timing),
        *_gates(timing, sum_bits),
        *(_banks(timing) if banked else _powers(timing)),
        *(_bank_loop if banked else _loop)(multiplier, timing, sum_bits),
        Drive("sum_o", "sum_q"),
        *(() if banked else (Drive("filled_o", "filled_q"),)),
    )
    filled = () if banked else (Pin("filled_o", out=True),)
    return Wrapper(
        name,
        (
            f"GHASH, a {'block' if lanes == 1 else 'word'} a cycle. A slot's flags come {timing.flags_lead} "
            "cycles before its block x_i; "
            f"sum_o is GHASH of a packet {timing.sum_latency} cycles after the packet's last block.",
            "first_i, last_i: the packet's ends; block_i: the slot has a block, otherwise x_i is 0.",
            "slot_i: whose powers are read, a cycle before the block. A cycle after write_i (one bit a slot) "
            "power_i is written to address_i."
            if banked
            else "setup_i: powers of the hash key are made next; filled_o: they are there.",
            *word,
        ),
        (
            ClockReset(reset="" if banked else "rst_i"),
            Held((*pins, Pin("x_i", 128 * lanes), Pin("sum_o", sum_bits, True), *filled)),
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


def _loop(multiplier: str, timing: GhashTiming, sum_bits: int) -> tuple[WrapperItem, ...]:
    """The multiplier of each lane, and the sum of what they give."""
    lanes = timing.lanes
    cut = "" if sum_bits == 128 else f"[127:{128 - sum_bits}]"
    pairs = [tuple(of_lane(n, lane, lanes) for n in ("a", "b")) for lane in range(lanes)]
    products = " ^ ".join(f"{a}{cut} ^ {b}{cut}" for a, b in pairs)
    kept = f"({spread('keep', sum_bits)} & sum_q)"
    registers, steps, cells = list[WrapperItem](), list[Step](), list[WrapperItem]()
    for lane, (a, b) in enumerate(pairs):
        s, h, before = (of_lane(n, lane, lanes) for n in ("s_q", "h_q", "h_0"))
        x = "x_i" if lanes == 1 else f"x_i[{128 * (lanes - lane) - 1}:{128 * (lanes - lane - 1)}]"
        registers += [Wire((a, b), 128), Reg((s, h, before), 128)]
        steps += [
            Step(s, f"{x} ^ ({spread(of_lane('gate', lane, lanes))} & ({a} ^ {b}))"),
            *_reads(before, of_lane("power", lane, lanes), of_lane("count", lane, lanes), timing.count_bits),
            Step(h, before),
        ]
        name = "u_multiplier" if lanes == 1 else f"u_multiplier_{lane}"
        cells.append(Cell(multiplier, name, {"clk": "clk", "x_i": s, "h_i": h, "a_o": a, "b_o": b}))
    if lanes > 1:
        registers.append(Reg(("products",), sum_bits, "Those of all lanes."))
        steps.append(Step("products", products))
        products = "products"
    return (
        Note("The loop: a block and what is fed back, times a power of H."),
        *registers,
        Reg(("sum_q",), sum_bits),
        Clocked((*steps, Step("sum_q", f"{products} ^ {kept}"))),
        *cells,
    )


def _bank_loop(multiplier: str, timing: GhashTiming, sum_bits: int) -> tuple[WrapperItem, ...]:
    """The same where the power is of one of two hash keys."""
    cut = "" if sum_bits == 128 else f"[127:{128 - sum_bits}]"
    return (
        Note("The loop: a block and what is fed back, times a power of H."),
        Wire(("a", "b"), 128),
        Reg(("s_q", "h_q"), 128),
        Reg(("sum_q",), sum_bits),
        Clocked(
            (
                Step("s_q", f"x_i ^ ({spread('gate')} & (a ^ b))"),
                Step("h_q", f"(h_1 & {spread('bank')}) | (h_0 & ~{spread('bank')})"),
                Step("sum_q", f"a{cut} ^ b{cut} ^ ({spread('keep', sum_bits)} & sum_q)"),
            )
        ),
        Cell(multiplier, "u_multiplier", {"clk": "clk", "x_i": "s_q", "h_i": "h_q", "a_o": "a", "b_o": "b"}),
    )


def _reads(factor: str, memory: str, count: str = "count", bits: int = COUNT_BITS) -> list[Step]:
    """What is read from each piece of a memory of powers by the counts."""
    return [
        Step(f"{factor}[{high}:{low}]", f"{memory}_{k}[{place(count, k, bits)}]")
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
        *placed("address", "address_i"),
        *copies("bank", "slot_i"),
        Reg(tuple(f"h_{b}" for b in banks), 128),
        Clocked(tuple(step for b in banks for step in _reads(f"h_{b}", f"power_{b}"))),
        Clocked(
            tuple(
                Step(f"power_{b}_{k}[{place('address', k)}]", f"power_i[{high}:{low}]", f"write_{b}[{k}]")
                for b in banks
                for k, (low, high) in enumerate(pieces())
            )
        ),
    )


def _gates(timing: GhashTiming, sum_bits: int) -> tuple[WrapperItem, ...]:
    """gate: what is fed back belongs to the slot's packet. keep: the sum so far does."""
    loop, late = timing.loop, READ + timing.of_lanes
    length, low, high = 2 * loop - 3 + late, loop - 3 + late, 2 * loop - 4 + late
    kept = loop + late + timing.of_lanes
    groups = [(k, min(k + 3, high)) for k in range(low, high + 1, 4)]
    near = [Step(f"near[{n}]", f"|first_line[{top}:{bottom}]") for n, (bottom, top) in enumerate(groups)]
    return (
        Note("The packet's first slot is at least L slots back: a product of the same packet is fed back."),
        Reg(("first_line",), length),
        Reg(("near",), len(groups)),
        Reg(("fed",)),
        *(
            item
            for lane in range(timing.lanes)
            for item in copies(of_lane("gate", lane, timing.lanes), "fed")
        ),
        Note("The slot before is one of the last L of the same packet."),
        Reg(("open_before",)),
        Reg(("keep_line",), kept),
        *copies("keep", f"keep_line[{kept - 1}]", sum_bits),
        Clocked(
            (
                Step("first_line", f"{{first_line[{length - 2}:0], first_q}}"),
                *near,
                Step("fed", "~(|near)"),
                Step("open_before", f"open[{loop - 1}]"),
                Step("keep_line", f"{{keep_line[{kept - 2}:0], ~first_line[{loop - 1}] & ~open_before}}"),
            )
        ),
    )


def _powers(timing: GhashTiming) -> tuple[WrapperItem, ...]:
    """The memory of powers, in pieces, and how it is filled: that of each lane from its own loop, in which
    the same goes round. `ahead` is the address of the next cycle.
    """
    loop, bits = timing.loop, timing.count_bits
    lanes = range(timing.lanes)
    address_of, write_of, power_of, loop_of = (
        [of_lane(n, lane, timing.lanes) for lane in lanes] for n in ("address", "write", "power", "s_q")
    )
    wait = timing.flags_lead
    start, last = timing.count(0), timing.count(timing.most)
    steps = (
        Step("turn", f"{{turn[{loop - 2}:0], setup_line[{wait}] | (turn[{loop - 1}] & ~at_last_q)}}"),
        Step("filled_q", f"~setup_i & (filled_q | (turn[{loop - 1}] & at_last_q))"),
        Step("at_last_q", "at_last"),
        Step("advance", f"setup_line[{wait - 2}] | turn[{loop - 3}]"),
    )
    powers = "L" if timing.lanes == 1 else f"{timing.lanes} L"
    address = f"advance ? {stepped('ahead', bits)} : ahead"
    return (
        Note(f"Powers 0 to {powers} of the hash key: each is written when it comes round."),
        *(
            Store(f"{power}_{k}", high - low + 1, 1 << bits)
            for power in power_of
            for k, (low, high) in enumerate(pieces())
        ),
        Reg(("setup_line",), wait + 1),
        Reg(("turn",), loop),
        Reg(("filled_q", "at_last", "at_last_q", "advance", "write_ahead")),
        Reg(("ahead",), bits),
        *(item for write in write_of for item in copies(write, "write_ahead")),
        *(item for copy in address_of for item in placed(copy, "ahead", bits)),
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
                Step("ahead", f"setup_line[{wait - 2}] ? {bits}'d{start} : {address}"),
                Step("at_last", f"ahead == {bits}'d{last}"),
            ),
            (("ahead", f"{bits}'d{start}"), ("at_last", "1'b0")),
        ),
        Clocked(
            tuple(
                Step(
                    f"{power_of[lane]}_{k}[{place(address_of[lane], k, bits)}]",
                    f"{loop_of[lane]}[{high}:{low}]",
                    f"{write_of[lane]}[{k}]",
                )
                for lane in lanes
                for k, (low, high) in enumerate(pieces())
            )
        ),
    )
