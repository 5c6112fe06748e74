"""What README.md says of a core of packets, data units or messages behind AXI-Stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...cipher.cmac import tag_length
from ..ccm import bus_length_ports
from ..channels import streams_named
from ..core import Core
from ..short_words import WORD_BYTES
from .accesses import access_table
from .example import Worked
from .mac import broken_messages
from .packet import channel_sentences, first_result, key_limits
from .unit import broken_units, units_ahead
from .wide import wide_bytes, wide_refused, wide_timing, wide_warning
from .words import begun_by

__all__ = ["bus_sentences", "bus_table", "bus_timing"]


def bus_sentences(core: Core) -> Iterator[str]:
    """The protocol at the bus of `core`."""
    return _named(core, _sentences(core))


def _named(core: Core, lines: Iterable[str]) -> Iterator[str]:
    """The same lines; where the core has channels, with the names of channel 0."""
    return (streams_named(line, 0) if core.channels else line for line in lines)


def _sentences(core: Core) -> Iterator[str]:
    yield "All streams are AXI-Stream. Byte 0 of a message is in TDATA[7:0] of its first beat."
    yield from channel_sentences(core)
    yield "A beat moves in a cycle in which TVALID and TREADY are both 1."
    yield (
        "s_axis_tready is made of registers and of what s_axis_tuser says of the beat: words of an IV need "
        "no IV in the registers."
        if core.parameters["control"] != "none" and core.parameters.get("iv_bits") == "any"
        else "Ready outputs depend on registers only."
    )
    yield "TKEEP has ones for the bytes that count, from bit 0 on. In m_axis the other bytes are 0."
    place = "The core waits until a result is taken" if core.wide else _PLACE
    yield f"{place}, so nothing is lost under any back-pressure."
    yield from _width(core)
    yield from (_packets if core.packet else _units if core.unit else _wide if core.wide else _messages)(core)


_PLACE = "A place is kept free for whatever a beat makes leave"
"""Why no result is lost where a core does not wait."""


def _beat_bytes(core: Core) -> int:
    """Bytes of a beat."""
    return int(core.parameters["tdata_bits"] or core.parameters["block_bits"] * core.lanes) // 8


def _word_bytes(core: Core) -> int:
    """Bytes of a word, of which the core takes one at a time."""
    return int(core.parameters["block_bits"]) // 8 * core.lanes


def _part(core: Core) -> str:
    """What the core takes at a time: a beat, or a word where that is something else."""
    return "beat" if _beat_bytes(core) == _word_bytes(core) else "word"


def _after(core: Core) -> str:
    """When the core has what makes a result."""
    return "its beat" if _part(core) == "beat" else "the last beat of its word"


def _width(core: Core) -> Iterator[str]:
    """What follows from beats that are no words."""
    beat, word = _beat_bytes(core), _word_bytes(core)
    if beat == word:
        return
    if beat < word:
        yield f"The core works on words of {word} bytes, which are {word // beat} beats."
        if core.parameters["tid_bits"] and not core.wide:
            yield "A result has the TID of its word's last beat."
    else:
        yield f"The core works on words of {word} bytes, of which a beat has {beat // word}."
    yield "Beats are taken while there is room for them in front of the core, also before it is ready."
    if not core.unit and not core.keys_announced:
        key = "LOAD_KEY" if core.bus else f"`{core.ports.key_valid}`"
        yield (
            f"A key that is offered by {key} waits until beats that were taken before have reached the core, "
            "and meanwhile no message begins."
        )


def _packets(core: Core) -> Iterator[str]:
    assert core.packet is not None
    lengths = bus_length_ports(core.packet["ports"])
    yield ""
    yield (
        f"A packet is a message of {core.parameters['mode'].upper()}: beats of additional data first, then "
        "beats of data. TLAST ends it."
    )
    yield (
        "Only the last beat of the additional data and the last beat of the data may have fewer than "
        f"{_beat_bytes(core)} bytes."
    )
    yield (
        "A packet without additional data and data is one beat with TKEEP = 0 and TLAST = 1, and no "
        "other beat is empty."
    )
    yield (
        "`s_axis_tuser[0]` says that the packet is decrypted, in all of its beats; `s_axis_tuser[1]`, "
        "that the beat is additional data."
    )
    if "key_slot" in core.packet["ports"]:
        yield "`s_axis_tuser[2]` is the slot of the packet's key, in all of its beats."
        said = "KEY_SLOT in CONTROL, in the same write as LOAD_KEY," if core.bus else "`load_slot_i`"
        yield f"{said} says which slot a key is for; packets under the other key go on meanwhile."
    if core.keys_announced:
        yield from _announced(core)
    if core.bus:
        yield from _packet_registers(bool(lengths))
    elif lengths:
        yield from _lengths(*lengths)
    else:
        yield (
            "`s_iv_i` is read with the packet's first beat and `s_tag_i`, the expected tag, with its last. "
            "They stay while their beat is offered."
        )
    if "iv_word" in core.packet["ports"]:
        yield (
            "An IV that has not 96 bits comes in beats before its packet, with `s_axis_tuser[2]` = 1; "
            f"TLAST ends it. Then {'IV stays as it is' if core.bus else '`s_iv_i` is not read'}."
        )
    yield ""
    yield (
        "The data of a packet leave at `m_axis` as a packet. Additional data leave nothing, and a packet "
        "without data has none there."
    )
    yield (
        "For every packet one beat leaves at `m_tag`, in the order of the packets: the tag of one that "
        "was encrypted."
    )
    yield (
        "`m_tag_tuser[1]` is 1 where it was decrypted and its tag is the expected one; then and where it "
        "is wrong TDATA is 0."
    )
    yield (
        "`m_tag_tuser[0]` says that it was decrypted, and `m_tag_tuser[2]` that it has a packet at `m_axis`."
    )
    yield "Take from both streams: while one of them is full, no beat is accepted."
    yield from _release(core)
    yield ""
    yield (
        "The core does not check these rules. What leaves for a packet that breaks one means nothing; "
        "packets behind it are right."
    )
    yield ""
    what = "A nonce" if lengths else "An IV"
    yield f"{what} is used for one packet under a key. The core can't see that one is used again."
    yield from key_limits(core.packet)


def _announced(core: Core) -> Iterator[str]:
    """How packets get their keys."""
    n = core.ports
    yield (
        f"Every packet's key is announced at `{n.key}`, by a handshake of `{n.key_valid}` and "
        f"`{n.key_ready}`, in the order of the packets. A packet's first beat waits for its key."
    )
    yield "At most three keys are ahead of their packets. One that is resident is not loaded again."


def _lengths(aad: str, data: str) -> Iterator[str]:
    """What is read beside a beat where the mode needs lengths before the data, at these ports."""
    yield (
        f"`s_iv_i`, the nonce, and `{aad}` and `{data}`, the bytes of the packet's additional data and of "
        "its data, are read with the packet's first beat; `s_tag_i`, the expected tag, with its last."
    )
    yield "They stay while their beat is offered."
    yield "**The lengths must be those of the beats that come: the core does not count.**"


def _release(core: Core) -> Iterator[str]:
    """When data of a decrypted packet leave."""
    assert core.packet is not None
    release = core.packet.get("release")
    if release is None:
        yield "**Data of a decrypted packet leave before the verdict: do not use them before it.**"
        return
    most = release["longest_packet_words"]
    yield (
        "**Data of a decrypted packet leave after its verdict, and only where its tag was the expected "
        f"one.** They wait in a buffer of {release['words']} words of 16 bytes."
    )
    yield (
        "A packet whose tag is wrong leaves one beat at `m_tag`, with `m_tag_tuser[1]` = 0 and "
        "`m_tag_tuser[2]` = 0, and nothing at `m_axis`."
    )
    yield (
        f"A packet that is decrypted has at most {most} words of data ({16 * most} bytes). A longer one is "
        "taken whole and refused in the same way, whatever its tag is, and `m_tag_tuser[3]` is 1."
    )
    yield "Packets that are encrypted do not wait, and have any length."


def _packet_registers(lengths: bool) -> Iterator[str]:
    """What is in registers. lengths: those of a packet, too, whose IV is a nonce."""
    name, an = ("nonce", "A nonce") if lengths else ("IV", "An IV")
    yield f"Software writes the packet's {name} to the registers IV, and then 1 to LOAD_IV in CONTROL."
    yield (
        f"{an} is for one packet: its first beat waits until there is one, and takes it. Then IV_PENDING is "
        "0, and software can write the next one."
    )
    if lengths:
        yield (
            "Before LOAD_IV it writes how many bytes of additional data the packet has to AAD_BYTES, and of "
            "data to DATA_BYTES, also where there are none: without them LOAD_IV does nothing."
        )
        yield "**The lengths must be those of the beats that come: the core does not count.**"
    yield (
        "Before LOAD_IV it writes the expected tag of a packet that is decrypted to TAG; bytes that are not "
        "written are 0."
    )
    yield "WRONG_TAG in INTERRUPT_STATUS tells of a verdict that left and is not the expected tag."


def _registered_numbers(n: Mapping[str, str], waits: str) -> Iterator[str]:
    """How units get their numbers over the registers; `n` as of a unit's ports in the record, `waits`: what
    waits for a number.
    """
    yield "Software writes its number to the registers UNIT, and then 1 to LOAD_UNIT in CONTROL."
    yield f"The core takes it when it can; then UNIT_PENDING is 0. {waits}"
    if "key_slot" in n:
        yield "UNIT_SLOT in CONTROL, in the same write as LOAD_UNIT, is the slot of the unit's key."
        yield "While a number waits, no write changes it or its slot."
    if "unit_more" in n:
        yield (
            "It can be that of the first unit of a run: before LOAD_UNIT, software writes to UNIT_MORE how "
            "many units follow with the next numbers."
        )
        yield (
            "UNIT_MORE goes with that number and is 0 then, so a number without it is that of one unit. "
            "While a number waits, writes to UNIT and UNIT_MORE do nothing."
        )


def _announced_numbers(n: Mapping[str, str], waits: str) -> Iterator[str]:
    """How units get their numbers at the ports `n`; `waits`: what waits for a number."""
    yield (
        f"Its number is announced at `{n['unit']}`, by a handshake of `{n['unit_valid']}` and "
        f"`{n['unit_ready']}`. {waits}"
    )
    if more := n.get("unit_more"):
        yield (
            f"It is that of the first unit of a run; `{more}` says how many units follow with the next "
            "numbers (0: this one alone)."
        )
    if slot := n.get("key_slot"):
        yield f"`{slot}` beside it is the slot of the unit's key."
        yield "Both are read in the cycle before the number is taken: offer them until then."
        yield f"`{n['load_slot']}` says which slot a key is for."
        yield "Units under the other key go on while it is loaded."


def _units(core: Core) -> Iterator[str]:
    assert core.unit is not None
    yield ""
    yield (
        f"A packet is a data unit of XTS, of {WORD_BYTES} bytes at least. Only its last beat may have fewer "
        f"than {_beat_bytes(core)} bytes, from 1 byte on: no beat is empty."
    )
    waits = "The unit's first beat waits for it."
    if _part(core) == "word":
        waits = "The unit's first word waits for it, in front of the core."
    yield from (_registered_numbers if core.bus else _announced_numbers)(core.unit["ports"], waits)
    yield f"Announce numbers in the order of the units, up to {units_ahead(core.unit)}."
    if core.parameters["direction"] == "both":
        yield (
            "`s_axis_tuser` says that the unit is decrypted, in all of its beats; it comes back with the "
            "result."
        )
    if core.parameters["tid_bits"]:
        yield "All beats of a unit have the same TID."
    yield (
        "The result is a packet of as many bytes. Beats leave in the order of the bytes, also where "
        "bytes are stolen:"
    )
    yield "a short last beat waits until the beat before it is there, and so do the units behind it."
    if core.parameters["distinct_halves"]:
        stays = "UNIT_PENDING stays 1" if core.bus else f"`{core.unit['ports']['unit_ready']}` stays 0"
        yield f"Under a key whose halves are equal, {stays}, and no unit is taken."
    elif core.keys_travel:
        yield "The core does not compare K1 and K2. They must differ."
    else:
        yield "The core does not compare K1 and K2. They must differ (option `distinct_halves`)."
    yield ""
    yield from broken_units("ZEROISE" if core.bus else f"`{core.ports.zeroise}`")


def _wide(core: Core) -> Iterator[str]:
    """Packets whose result is as long as their text."""
    yield from wide_warning(core)
    bits, most = core.parameters["block_bits"], wide_bytes(core)
    yield ""
    yield (
        "A packet is a message of HCTR2: beats of the tweak first, then beats of the text. TLAST ends it. "
        "There need be no tweak."
    )
    yield (
        "Only the last beat of the tweak and the last beat of the text may have fewer than "
        f"{_beat_bytes(core)} bytes, from 1 byte on: no beat is empty."
    )
    yield (
        f"A text has {bits // 8} to {most} bytes, a tweak 0 to {most}. The text waits in a memory, since the "
        "first byte of the result depends on the last one of the text."
    )
    yield (
        "`s_axis_tuser[0]` says that the packet is decrypted. It is read with the first word: keep it in all "
        "beats of that. `s_axis_tuser[1]` says that the beat is of the tweak."
    )
    yield ""
    yield (
        "The result is a packet of as many bytes as the text. `m_axis_tuser[0]` says that it was decrypted. "
        "The next packet begins when it has left."
    )
    if core.parameters["tid_bits"]:
        yield "The result has the TID of the packet's last beat."
    yield ""
    yield wide_refused("beat")
    yield (
        "It is taken to its end. Then one beat leaves with TKEEP = 0, TLAST = 1 and `m_axis_tuser[1]` = 1. "
        "The packet behind it is right."
    )


def _messages(core: Core) -> Iterator[str]:
    yield ""
    yield (
        "A packet is a message. Every beat but the last is whole; an empty message is one beat with "
        "TKEEP = 0 and TLAST = 1, and no other beat is empty."
    )
    beats = -(
        -tag_length(core.parameters["tag_bits"], core.parameters["block_bits"]) // 8 // _beat_bytes(core)
    )
    many = "one beat" if beats == 1 else f"{beats} beats"
    yield f"Its tag is a packet of {many} at `m_axis`, where TKEEP names the bytes that are shown."
    yield (
        "The core makes the subkeys of SP 800-38B from each key. A key that is offered within a message "
        "is taken after the message's tag."
    )
    yield ""
    yield from broken_messages()


def _beats(core: Core, worked: Worked) -> Iterator[tuple[bytes, int, int]]:
    """Bytes, TUSER and TLAST of the worked message's beats."""
    size = _beat_bytes(core)
    words = [(w, 2) for w in _cut(worked.aad, size)] + [(w, 0) for w in _cut(worked.block, size)]
    for k, (word, user) in enumerate(words or [(b"", 0)], 1):
        yield word, user, int(k == max(1, len(words)))


