"""The control of a core that holds its key: when it takes a block, when a key, and how it forgets everything.

Ports: key_valid_i, key_i, key_ready_o, ready_o, busy_o, zeroise_i. `ready_o` is 1 only while a complete
key is there and none is offered. An offered key makes it 0 from the next cycle on; when the last block has
left, key_ready_o rises and the key is taken. `zeroise_i` drops blocks and key, expands a key of zeros, and
lets whatever is presented flow through all registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Group,
    Held,
    Let,
    Note,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    through,
)
from ..rtl.timer import TAPS, matches, steps_of, width_for

__all__ = [
    "SETTLED",
    "TO_REST",
    "Control",
    "ControlTimes",
    "Controlled",
    "again_cell",
    "control_after_reset",
    "control_begins",
    "control_cells",
    "control_groups",
    "control_links",
    "control_steps",
    "core_control",
    "start_cell",
]

TO_REST = 5
"""Cycles from a block's acceptance to `rest_q`, beside the steps of the time."""

SETTLED = 4
"""Cycles from a unit's ready to the end of the phase that waits for it, at most."""


_COMMENT = (
    "What decides when the core takes a block and when a key.",
    "ready_o is 1 only while a complete key is there and no other is offered. An offered key is taken when "
    "the last block has left.",
    "busy_o: a block is in flight, a key is expanded, or everything from before is being forgotten, for "
    "which "
    "one cycle of zeroise_i asks.",
)


@dataclass(frozen=True)
class Control:
    """The modules around a core, the outermost first, and its pins. `zeroise_cycles` from zeroise_i to the
    first cycle in which no register depends on a key, an initial counter block or a block from before it, and
    busy_o is 0 again.
    """

    modules: tuple[Wrapper, ...]
    pins: tuple[Pin, ...]
    zeroise_cycles: int


@dataclass(frozen=True)
class Controlled:
    """The core inside a control: its `module`, its `pins` beside the blocks, of `block_bits` bits, and the
    signals that it takes.

    loop: fill_i, with which every slot of a loop takes what is presented; drops: drop_i, which is 1 while
    everything is being forgotten. own_start: the core takes drop_i and open_i, and accepts a block itself
    when open_i is 1. It has inside_o, which is 1 within a packet: a key that is offered then waits for the
    packet's end. shallow: with own_start, no register of the control has more than a lookup table in front of
    it; a key waits a cycle more, and so does the first block behind it.
    """

    module: str
    pins: tuple[Pin, ...]
    block_bits: int
    loop: bool = True
    drops: bool = True
    own_start: bool = True
    shallow: bool = False

    @property
    def counting(self) -> bool:
        """Whether there is a counter in it, which takes counter blocks."""
        return any(p.name == "iv_ready_o" for p in self.pins)

    @property
    def alone(self) -> bool:
        """Whether it forgets by drop_i and accepts blocks itself, so that the control is apart from it."""
        return self.own_start or (self.counting and self.drops)


