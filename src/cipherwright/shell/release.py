"""Release after the verdict: words of a decrypted packet wait behind a core until its tag has been compared.

Words and verdicts of the core go through one hand-written module (cipherwright_release.sv). In a pipeline a
word leaves the core long before its packet's tag, and words of the next packets follow it. So words wait in
delays first: the packet's last one is there in the cycle before its verdict, the next packet's first one
after it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..rtl import (
    Cell,
    Clocked,
    ClockReset,
    Design,
    Drive,
    Handshake,
    Held,
    Let,
    Module,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    WrittenModule,
    module_pins,
)
from ..spec import Datapath
from .buses import KEPT_FREE
from .message_core import ZEROISING, inner_name
from .waits import Waits
from .written import hand_written

__all__ = [
    "RELEASE_FILE",
    "RELEASE_PORTS",
    "STALL",
    "TOO_LONG",
    "Release",
    "Released",
    "hold_items",
    "release_top",
    "within",
]

RELEASE_FILE = "cipherwright_release.sv"

TOO_LONG = Pin(
    "too_long_o",
    out=True,
    meaning="with tag_valid_o: the packet was decrypted and is longer than the buffer takes; none of it left",
)
"""What is told with a verdict besides."""

RELEASE_PORTS = {"too_long": TOO_LONG.name}
"""What a port of a packet is for -> its name, besides."""

HOLD = Pin("hold_o", out=True)
"""What a mode tells of a word of its result: the packet is decrypted, so the word waits for the verdict."""

ANNOUNCE = Pin("announce_i", meaning="a word is taken that the buffer has to hold")
STALL = Pin("stall_i", meaning="no word leaves")
ROOM = Pin("room_o", out=True, meaning="one more word may be announced in this cycle")
WAITED = Pin("waited_o", out=True, meaning="the word is of a packet that was decrypted")
"""What a bus and the buffer tell each other: places are reserved before words are taken, and words leave
under back-pressure.
"""

_LATER_OUTPUTS = ("valid_late",)
"""Outputs of the delays that tell when something happens."""

_WORD = 128 + 15 + 1
"""Bits of a word in the memory: its first byte is always there."""

_DEEP_FROM = 6
"""log2 of the words from which on they are in block RAM, which has both registers behind it inside."""


@dataclass(frozen=True)
class Release:
    """The buffer of a core. words: its places, a power of two, or 0 where words wait for nothing; delay:
    cycles by which words are late, so that no word of the next packet is there before a verdict; tag_bits:
    bits of a tag; admits: a bus reserves places and holds words back; id_bits: of what it hands round the
    core with a word.

    Without a buffer nothing is later, and nothing is told besides.

    >>> Release(512, 0, 128).longest, Release().latency
    (504, 0)
    """

    words: int = 0
    delay: int = 0
    tag_bits: int = 128
    admits: bool = False
    id_bits: int = 0

    @classmethod
    def of(cls, spec: Datapath, delay: int = 0) -> Release:
        """The buffer that `spec` asks for; `delay` as above."""
        if spec.release != "verdict":
            return cls()
        return cls(spec.release_words, delay, spec.tag_bits, spec.streams, spec.tid_bits)

    @property
    def waits(self) -> bool:
        """Whether words of a decrypted packet wait for its verdict."""
        return self.words > 0

    @property
    def held(self) -> tuple[Pin, ...]:
        """What a mode tells of a word of its result besides."""
        return (HOLD,) * self.waits

    @property
    def told(self) -> tuple[Pin, ...]:
        """What a core tells the buffer around it besides."""
        return (ZEROISING, HOLD) * self.waits

    @property
    def shown(self) -> tuple[Pin, ...]:
        """Ports of the core with its buffer besides."""
        return (TOO_LONG, *self.bus) if self.waits else ()

    @property
    def bus(self) -> tuple[Pin, ...]:
        """What a bus and the buffer tell each other: none without a bus."""
        if not self.admits:
            return ()
        common = (ANNOUNCE, STALL, ROOM, WAITED)
        if not self.id_bits:
            return common
        handed = "what a bus hands round the core with the word that"
        return (
            *common,
            Pin("id_i", self.id_bits, meaning=f"{handed} enters the buffer"),
            Pin("enters_o", out=True, meaning="a word enters the buffer"),
            Pin("id_o", self.id_bits, True, meaning=f"{handed} leaves"),
        )

    @property
    def width(self) -> int:
        """Bits of a word in the buffer."""
        return _WORD + (1 + self.id_bits) * self.admits

    @property
    def ports(self) -> Mapping[str, str]:
        """What a port of a packet is for -> its name, besides."""
        return RELEASE_PORTS if self.waits else {}

    @property
    def log2(self) -> int:
        """Bits of a place's number."""
        return self.words.bit_length() - 1

    @property
    def longest(self) -> int:
        """Words of data of a packet that is decrypted, at most."""
        return self.words - KEPT_FREE

    @property
    def waiting(self) -> int:
        """The same; 0 where words wait for nothing."""
        return self.longest if self.waits else 0

    @property
    def latency(self) -> int:
        """Cycles by which a word leaves later that waits for nothing, where none is before it."""
        return (self.delay + 8) * self.waits

    @property
    def tag_latency(self) -> int:
        """Cycles by which a tag is later."""
        return int(self.waits)

    @property
    def settle(self) -> int:
        """Cycles from a packet's tag to the first of its words at its port, at most, and then to busy_o."""
        return 10 * self.waits

    @property
    def flush(self) -> int:
        """Cycles of zeroising in which every place and every register behind them is written anew."""
        return (self.words + 4) * self.waits

    @property
    def flip_flops(self) -> int:
        """Flip-flops of the hand-written module: a word in front of the memory and two behind it, where
        these are not in its block RAM; a tag; five places or counts, and what has happened; five more where a
        bus reserves places, of one of which the two lowest bits are not read, and two bits on that.
        """
        words = 1 if self.log2 >= _DEEP_FROM else 3
        room = 5 * (self.log2 + 1) * self.admits
        return words * self.width + self.tag_bits + 5 * (self.log2 + 1) + 21 + room

    @property
    def said(self) -> str:
        """What a header says of it."""
        if not self.waits:
            return ""
        return (
            "; words of a decrypted packet leave after its tag, at most "
            f"{self.settle} cycles later where none is before them"
        )

    def record(self) -> dict[str, dict[str, int]]:
        """What record.json says."""
        if not self.waits:
            return {}
        made = {"words": self.words, "longest_packet_words": self.longest, "latency_cycles": self.latency}
        return {"release": made}


