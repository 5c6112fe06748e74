"""The self-check beside a core, in its clock domain: a generator offers a word in every cycle in which the core takes
one, and the results are compacted to a signature, which is compared at the end of each batch.

What the comparison sees and does not see is in `lfsr.py` and in docs/guide/boards.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Held,
    Let,
    Pin,
    Reg,
    Step,
    Stream,
    Wrapper,
    WrapperItem,
)
from .commands import Command, Widths, requests
from .counting import RING, event_counter, ring_last, ring_steps
from .lfsr import next_word

__all__ = ["BATCH", "STATE", "Checked", "checker"]

_RINGS = 3
BATCH = RING**_RINGS
"""Words of a batch."""

STATE = {"batches_in": 32, "batches_out": 32, "wrong": 32, "cycles": 48}
"""Counters -> bits."""


@dataclass(frozen=True)
class Checked:
    """What a core takes. `loads`: values that it takes by a handshake (`key`, `iv`), the others are held; `ways`: it
    has a direction; `waits`: it has a ready; `chains`: the first word of a message takes the initial value.
    """

    widths: Widths
    loads: tuple[str, ...]
    ways: bool
    waits: bool
    chains: bool = False

    @property
    def values(self) -> tuple[tuple[str, Command, int], ...]:
        """Values that are kept for the core: name, command, bits."""
        found = (("key", Command.KEY, self.widths.key), ("iv", Command.IV, self.widths.iv))
        way = (("decrypt", Command.DIRECTION, 1),) if self.ways else ()
        return tuple(v for v in found if v[2]) + way


def checker(name: str, core: Checked) -> tuple[Wrapper, ...]:
    """The modules of the self-check, used ones first."""
    counters = {bits: event_counter(f"{name}_count{bits}", bits) for bits in set(STATE.values())}
    module = Wrapper(
        name,
        (
            "Generator and checker of the self-check, and the core's values, in the core's clock domain.",
            f"A batch has {BATCH} words.",
        ),
        _ports(core),
        (*_requests(core), *_generator(core), *_messages(core), *_results(core), *_counters(counters)),
    )
    return (*(counters[bits] for bits in sorted(counters)), module)


def _ports(core: Checked) -> tuple[ClockReset | Held | Stream, ...]:
    word = core.widths.word
    pins = [
        Pin("request_i"),
        Pin("op_i", len(requests())),
        Pin("value_i", core.widths.value),
        Pin("ack_o", out=True),
        Pin("result_o", out=True),
        Pin("taken_i"),
        Pin("signature_o", word, True),
        Pin("flags_o", 4, True),
        *(Pin(f"{what}_o", bits, True) for what, bits in STATE.items()),
    ]
    for what, _, bits in core.values:
        pins.append(Pin(f"core_{what}_o", bits, True))
        if what in core.loads:
            pins += [Pin(f"core_{what}_valid_o", out=True), Pin(f"core_{what}_ready_i")]
    pins += [Pin("core_first_o", out=True)] if core.chains else []
    ready = "core_ready_i" if core.waits else ""
    return (
        ClockReset(),
        Held(tuple(pins)),
        Stream("core_valid_o", (Pin("core_block_o", word, True),), ready, out=True),
        Stream("core_valid_i", (Pin("core_block_i", word),)),
    )


def _pulse(command: Command) -> str:
    return f"do_q[{requests().index(command)}]"


def _requests(core: Checked) -> list[WrapperItem]:
    """Requests are taken one by one; a value that the core takes by a handshake is acknowledged then."""
    ops = len(requests())
    pulses = ", ".join(f"go & op_i[{k}]" for k in reversed(range(ops)))
    items: list[WrapperItem] = [
        Reg(("request_q",), 3, "The request, synchronised; a change starts what op_i says."),
        Reg(("do_q",), ops, "One cycle: what is started."),
        Reg(("ack_q",)),
        Let("go", "request_q[2] ^ request_q[1]"),
        Drive("ack_o", "ack_q"),
    ]
    control = [Step("request_q", "{request_q[1:0], request_i}"), Step("do_q", f"{{{pulses}}}")]
    cleared = [("request_q", "3'd0"), ("do_q", f"{ops}'d0"), ("ack_q", "1'b0")]
    payload, waiting, done = list[Step](), list[Command](), list[str]()
    for what, command, bits in core.values:
        items += [Reg((f"{what}_q",), bits), Drive(f"core_{what}_o", f"{what}_q")]
        payload.append(
            Step(f"{what}_q", f"value_i[{bits - 1}:0]" if bits > 1 else "value_i[0]", _pulse(command))
        )
        if what in core.loads:
            waiting.append(command)
            offer, taken = f"{what}_offer_q", f"{what}_taken"
            items += [
                Reg((offer,)),
                Let(taken, f"{offer} & core_{what}_ready_i"),
                Drive(f"core_{what}_valid_o", offer),
            ]
            control.append(Step(offer, f"{_pulse(command)} | ({offer} & ~core_{what}_ready_i)"))
            cleared.append((offer, "1'b0"))
            done.append(taken)
    done += [_pulse(c) for c in requests() if c not in waiting]
    control.append(Step("ack_q", f"ack_q ^ ({' | '.join(done)})"))
    return [*items, Clocked(tuple(control), tuple(cleared)), Clocked(tuple(payload))]


def _rings(prefix: str) -> list[str]:
    return [f"{prefix}{k}_q" for k in range(_RINGS)]


def _generator(core: Checked) -> list[WrapperItem]:
    """A word is offered, or one after the other until a batch ends and the check is to stop."""
    word, rings = core.widths.word, _rings("in_ring")
    block, start = _pulse(Command.BLOCK), _pulse(Command.START)
    return [
        Reg(("seed_q", "word_q"), word, "The first word of a batch, and the word that is offered."),
        Reg(("restart_q",), note="One cycle: the seed becomes the word, and is offered."),
        Reg(("offer_q", "single_q", "stop_q", "last_q")),
        Reg(tuple(rings), RING, "The word's number in its batch."),
        Let("advance", f"offer_q{' & core_ready_i' if core.waits else ''}"),
        Drive("core_valid_o", "offer_q"),
        Drive("core_block_o", "word_q"),
        Clocked(
            (
                Step("restart_q", f"{block} | {start}"),
                Step("offer_q", "restart_q | (offer_q & ~(advance & (single_q | (last_q & stop_q))))"),
                Step("single_q", block, f"{block} | {start}"),
                Step("stop_q", f"{start} ? value_i[0] : stop_q | {_pulse(Command.STOP)}"),
            ),
            (
                ("restart_q", "1'b0"),
                ("offer_q", "1'b0"),
                ("single_q", "1'b1"),
                ("stop_q", "1'b0"),
            ),
        ),
        Clocked(
            (
                Step("seed_q", f"value_i[{word - 1}:0]", f"{_pulse(Command.SEED)} | {block}"),
                Step(
                    "word_q",
                    f"restart_q | last_q ? seed_q : {next_word('word_q', word)}",
                    "restart_q | advance",
                ),
                *ring_steps(rings, "restart_q", "advance"),
                Step("last_q", ring_last(rings, "restart_q"), "restart_q | advance"),
            )
        ),
    ]


def _messages(core: Checked) -> tuple[WrapperItem, ...]:
    """Where words are chained: a message begins with each batch of the self-check, and otherwise with the first word
    after an initial value. So all batches are alike.
    """
    if not core.chains:
        return ()
    batch = "~single_q & (restart_q | (advance & last_q))"
    value = f"{_pulse(Command.IV)} | ({batch}) | (message_q & ~advance)"
    return (
        Reg(("message_q",), note="The word that is offered begins a message."),
        Drive("core_first_o", "message_q"),
        Clocked((Step("message_q", value),), (("message_q", "1'b0"),)),
    )


def _results(core: Checked) -> list[WrapperItem]:
    """The signature of a batch, compared with the one that is expected; of a single word, the result."""
    word, rings = core.widths.word, _rings("out_ring")
    items: list[WrapperItem] = [
        Reg(("valid_q", "first_q", "at_end_q", "ended_q", "toggle_q")),
        Reg(("given_q",), word, "The result."),
        Reg(("signature_q", "expected_q"), word),
        Reg(tuple(rings), RING),
        Drive("signature_o", "signature_q"),
        Drive("result_o", "toggle_q"),
        Clocked(
            (
                Step("valid_q", "core_valid_i"),
                Step("ended_q", "valid_q & at_end_q & ~single_q"),
                Step("toggle_q", "toggle_q ^ (valid_q & single_q)"),
            ),
            (("valid_q", "1'b0"), ("ended_q", "1'b0"), ("toggle_q", "1'b0")),
        ),
        Clocked(
            (
                Step("given_q", "core_block_i"),
                Step("first_q", "restart_q | single_q | at_end_q", "restart_q | valid_q"),
                Step(
                    "signature_q",
                    f"(first_q ? {word}'d0 : {next_word('signature_q', word)}) ^ given_q",
                    "valid_q",
                ),
                Step("expected_q", f"value_i[{word - 1}:0]", _pulse(Command.EXPECT)),
                *ring_steps(rings, "restart_q", "valid_q"),
                Step("at_end_q", ring_last(rings, "restart_q"), "restart_q | valid_q"),
            )
        ),
    ]
    return items + _compared(word)


def _compared(word: int) -> list[WrapperItem]:
    """Whether the signature differs, found by fours of bits, a register a level."""
    names, widths, steps = ["differs0_q"], [word], [Step("differs0_q", "signature_q ^ expected_q")]
    while widths[-1] > 1:
        before, bits = names[-1], widths[-1]
        quarter = -(-bits // 4)
        parts = [f"{before}[{min(low + quarter, bits) - 1}:{low}]" for low in range(0, bits, quarter)]
        names.append(f"differs{len(names)}_q")
        widths.append(quarter)
        steps.append(Step(names[-1], " | ".join(parts)))
    late = f"{{ended_late_q[{len(names) - 2}:0], ended_q}}"
    return [
        *(Reg((name,), bits) for name, bits in zip(names, widths, strict=True)),
        Reg(("ended_late_q",), len(names), "The end of a batch, beside the comparison."),
        Let("wrong", f"ended_late_q[{len(names) - 1}] & {names[-1]}"),
        Clocked(tuple(steps)),
        Clocked((Step("ended_late_q", late),), (("ended_late_q", f"{len(names)}'d0"),)),
    ]


def _counters(counters: dict[int, Wrapper]) -> list[WrapperItem]:
    """Counts of the self-check, and what went wrong besides."""
    start, key, block = _pulse(Command.START), _pulse(Command.KEY), _pulse(Command.BLOCK)
    events = {
        "batches_in": "ended_in_q",
        "batches_out": "ended_q",
        "wrong": "wrong_q",
        "cycles": "counting_q",
    }
    return [
        Reg(("ended_in_q", "wrong_q", "counting_q"), note="What the counters count."),
        Reg(("seen_wrong_q",), note="A batch was wrong since the check began."),
        Reg(("lost_word_q",), note="A word came while one was waiting for the core."),
        Reg(("lost_result_q",), note="A result came while one was waiting to be sent."),
        Reg(("taken_q",), 2),
        Drive("flags_o", "{lost_result_q, lost_word_q, seen_wrong_q, offer_q & ~single_q}"),
        Clocked(
            (
                Step("ended_in_q", "advance & last_q & ~single_q"),
                Step("wrong_q", "wrong"),
                Step("counting_q", "offer_q & ~single_q"),
                Step("seen_wrong_q", f"~{start} & (seen_wrong_q | wrong_q)"),
                Step("taken_q", "{taken_q[0], taken_i}"),
                Step("lost_word_q", f"~{key} & (lost_word_q | ({block} & offer_q))"),
                Step(
                    "lost_result_q",
                    f"~{key} & (lost_result_q | (valid_q & single_q & toggle_q != taken_q[1]))",
                ),
            ),
            (
                *((f"{name}_q", "1'b0") for name in ("ended_in", "wrong", "counting", "seen_wrong")),
                *((f"{name}_q", "1'b0") for name in ("lost_word", "lost_result")),
                ("taken_q", "2'd0"),
            ),
        ),
        *(
            Cell(
                counters[STATE[what]].name,
                f"u_{what}",
                {"clk": "clk", "clear_i": start, "step_i": event, "value_o": f"{what}_o"},
            )
            for what, event in events.items()
        ),
    ]
