"""The self-check beside a core, in its clock domain: a generator offers a word in every cycle in which the
core takes one, and the results are compacted to a signature, which is compared at the end of each batch.

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
    concatenated,
    declared_first,
)
from .commands import Command, Widths, requests
from .counting import RING, event_counter, ring_last, ring_steps
from .lfsr import next_word
from .packets import (
    TAG_STATE,
    PacketPorts,
    attributes,
    differing_tag,
    filled,
    lengths,
    result_pins,
    tag_pins,
    tag_streams,
    tags,
    word_pins,
)
from .slots import Expected, slot_pins, slots
from .units import late_results, numbers, second_result, unit_end, unit_pins

__all__ = ["BATCH", "STATE", "Checked", "checker"]

_RINGS = 3
BATCH = RING**_RINGS
"""Words of a batch."""

STATE = {"batches_in": 32, "batches_out": 32, "wrong": 32, "cycles": 48}
"""Counters -> bits."""


@dataclass(frozen=True)
class Checked:
    """What a core takes. `widths`: of its words, key and initial value; `loads`: values that it takes by a
    handshake (`key`, `iv`), the others are held; `ways`: it has a direction; `waits`: it has a ready;
    `chains`: the first word of a message takes the initial value; `packets`: what goes with words that come
    in packets.
    """

    widths: Widths
    loads: tuple[str, ...]
    ways: bool
    waits: bool
    chains: bool = False
    packets: PacketPorts | None = None

    def pulse(self, command: Command) -> str:
        """What is 1 in the cycle in which `command`, of the core's clock domain, is carried out."""
        return f"do_q[{requests(self.widths).index(command)}]"

    @property
    def state(self) -> dict[str, int]:
        """Counters -> bits."""
        return STATE | (TAG_STATE if self.widths.tag else {})

    @property
    def flags(self) -> int:
        """Bits of flags_o."""
        return 6 if self.widths.tag else 4

    @property
    def values(self) -> tuple[tuple[str, Command, int], ...]:
        """Values that are kept for the core: name, command, bits."""
        found = (("key", Command.KEY, self.widths.key), ("iv", Command.IV, self.widths.iv))
        way = (("decrypt", Command.DIRECTION, 1),) if self.ways else ()
        return tuple(v for v in found if v[2]) + way

    @property
    def units(self) -> bool:
        """Whether words come in data units: then the initial value is the number of the first."""
        return bool(self.packets and self.packets.units)

    @property
    def late(self) -> bool:
        """Whether results of units leave late."""
        return bool(self.packets and self.packets.late)

    @property
    def slots(self) -> bool:
        """Whether two keys are resident."""
        return self.widths.slots > 1

    @property
    def paired(self) -> bool:
        """Whether one batch goes under the key of slot 0, and the next under that of slot 1."""
        return self.slots and not self.units

    @property
    def expected(self) -> Expected:
        """The signature that is expected of a batch."""
        return Expected("expected", self.widths.word, self.paired)

    @property
    def shown(self) -> tuple[tuple[str, Command, int], ...]:
        """Values that are at ports of the core as they are kept."""
        return tuple(v for v in self.values if not (self.units and v[0] == "iv"))


def checker(name: str, core: Checked) -> tuple[Wrapper, ...]:
    """The module `name` with the self-check of `core`, and its counters; used ones first."""
    counters = {bits: event_counter(f"{name}_count{bits}", bits) for bits in set(core.state.values())}
    items = (
        *_requests(core),
        *_generator(core),
        *_messages(core),
        *_packets(core),
        *_results(core),
        *_counters(core, counters),
    )
    module = Wrapper(
        name,
        (
            "Generator and checker of the self-check, and the core's values, in the core's clock domain.",
            f"A batch has {BATCH} words.",
        ),
        _ports(core),
        declared_first(items) if core.units or core.slots else items,
    )
    return (*(counters[bits] for bits in sorted(counters)), module)


