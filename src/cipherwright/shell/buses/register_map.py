"""The register map of a core: one SystemRDL source, made from what the core has, and what the compiler reads
in it.

Verilog, header, pages and documents are made from the map that `systemrdl-compiler` reads back, not from the
values that the source is made from. SystemRDL 2.0 (Accellera) names the properties.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...cipher.modes import CHAIN_MODES, MAC_MODES, PACKET_MODES, UNIT_MODES, WIDE_MODES

if TYPE_CHECKING:
    from systemrdl.node import AddrmapNode, FieldNode

__all__ = [
    "CHANNEL_BYTES",
    "WORD",
    "Field",
    "MapFacts",
    "Register",
    "WordFacts",
    "markdown",
    "rdl_source",
    "read_map",
    "registers_of",
]

WORD = 32
"""Bits of a register."""

CHANNEL_BYTES = 0x100
"""Bytes of the window of a channel's registers, where there are several channels."""


@dataclass(frozen=True)
class WordFacts:
    """What goes with a word of a message that is a register. kinds: bits of CONTROL, by name, with their
    meaning; `data`: words of a result leave, and with `ways` each says which way its message went; `tags`: a
    tag leaves; verdict: bits of RESULT that leave with it, by name, with their meaning.
    """

    kinds: tuple[tuple[str, str], ...]
    data: bool
    ways: bool
    tags: bool
    verdict: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class MapFacts:
    """What a core has, as far as software sees it. name: its top module; version: of the generator, three
    numbers; mode, direction, key_bits, block_bits: its options. iv_bits: of the initial value or counter
    block (0: there is none); `held_way`: the direction is held with the key; `fills`: a message is filled up
    to whole blocks; `blocks`: blocks and results are registers too, and with `block_way` each block has its
    direction. unit_bits: of the number of a data unit (0: there are none); `packets`: the initial value is a
    packet's IV, and its expected tag is a register too; tag_bytes: of the tags that leave; `slots`: a key is
    for one of two slots; `runs`: a number is that of the first unit of a run, whose length is a register too;
    `unit_slots`: a number comes with the slot of its key. lengths: what a packet's initial value is loaded
    together with, where the mode needs lengths before the data: name, bits, and what it is. words: what goes
    with a word of a message, where these are the blocks that are registers. channels: whole cores behind the
    same bus, each with a map of its own in a window of `CHANNEL_BYTES`.
    """

    name: str
    version: tuple[int, int, int]
    mode: str
    direction: str
    key_bits: int
    block_bits: int
    iv_bits: int
    held_way: bool
    fills: bool
    blocks: bool = False
    block_way: bool = False
    unit_bits: int = 0
    packets: bool = False
    tag_bytes: int = 0
    slots: bool = False
    runs: bool = False
    unit_slots: bool = False
    lengths: tuple[tuple[str, int, str], ...] = ()
    words: WordFacts | None = None
    channels: int = 1

    @property
    def loads(self) -> tuple[str, ...]:
        """What software writes and then loads."""
        return ("key", *(["iv"] if self.iv_bits else []), *(["unit"] if self.unit_bits else []))

    @property
    def written(self) -> tuple[str, ...]:
        """What software writes whole: what it loads, and what goes with that."""
        beside = (*(["tag"] if self.packets else []), *(name for name, _, _ in self.lengths))
        return (*self.loads, *beside, *(["unit_more"] if self.runs else []))


@dataclass(frozen=True)
class Field:
    """Bits `low` to `high` of a register, called `name`; `reset`: their value after reset; `meaning`: a
    phrase for the documents. `kind`: constant, status (from the core), pulse (1 for a cycle when a 1 is
    written), sticky (set by the core, cleared where a 1 is written), storage (read as written), secret (reads
    as 0) or result (from the core; it is gone once all of its words have been read).
    """

    name: str
    low: int
    high: int
    kind: str
    reset: int
    meaning: str

    @property
    def width(self) -> int:
        """Number of bits."""
        return self.high - self.low + 1


