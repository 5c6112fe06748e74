"""Words in packets or messages on a board: what goes with a word, and the tag that leaves beside the words.

In the self-check each batch is one packet. Its first words are additional data, where the mode has them. The
last of these words and the last of the packet are short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...rtl import Clocked, Drive, Pin, Reg, Step, Stream, WrapperItem, each_byte
from .commands import Command, Widths
from .counting import RING, ring_last
from .slots import Expected

__all__ = [
    "AAD_WORDS",
    "TAG_STATE",
    "PacketPorts",
    "attributes",
    "differing_tag",
    "filled",
    "lengths",
    "result_pins",
    "short_aad",
    "short_text",
    "tag_pins",
    "tag_streams",
    "tags",
    "word_pins",
]

AAD_WORDS = RING
"""Words of additional data at the beginning of a batch."""

TAG_STATE = {"tags": 32, "tag_wrongs": 32}
"""Counters of tags -> bits."""


@dataclass(frozen=True)
class PacketPorts:
    """What goes with words. aad: a word may be additional data; marked: with a result come its bytes, and
    whether it is the packet's last. If not, each result is the only one of its message.
    """

    aad: bool
    marked: bool
    filled: bool = False
    """A short word would be filled up, so all words of a batch are whole."""

    units: bool = False
    """Words come in data units with numbers (`units.py`)."""

    late: bool = False
    """Some results of units leave late."""

    said: int = 0
    """Where tags have a stream of their own, bits of it beside tag and verdict: bit 0 is 1 where the packet
    was decrypted, bit 1 where it has data, others where something is wrong.
    """

    def last_bytes(self, size: int) -> int:
        """Bytes of the last word of a batch; `size`: of a whole word."""
        return size if self.filled else short_text(size)


def short_aad(size: int) -> int:
    """Bytes of the last word of additional data in a batch; `size`: of a whole word."""
    return 13 * size // 16


def short_text(size: int) -> int:
    """Bytes of the last word of a batch; `size`: of a whole word."""
    return 7 * size // 16


def word_pins(widths: Widths, ports: PacketPorts) -> list[Pin]:
    """What is offered with a word of these `widths` to a core that has `ports`."""
    pins = [Pin("core_keep_o", widths.kept, True), Pin("core_last_o", out=True)]
    pins += [Pin("core_aad_o", out=True)] if ports.aad else []
    lengths = (("aad", widths.aad_length), ("data", widths.data_length))
    pins += [Pin(f"core_{what}_bytes_o", bits, True) for what, bits in lengths if bits]
    return pins + ([Pin("core_tag_o", widths.tag, True)] if widths.tag and not ports.units else [])


def result_pins(widths: Widths, ports: PacketPorts) -> list[Pin]:
    """What comes with a result of these `widths` from a core that has `ports`."""
    late = [Pin("core_late_i")] if ports.late else []
    return [Pin("core_keep_i", widths.kept), Pin("core_last_i"), *late] if ports.marked else []


def tag_pins(widths: Widths, ports: PacketPorts) -> list[Pin]:
    """The tag of the core, what is shown of it, and what clears the core. widths, ports: of the core."""
    pins = [Pin("core_zeroise_o", out=True)]
    if not widths.tag:
        return pins
    if ports.units:
        return [*pins, Pin("tag_o", widths.tag, True)]
    given = [] if ports.said else [Pin("core_tag_valid_i"), *_given_tag(widths)]
    return [*pins, *given, Pin("tag_o", widths.tag, True)]


def _given_tag(widths: Widths) -> tuple[Pin, ...]:
    """The tag of a packet, and its verdict."""
    return (Pin("core_tag_i", widths.tag), Pin("core_good_i"))


def tag_streams(widths: Widths, ports: PacketPorts) -> tuple[Stream, ...]:
    """The stream of tags, where they have one: the core's `ports` say so, and `widths` how long a tag is."""
    if not ports.said:
        return ()
    return (Stream("core_tag_valid_i", (*_given_tag(widths), Pin("core_said_i", ports.said))),)


def filled(bits: int) -> str:
    """The result of `bits` bits as it is compacted: bytes that are not there are all ones, so that their
    marks are compared too.
    """
    return f"core_block_i ^ {each_byte('~core_keep_i', bits // 8)}"