def _ports(core: Checked) -> tuple[ClockReset | Held | Stream, ...]:
    word = core.widths.word
    pins = [
        Pin("request_i"),
        Pin("op_i", len(requests(core.widths))),
        Pin("value_i", core.widths.value),
        Pin("ack_o", out=True),
        Pin("result_o", out=True),
        Pin("taken_i"),
        Pin("signature_o", word, True),
        Pin("flags_o", core.flags, True),
        *(Pin(f"{what}_o", bits, True) for what, bits in core.state.items()),
    ]
    for what, _, bits in core.shown:
        pins.append(Pin(f"core_{what}_o", bits, True))
        if what in core.loads:
            pins += [Pin(f"core_{what}_valid_o", out=True), Pin(f"core_{what}_ready_i")]
    pins += [Pin("core_first_o", out=True)] if core.chains else []
    ready = "core_ready_i" if core.waits else ""
    offered, given = [Pin("core_block_o", word, True)], [Pin("core_block_i", word)]
    if core.packets:
        offered += word_pins(core.widths, core.packets)
        given += result_pins(core.widths, core.packets)
        pins += tag_pins(core.widths, core.packets)
        pins += unit_pins(core.widths) if core.units else []
        pins += slot_pins() if core.slots else []
    return (
        ClockReset(),
        Held(tuple(pins)),
        Stream("core_valid_o", tuple(offered), ready, out=True),
        Stream("core_valid_i", tuple(given)),
        *(tag_streams(core.widths, core.packets) if core.packets else ()),
    )


def _requests(core: Checked) -> list[WrapperItem]:
    """Requests are taken one by one; a value that the core takes by a handshake is acknowledged then."""
    ops = len(requests(core.widths))
    pulses = concatenated(f"go & op_i[{k}]" for k in range(ops))
    items: list[WrapperItem] = [
        Reg(("request_q",), 3, "The request, synchronised; a change starts what op_i says."),
        Reg(("do_q",), ops, "One cycle: what is started."),
        Reg(("ack_q",)),
        Let("go", "request_q[2] ^ request_q[1]"),
        Drive("ack_o", "ack_q"),
    ]
    control = [Step("request_q", "{request_q[1:0], request_i}"), Step("do_q", pulses)]
    cleared = [("request_q", "3'd0"), ("do_q", f"{ops}'d0"), ("ack_q", "1'b0")]
    payload, waiting, done = list[Step](), list[Command](), list[str]()
    for what, command, bits in core.values:
        items.append(Reg((f"{what}_q",), bits))
        items += [Drive(f"core_{what}_o", f"{what}_q")] if (what, command, bits) in core.shown else []
        payload.append(
            Step(f"{what}_q", f"value_i[{bits - 1}:0]" if bits > 1 else "value_i[0]", core.pulse(command))
        )
        if what in core.loads:
            waiting.append(command)
            offer, taken = f"{what}_offer_q", f"{what}_taken"
            items += [
                Reg((offer,)),
                Let(taken, f"{offer} & core_{what}_ready_i"),
                Drive(f"core_{what}_valid_o", offer),
            ]
            control.append(Step(offer, f"{core.pulse(command)} | ({offer} & ~core_{what}_ready_i)"))
            cleared.append((offer, "1'b0"))
            done.append(taken)
    done += [core.pulse(c) for c in requests(core.widths) if c not in waiting]
    control.append(Step("ack_q", f"ack_q ^ ({' | '.join(done)})"))
    return [*items, Clocked(tuple(control), tuple(cleared)), Clocked(tuple(payload))]


def _rings(prefix: str) -> list[str]:
    return [f"{prefix}{k}_q" for k in range(_RINGS)]


def _generator(core: Checked) -> list[WrapperItem]:
    """A word is offered, or one after the other until a batch ends and the check is to stop."""
    word, rings = core.widths.word, _rings("in_ring")
    kept = f"~{core.pulse(Command.ZEROISE)} & " if core.packets else ""
    block, start = core.pulse(Command.BLOCK), core.pulse(Command.START)
    stops = "~unit_offer_q" if core.units else "stop_q & word_slot_q" if core.paired else "stop_q"
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
                Step(
                    "offer_q", f"{kept}(restart_q | (offer_q & ~(advance & (single_q | (last_q & {stops})))))"
                )
                if core.packets
                else Step("offer_q", "restart_q | (offer_q & ~(advance & (single_q | (last_q & stop_q))))"),
                Step("single_q", block, f"{block} | {start}"),
                Step("stop_q", f"{start} ? value_i[0] : stop_q | {core.pulse(Command.STOP)}"),
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
                Step("seed_q", f"value_i[{word - 1}:0]", f"{core.pulse(Command.SEED)} | {block}"),
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
    """Where words are chained: a message begins with each batch of the self-check, and otherwise with the
    first word after an initial value. So all batches are alike.
    """
    if not core.chains:
        return ()
    batch = "~single_q & (restart_q | (advance & last_q))"
    value = f"{core.pulse(Command.IV)} | ({batch}) | (message_q & ~advance)"
    return (
        Reg(("message_q",), note="The word that is offered begins a message."),
        Drive("core_first_o", "message_q"),
        Clocked((Step("message_q", value),), (("message_q", "1'b0"),)),
    )