def _cut(text: bytes, size: int) -> list[bytes]:
    return [text[k : k + size] for k in range(0, len(text), size)]


def bus_table(core: Core, worked: Worked) -> Iterator[str]:
    """The beats of the worked message `worked` at the bus of `core`, in tables, and behind registers what
    software writes first.
    """
    return _named(core, _table(core, worked))


def _table(core: Core, worked: Worked) -> Iterator[str]:
    """The same at a core that has no channels."""
    yield from _introduced(core, worked)
    yield ""
    if core.bus:
        yield "First software writes:"
        yield ""
        yield from access_table(begun_by(core, worked))
        yield ""
        yield "Then come the beats:"
        yield ""
    yield from _beat_tables(core, worked)


def _introduced(core: Core, worked: Worked) -> Iterator[str]:
    """What the worked message is."""
    if core.packet:
        where = "in the registers IV" if core.bus else "at `s_iv_i`"
        if lengths := bus_length_ports(core.packet["ports"]):
            aad, data = ("AAD_BYTES", "DATA_BYTES") if core.bus else lengths
            where += f", `{aad}` = {len(worked.aad)} and `{data}` = {len(worked.block)}"
        name = "nonce" if lengths else "IV"
        yield f"The packet of the section Bytes, encrypted, with its {name} {where}:"
    elif core.unit:
        yield f"The unit of the section Bytes, encrypted; its number is `{worked.iv.hex(' ')}`:"
    elif core.wide:
        yield "The packet of the section Bytes, encrypted:"
    else:
        yield "The message of the section Bytes:"


