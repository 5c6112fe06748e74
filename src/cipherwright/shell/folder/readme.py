"""README.md of a core's folder: what the core is and promises, in sentences made from its values."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from ...cipher.modes import MAC_MODES, WIDE_MODES
from ...rtl import Pin
from ...spec import Loop, Pipeline, Spec
from ...wording import counted
from ..built_engine import BuiltEngine
from ..buses import CHANNEL_BYTES
from ..channels import CHOSEN
from ..core import Core
from ..header import GENERATOR, TERMS, command_of, option_value, options_said
from ..wave import Diagram
from .accesses import access_table, core_registers, field_bit, register_sentences, worked_accesses
from .clocked import interrupt_sentences, reset_text
from .diagrams import worked_words
from .example import Worked
from .fifos import fifo_sentences
from .figures import figure_rows
from .fusesoc import vlnv
from .interleaved import interleaved_latency, interleaved_sentences
from .mac import mac_sentences, mac_table, mac_timing
from .message_bus import bus_sentences, bus_table, bus_timing
from .message_diagrams import letters
from .packet import packet_sentences, packet_table, packet_timing
from .proven import proven, simulated
from .text import code, filled, plain
from .unit import unit_sentences, unit_table, unit_timing
from .vhdl import vhdl_instance
from .wide import wide_sentences, wide_table, wide_timing
from .words import word_sentences, word_table, word_timing

__all__ = ["readme"]

_KINDS = (
    ("_tb.v", "self-checking testbench: known answers of the reference model, for any simulator"),
    ("_pkg.vhd", "VHDL package with the component declaration"),
    (".sdc", "timing constraints: clock and ports"),
    (".xdc", "the same constraints for Vivado"),
    (".lpf", "the clock for nextpnr-ecp5 and Diamond"),
    (".core", "FuseSoC package with the targets default, lint, sim and, for FPGAs, synth"),
    (".svg", "timing diagram"),
    (
        "_cocotb.py",
        "cocotb bench: Python runs it, in Icarus Verilog; it needs cocotb and the drivers it imports",
    ),
    ("_model.cpp", "Verilator model, as a shared library with C functions"),
    ("_model.py", "the model as a Python class, which compiles it; its first lines have an example"),
    (".sv", "hand-written control of the core"),
    (".rdl", "register map: SystemRDL, from which the registers are made"),
    ("_registers.md", "the register map as a page"),
    ("_registers.h", "the register map as a C header"),
)
_BYTE_ZERO = (
    "Byte 0 of a key or block in the standard is the most significant byte of its port.",
    "Byte 0 of a message is in bits 7:0 of its first beat; byte 0 of a key is the most significant byte "
    "of its port.",
    "Byte 0 of a message is in bits 7:0 of its first beat; byte 0 of a key, an initial value, a unit number "
    "or a tag is in bits 7:0 of the first word of its registers.",
)
"""Without AXI-Stream, with it, and with registers beside it."""
_FIRST_BYTE = (
    "Byte 0 of a key, an initial value or a block is in bits 7:0 of the first word of its registers."
)
_FIRST_BYTES = (
    "Byte 0 of a key, an initial value, a unit number, a word or a tag is in bits 7:0 of the first word of "
    "its registers."
)
"""Where blocks are registers, and where words of messages are."""
_FROM_A_FILE = (
    "DIR --cipher FILE.py",
    " FILE.py is the description of the cipher, with the SHA-256 that `given.cipher_sha256` of `record.json` "
    "states.",
)
"""What commands need beside the folder of a core whose cipher a Python file describes, and what that is."""
_WAYS = {"both": "encryption and decryption", "encrypt": "encryption only", "decrypt": "decryption only"}


def readme(
    spec: Spec,
    core: Core | BuiltEngine,
    worked: Worked,
    drawn: Sequence[Diagram],
    files: Sequence[str],
    record: Mapping[str, object] | None,
) -> str:
    """The text of README.md of `core`, which was built by `spec`. worked: its worked block; drawn: the
    diagrams; files: names of all other files; record: the committed record of this very text, if there is
    one.
    """
    said = _engine_facts(core, worked) if isinstance(core, BuiltEngine) else _core_facts(spec, core, worked)
    folder, described = _FROM_A_FILE if core.given.get("cipher_from", "").endswith(".py") else ("DIR", "")
    return filled(
        "README.md.j2",
        top=core.top,
        folder=folder,
        described=described,
        what=_what(spec, core),
        generator=GENERATOR,
        command=_command(core),
        files=[(name, _file_kind(name, core)) for name in sorted([*files, "record.json"])],
        pins=core.component.pins,
        clock=core.component.clock.clock,
        bus_note=_bus_note(core),
        reset=reset_text(core),
        diagrams=[(d, f"{core.top}_{d.name}.svg") for d in drawn],
        letters="" if isinstance(core, BuiltEngine) else letters(core),
        byte_zero=_byte_zero(core),
        verilog=_verilog(core.top, core.component.pins),
        vhdl=vhdl_instance(core.top, core.component.pins),
        vlnv=vlnv(core.top),
        synth="synth" if f"{core.top}.core" in files and core.family in ("ecp5", "ice40", "xilinx") else "",
        options=[(n, code(option_value(v)), _meaning(spec, n)) for n, v in options_said(spec).items()],
        predicted=f"{core.flip_flops:,} flip-flops are predicted for {plain(spec.target)}.",
        figures=figure_rows(record) if record else [],
        warnings=[plain(warning) for warning in core.warnings],
        proven=proven(spec, core),
        simulated=simulated(spec, core),
        licence=textwrap.fill(f"SPDX-License-Identifier: Apache-2.0. {TERMS}", 120),
        **said,
    )


_LEFT_OUT = {"axi-lite": "AWPROT and ARPROT are left out", "apb": "PPROT is left out"}
"""Optional signals that a register bus does not have."""


def _bus_note(core: Core | BuiltEngine) -> str:
    """What the interconnect in front of a register bus has to know; "" where there is none."""
    if isinstance(core, BuiltEngine) or not core.bus:
        return ""
    left = _LEFT_OUT.get(core.parameters["control"], "")
    opens = f"{left}: leave these outputs of a master open. " if left else ""
    return (
        f"{opens}Addresses are of bytes, from the beginning of the core's registers: the interconnect "
        "decodes the bits above."
    )


def _command(core: Core | BuiltEngine) -> str:
    """The command, or the call of the library, that writes the folder of `core`."""
    pieces, extras = command_of(core.given), core.extras
    if core.given.get("call"):
        more = f", extras={json.dumps(list(extras))}" if extras else ""
        return f'{pieces[0]}.write("DIR"{more})'
    *first, last = [*pieces, *([f"--with {','.join(extras)}"] if extras else [])]
    return " \\\n      ".join([*first, f"{last} -o DIR"])


def _what(spec: Spec, core: Core | BuiltEngine) -> str:
    cipher = spec.described
    title = f"{plain(spec.title)}. " if spec.title else ""
    equal = " In ECB equal blocks under a key have equal results." if spec.mode == "ecb" else ""
    return (
        f"{title}{plain(cipher.title)} ({plain(cipher.standard)}) in {spec.mode.upper()} mode: blocks of "
        f"{spec.block_bits} bits, keys of {_key_size(spec)} bits, {_WAYS[spec.direction]}.{equal}"
    )


def _key_size(spec: Spec) -> str:
    """Bits of the key; of two keys, of each."""
    return str(spec.key_bits) if spec.given_key_bits == spec.key_bits else f"2 x {spec.key_bits}"


def _file_kind(name: str, core: Core | BuiltEngine) -> str:
    top = core.top
    if name == f"{top}_tb.v" and isinstance(core, Core) and core.tested != top:
        which = "the core of a channel" if core.channels else "the core"
        which += " without its bus" if core.stream or core.bus else ""
        return f"self-checking testbench of `{core.tested}`, {which}: known answers"
    if name == "record.json":
        return "what was asked for, ports, timing, predictions, and a digest of every file"
    if name == f"{top}.v":
        return f"the core: top module `{top}` and every generated module"
    return next(meaning for ending, meaning in _KINDS if name.endswith(ending))


def _meaning(spec: Spec, name: str) -> str:
    field = type(spec).model_fields[name]
    return str(field.description or Spec.model_fields[name].description).replace("|", "\\|")


def _verilog(top: str, pins: Sequence[Pin]) -> str:
    """Wires and an instance."""

    def bits(pin: Pin) -> str:
        if pin.ascending:
            return f"[1:{pin.width}] "
        return f"[{pin.width - 1}:0] " if pin.width > 1 else ""

    wires = "\n".join(f"wire {bits(pin)}{pin.name};" for pin in pins)
    links = ",\n".join(f"    .{pin.name}({pin.name})" for pin in pins)
    return f"{wires}\n\n{top} u_{top} (\n{links}\n);"


def _rows(spec: Spec, worked: Worked) -> list[tuple[str, bytes]]:
    """What the worked block is made of, by name."""
    if spec.mode in MAC_MODES:
        return [("key", worked.key), ("message", worked.block), ("tag", worked.tag)]
    if spec.mode in WIDE_MODES:
        rows = [("key", worked.key), ("tweak", worked.aad)]
        return [*rows, ("plaintext", worked.block), ("ciphertext", worked.result)]
    if worked.tag:
        return [
            ("key", worked.key),
            ("nonce" if spec.mode == "ccm" else "IV", worked.iv),
            ("additional data", worked.aad),
            ("plaintext", worked.block),
            ("ciphertext", worked.result),
            ("tag", worked.tag),
        ]
    first = {"ctr": "counter block", "xts": "unit number"}.get(spec.mode, "initial value")
    taken, given = ("ciphertext", "plaintext") if worked.decrypt else ("plaintext", "ciphertext")
    chained = [(first, worked.iv)] if worked.iv else []
    return [("key", worked.key), *chained, (taken, worked.block), (given, worked.result)]


def _byte_zero(core: Core | BuiltEngine) -> str:
    if isinstance(core, BuiltEngine):
        return ""
    buses = (core.stream is not None) + (core.bus is not None)
    if core.in_registers:
        return _FIRST_BYTES if core.stream else _FIRST_BYTE
    return _BYTE_ZERO[buses]


def _hex(data: bytes) -> str:
    return data.hex(" ")


def _core_facts(spec: Spec, core: Core, worked: Worked) -> dict[str, object]:
    """What the README says of a pipeline or a loop alone."""
    shown = [] if core.stream or core.bus or not Worked.shows(spec.mode) else _port_values(core, worked)
    lanes = (
        " The first block of a word is at the top; the others are 0 here, and their results are left out."
        if core.lanes > 1 and not (core.packet or core.stream)
        else ""
    )
    rows = _rows(spec, worked)
    return {
        "protocol": list(_protocol(spec, core, worked)),
        "timing": [*_timing(core), *fifo_sentences(core)],
        "values": bool(shown),
        "example_intro": f"One worked {core.takes}, computed from the cipher's "
        f"description by the generator:{lanes}",
        "example": [
            (f"{what} (`{port}`)" if port else what, _hex(data), value)
            for (what, data), (port, value) in zip(rows, shown or [("", "")] * len(rows), strict=True)
        ],
    }


def _port_values(core: Core, worked: Worked) -> list[tuple[str, str]]:
    """(port, its value in Verilog) of what the worked block is made of, in the order of `_rows`."""
    p = core.ports
    ports = (p.key, *([p.iv] if worked.iv else []), p.block_in, p.block_out)
    values = [v for v in worked_words(core, worked).values() if v is not None]
    widths = {pin.name: pin.width for pin in core.component.pins}
    return [
        (port, f"{widths[port]}'h{value:0{-(-widths[port] // 4)}x}")
        for port, value in zip(ports, values, strict=True)
    ]


def _engine_facts(core: BuiltEngine, worked: Worked) -> dict[str, object]:
    """What the README says of an engine alone."""
    return {
        "protocol": [("Protocol", list(core.notes.usage))],
        "timing": [f"{core.notes.timing}."],
        "values": False,
        "example_intro": "One worked block in ECB, computed from the cipher's description by the generator:",
        "example": [
            (what, _hex(data), "")
            for what, data in (
                ("key", worked.key),
                ("plaintext", worked.block),
                ("ciphertext", worked.result),
            )
        ],
    }


def _protocol(spec: Spec, core: Core, worked: Worked) -> Iterator[tuple[str, list[str]]]:
    """Sections on keys, blocks and, where there are any, counter blocks and zeroising."""
    yield "Keys", list(_keys(core))
    for there, what, sentences, table in (
        (core.packet, "packet", packet_sentences, packet_table),
        (core.unit, "unit", unit_sentences, unit_table),
        (core.mac, "message", mac_sentences, mac_table),
        (core.wide, "packet", wide_sentences, wide_table),
    ):
        if there:
            if core.in_registers:
                sentences, table = word_sentences, word_table
            elif core.stream:
                sentences, table = bus_sentences, bus_table
            yield f"{what.capitalize()}s", list(sentences(core))
            yield f"A worked {what}", list(table(core, worked))
            yield from _cleared(core)
            return
    if core.in_registers:
        yield "Blocks", list(register_sentences(core))
        yield "A worked block", list(access_table(worked_accesses(core, worked)))
        yield from _interrupts(core)
        return
    yield "Blocks", list(_blocks(core))
    if spec.mode != "ecb":
        yield "Mode", list(_mode(spec, core))
    if spec.mode != "ecb" and isinstance(spec, Loop) and core.slots > 1:
        yield "Interleaved messages", list(interleaved_sentences(core))
    yield from _cleared(core)


def _cleared(core: Core) -> Iterator[tuple[str, list[str]]]:
    """Sections on zeroising and interrupts, where there are any."""
    yield from _zeroising(core)
    yield from _interrupts(core)


def _interrupts(core: Core) -> Iterator[tuple[str, list[str]]]:
    if core.bus:
        yield "Interrupts", list(interrupt_sentences(core))


_IN_FLIGHT = {
    "packet": "and packets",
    "unit": "unit numbers, tweaks and units",
    "message": "subkeys, messages and tags",
}


def _zeroising(core: Core) -> Iterator[tuple[str, list[str]]]:
    """The section on zeroising, where the core does it."""
    p, what = core.ports, _IN_FLIGHT.get(core.takes, "counter blocks and blocks")
    what = "what was made of it, packets and the buffer" if core.wide else what
    dropped = "the key" if p.key_valid else "the keys of units"
    if core.bus and core.zeroise_cycles:
        yield (
            "Zeroising",
            [
                f"ZEROISE in CONTROL drops the key, {what} in flight.",
                *(["It is that of one channel, and clears nothing of another."] * bool(core.channels)),
                "It clears the registers of keys and initial values."
                if not core.in_registers
                else "It clears KEY, DATA_IN, what belongs to a message, results and tags.",
                "No result leaves after it.",
                *_withdrawn(core),
                f"Zeroising takes at most {core.zeroise_cycles} cycles.",
                "From then on no register depends on a key or block from before.",
                *([] if core.in_registers else ["What software loads meanwhile waits until then."]),
                "INTERRUPT_ENABLE and INTERRUPT_STATUS keep their bits.",
            ],
        )
    elif p.zeroise:
        yield (
            "Zeroising",
            [
                f"One cycle of `{p.zeroise}` drops {dropped}, {what} in flight.",
                "No result leaves after it.",
                *_withdrawn(core),
                f"`{p.busy}` is 0 again at most {core.zeroise_cycles} cycles later.",
                "From then on no register depends on a key or block from before.",
                "Registers follow the inputs at all times, so take secrets away from the ports as well.",
            ],
        )


def _withdrawn(core: Core) -> Iterator[str]:
    """What zeroising does to the streams on both sides."""
    if not core.stream or core.in_registers:
        return
    yield "A result that waits is withdrawn: TVALID falls without TREADY, and a packet may end without TLAST."
    yield "The next beat that comes is the first of a packet, also where it is the rest of a broken one."
    yield "So stop and reset what is on both sides. A reset of the core alone does the same."


def _key_registers(core: Core) -> Iterator[str]:
    yield f"Software writes the key to the registers KEY; `{core.top}_registers.md` has the map."
    if core.channels:
        yield (
            "Each channel has registers of its own, as those of a core alone. Addresses here are those of "
            f"channel 0; those of channel k are k * 0x{CHANNEL_BYTES:x} higher."
        )
        yield "A key for several channels is written to each. No channel waits for another."
    yield "Write every byte of KEY first: before that LOAD_KEY does nothing."
    thing = core.takes
    what = _FIRST.get(thing, "block")
    if field_bit(core_registers(core), "CONTROL", "KEY_SLOT"):
        yield (
            "Two keys are resident, in slot 0 and slot 1. LOAD_KEY in CONTROL hands the key to the core, for "
            "the slot that KEY_SLOT has in the same write."
        )
        yield (
            f"The core takes it when the last {thing} under this slot has left; then KEY_PENDING is 0. "
            "Until then no other write changes the key or its slot."
        )
        yield (
            f"The first {what} under the slot can be taken {core.key_cycles} cycles after the core takes "
            "the key."
        )
        yield f"No {what} is taken before the key of its slot is complete. ZEROISE clears both."
        return
    yield f"LOAD_KEY in CONTROL hands it to the core, which takes it when {_WAITED_FOR[core.takes]}."
    yield f"The first {what} can be taken {core.key_cycles} cycles after the core takes the key."
    yield "No block is taken before a key is complete, nor while one is expanded."


_WAITED_FOR = {
    "packet": "no packet is open and the last tag has left: a packet that does not end keeps a key out",
    "unit": "the last unit that was announced has left",
    **dict.fromkeys(("message", "block"), "the last block has left"),
}
"""What a key waits for, by what the core takes."""

_FIRST = {"packet": "word of a packet", "unit": "unit number", "message": "word of a message"}
"""What waits for a key, where that is no block."""


def _one_key(core: Core) -> Iterator[str]:
    p = core.ports
    yield f"A key is taken in a cycle in which `{p.key_valid}` and `{p.key_ready}` are both 1."
    if core.channels:
        yield from _keys_of_channels(core)
        return
    yield "Hold both inputs until then."
    waited = "the last word of the packet before has left" if core.wide else _WAITED_FOR[core.takes]
    yield f"`{p.key_ready}` rises only after a key is offered and {waited}."
    what = _FIRST.get(core.takes, "block")
    yield f"The first {what} can be taken {core.key_cycles} cycles after the key."
    yield f"No {what} is taken before a key is complete, nor while one is expanded."


def _keys_of_channels(core: Core) -> Iterator[str]:
    p = core.ports
    yield f"It is for the channels whose bit of `{CHOSEN}` is 1. Hold all three inputs until then."
    yield "Each of these channels takes it when its own last packet has left; the others go on."
    yield f"`{p.key_ready}` rises in the cycle after the last of them took it."
    yield f"The first word of a packet can be taken {core.key_cycles} cycles after its channel took the key."
    yield (
        "A channel begins no packet from the cycle after the key is first offered until it took and expanded "
        "it. Then it goes on, also while the key is still offered for others."
    )
    yield from _no_channel()


def _two_keys(core: Core) -> Iterator[str]:
    p, thing = core.ports, core.takes
    ports = (core.packet or core.unit or {})["ports"]
    where = "resident in each channel" if core.channels else "resident"
    yield f"Two keys are {where}, in the slots 0 and 1. `{ports['load_slot']}` says which slot a key is for."
    if core.channels:
        yield from _two_keys_of_channels(core)
        return
    yield f"A key is taken in a cycle in which `{p.key_valid}` and `{p.key_ready}` are both 1."
    yield "Hold all three inputs until then."
    yield f"`{p.key_ready}` rises only after a key is offered and the last {thing} under its slot has left."
    yield f"{thing.capitalize()}s under the other slot go on meanwhile, and while the key is expanded."
    yield f"A key is complete {core.key_cycles} cycles after it is taken; nothing under its slot is before."


def _two_keys_of_channels(core: Core) -> Iterator[str]:
    p = core.ports
    yield f"A key is taken in a cycle in which `{p.key_valid}` and `{p.key_ready}` are both 1."
    yield f"It is for the channels whose bit of `{CHOSEN}` is 1, for the same slot of each."
    yield "Hold all four inputs until then."
    yield "Each of these channels takes it when its own last packet under its slot has left."
    yield "Packets under the other slot go on meanwhile, and while the key is expanded; so do other channels."
    yield f"`{p.key_ready}` rises in the cycle after the last of them took it."
    yield (
        f"A key is complete {core.key_cycles} cycles after its channel took it. From the cycle after it is "
        "first offered until then, that channel begins no packet under its slot."
    )
    yield from _no_channel()


def _no_channel() -> Iterator[str]:
    """Of a key that is for no channel, and of one that not all channels took."""
    yield f"A key with `{CHOSEN}` = 0 is taken and goes nowhere."
    yield "One that is withdrawn may be in some of its channels."


def _keys_of_packets(core: Core) -> Iterator[str]:
    p, packet = core.ports, core.packet or {}
    change, announce = packet["key_change_cycles"], packet["announce_cycles"]
    yield "Every packet has a key, which is announced before the packet's first word is taken."
    if core.channels:
        yield "Each channel has a port for the keys of its packets. What is said of channel 0 holds for all."
    yield f"A key is taken in a cycle in which `{p.key_valid}` and `{p.key_ready}` are both 1."
    yield "Hold both inputs until then."
    yield "Keys are for the packets in their order, one for each, also where it is the same key again."
    yield "Two keys are resident. The core compares a key with both, and loads it if it is another one."
    yield "It goes into the slot that the packet before does not use, and that packet goes on meanwhile."
    yield f"So announce a key as soon as `{p.key_ready}` is 1: at most three are ahead of their packets."
    yield "A first word that is offered before its key is complete waits, and so do those behind it."
    yield ""
    yield (
        f"In a core at rest, the first word can be taken {core.key_cycles} cycles after a key that is not "
        f"resident, and {announce + 1} cycles after one that is."
    )
    yield f"Packets under new keys begin at most every {change} cycles."
    yield (
        f"Those of {change} words and more follow each other without a pause, but for two cycles without a "
        "word while the next key is loaded."
    )
    yield f"Packets under resident keys begin at most every {announce} cycles."
    yield (
        f"Those of {announce} words and more follow each other without a pause, under one key or two in turn."
    )
    yield "The times tell whether a key was resident and in which slot, and nothing else of a key."


def _keys_of_units(core: Core) -> Iterator[str]:
    assert core.unit is not None
    run, key = "unit_more" in core.unit["ports"], core.ports.key
    yield f"Every {'run of units' if run else 'unit'} has a key of its own, at `{key}` with its number."
    yield f"It is taken with the number and stays with the unit; `{key}` is read in no other cycle."
    yield "The next number may come with another key. No cycle is lost for that."


def _keys(core: Core) -> Iterator[str]:
    p = core.ports
    if core.bus:
        yield from _key_registers(core)
    elif p.key_valid:
        two = core.parameters["key_slots"] > 1
        yield from (_keys_of_packets if core.keys_announced else _two_keys if two else _one_key)(core)
    elif core.unit:
        yield from _keys_of_units(core)
    elif core.parameters["key"] == "static":
        yield f"The key is held at `{p.key}`: keep it there while blocks under it are in flight."
        if p.decrypt:
            yield f"The same holds for `{p.decrypt}`."
    elif p.key:
        when = "one cycle before the block" if core.parameters["key_lead"] else "in the same cycle"
        if core.stream and core.parameters["tdata_bits"] not in (0, core.parameters["block_bits"]):
            when = "with the last beat of the block"
        yield f"Every block has a key of its own, which is at `{p.key}` {when}."


def _blocks(core: Core) -> Iterator[str]:
    p = core.ports
    if core.stream:
        yield from _beats(core)
        return
    if p.ready_out:
        yield f"A block is taken in a cycle in which `{p.valid_in}` and `{p.ready_out}` are both 1."
        yield f"Never wait for `{p.ready_out}` before `{p.valid_in}` is 1; keep the block until it is taken."
        yield "Ready outputs depend on registers only."
    else:
        yield f"A block is taken in every cycle in which `{p.valid_in}` is 1."
        yield "The core never stalls."
    if p.ready_in:
        yield (
            f"A result leaves in a cycle in which `{p.valid_out}` and `{p.ready_in}` are both 1, and "
            "stays until then."
        )
    else:
        yield (
            f"Its result is at `{p.block_out}` in the one cycle in which `{p.valid_out}` is 1; "
            "nothing holds it back."
        )
    yield "Results leave in the order of their blocks."
    if core.lanes > 1:
        yield f"A word has {core.lanes} blocks, the first one in the most significant bits."


def _beats(core: Core) -> Iterator[str]:
    """How blocks come and results leave at AXI-Stream."""
    p = core.ports
    yield "Both sides are AXI-Stream; a packet is a message, which TLAST ends."
    yield "TKEEP has ones for all bytes of a beat, or in the last beat of a message for the first bytes."
    yield "No beat is empty."
    yield "A beat moves in a cycle in which TVALID and TREADY are both 1."
    if not (core.bus and core.slots > 1 and core.parameters["mode"] != "ecb"):
        yield "Ready outputs depend on registers only."
    pins = {pin.name for pin in core.component.pins}
    held = ((p.key, p.key_valid), (p.iv, p.iv_valid))
    if beside := [f"`{name}`" for name, offered in held if name in pins and not offered]:
        yield f"Keep {' and '.join(beside)} while TVALID waits for TREADY."
    yield "Results leave in the order of their blocks."


def _sequence(core: Core) -> Iterator[str]:
    """What the end of a message is to the counter of a pipeline behind AXI-Stream."""
    yield "TLAST does not end its sequence: load a counter block for each message."
    if core.lanes > 1:
        yield f"Without one, the next message goes on {core.lanes} numbers after its last word's first block."


def _initial_registers(spec: Spec, core: Core) -> Iterator[str]:
    """How an initial value gets through the registers to a core whose blocks are on AXI-Stream."""
    counts = spec.mode == "ctr" and isinstance(spec, Pipeline)
    what = "first counter block" if spec.mode == "ctr" else "initial value"
    yield f"Software writes the {what} to the registers IV, and then 1 to LOAD_IV in CONTROL."
    yield "Write every byte of IV first: before that LOAD_IV does nothing."
    if counts:
        yield "The core takes it before the next block; then IV_PENDING is 0."
        yield "The blocks after it belong to it; it counts up by one with each."
        yield from _sequence(core)
        yield "A new key does not take it away; a reset does."
        return
    yield "A packet is a message, and a loaded value is for one message: its first block takes it."
    yield "A first block without one waits."


def _mode(spec: Spec, core: Core) -> Iterator[str]:
    p = core.ports
    if core.bus:
        yield from _initial_registers(spec, core)
        return
    if p.iv_valid:
        yield (
            f"The first counter block is taken in a cycle in which `{p.iv_valid}` and `{p.iv_ready}` "
            "are both 1."
        )
        yield "The blocks after it belong to it; it counts up by one with each."
        if core.stream:
            yield from _sequence(core)
        yield "A new key does not take it away; a reset does."
    elif p.first:
        counted = spec.mode == "ctr"
        what = "first counter block" if counted else "initial value"
        if core.stream:
            yield f"A packet is a message. With its first block `{p.iv}` is its {what}."
        else:
            yield f"With the first block of a message `{p.first}` is 1, and `{p.iv}` is its {what}."
        yield (
            "Counter blocks count up by one."
            if counted
            else "Each block is chained to the one before it, the first one to the initial value."
        )
    elif p.iv:
        yield (
            f"With every block, `{p.iv}` is the initial value of the message; keep it until the message ends."
        )


def _block_latency(core: Core) -> Iterator[str]:
    """When the result of a block is offered at a port."""
    if core.stream and core.slots > 1 and core.parameters["mode"] != "ecb":
        yield from interleaved_latency(core)
        return
    yield f"A result is offered {counted(core.latency, 'cycle')} after its block is taken."


def _timing(core: Core) -> Iterator[str]:
    if core.stream and core.takes != "block":
        yield from (word_timing if core.in_registers else bus_timing)(core)
        return
    if core.packet:
        yield from packet_timing(core)
        return
    if core.unit:
        yield from unit_timing(core)
        return
    if core.mac:
        yield from mac_timing(core)
        return
    if core.wide:
        yield from wide_timing(core)
        return
    if core.in_registers:
        yield f"A result is in its register {core.latency} cycles after its block is taken."
        yield (
            f"Software that never polls can have a block every {core.interval} cycles: "
            f"{core.bits_per_cycle:.4g} bits a cycle."
        )
        return
    blocks = f"{core.slots} blocks" if core.slots > 1 else "A block"
    cycles = f"{core.interval} cycles" if core.interval > 1 else "cycle"
    yield from _block_latency(core)
    if core.ports.ready_in:
        yield "That holds while results are taken at once."
    yield f"{blocks} can be taken every {cycles}: {core.bits_per_cycle:.4g} bits a cycle."