@dataclass(frozen=True)
class Register:
    """A register of 32 bits, called `name`, or `count` of them one after the other. `address` in bytes, of
    the first; `fields` in the order of their bits; `meaning`: a sentence for the documents.
    """

    name: str
    address: int
    count: int
    fields: tuple[Field, ...]
    meaning: str


def _field(name: str, low: int, high: int, properties: str, meaning: str, reset: int | None = 0) -> str:
    value = "" if reset is None else f" = {high - low + 1}'d{reset}"
    return f'        field {{ {properties} desc = "{meaning}"; }} {name}[{high}:{low}]{value};\n'


def _register(name: str, address: int, meaning: str, fields: Sequence[str], count: int = 1) -> str:
    place = f"[{count}] @ 0x{address:x} += 4" if count > 1 else f" @ 0x{address:x}"
    return f'    reg {{\n        desc = "{meaning}";\n{"".join(fields)}    }} {name}{place};\n'


_PULSE = "sw = w; hw = r; singlepulse;"
_STATUS = "sw = r; hw = w;"
_STICKY = "sw = rw; onwrite = woclr; hw = w; hwset;"
_STORAGE = "sw = rw; hw = r;"
_SECRET = "sw = w; hw = r; hwclr;"
_RESULT = "sw = r; hw = w; we; swacc;"
_CONSTANT = "sw = r; hw = na;"


_DATA_STATES = (
    (6, "DATA_PENDING", "the block is started and not yet taken"),
    (7, "RESULT", "DATA_OUT holds a result that has not been read whole"),
    (8, "DATA_WRITTEN", "every byte of DATA_IN has been written"),
)
"""Place, name and meaning of what STATUS tells of blocks."""

_DATA_EVENTS = [
    (5, "DATA_TAKEN", "the block was taken: DATA_IN is free"),
    (6, "RESULT", "a result came"),
    (7, "REJECTED", "a command or a write was ignored"),
]
"""What happens to blocks."""


_WORD_BITS = {"DECRYPT": 4, "LAST": 7, "AAD": 8, "IV_WORD": 9}
"""Places in CONTROL of what is said of a word; BYTES is above them."""

_WORD_EVENTS = [
    (8, "DATA_TAKEN", "the word was taken: DATA_IN is free"),
    (9, "RESULT", "a word of a result came"),
    (10, "REJECTED", "a command or a write was ignored"),
]
"""What happens to words of messages."""


_MODES = ("ecb", *CHAIN_MODES, *PACKET_MODES, *UNIT_MODES, *MAC_MODES, *WIDE_MODES)
"""Modes by their number in CAPABILITIES."""


def _loaded_things(facts: MapFacts) -> dict[str, str]:
    """What software loads, and what it is."""
    iv = "initial value or counter block"
    if facts.packets:
        iv = f"{'nonce' if facts.lengths else 'IV'} of the next packet"
    unit = "number of the next unit or run" if facts.runs else "number of the next unit"
    return {"key": "key", "iv": iv, "unit": unit}


