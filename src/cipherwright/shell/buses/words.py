"""Words of messages as registers: software writes a word, says what it is and starts it, and reads results
and tags, for every mode of whole messages.

Behind it are the streams of `message_stream.py`: a word that is started is a beat, offered until it is taken;
a result or a tag is taken into its register when the one before has been read. So nothing is overwritten.
A command that cannot be carried out is ignored and sets REJECTED.
"""

from __future__ import annotations

from dataclasses import replace

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
    Wire,
    Wrapper,
    WrapperItem,
    concatenated,
)
from .message_stream import MessageBus
from .register_map import WordFacts
from .traffic import Inner, Traffic

__all__ = ["word_commands", "word_facts", "words"]

_KINDS = {
    "decrypt_i": ("DECRYPT", "the word that is started by the same write is of a message that is decrypted"),
    "aad_i": ("AAD", "the word that is started by the same write is additional data"),
    "iv_word_i": (
        "IV_WORD",
        "the word that is started by the same write is of an IV that has not 96 bits; LAST ends the IV, and "
        "its packet follows",
    ),
}
"""What the core takes with a word -> the field of CONTROL, and its meaning."""

_TOLD = {
    "decrypt": ("DECRYPTED", "the packet was decrypted"),
    "good": ("GOOD", "the packet was decrypted, and its tag is the expected one"),
    "text": ("TEXT", "the packet has words at DATA_OUT"),
    "long": (
        "TOO_LONG",
        "the packet was decrypted and is longer than the buffer takes, so none of it leaves",
    ),
}
"""A bit of m_tag_tuser -> the field of RESULT, and its meaning."""

_SIDES = {"data": ("m_axis", "data_out"), "tag": ("m_tag", "tag_out")}
"""What leaves -> its stream and its register; tags of a mode that has no other result leave at m_axis."""


def word_facts(bus: MessageBus) -> WordFacts:
    """What goes with a word of the messages of `bus`."""
    kinds = tuple(_KINDS[port] for port, _ in bus.user)
    verdict = tuple(_TOLD[name] for name, _ in bus.verdict)
    return WordFacts(kinds, bus.kind != "message", bus.ways, bus.kind != "unit", verdict)


def _sides(facts: WordFacts) -> dict[str, tuple[str, str]]:
    """What leaves -> its stream and its register."""
    if not facts.data:
        return {"tag": ("m_axis", "tag_out")}
    return _SIDES if facts.tags else {"data": _SIDES["data"]}


def word_commands(name: str, kind: str, facts: WordFacts) -> Wrapper:
    """The module `name`, which starts words and takes results. kind: packet, unit or message; facts: what
    goes with a word.

    whole_i: the word of this cycle is one that may come, and all of its bytes were written; given_i: what
    goes with its message is there; ends_i: the word that waits ends its message. A word that begins a message
    waits for a key that is offered. A unit begins with its number, so its words never do.
    """
    sides = _sides(facts)
    ins = [*_INS, *(f"{s}_{what}" for s in sides for what in ("comes", "seen"))]
    outs = [*_OUTS, *(f"{s}_{what}" for s in sides for what in ("take", "load", "there"))]
    waits = "" if kind == "unit" else " & (open_q | ~key_offer_i)"
    steps = (
        Step("keyed_q", "~zeroise_i & (keyed_q | key_taken_i)"),
        Step("pending_q", "~zeroise_i & (starts_o | (pending_q & ~taken_o))"),
        Step("open_q", "~zeroise_i & (taken_o ? ~ends_i : open_q)"),
        *(Step(f"{s}_q", f"~zeroise_i & ({s}_load_o | ({s}_q & ~{s}_seen_i))") for s in sides),
    )
    return Wrapper(
        name,
        (
            "Starts words of messages in their order, and takes results.",
            "A result is taken when the one before has been read, so none is overwritten.",
        ),
        (ClockReset(), Held((*(Pin(f"{n}_i") for n in ins), *(Pin(f"{n}_o", out=True) for n in outs)))),
        (
            Reg(("keyed_q",), note="There is a key."),
            Reg(("pending_q", "open_q"), note="A word waits; a message has begun."),
            *(Reg((f"{s}_q",), note=f"A {what} waits.") for s, what in _WAITS.items() if s in sides),
            Let("can", "~pending_q & (keyed_q | key_offer_i | key_loads_i) & given_i"),
            Drive("can_o", "can"),
            Drive("starts_o", "start_i & whole_i & can"),
            Drive("pending_o", "pending_q"),
            Drive("offer_o", f"pending_q{waits}"),
            Drive("taken_o", "offer_o & ready_i"),
            Drive("open_o", "open_q"),
            Drive("rejected_o", "start_i & ~starts_o"),
            *(item for s in sides for item in _taken(s)),
            Clocked(steps, tuple((s.target, "1'b0") for s in steps)),
        ),
    )


_INS = ("zeroise", "start", "whole", "given", "key_loads", "key_offer", "key_taken", "ready", "ends")
_OUTS = ("can", "starts", "pending", "offer", "taken", "open", "rejected")
"""Ports of the commands, beside those of results."""