def attributes(
    widths: Widths, ports: PacketPorts, rings: Sequence[str], pulses: Mapping[Command, str]
) -> list[WrapperItem]:
    """Registers of what goes with the word that is offered: given by software, or by the word's place in its
    batch, or unit.

    widths, ports: of the core; rings: count the words of a batch, the first of them those of a unit; pulses:
    what is 1 when a command is carried out.
    """
    kept, given = widths.kept, pulses[Command.ATTRIBUTES]
    last = ring_last(rings[:1] if ports.units else rings, "restart_q")
    aad_ends = f"~restart_q & ~last_q & {rings[0]}[{RING - 2}] & aad_q"
    registers, steps = [Reg(("kept_q", "keep_q"), kept), Reg(("ends_q", "final_q"))], list[Step]()
    drives = [
        Drive("core_keep_o", "keep_q"),
        Drive("core_last_o", "final_q"),
        Drive("core_zeroise_o", pulses[Command.ZEROISE]),
    ]
    steps += [
        Step("kept_q", f"value_i[{kept - 1}:0]", given),
        Step("ends_q", f"value_i[{kept + 1}]", given),
        Step("final_q", f"single_q ? ends_q : {last}", "restart_q | advance"),
    ]
    short = _shortened(kept, ports.last_bytes(kept), last)
    if ports.aad:
        registers.append(Reg(("aad_given_q", "aad_q", "aad_ends_q")))
        drives.append(Drive("core_aad_o", "aad_q"))
        in_batch = "restart_q | last_q | (aad_q & ~aad_ends_q)"
        steps += [
            Step("aad_given_q", f"value_i[{kept}]", given),
            Step("aad_q", f"single_q ? aad_given_q : {in_batch}", "restart_q | advance"),
            Step("aad_ends_q", aad_ends, "restart_q | advance"),
        ]
        short = f"{short} & {_shortened(kept, short_aad(kept), aad_ends)}"
    steps.append(Step("keep_q", f"single_q ? kept_q : {short}", "restart_q | advance"))
    return [*registers, *drives, Clocked(tuple(steps))]


def lengths(widths: Widths, pulses: Mapping[Command, str]) -> list[WrapperItem]:
    """The lengths that a packet's first word takes, as they were given; batches of the self-check have them,
    too. widths: of the core; pulses: what is 1 when a command is carried out.
    """
    low, bits = widths.data_length, widths.aad_length + widths.data_length
    return [
        Reg(("lengths_q",), bits),
        Drive("core_aad_bytes_o", f"lengths_q[{bits - 1}:{low}]"),
        Drive("core_data_bytes_o", f"lengths_q[{low - 1}:0]"),
        Clocked((Step("lengths_q", f"value_i[{bits - 1}:0]", pulses[Command.LENGTHS]),)),
    ]


def _shortened(kept: int, size: int, when: str) -> str:
    """The marks of a word, of which `size` bytes are there where `when` is 1."""
    if size == kept:
        return f"{{{kept}{{1'b1}}}}"
    return f"{{{{{size}{{1'b1}}}}, {{{kept - size}{{~({when})}}}}}}"


def tags(expected: Expected, said: int, pulses: Mapping[Command, str]) -> list[WrapperItem]:
    """The tag that came last, and the one that is `expected`. Of a packet that is decrypted the core
    compares, and shows a verdict in place of the tag. said: bits that the core says beside tag and verdict;
    pulses: what is 1 when a command is carried out.
    """
    bits = expected.bits
    new = f"tag_seen_q & ~{pulses[Command.IV]}"
    return [
        Reg(("tag_q", *expected.registers), bits),
        Reg(("good_q", "tag_valid_q", "tag_ended_q", "tag_seen_q")),
        *([Reg(("said_q",), said, vector=True)] if said else []),
        Drive("core_tag_o", expected.of("word_slot_q")),
        Drive("tag_o", "tag_q"),
        Clocked(
            (
                Step("tag_valid_q", "core_tag_valid_i"),
                Step("tag_ended_q", "tag_valid_q & ~single_q"),
                Step("tag_seen_q", f"core_tag_valid_i | ({new})"),
            ),
            tuple((f"{name}_q", "1'b0") for name in ("tag_valid", "tag_ended", "tag_seen")),
        ),
        Clocked(
            (
                *expected.steps(pulses[Command.TAG]),
                Step("tag_q", "core_tag_i", "core_tag_valid_i"),
                Step("good_q", "core_good_i", "core_tag_valid_i"),
                *([Step("said_q", "core_said_i", "core_tag_valid_i")] if said else []),
            )
        ),
    ]


def differing_tag(expected: Expected, said: int, way: str) -> str:
    """Bits that differ: of what is `said` besides, so many bits, of the verdict, then of the tag, which is 0
    where packets are decrypted (`way` is 1). expected: the tag of the slot that is compared.
    """
    wanted = f"{expected.of('tag_slot_q')} & ~{{{expected.bits}{{{way}}}}}"
    others = f"said_q ^ {{{said - 1}'d1, {way}}}, " if said else ""
    return f"{{{others}good_q ^ {way}, tag_q ^ ({wanted})}}"