@dataclass(frozen=True)
class ControlTimes:
    """Cycles that a control waits.

    in_flight: from a block to the one behind its result; flush: in which whatever is presented reaches all
    registers of the core or of its key unit; key: of that unit. load: in which a counter takes a counter
    block (0: there is no counter, or it says itself when it is complete). stored: places of a FIFO behind the
    core, which takes zeroising_o (0: there is none). later: the FIFO takes zeroise_i as well, so zeroising_o
    is a register, which is 1 from the next cycle on.
    """

    in_flight: int
    flush: int
    key: int
    stored: int = 0
    load: int = 0
    later: bool = False

    @property
    def steps(self) -> int:
        """Steps of the time since a block was taken."""
        return max(1, self.in_flight - TO_REST, self.flush - TO_REST, -(-self.stored // 4))


def core_control(name: str, inside: Controlled, times: ControlTimes) -> Control:
    """The module `name` around the core `inside`, which keeps blocks and keys apart. times: of the core and
    its key unit.

    A counter that takes drop_i is not ready while drop_i is 1, so no logic is needed between the port and the
    counter. Zeroising has enough phases for its load; the time between two keys does not depend on it. A
    block is accepted by one more input, so a register starts the time.
    """
    counting, alone, loop, own_start = inside.counting, inside.alone, inside.loop, inside.own_start
    steps, stored = times.steps, times.stored
    width = width_for(steps)
    found = matches(width, steps_of(width, steps))
    pieces = len(found)
    phase = steps + TO_REST + 1 + alone
    flushes = 1 + max(
        int(loop), -(-stored // phase), -(-times.load // phase) - 2
    )  # the key's phase is of the load
    core_ready = loop or counting  # the core itself says when it takes a block
    phases = 2 + flushes
    settled = "phase_q[0] | (complete & count_ready)" if counting else "phase_q[0] | (complete)"
    kept = "keep_q" if alone else "zero_q"
    if alone:
        settled = "~zeroise_i & ~advance_q & (phase_q[0] | complete)"
    asked = "(key_valid_i & (~core_inside | offer_q))" if own_start else "key_valid_i"
    moves = control_steps(phases, width, found, settled, asked, alone)
    resets = control_after_reset(phases, width, pieces, alone)
    if inside.shallow:
        moves, resets = _shallow(moves, resets)
    wrapper = Wrapper(
        name,
        _COMMENT,
        control_groups(inside, stored > 0),
        (
            Wire(("complete", "core_valid", *(["count_ready"] if counting else []))),
            *([Wire(("core_ready",))] if core_ready else []),
            *([Wire(("core_inside",))] if own_start else []),
            *_registers(phases, width, pieces, alone, inside.shallow),
            *control_begins(name, phases, alone, stored > 0),
            Let("take", "key_valid_i & offer_q"),
            Drive("ready_o", "open_q & core_ready" if core_ready else "open_q"),
            Drive("key_ready_o", "offer_q"),
            *([Drive("iv_ready_o", "count_ready & ~zero_q")] if counting else []),
            Drive("busy_o", "start_q | ~rest_q | expand_q | zero_q" + " | made_q" * inside.shallow),
            Drive("valid_o", f"core_valid & ~{kept if stored else 'zero_q'}"),
            *([Drive("zeroising_o", kept if times.later else f"zeroise_i | {kept}")] if stored else []),
            Clocked(moves, resets),
            Cell(inside.module, "u_inner", control_links(inside)),
        ),
    )
    cycles = 1 + phase + max(phase, times.key + SETTLED) + flushes * phase
    pins = (Pin("zeroise_i"), *inside.pins, Pin("busy_o", out=True))
    return Control((wrapper, *(control_cells(name, stored > 0) if alone else ())), pins, cycles)


def control_groups(inside: Controlled, stores: bool) -> tuple[Group, ...]:
    """The ports of the control around `inside`. stores: there is a FIFO behind the core, which takes
    zeroising_o.
    """
    out = (Pin("busy_o", out=True), *([Pin("zeroising_o", out=True)] if stores else []))
    return (
        ClockReset(),
        Held((Pin("zeroise_i"), *inside.pins)),
        Stream("valid_i", (Pin("block_i", inside.block_bits),), "ready_o"),
        Held(out),
        Stream("valid_o", (Pin("block_o", inside.block_bits, True),), out=True),
    )


def control_cells(name: str, stores: bool = False) -> tuple[Wrapper, ...]:
    """Modules NAME_start, a register that begins the time, and NAME_drop, zero_q once more, each apart; and
    with `stores` NAME_keep, zero_q a third time. `name`: of the control.
    """
    start = (Pin("kick"), Pin("valid"), Pin("open"), Pin("ready"), Pin("q", out=True, register=True))
    drop = (Pin("zeroise"), Pin("advance"), Pin("last"), Pin("q", out=True, register=True))
    zero = (("q", "1'b0"),)

    def again(what: str, whom: str) -> Wrapper:
        return Wrapper(
            f"{name}_{what}",
            (f"zero_q once more, for {whom}: so zero_q itself can be placed beside the control.",),
            (ClockReset(), Held(drop)),
            (Clocked((Step("q", "zeroise | (q & ~(advance & last))"),), zero),),
            apart=True,
        )

    return (
        Wrapper(
            f"{name}_start",
            (
                "A block is taken, or a time begins. A module of its own, so that synthesis shares no "
                "part of "
                "it.",
            ),
            (ClockReset(), Held(start)),
            (Clocked((Step("q", "kick | (valid & open & ready)"),), zero),),
            apart=True,
        ),
        again("drop", "the counter"),
        *([again("keep", "the FIFO")] if stores else []),
    )


def control_begins(name: str, phases: int, alone: bool, stores: bool = False) -> tuple[WrapperItem, ...]:
    """What tells the control `name` that a block is taken: the expression `accept`, or with `alone` the
    register of a module apart and the copies of zero_q. phases: of zeroising; stores: there is a FIFO behind
    the core.
    """
    if not alone:
        return (Let("accept", "valid_i & ready_o"),)
    return (
        Wire(("start_q", "drop_q", *(["keep_q"] if stores else []))),
        start_cell(name, "valid_i", "open_q", "core_ready"),
        again_cell(name, "drop", phases),
        *([again_cell(name, "keep", phases)] if stores else []),
    )


def start_cell(name: str, valid: str, opened: str, ready: str) -> Cell:
    """start_q, in the module NAME_start of the control `name`: the time begins, by kick_q, or where the three
    expressions `valid`, `opened` and `ready` are 1.
    """
    links = {"clk": "clk", "rst_i": "rst_i", "kick": "kick_q", "valid": valid, "open": opened, "ready": ready}
    return Cell(f"{name}_start", "u_start", {**links, "q": "start_q"})


def again_cell(name: str, what: str, phases: int) -> Cell:
    """zero_q once more, as the register WHAT_q in the module NAME_WHAT: `name` is the control, `what` is drop
    or keep, `phases` those of zeroising.
    """
    links = {"clk": "clk", "rst_i": "rst_i", "zeroise": "zeroise_i", "advance": "advance_q"}
    return Cell(f"{name}_{what}", f"u_{what}", {**links, "last": f"phase_q[{phases - 1}]", "q": f"{what}_q"})


_SHALLOW_REGISTERS = (
    Reg(("open_q", "expand_q", "offer_q", "quiet_q")),
    Reg(("made_q", "kept_q", "still_q", "calm_q")),
    Let("held_q", "kept_q | made_q", lint="a complete key is there; only the rules of the proof read it."),
)
"""The first registers of a shallow control."""


def _registers(phases: int, width: int, pieces: int, alone: bool, shallow: bool) -> tuple[WrapperItem, ...]:
    begin = "kick_q" if alone else "start_q"
    return (
        *(_SHALLOW_REGISTERS if shallow else (Reg(("open_q", "held_q", "expand_q", "offer_q", "quiet_q")),)),
        Reg((begin, "done_q", "rest_q", "advance_q", "more_q", "settled_q", "zero_q")),
        Reg(
            ("phase_q",),
            phases,
            "Of zeroising: a key of zeros goes in, is expanded, blocks under it go through.",
        ),
        Reg(("time_q",), width, "Since the last block was taken: a shift register with feedback."),
        Reg(("match_q",), pieces, vector=True),
    )


def control_after_reset(phases: int, width: int, pieces: int, alone: bool) -> tuple[tuple[str, str], ...]:
    """Register -> its value after reset: nothing is in flight, there is no key. phases: of zeroising; width:
    bits of the time; pieces: of its comparison; alone: a register in a module apart begins the time.
    """
    begin = "kick_q" if alone else "start_q"
    zero = ("open_q", "held_q", "expand_q", "offer_q", "quiet_q", begin, "done_q")
    return (
        *((q, "1'b0") for q in zero),
        ("rest_q", "1'b1"),
        *((q, "1'b0") for q in ("advance_q", "more_q", "settled_q", "zero_q")),
        ("phase_q", f"{phases}'d0"),
        ("time_q", f"{width}'d0"),
        ("match_q", f"{pieces}'d0"),
    )


def control_steps(
    phases: int, width: int, found: Sequence[str], settled: str, asked: str, alone: bool
) -> tuple[Step | Note, ...]:
    """The next state of the control. phases: of zeroising; width: bits of the time, a shift register with
    feedback; found: the comparisons that tell that the time is over; settled: a phase may end; asked: a key
    is offered, for which blocks have to wait; alone: a register in a module apart begins the time.
    """
    feedback = f"time_q[{width - 1}] ^ time_q[{TAPS[width] - 1}]"
    starts = "zeroise_i | (advance_q & more_q)"
    # With a counter, quiet_q is 0 while zero_q is 1.
    quiet, offer = (" & ~zeroise_i", "") if alone else ("", " & ~zero_q")
    later = f"{{phase_q[{phases - 2}:0], 1'b0}}"
    return (
        Step("expand_q", "take | (expand_q & ~complete)"),
        Step("held_q", "~zeroise_i & ((held_q & ~take) | (expand_q & complete & ~zero_q))"),
        Step("open_q", f"held_q & ~{asked} & ~zeroise_i"),
        Note("No block is in flight, and none can be taken before the offered key is."),
        Step("quiet_q", f"rest_q & ~start_q & ~open_q & ~offer_q & ~expand_q & ~zero_q{quiet}"),
        Step("offer_q", f"{asked} & quiet_q & ~open_q & ~offer_q{offer} & ~zeroise_i"),
        Step("more_q", f"|phase_q[{phases - 2}:0]"),
        Step("kick_q", starts) if alone else Step("start_q", f"accept | {starts}"),
        Step("time_q", f"start_q ? {width}'d1 : {{time_q[{width - 2}:0], {feedback}}}"),
        *(Step(f"match_q[{i}]", f"~start_q & {match}") for i, match in enumerate(found)),
        Step("done_q", "~start_q & (&match_q)"),
        Step("rest_q", "~start_q & (rest_q | done_q)"),
        Step("settled_q", settled),
        Step("advance_q", "rest_q & ~start_q & settled_q & ~advance_q & ~zeroise_i"),
        Step("phase_q", f"zeroise_i ? {phases}'d1 : advance_q ? {later} : phase_q"),
        Step("zero_q", f"zeroise_i | (zero_q & ~(advance_q & phase_q[{phases - 1}]))"),
    )


_SHALLOW = {
    "made_q": "expand_q & complete & ~zero_q",
    "kept_q": "made_q | (kept_q & ~take)",
    "open_q": "kept_q & ~(key_valid_i & (~core_inside | offer_q))",
    "still_q": "key_valid_i & ~core_inside & ~open_q & ~offer_q",
    "calm_q": "rest_q & ~start_q & ~expand_q & ~zero_q",
    "quiet_q": "still_q & calm_q & ~offer_q",
    "offer_q": "key_valid_i & ~core_inside & ~open_q & ~offer_q & quiet_q",
    "settled_q": "~advance_q & (phase_q[0] | complete)",
    "advance_q": "rest_q & ~start_q & settled_q & ~advance_q",
}
"""Registers of a shallow control whose next values have at most four inputs, or five. zeroise_i clears them,
by their reset. A complete key is told by two registers: in its first cycle, and from then on. That nothing is
in flight, and that a key is offered while no block can be taken, are registers of their own.
"""


def _shallow(
    steps: Sequence[Step | Note], resets: Sequence[tuple[str, str]]
) -> tuple[tuple[Step | Note, ...], tuple[tuple[str, str], ...]]:
    """The next state of a shallow control, and what reset leaves, from those of another one."""
    own = {*_SHALLOW, "held_q"}
    return (
        (
            *(s for s in steps if not (isinstance(s, Step) and s.target in own)),
            *(Step(q, f"zeroise_i ? 1'b0 : {value}") for q, value in _SHALLOW.items()),
        ),
        (*(r for r in resets if r[0] not in own), *((q, "1'b0") for q in _SHALLOW)),
    )


def control_links(inside: Controlled) -> dict[str, str]:
    """Ports of the core `inside` -> what the control gives them."""
    alone, counting = inside.alone, inside.counting
    links = {
        "clk": "clk",
        "rst_i": "rst_i",
        **({"drop_i": "zero_q"} if inside.drops else {}),
        **({"fill_i": "phase_q[2]"} if inside.loop else {}),
        "wipe_i": "phase_q[0]",
        **through(inside.pins),
    }
    links |= {"key_valid_i": "take", "key_ready_o": "complete", "valid_i": "accept", "block_i": "block_i"}
    if alone:
        links |= {"valid_i": "valid_i", "open_i": "open_q", "drop_i": "drop_q"}
    if counting:
        links |= {
            "iv_valid_i": "iv_valid_i" if alone else "iv_valid_i & ~zero_q",
            "iv_ready_o": "count_ready",
        }
    ready = {"ready_o": "core_ready"} if inside.loop or counting else {}
    within = {"inside_o": "core_inside"} if inside.own_start else {}
    return links | ready | {"valid_o": "core_valid", "block_o": "block_o"} | within