def _packets(core: Checked) -> list[WrapperItem]:
    """Where words come in packets: what goes with a word, and the tag of a packet."""
    if not core.packets:
        return []
    asked = {c: core.pulse(c) for c in requests(core.widths)}
    items = attributes(core.widths, core.packets, _rings("in_ring"), asked)
    bits = core.widths.tag
    if core.units:
        items += numbers(core.widths, asked)
    if core.late:
        items += late_results(core.widths, asked)
        items += _compared("tag_", bits, "tag_q ^ tag_expected_q", "tag_ended_q")
    elif bits:
        expected, way = Expected("tag_expected", bits, core.paired), "decrypt_q" if core.ways else "1'b0"
        said = core.packets.said
        items += tags(expected, said, asked)
        items += _compared("tag_", bits + 1 + said, differing_tag(expected, said, way), "tag_ended_q")
    items += slots(core.units, asked) if core.slots else []
    items += lengths(core.widths, asked) if core.widths.aad_length else []
    if bits:
        counted = Clocked((Step("tag_wrong_q", "tag_wrong"),), (("tag_wrong_q", "1'b0"),))
        items += [Reg(("tag_wrong_q",), note="What a counter counts."), counted]
    return items


def _results(core: Checked) -> list[WrapperItem]:
    """The signature of a batch, compared with the one that is expected; of a single word, the result."""
    word, at_end, ends = core.widths.word, "at_end" if core.units else "at_end_q", _ends(core)
    comes = "core_valid_i & ~core_late_i" if core.late else "core_valid_i"
    given = filled(word) if core.packets and core.packets.marked else "core_block_i"
    shows, when = "valid_q & single_q", "valid_q"
    if core.units:
        comes, given = f"refills | ({comes})", f"refills ? second_q : {given}"
        shows, when = "valid_q & single_q & ~keeps", "valid_q & ~keeps"
    items: list[WrapperItem] = [
        Reg(("valid_q", "first_q", *([] if core.units else ["at_end_q"]), "ended_q", "toggle_q")),
        Reg(("given_q",), word, "The result."),
        Reg(("signature_q", *core.expected.registers), word),
        *([] if core.packets else [Reg(tuple(_rings("out_ring")), RING)]),
        *(unit_end() + second_result(word, core.pulse(Command.ZEROISE)) if core.units else []),
        Drive("signature_o", "signature_q"),
        Drive("result_o", "toggle_q"),
        Clocked(
            (
                Step("valid_q", comes),
                Step("ended_q", f"valid_q & {at_end} & ~single_q"),
                Step("toggle_q", f"toggle_q ^ ({shows})"),
            ),
            (("valid_q", "1'b0"), ("ended_q", "1'b0"), ("toggle_q", "1'b0")),
        ),
        Clocked(
            (
                Step("given_q", given),
                Step("first_q", f"restart_q | single_q | {at_end}", "restart_q | valid_q"),
                Step(
                    "signature_q",
                    f"(first_q ? {word}'d0 : {next_word('signature_q', word)}) ^ given_q",
                    when,
                ),
                *core.expected.steps(core.pulse(Command.EXPECT)),
                *ends,
            )
        ),
    ]
    return items + _compared("", word, f"signature_q ^ {core.expected.of('out_slot_q')}", "ended_q")