def rdl_source(facts: MapFacts) -> str:
    """The SystemRDL text of a core's map; facts: what the core has."""
    what = _loaded_things(facts)
    control = [
        _field(f"LOAD_{n.upper()}", k, k, _PULSE, f"take the {what[n]} that was written")
        for k, n in enumerate(facts.loads)
    ]
    control.append(
        _field(
            "ZEROISE",
            2,
            2,
            _PULSE,
            "clear keys, initial values and blocks, here and in the core; other commands of the same write "
            "are dropped, and no bit tells of it",
        )
    )
    thing = "word" if facts.words else "block"
    if facts.blocks:
        control.append(_field("START", 3, 3, _PULSE, f"take the {thing} that was written"))
    if facts.held_way or facts.block_way:
        whose = (
            "the block that is started"
            if facts.block_way
            else "blocks are decrypted under the key that is loaded"
        )
        is_decrypted = " is decrypted" if facts.block_way else ""
        control.append(_field("DECRYPT", 4, 4, _STORAGE, f"1: {whose} by the same write{is_decrypted}"))
    slots = (
        (facts.slots, "KEY_SLOT", 5, "the slot that the key is for which the same write loads by LOAD_KEY"),
        (facts.unit_slots, "UNIT_SLOT", 6, "the slot of the key of the unit that LOAD_UNIT announces"),
    )
    control += [_field(name, bit, bit, _STORAGE, text) for there, name, bit, text in slots if there]
    control += _of_a_word(facts)
    status = [
        _field(f"{n.upper()}_PENDING", k, k, _STATUS, f"the {what[n]} is offered and not yet taken", None)
        for k, n in enumerate(facts.loads)
    ]
    status.append(_field("BUSY", 2, 2, _STATUS, _busy(facts), None))
    ready = (
        "START is carried out once DATA_IN is written" if facts.blocks else "a beat of a message can be taken"
    )
    status.append(_field("READY", 3, 3, _STATUS, ready, None))
    status += [
        _field(f"{n.upper()}_WRITTEN", k, k, _STATUS, f"every byte of {n.upper()} has been written", None)
        for k, n in enumerate(facts.written, 4)
    ]
    states = _word_states(facts) if facts.words else _DATA_STATES if facts.blocks else ()
    status += [_field(n, k, k, _STATUS, text, None) for k, n, text in states]
    events = [(k, f"{n.upper()}_TAKEN", f"the {what[n]} was taken") for k, n in enumerate(facts.loads)]
    events += [(2, "IDLE", "BUSY went from 1 to 0")]
    events += (
        [(3, "FILLED", "a message ended within a block, which was filled up with zeros")]
        if facts.fills
        else []
    )
    events += _DATA_EVENTS if facts.blocks and not facts.words else _message_events(facts)
    major, minor, patch = facts.version
    abilities = [
        _field("KEY_BYTES", 0, 7, _CONSTANT, "bytes of a key", facts.key_bits // 8),
        _field("BLOCK_BYTES", 8, 15, _CONSTANT, "bytes of a block", facts.block_bits // 8),
        _field(
            "MODE",
            16,
            19,
            _CONSTANT,
            ", ".join(f"{k}: {m.upper()}" for k, m in enumerate(_MODES)),
            _MODES.index(facts.mode),
        ),
        _field("ENCRYPTS", 20, 20, _CONSTANT, "blocks can be encrypted", int(facts.direction != "decrypt")),
        _field("DECRYPTS", 21, 21, _CONSTANT, "blocks can be decrypted", int(facts.direction != "encrypt")),
    ]
    if facts.blocks:
        abilities.append(_field("DATA", 22, 22, _CONSTANT, "blocks and results are registers", 1))
    if facts.tag_bytes:
        abilities.append(_field("TAG_BYTES", 24, 28, _CONSTANT, "bytes of a tag", facts.tag_bytes))
    registers = [
        _register(
            "VERSION",
            0x00,
            "Version of the generator.",
            [
                _field("PATCH", 0, 7, _CONSTANT, "third number", patch),
                _field("MINOR", 8, 15, _CONSTANT, "second number", minor),
                _field("MAJOR", 16, 23, _CONSTANT, "first number", major),
            ],
        ),
        _register("CAPABILITIES", 0x04, "What the core does.", abilities),
        _register("CONTROL", 0x08, _of_control(facts, control), control),
        _register("STATUS", 0x0C, "State of the core.", status),
        _register(
            "INTERRUPT_STATUS",
            0x10,
            "What has happened. Writing a 1 clears the bit.",
            [_field(n, k, k, _STICKY, meaning) for k, n, meaning in events],
        ),
        _register(
            "INTERRUPT_ENABLE",
            0x14,
            f"Which of these raise {_irq(facts)}.",
            [_field(n, k, k, _STORAGE, f"raise {_irq(facts)}: {meaning}") for k, n, meaning in events],
        ),
    ]
    order = "Bits 7:0 of the first one are its first byte. They read as 0."
    registers.append(_words("KEY", 0x20, facts.key_bits, f"The key. {order}"))
    if facts.iv_bits:
        registers.append(_words("IV", 0x60, facts.iv_bits, f"The {what['iv']}. {order}"))
    registers += _of_messages(facts, order)
    registers += _of_blocks(facts, thing, order)
    head = (
        f'addrmap {facts.name}_registers {{\n    name = "{facts.name}";\n    default regwidth = 32;\n'
        "    default accesswidth = 32;\n"
    )
    return f"{head}{_in_windows(facts, ''.join(registers))}}};\n"


def _irq(facts: MapFacts) -> str:
    """The port of interrupts, as a channel's documents name it."""
    return "irq_o" if facts.channels == 1 else "the irq_o of the channel"


def _in_windows(facts: MapFacts, registers: str) -> str:
    """The `registers` of a map, once for each channel where there are several."""
    if facts.channels == 1:
        return registers
    inside = "".join(f"    {line}" for line in registers.splitlines(keepends=True))
    place = f"channel[{facts.channels}] @ 0x0 += 0x{CHANNEL_BYTES:x}"
    return f'    regfile {{\n        desc = "The registers of a channel.";\n{inside}    }} {place};\n'


def _busy(facts: MapFacts) -> str:
    """What BUSY means."""
    inside = "a block is inside" if facts.blocks else "a word is inside"
    if facts.unit_bits:
        inside = "a unit was announced or is inside"
    elif facts.packets and facts.slots:
        inside = "a packet has begun or is inside"
    return (
        f"{inside}, or a key is expanded or cleared; it may stay 1 for some cycles more, and at 0 results "
        "may still wait to be taken"
    )


_KEPT = (
    "Commands read as 0, and fields that go with a command as they were written. A write of some of the four "
    "bytes leaves the fields in the others as they are: where something is said in the same write, write all."
)
"""What CONTROL is, where it has more than commands."""


_SILENT = (
    "A command that is ignored, and a write to words that wait to be taken, set no bit: read STATUS before."
)
"""What becomes of them where there is no REJECTED."""


def _of_control(facts: MapFacts, fields: Sequence[str]) -> str:
    """What CONTROL is, which has these `fields`."""
    kept = _KEPT if any(_STORAGE in field for field in fields) else "Commands: they read as 0."
    return kept if facts.blocks else f"{kept} {_SILENT}"


def _message_events(facts: MapFacts) -> list[tuple[int, str, str]]:
    """Place, name and meaning of what happens to messages."""
    words, left = facts.words, "came" if facts.words else "left"
    more = [e for e in _WORD_EVENTS if words and (words.data or e[1] != "RESULT")]
    if not facts.packets:
        ends = "the tag of a message came" if words and words.tags else f"the last word of a message {left}"
        return [(4, "MESSAGE", ends if words else "the last beat of a message left"), *more]
    wrong = "a packet was decrypted, and its tag is not the expected one"
    ends = f"the tag or the verdict of a packet {left}"
    return [(4, "MESSAGE", ends), (5, "WRONG_TAG", wrong), *more]


def _of_blocks(facts: MapFacts, thing: str, order: str) -> list[str]:
    """Registers of blocks and results, or of words of messages and what they become. thing: which of both."""
    if not facts.blocks:
        return []
    found = [_words("DATA_IN", 0x80, facts.block_bits, f"The {thing} to be started. {order}")]
    if facts.words is None or facts.words.data:
        given = "A word of a result" if facts.words else "The result"
        found.append(_result("DATA_OUT", 0xA0, facts.block_bits, f"{given}. {_WHOLE}"))
    return [*found, *_of_words(facts, facts.words)] if facts.words else found


_WHOLE = (
    "Bits 7:0 of the first one are its first byte. It is gone once all words have been read; they read as 0 "
    "then."
)
"""How a result is read."""


def _result(name: str, address: int, bits: int, meaning: str) -> str:
    fields = [_field("WORD", 0, WORD - 1, _RESULT, "four bytes")]
    return _register(name, address, meaning, fields, -(-bits // WORD))


def _byte_count(facts: MapFacts) -> int:
    """Bits of a number of bytes of a word."""
    return (facts.block_bits // 8).bit_length()


def _of_a_word(facts: MapFacts) -> list[str]:
    """Fields of CONTROL that say what a word is."""
    if facts.words is None:
        return []
    said = [("LAST", "the word that is started by the same write ends its message"), *facts.words.kinds]
    fields = [
        _field(name, _WORD_BITS[name], _WORD_BITS[name], _STORAGE, f"1: {meaning}") for name, meaning in said
    ]
    count = f"bytes of the word that is started by the same write: 0 to {facts.block_bits // 8}"
    return [*fields, _field("BYTES", 16, 15 + _byte_count(facts), _STORAGE, count)]


def _word_states(facts: MapFacts) -> list[tuple[int, str, str]]:
    """Place, name and meaning of what STATUS tells of words."""
    assert facts.words is not None
    states = [
        (16, "DATA_PENDING", "the word is started and not yet taken"),
        (17, "DATA_WRITTEN", "every byte of DATA_IN has been written"),
    ]
    if facts.words.data:
        states.append((18, "RESULT", "DATA_OUT holds a word that has not been read whole"))
    if facts.words.tags:
        what = "a tag or a verdict" if facts.packets else "a tag"
        states.append((19, "TAG", f"TAG_OUT holds {what} that has not been read whole"))
    return states


def _of_words(facts: MapFacts, words: WordFacts) -> list[str]:
    """Registers of results and tags of messages."""
    made, fields = list[str](), list[str]()
    if words.data:
        count = _byte_count(facts) - 1
        fields.append(_field("DATA_BYTES", 0, count, _STATUS, "bytes of DATA_OUT that count", None))
        fields.append(_field("DATA_LAST", 8, 8, _STATUS, "DATA_OUT ends the result of its message", None))
        if words.ways:
            meaning = "the message of DATA_OUT was decrypted"
            fields.append(_field("DATA_DECRYPTED", 9, 9, _STATUS, meaning, None))
    for k, (name, meaning) in enumerate(words.verdict, 16):
        fields.append(_field(name, k, k, _STATUS, f"of TAG_OUT: {meaning}", None))
    if fields:
        what = "What goes with DATA_OUT" + (" and TAG_OUT" if words.verdict else "")
        made.append(_register("RESULT", 0x18, f"{what}: 0 where nothing is there.", fields))
    if words.tags:
        of = "a packet that was encrypted; 0 of one that was decrypted" if facts.packets else "a message"
        meaning = f"The tag of {of}. {_WHOLE}"
        if words.verdict:
            meaning += " The verdict in RESULT is gone with it."
        made.append(_result("TAG_OUT", 0xB0, 8 * facts.tag_bytes, meaning))
    return made


def _of_messages(facts: MapFacts, order: str) -> list[str]:
    """Registers of unit numbers and of packets."""
    found = list[str]()
    if facts.unit_bits:
        found.append(_words("UNIT", 0x60, facts.unit_bits, f"The {_loaded_things(facts)['unit']}. {order}"))
    if facts.runs:
        more = (
            "How many units follow the one whose number is loaded next, with the next numbers; bytes that "
            "were not written are 0. It reads as 0."
        )
        found.append(_register("UNIT_MORE", 0x70, more, [_field("UNITS", 0, WORD - 1, _SECRET, "units")]))
    for place, (name, bits, what) in enumerate(facts.lengths):
        meaning = (
            f"The number of {what}, at most {(1 << bits) - 1}. It goes with the nonce that is loaded next: "
            "LOAD_IV needs it written whole, also where it is 0. It reads as 0."
        )
        fields = [_field("BYTES", 0, bits - 1, _SECRET, "bytes")]
        found.append(_register(name.upper(), 0x70 + 4 * place, meaning, fields))
    if facts.packets:
        tag = "The expected tag of the next packet, which is decrypted; bytes that were not written are 0."
        found.append(_words("TAG", 0x90 if facts.words else 0x80, 128, f"{tag} {order}"))
    return found


def _words(name: str, address: int, bits: int, meaning: str) -> str:
    fields = [_field("WORD", 0, WORD - 1, _SECRET, "four bytes")]
    if bits % WORD:
        meaning += f" There are {bits // 8} bytes; what is written behind them has no effect."
    return _register(name, address, meaning, fields, -(-bits // WORD))


def read_map(text: str) -> AddrmapNode:
    """The map as systemrdl-compiler elaborates `text`, a SystemRDL source. Raises
    systemrdl.RDLCompileError.
    """
    from systemrdl.compiler import RDLCompiler  # imported here: most cores have no registers

    compiler = RDLCompiler()
    with tempfile.TemporaryDirectory() as d:
        path = Path(d) / "map.rdl"
        path.write_text(text)
        compiler.compile_file(str(path))
        return compiler.elaborate().top


def registers_of(node: AddrmapNode) -> tuple[Register, ...]:
    """The registers of the elaborated map `node`, by address; of several channels those of the first, whose
    window begins at 0.
    """
    from systemrdl.node import RegfileNode

    found = []
    channels = [child for child in node.children(unroll=True) if isinstance(child, RegfileNode)]
    for reg in (channels[0] if channels else node).registers(unroll=False):
        count = int(reg.array_dimensions[0]) if reg.is_array and reg.array_dimensions else 1
        fields = tuple(
            Field(
                f.inst_name,
                f.low,
                f.high,
                _kind(f),
                _reset(f),
                str(f.get_property("desc")),
            )
            for f in reg.fields()
        )
        address = reg.raw_absolute_address if reg.is_array else reg.absolute_address
        found.append(Register(reg.inst_name, address, count, fields, str(reg.get_property("desc"))))
    return tuple(sorted(found, key=lambda r: r.address))


def _reset(field: FieldNode) -> int:
    value = field.get_property("reset")
    return value if isinstance(value, int) else 0


def _kind(field: FieldNode) -> str:
    """What a field's properties make of it."""
    software, hardware = field.get_property("sw").name, field.get_property("hw").name
    if field.get_property("singlepulse"):
        return "pulse"
    if field.get_property("onwrite") is not None:
        return "sticky"
    if field.get_property("swacc"):
        return "result"
    if software == "r":
        return "constant" if hardware == "na" else "status"
    return "storage" if software == "rw" else "secret"


_ACCESS = {
    "constant": "read",
    "status": "read",
    "pulse": "write, reads as 0",
    "sticky": "read, a 1 clears",
    "storage": "read and write",
    "secret": "write, reads as 0",
    "result": "read",
}


def markdown(name: str, registers: Sequence[Register], channels: int = 1) -> str:
    """The map of `registers` as a page in Markdown, with `name` in its title: a table of every register's
    fields. channels: how many times the map is there, in windows.
    """
    lines = [f"# Registers of {name}", "", "Words of 32 bits; addresses are of bytes."]
    if channels > 1:
        lines += [
            "",
            f"Each of the {channels} channels has these registers. Addresses are those of channel 0; those "
            f"of channel k are k * 0x{CHANNEL_BYTES:x} higher. The irq_o of a channel is a port of its own, "
            "ch0_irq_o of channel 0.",
        ]
    for r in registers:
        last = f" to 0x{r.address + 4 * r.count - 4:02x} ({r.count} words)" if r.count > 1 else ""
        lines += [
            "",
            f"## 0x{r.address:02x}{last}: {r.name}",
            "",
            r.meaning,
            "",
            "| bits | field | access | at reset | meaning |",
            "|---|---|---|---|---|",
        ]
        lines += [
            f"| {f.high}:{f.low} | {f.name} | {_ACCESS[f.kind]} | "
            f"{'of the core' if f.kind == 'status' else f'0x{f.reset:x}'} | {f.meaning} |"
            for f in r.fields
        ]
    return "\n".join(lines) + "\n"