def _beat_tables(core: Core, worked: Worked) -> Iterator[str]:
    """The beats on either side."""
    size = _beat_bytes(core)
    has_user = any(pin.name.endswith("s_axis_tuser") for pin in core.component.pins)
    yield f"| beat of s_axis | bytes, from TDATA[7:0] on | TKEEP |{' TUSER |' * has_user} TLAST |"
    yield f"|--:|---|---|{'--:|' * has_user}--:|"
    for k, (word, user, last) in enumerate(_beats(core, worked), 1):
        told = f" {user} |" if has_user else ""
        yield f"| {k} | `{word.hex(' ')}` | `{_keep(word, size)}` |{told} {last} |"
    results = _cut(worked.tag if core.mac else worked.result, size)
    yield ""
    yield "| beat of m_axis | bytes, from TDATA[7:0] on | TKEEP | TLAST |"
    yield "|--:|---|---|--:|"
    for k, word in enumerate(results, 1):
        yield f"| {k} | `{word.hex(' ')}` | `{_keep(word, size)}` | {int(k == len(results))} |"
    if core.packet:
        yield ""
        yield f"At `m_tag` leaves `{worked.tag.hex(' ')}`, with TUSER = 4."


def _keep(word: bytes, size: int) -> str:
    return f"{size}'h{(1 << len(word)) - 1:0{-(-size // 4)}x}"