def _ends(core: Checked) -> tuple[Step, ...]:
    """Steps of what says that a result ends its batch, where it is a register."""
    if core.units:
        return ()
    if core.packets:
        return (Step("at_end_q", "core_last_i" if core.packets.marked else "1'b1"),)
    rings = _rings("out_ring")
    last = Step("at_end_q", ring_last(rings, "restart_q"), "restart_q | valid_q")
    return (*ring_steps(rings, "restart_q", "valid_q"), last)


def _compared(prefix: str, word: int, difference: str, ends: str) -> list[WrapperItem]:
    """Whether any of `word` bits of `difference` is 1, found by fours of bits, a register a level; `ends`: it
    counts in such a cycle. The result is PREFIXwrong.
    """
    first = f"{prefix}differs0_q"
    names, widths, steps = [first], [word], [Step(first, difference)]
    while widths[-1] > 1:
        before, bits = names[-1], widths[-1]
        quarter = -(-bits // 4)
        parts = [f"{before}[{min(low + quarter, bits) - 1}:{low}]" for low in range(0, bits, quarter)]
        if short := -bits % quarter:
            parts[-1] = f"{{{short}'d0, {parts[-1]}}}"
        names.append(f"{prefix}differs{len(names)}_q")
        widths.append(quarter)
        steps.append(Step(names[-1], " | ".join(parts)))
    late = f"{prefix}ended_late_q"
    return [
        *(Reg((name,), bits) for name, bits in zip(names, widths, strict=True)),
        Reg((late,), len(names), "The end of a batch, beside the comparison."),
        Let(f"{prefix}wrong", f"{late}[{len(names) - 1}] & {names[-1]}"),
        Clocked(tuple(steps)),
        Clocked((Step(late, f"{{{late}[{len(names) - 2}:0], {ends}}}"),), ((late, f"{len(names)}'d0"),)),
    ]


def _counters(core: Checked, counters: dict[int, Wrapper]) -> list[WrapperItem]:
    """Counts of the self-check, and what went wrong besides."""
    start, key, block = core.pulse(Command.START), core.pulse(Command.KEY), core.pulse(Command.BLOCK)
    events = {
        "batches_in": "ended_in_q",
        "batches_out": "ended_q",
        "wrong": "wrong_q",
        "cycles": "counting_q",
    } | ({"tags": "tag_ended_q", "tag_wrongs": "tag_wrong_q"} if core.widths.tag else {})
    good = "1'b0" if core.units else "good_q"
    lost = "keeps & second_valid_q" if core.units else "valid_q & single_q & toggle_q != taken_q[1]"
    wrong, shown = ("wrong_q", "")
    if core.widths.tag:
        wrong, shown = "wrong_q | tag_wrong_q", f"{good}, tag_seen_q, "
    return [
        Reg(("ended_in_q", "wrong_q", "counting_q"), note="What the counters count."),
        Reg(("seen_wrong_q",), note="A batch was wrong since the check began."),
        Reg(("lost_word_q",), note="A word came while one was waiting for the core."),
        Reg(("lost_result_q",), note="A result came while one was waiting to be sent."),
        Reg(("taken_q",), 2),
        Drive("flags_o", f"{{{shown}lost_result_q, lost_word_q, seen_wrong_q, offer_q & ~single_q}}"),
        Clocked(
            (
                Step("ended_in_q", "advance & last_q & ~single_q"),
                Step("wrong_q", "wrong"),
                Step("counting_q", "offer_q & ~single_q"),
                Step("seen_wrong_q", f"~{start} & (seen_wrong_q | {wrong})"),
                Step("taken_q", "{taken_q[0], taken_i}"),
                Step("lost_word_q", f"~{key} & (lost_word_q | ({block} & offer_q))"),
                Step("lost_result_q", f"~{key} & (lost_result_q | ({lost}))"),
            ),
            (
                *((f"{name}_q", "1'b0") for name in ("ended_in", "wrong", "counting", "seen_wrong")),
                *((f"{name}_q", "1'b0") for name in ("lost_word", "lost_result")),
                ("taken_q", "2'd0"),
            ),
        ),
        *(
            Cell(
                counters[core.state[what]].name,
                f"u_{what}",
                {"clk": "clk", "clear_i": start, "step_i": event, "value_o": f"{what}_o"},
            )
            for what, event in events.items()
        ),
    ]