@dataclass(frozen=True)
class Released:
    """What is around a core whose words wait in the buffer `release`: the delays (`later`), the hand-written
    module (`written`) and its files, and the printed modules (`tops`, the core's top last). All are empty
    where words wait for nothing.
    """

    release: Release = field(default_factory=Release)
    later: Design = field(default_factory=lambda: Design(()))
    written: tuple[WrittenModule, ...] = ()
    tops: tuple[Wrapper, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def modules(self) -> tuple[Module | Wrapper | WrittenModule, ...]:
        """All, used ones first."""
        return (*self.later.modules, *self.written, *self.tops)

    @property
    def flip_flops(self) -> int:
        """Of all."""
        written, tops = (sum(m.flip_flops for m in some) for some in (self.written, self.tops))
        return self.later.flip_flops() + written + tops


def within(spec: Datapath, top: str) -> str:
    """The module of the core `top`, of `spec`, without a buffer and without a bus."""
    return f"{top}_at_once" if spec.release == "verdict" else inner_name(spec)


def hold_items() -> tuple[WrapperItem, ...]:
    """In a mode around a loop, which takes the direction with a packet's first word: whether words of the
    packet wait.
    """
    take = "valid_i & open_i & ready_o"
    return (
        Reg(("within_q",), note="The first word of a packet or of an IV was taken, and not the last."),
        Reg(("decrypted_q",), note="The packet is decrypted."),
        Clocked(
            (
                Step("within_q", f"~drop_i & ~key_valid_i & ~wipe_i & (({take}) ? ~last_i : within_q)"),
                Step("decrypted_q", f"({take}) & ~within_q ? decrypt_i : decrypted_q"),
            ),
            (("within_q", "1'b0"), ("decrypted_q", "1'b0")),
        ),
        Drive(HOLD.name, "decrypted_q"),
    )


def release_top(
    spec: Datapath,
    top: str,
    release: Release,
    pins: tuple[tuple[Pin, ...], tuple[Pin, ...]],
    waits: Waits,
) -> Released:
    """What is around the core `within(spec, top)`, which tells `release.told` besides. spec, top: of the
    whole core, and the name of its module; pins: what goes with a word that is offered, and the results;
    waits: what words wait in.
    """
    if not release.waits:
        return Released()
    name = inner_name(spec)
    word, results = pins
    more = (ZEROISING,) * release.admits
    later = Design(())
    if release.delay:
        bits = {"word": _WORD, "valid": 1, "hold": 1}
        options = replace(waits.options, control=_LATER_OUTPUTS)
        waits = replace(waits, options=options)
        later = waits.module(f"{name}_later", {n: (width, release.delay) for n, width in bits.items()})
    links = {n: n for n in ("clk", "rst_i", "zeroise_i", "key_valid_i", "key_i", "key_ready_o")}
    links |= {n: n for n in ("valid_i", "block_i", "ready_o", *(p.name for p in word))}
    links |= {"valid_o": "made", "block_o": "block", "keep_o": "kept", "last_o": "ends", "hold_o": "waits"}
    links |= {"tag_valid_o": "tag_made", "tag_o": "tag", "good_o": "right"}
    links |= {"busy_o": "core_busy", "zeroising_o": "zeroising"}
    made = Wrapper(
        name,
        (
            "Words of a decrypted packet leave after its verdict, and only where that is good.",
            f"A packet that is decrypted has at most {release.longest} words of data.",
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", spec.key_bits), "key_ready_o"),
            Stream("valid_i", (*word, Pin("block_i", 128)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
            Held((Pin("zeroise_i"), Pin("busy_o", out=True), *results, TOO_LONG, *release.bus, *more)),
        ),
        (
            Wire(("made", "waits", "ends", "tag_made", "right", "zeroising", "core_busy", "kept_busy")),
            Wire(("block",), 128),
            Wire(("kept",), 16),
            Wire(("tag",), 128, "the bits behind a short tag are 0." * (release.tag_bits < 128)),
            Wire(("tag_shown",), release.tag_bits),
            Wire(("left",), release.width),
            Wire(("leaves",)),
            *(() if release.admits else (Wire(("room",), lint="nothing holds words back."),)),
            Let("word", "{ends, kept[14] & kept[15], kept[13:0], block}", _WORD),
            *_later(f"{name}_later", later),
            Drive("valid_o", "leaves"),
            Drive("block_o", "left[127:0]"),
            Drive("keep_o", "{leaves, left[142:128] & {15{leaves}}}"),
            Drive("last_o", f"left[{_WORD - 1}]"),
            Drive("tag_o", "tag_shown" if release.tag_bits == 128 else f"{{tag_shown, {_rest(release)}'d0}}"),
            *_to_bus(release),
            Drive("busy_o", "core_busy | kept_busy"),
            Cell(within(spec, top), "u_core", links),
            _buffer(release),
        ),
    )
    written = WrittenModule(RELEASE_FILE.removesuffix(".sv"), (), release.flip_flops)
    return Released(release, later, (written,), (made,), {RELEASE_FILE: hand_written(RELEASE_FILE)})


def _to_bus(release: Release) -> tuple[WrapperItem, ...]:
    """What a bus is told; with a word goes whether it waited, and what the bus hands round the core."""
    if not release.admits:
        return ()
    high = release.width - 1
    ids = f"left[{high}:{_WORD + 1}]" if release.id_bits > 1 else f"left[{high}]"
    return (
        Drive("zeroising_o", "zeroising"),
        Drive("waited_o", f"left[{_WORD}]"),
        *((Drive("enters_o", "valid_late"), Drive("id_o", ids)) if release.id_bits else ()),
    )


def _rest(release: Release) -> int:
    """Bits behind a short tag."""
    return 128 - release.tag_bits


def _later(name: str, later: Design) -> tuple[WrapperItem, ...]:
    """Words with what is said of them, late; or at once, where there are no delays."""
    values = {"valid": "made", "hold": "waits", "word": "word"}
    if not later.modules:
        return (
            Let("valid_late", "made"),
            Let("hold_late", "waits"),
            Let("word_late", "word", _WORD),
        )
    clocks = ("clk", "rst_i")
    links: dict[str, str] = {n: n for n in clocks if n in {p.name for p in module_pins(later.top)}}
    links |= {f"{n}_i": value for n, value in values.items()} | {f"{n}_late_o": f"{n}_late" for n in values}
    wires = Wire(("valid_late", "hold_late")), Wire(("word_late",), _WORD)
    return (*wires, Cell(name, "u_later", links))


def _buffer(release: Release) -> Cell:
    """The hand-written module."""
    links = {"clk": "clk", "rst_i": "rst_i", "zeroise_i": "zeroising", "reserve_i": "1'b0", "room_o": "room"}
    links |= {"valid_i": "valid_late", "hold_i": "hold_late", "data_i": "word_late"}
    links |= {"verdict_i": "tag_made", "good_i": "right", "tag_i": "tag"}
    if _rest(release):
        links["tag_i"] = f"tag[127:{_rest(release)}]"
    links |= {"verdict_o": "tag_valid_o", "good_o": "good_o", "long_o": "too_long_o", "tag_o": "tag_shown"}
    links |= {"m_valid_o": "leaves", "m_ready_i": "1'b1", "m_data_o": "left", "busy_o": "kept_busy"}
    parameters: dict[str, int | str] = {"WIDTH": release.width, "TAG_BITS": release.tag_bits}
    parameters["DEPTH_LOG2"] = release.log2
    if release.admits:
        links |= {"reserve_i": "announce_i", "room_o": "room_o", "m_ready_i": "~stall_i"}
        links["data_i"] = f"{{{'id_i, ' * bool(release.id_bits)}hold_late, word_late}}"
        parameters["ADMIT"] = 1
    return Cell(RELEASE_FILE.removesuffix(".sv"), "u_release", links, parameters)