_WAITS = {"data": "word of a result", "tag": "tag"}


def _taken(side: str) -> tuple[WrapperItem, ...]:
    """A result is taken where none waits."""
    return (
        Drive(f"{side}_take_o", f"~{side}_q"),
        Drive(f"{side}_load_o", f"{side}_comes_i & ~{side}_q"),
        Drive(f"{side}_there_o", f"{side}_q"),
    )


def words(control: Wrapper, core: Inner, bus: MessageBus, stream: Traffic) -> Traffic:
    """What is between the registers and the streams of `bus` around `core`, which `stream` links to it, with
    the module `control` that `word_commands` made.
    """
    facts = word_facts(bus)
    sides = _sides(facts)
    wires = {p.name: p.name[:-2] for p in control.pins if p.name not in ("clk", "rst_i")}
    given = {f"{side}_comes": f"{axis}_tvalid" for side, (axis, _) in sides.items()}
    given |= {"key_offer": "key_offer_q", "ready": "s_axis_tready"}
    wires = {port: given.get(wire, wire) for port, wire in wires.items()}
    known = {"zeroise", "key_loads", "key_taken", *given.values()}
    unread: tuple[WrapperItem, ...] = ()
    if bus.kind == "packet":
        known.add("open")
        unread = (Wire(("open",), lint="which words may come does not depend on it in packets."),)
    made = Traffic(
        (
            Wire(tuple(w for w in wires.values() if w not in known)),
            *unread,
            Cell(control.name, "u_commands", {"clk": "clk", "rst_i": "rst_i", **wires}),
            *_stream_wires(core, sides),
            *(Drive(f"{axis}_tready", f"{side}_take") for side, (axis, _) in sides.items()),
        ),
        {},
        {"forget_i": "zeroise", "status_ready_i": "can & ~starts"},
        modules=(control,),
    )
    parts = [_given(core, bus, facts), *(_results(core, bus, side) for side in sides)]
    made = replace(stream, groups=()).joined(made)
    for part in parts:
        made = made.joined(part)
    return made


def _stream_wires(core: Inner, sides: dict[str, tuple[str, str]]) -> list[WrapperItem]:
    """The streams are wires: `s_axis_tready` and what leaves come from the core, the rest is driven."""
    prefixes = ("s_axis_", *(f"{axis}_" for axis, _ in sides.values()))
    streams = [g for g in core.groups if isinstance(g, Stream) and g.valid.startswith(prefixes)]
    pins = [p for g in streams for p in g.pins if p.name.startswith(prefixes)]
    unread = "" if "data" in sides else "a tag is one whole word"
    items: list[WrapperItem] = []
    for pin in pins:
        spare = unread and pin.name in ("m_axis_tkeep", "m_axis_tlast", "m_axis_tdata")
        lint = f"{unread}." if spare else ""
        if pin.name == "m_tag_tdata":
            lint = "the bits behind a short tag are 0."
        items.append(Wire((pin.name,), pin.width, lint))
    return items


def _given(core: Inner, bus: MessageBus, facts: WordFacts) -> Traffic:
    """The word: its bytes, what it is, and how it goes in. What it is is kept from START on."""
    lanes, names = bus.lanes, [name.lower() for name, _ in facts.kinds]
    bits = lanes.bit_length()
    control = {"last": "control_last_o", "bytes": "control_bytes_o"} | {n: f"control_{n}_o" for n in names}
    said = {f"word_{n}": bits if n == "bytes" else 1 for n in control}
    items: list[WrapperItem] = [
        Wire(("data_in_words",), bus.block_bits),
        Wire(("data_in_there",), lanes, vector=True),
        Wire(("data_in_written",)),
        *(Wire((name,), width) for name, width in said.items()),
        Reg(tuple(f"{n}_q" for n in said if n != "word_bytes"), note="Of the word that waits."),
        Reg(("word_bytes_q",), bits),
        Clocked(
            tuple(Step(f"{n}_q", n, "starts") for n in said),
            tuple((f"{n}_q", f"{width}'d0" if width > 1 else "1'b0") for n, width in said.items()),
        ),
        Let("counted", _thermometer("word_bytes", bits, lanes), lanes),
        Drive("whole", f"(&(data_in_there | ~counted)) & {_legal(bus, names, bits)}"),
        Drive("given", _given_with(bus, names)),
        Drive("ends", "word_last_q & ~word_iv_word_q" if "iv_word" in names else "word_last_q"),
        Drive("s_axis_tvalid", "offer"),
        Drive("s_axis_tdata", "data_in_words"),
        Drive("s_axis_tkeep", _thermometer("word_bytes_q", bits, lanes)),
        Drive("s_axis_tlast", "word_last_q"),
    ]
    if names:
        kinds = [f"word_{n}_q" for n in names]
        items.append(Drive("s_axis_tuser", concatenated(kinds) if len(kinds) > 1 else kinds[0]))
    registers = {
        "data_in_o": "data_in_words",
        "data_in_there_o": "data_in_there",
        "data_in_written_o": "data_in_written",
        "data_in_clear_i": "zeroise | taken",
        "data_in_lock_i": "starts | pending",
        "control_start_o": "start",
        "status_data_pending_i": "starts | pending",
        "status_data_written_i": "data_in_written",
        "interrupt_status_data_taken_i": "taken",
        **{port: f"word_{n}" for n, port in control.items()},
    }
    if "iv_word" in names:  # the expected tag is that of the packet that begins, also without an IV
        registers["tag_lock_i"] = "load_iv | iv_offer_q | (pending & fresh_q)"
    return Traffic(tuple(items), {}, registers, events=("data_taken",))