def bus_timing(core: Core) -> Iterator[str]:
    """Latencies and rates of `core` while results are taken at once."""
    yield from _timing(core)
    if core.channels:
        yield "That holds in each channel, whatever the others do."


def _timing(core: Core) -> Iterator[str]:
    """The same of a core that has no channels."""
    if core.packet:
        yield from _packet_times(core, core.packet)
    elif core.unit:
        yield from _unit_times(core, core.unit)
    elif core.wide:
        yield from wide_timing(core)
        if later := _later(core):
            cycles = "a cycle" if later == 1 else f"{later} cycles"
            yield f"Behind AXI-Stream the first result is offered {cycles} later than that."
    else:
        assert core.mac is not None
        most = core.mac["longest_latency_cycles"] + _later(core)
        yield (
            f"While tags are taken at once, a tag is offered {core.latency} to {most} cycles after its "
            "message's last beat."
        )
        yield f"A {_part(core)} can be taken every {core.interval} cycles."


def _later(core: Core) -> int:
    """Cycles that the bus adds to a result."""
    assert core.stream is not None
    return core.latency - int(core.stream["latency_cycles"])


def _packet_times(core: Core, packet: Mapping[str, Any]) -> Iterator[str]:
    """When words and tags of packets leave, and when beats are taken."""
    assert core.stream is not None
    part, after = _part(core), _after(core)
    taken, later = "While results are taken at once, a result", int(core.stream["tag_added_cycles"])
    of = " of a packet that is encrypted" if "release" in packet else ""
    least, most = (packet.get(f"{k}tag_latency_cycles", 0) + later for k in ("least_", ""))
    if not least - later:
        yield f"{taken}{of} is offered {core.latency} cycles after {after}."
        yield f"A packet's tag or verdict is offered {most} cycles after its last beat."
        yield f"A {part} can be taken every cycle, but for one cycle after a packet's last {part}."
        return
    if "longest_latency_cycles" in packet:
        longest, first = packet["longest_latency_cycles"] + _later(core), first_result(core)
        yield f"{taken}{of} is offered {first} to {longest} cycles after {after}."
        yield (
            f"That of a packet's first {part}, where this is a {part} of data, is offered exactly "
            f"{core.latency} cycles after it."
        )
        yield f"A {part} of data can be taken every {core.interval} cycles."
    else:
        yield f"{taken}{of} is offered {core.latency} cycles after {after}, or a few more."
        yield f"The {part} waits for its place in the loop."
        yield f"On average a {part} can be taken every {core.interval} cycles."
    yield f"A packet's tag or verdict is offered {least} to {most} cycles after its last beat."
    yield f"No other {part} is taken from a packet's last one until its tag is made."


def _unit_times(core: Core, unit: Mapping[str, Any]) -> Iterator[str]:
    """When words of data units leave, and when beats are taken."""
    part = _part(core)
    if core.interval == 1:
        taken = "While results are taken at once, a result"
        yield f"{taken} is offered {core.latency} cycles after {_after(core)}."
        yield f"A {part} can be taken every cycle, but for one cycle for each unit."
    else:
        most = unit["longest_latency_cycles"] + _later(core)
        yield (
            f"While results are taken at once, that of a unit's last {part} is offered "
            f"{core.latency} to {most} cycles after it."
        )
        yield f"That of any other {part} leaves only after the {part} behind it has come."
        every = f"{core.interval / core.slots:.4g} cycles: {core.slots} in {core.interval} cycles"
        yield f"On average a {part} can be taken every {every}. Each unit takes the time of one {part} more."
    later = "of a unit with a short one leaves later, since it takes the stolen bytes in."
    yield f"The last whole {part} {later}"