def _thermometer(count: str, bits: int, lanes: int) -> str:
    """As many ones from bit 0 on as a number says."""
    return concatenated(f"{count} > {bits}'d{k}" for k in range(lanes))


def _legal(bus: MessageBus, names: list[str], bits: int) -> str:
    """Whether a word with so many bytes may come: only one that ends its message or its kind is short, none
    is empty but that of a message without bytes, and a unit has a whole word at least.
    """
    size = f"{bits}'d{bus.lanes}"
    short, empty = f"word_bytes < {size}", f"word_bytes == {bits}'d0"
    ends = "word_last | word_aad" if "aad" in names else "word_last"
    rules = [f"word_bytes <= {size}", f"(~({short}) | {ends})"]
    if bus.kind == "unit":
        return " & ".join(f"({r})" for r in (*rules, f"~({short}) | open", f"~({empty})"))
    if bus.kind == "message":
        return " & ".join(f"({r})" for r in (*rules, f"~({empty}) | ~open"))
    kinds = "".join(f" & ~word_{n}" for n in ("aad", "iv_word") if n in names)
    return " & ".join(f"({r})" for r in (*rules, f"~({empty}) | (word_last & fresh_q{kinds})"))


def _given_with(bus: MessageBus, names: list[str]) -> str:
    """Whether what goes with a word's message is there: the IV of a packet, which may be loaded by the same
    write. A word of a unit waits for the unit's number.
    """
    if bus.kind != "packet":
        return "1'b1"
    own = " | word_iv_word | hashed_q" if "iv_word" in names else ""
    return f"~fresh_q | iv_offer_q | iv_loads{own}"


def _results(core: Inner, bus: MessageBus, side: str) -> Traffic:
    """What leaves, in its register until all of it has been read, and what is told with it."""
    axis, register = _sides(word_facts(bus))[side]
    clear = f"zeroise | ({side}_there & {side}_seen)"
    width = bus.block_bits if side == "data" else bus.tag_bits
    data, whole = f"{axis}_tdata", core.pins[f"{axis}_tdata"].width
    registers = {
        f"{register}_i": data if width == whole else f"{data}[{width - 1}:0]",
        f"{register}_load_i": f"{side}_load",
        f"{register}_clear_i": clear,
        f"{register}_there_i": f"{side}_there",
        f"{register}_read_o": f"{side}_seen",
        f"status_{'result' if side == 'data' else 'tag'}_i": f"{side}_there",
    }
    said = dict[str, tuple[int, str]]()
    if side == "data":
        registers["interrupt_status_result_i"] = "data_load"
        said = {
            "data_bytes": (bus.lanes.bit_length(), _number("m_axis_tkeep", bus.lanes)),
            "data_last": (1, "m_axis_tlast"),
        }
        if "m_axis_tuser" in core.pins:
            said["data_decrypted"] = (1, "m_axis_tuser")
    elif bus.kind == "packet":
        said = {_TOLD[name][0].lower(): (1, f"m_tag_tuser[{k}]") for k, (name, _) in enumerate(bus.verdict)}
    items: list[WrapperItem] = []
    if said:
        regs = {n: w for n, (w, _) in said.items()}
        items = [
            *(Reg((f"{n}_q",), w, f"Told with {register.upper()}.") for n, w in regs.items()),
            Let(f"{side}_forgets", clear),
            Clocked(
                tuple(
                    Step(
                        f"{n}_q",
                        f"{side}_forgets ? {w}'d0 : {value}",
                        f"{side}_forgets | {side}_load",
                    )
                    for n, (w, value) in said.items()
                ),
                tuple((f"{n}_q", f"{w}'d0") for n, w in regs.items()),
            ),
        ]
        registers |= {f"result_{n}_i": f"{n}_q" for n in said}
        registers[f"{register}_clear_i"] = f"{side}_forgets"
    return Traffic(tuple(items), {}, registers, events=("result",) if side == "data" else ())


def _number(ones: str, lanes: int) -> str:
    """The number of ones that a word has from bit 0 on."""
    bits = []
    for k in range(lanes.bit_length()):
        step = 1 << k
        spans = range(step, lanes + 1, 2 * step)
        bits.append(
            " | ".join(
                f"({ones}[{n - 1}] & ~{ones}[{n + step - 1}])" if n + step <= lanes else f"{ones}[{n - 1}]"
                for n in spans
            )
        )
    return concatenated(bits)
