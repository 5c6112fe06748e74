"""The timing diagrams of a core that takes whole messages: a packet, a data unit or a message from reset to
its last result; the packet behind it; a verdict; zeroising.

Values have the letters of SP 800-38B, C, D and E: A1, A2 … are words of additional data, P1 … those of
plaintext, C1 … those of ciphertext, M1 … those of a message, and T is its tag.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..channels import CHOSEN
from ..core import Core
from ..short_words import WORD_BYTES, keep_of
from ..wave import ANY, Diagram, Moment, handshake
from .example import Worked
from .register_diagrams import register_letters

__all__ = ["letters", "message_diagrams"]

_AT_REST = ("zeroise", "key_valid", "unit_valid", "valid_in", "load_slot", "key_slot", "iv_word", "unit_more")
"""Inputs that are 0 from the reset on, by meaning; the last four are 0 in all cycles."""

_ROWS = (
    *("reset", "zeroise", "key_valid", "key_ready", "key", "channels", "load_slot"),
    *("unit_valid", "unit_ready", "unit", "unit_more", "key_slot"),
    *("valid_in", "ready_out", "block_in", "keep_in", "last_in", "aad", "decrypt"),
    *("iv", "iv_word", "aad_bytes", "data_bytes", "tag_in"),
    *(
        "valid_out",
        "ready_in",
        "block_out",
        "keep_out",
        "last_out",
        "error",
        "late",
        "tag_valid",
        "tag_out",
        "good",
        "busy",
    ),
)
"""Ports by meaning, from the top of a diagram."""

_OF_ANY_CORE = (
    *("reset", "zeroise", "key_valid", "key_ready", "key"),
    *("valid_in", "ready_out", "block_in", "decrypt", "iv", "valid_out", "ready_in", "block_out", "busy"),
)
"""Those of them that every kind of core may have."""


def message_diagrams(core: Core, worked: Worked) -> tuple[Diagram, ...]:
    """All diagrams of `core`, which takes whole packets, data units or messages at plain ports, in the order
    in which a reader wants them, with the values of `worked`.
    """
    if core.packet:
        packets = _Packets(core, worked)
        announced = "announce_cycles" in core.packet
        behind = () if announced else (packets.behind(),)
        return (packets.sealed(), *behind, packets.opened(), packets.zeroised())
    if core.wide:
        wide = _Wide(core, worked)
        return (wide.whole(), wide.stalled(), wide.zeroised())
    one = _Units(core, worked) if core.unit else _Messages(core, worked)
    return (one.whole(), one.zeroised())


def letters(core: Core) -> str:
    """A sentence on the values in the diagrams of `core`; empty where they are no words of messages."""
    if core.bus:
        return register_letters(core)
    several = core.stream and core.parameters["tdata_bits"] not in (
        0,
        core.parameters["block_bits"] * core.lanes,
    )
    parts = "beats" if several else "words"
    if core.packet:
        nonce = "nonce" if "nonce_bytes" in core.packet else "IV"
        next_one = "" if core.stream else " IV2 is IV + 1."
        return (
            f"K, IV and T are the key, {nonce} and tag of the packet in the section Bytes; A1 and so on are "
            f"its {parts} of additional data, P1 of plaintext and C1 of ciphertext.{next_one}"
        )
    if core.unit:
        return (
            "K and i are the key and number of the unit in the section Bytes; P1 and "
            f"{'so on' if several else 'P2'} are its {parts} of plaintext, C1 and "
            f"{'so on' if several else 'C2'} of ciphertext."
        )
    if core.wide:
        return (
            "K is the key of the packet in the section Bytes; A1 is the word of its tweak, P1 and P2 are "
            "those of its plaintext, C1 and C2 of its ciphertext."
        )
    if core.mac:
        which = (
            "M1 and so on are its beats, T1 and so on those of its tag"
            if several
            else "M1 and M2 are its words"
        )
        return f"K and T are the key and tag of the message in the section Bytes; {which}."
    if core.stream:
        value = ", and IV the value that goes with it" if core.parameters["mode"] != "ecb" else ""
        return (
            f"K is the key of the section Bytes{value}; P1 and so on are beats of its plaintext, C1 of its "
            "ciphertext."
        )
    return ""


@dataclass(frozen=True)
class _Word:
    """A word that is offered: the name of its value, its first bytes that are there, and whether it is
    additional data.
    """

    name: str
    part: bytes
    aad: bool = False


class _Plan:
    """How the ports of a core move, as lists of moments. Ports are named by meaning."""

    PAYLOAD: tuple[str, ...] = ()
    """What is offered with a word."""

    def __init__(self, core: Core, worked: Worked, own: Mapping[str, Any]) -> None:
        self.core = core
        given = {what: getattr(core.ports, what) for what in _OF_ANY_CORE}
        given |= {"channels": CHOSEN} if core.channels and not core.keys_announced else {}
        self.ports = {what: name for what, name in {**given, **own["ports"]}.items() if name}
        self.size = core.parameters["block_bits"] // 8 * core.lanes
        self.values = {"K": int.from_bytes(worked.key, "big"), "all": (1 << core.channel_count) - 1}

    def diagram(self, name: str, title: str, moments: Sequence[Moment]) -> Diagram:
        """The diagram of these moments, whose ports are named by meaning."""
        at = self.ports

        def named(values: Mapping[str, str]) -> dict[str, str]:
            return {at[what]: value for what, value in values.items() if what in at}

        found = tuple(
            Moment(named(m.inputs), named(m.shows), m.after, at[m.until] if m.until else "") for m in moments
        )
        rows = {port for m in found for port in (*m.inputs, *m.shows)}
        order = tuple(at[what] for what in _ROWS if at.get(what) in rows)
        return Diagram(name, title, self.core.ports.clk, order, found, self.values)

    def cut(self, letter: str, data: bytes, aad: bool = False) -> list[_Word]:
        """The words of `data`, named by `letter` and a number from 1."""
        parts = [data[k : k + self.size] for k in range(0, len(data), self.size)]
        words = [_Word(f"{letter}{k}", part, aad) for k, part in enumerate(parts, 1)]
        self.values |= {w.name: self.number(w.part, self.size) for w in words}
        self.values |= {self.kept(w): keep_of(len(w.part), self.size) for w in words}
        return words

    @staticmethod
    def number(data: bytes, size: int) -> int:
        """`data` as a number of `size` bytes: byte 0 at the top, those that are missing 0."""
        return int.from_bytes(data.ljust(size, b"\0"), "big")

    def kept(self, word: _Word) -> str:
        """The value of a keep port beside a word, in hexadecimal digits."""
        return f"{keep_of(len(word.part), self.size):0{self.size // 4}x}"

    @property
    def in_loop(self) -> bool:
        """Whether words wait for a place of a loop."""
        return self.core.interval > 1

    def begin(self, data: Sequence[str]) -> Iterator[Moment]:
        """Reset, and a key where the core keeps one. data: inputs whose values do not matter yet."""
        rest = dict.fromkeys(_AT_REST, "0")
        yield Moment({**rest, **dict.fromkeys(data, ANY), "reset": "1", "key": ANY, "channels": ANY})
        yield Moment({"reset": "0"}, {"valid_out": "0", "tag_valid": "0", "busy": "0"})
        if "key_valid" not in self.ports:
            return
        key, after = {"key": "K", "channels": "all"}, {"key_ready": "0", "busy": "1"}
        taken, withdrawn = handshake("key_valid", "key_ready", key, after)
        if not (self.core.packet and "announce_cycles" in self.core.packet):
            yield Moment(taken.inputs, {"key_ready": "0"})
            taken = replace(taken, inputs={})
        yield taken
        yield withdrawn

    def payload(self, word: _Word, last: bool) -> dict[str, str]:
        """What is offered with a word in every mode. last: the message ends with it."""
        kind = {"aad": "1" if word.aad else "0", "last_in": "1" if last else "0"}
        return {"valid_in": "1", "block_in": word.name, "keep_in": self.kept(word), **kind}

    def withdrawn(self) -> Moment:
        """No word is offered any more, in the cycle after the last one was taken."""
        return Moment({"valid_in": "0", **dict.fromkeys(self.PAYLOAD, ANY)}, {"ready_out": "0"})

    def offered(self, words: Sequence[_Word], beside: Sequence[Mapping[str, str]]) -> list[Moment]:
        """Each word until it is taken; beside: what else is offered with each, and stays."""
        found = []
        for k, (word, more) in enumerate(zip(words, beside, strict=True)):
            inputs = {**self.payload(word, k == len(words) - 1), **more}
            until = "ready_out" if self.in_loop or not k else ""
            found.append(Moment(inputs, {"ready_out": "1"}, until=until))
        return found

    def result(self, word: _Word, last: bool, after: int, late: bool = False) -> Moment:
        """A word of the result, so many cycles later; `after` 0: when it comes."""
        shows = {"valid_out": "1", "block_out": word.name, "keep_out": self.kept(word)}
        shows |= {"last_out": "1" if last else "0", "late": "1" if late else "0"}
        return Moment({}, shows, after or 1, "" if after else "valid_out")

    def zeroised(self) -> Diagram:
        """Everything is cleared. Where ready depends on the slot of a word or number that is offered, the
        diagram does not wait for it.
        """
        ready = "unit_ready" if "unit_ready" in self.ports else "ready_out"
        by_slot = "key_slot" in self.ports or "announce_cycles" in (self.core.packet or {})
        moments = [
            *self.begin(()),
            *([] if by_slot else [Moment({}, {ready: "1"}, until=ready)]),
            Moment({"zeroise": "1"}),
            Moment({"zeroise": "0"}, {"busy": "1", "valid_out": "0"}),
            Moment({}, {"busy": "0", "valid_out": "0"}, after=self.core.zeroise_cycles - 1),
        ]
        title = f"One cycle of {self.ports['zeroise']} clears keys and all that is in flight."
        return self.diagram("zeroise", title, moments)


def _joined(first: Moment, then: Moment) -> Moment:
    """The inputs of `first` and the outputs of `then` in one moment, which comes when `then` does."""
    return Moment(first.inputs, {**first.shows, **then.shows}, then.after, then.until)


class _Packets(_Plan):
    """Of a core of packets: GCM or CCM."""

    PAYLOAD = ("block_in", "keep_in", "last_in", "aad", "decrypt", "iv", "aad_bytes", "data_bytes", "tag_in")

    def __init__(self, core: Core, worked: Worked) -> None:
        assert core.packet is not None
        super().__init__(core, worked, core.packet)
        self.facts = core.packet
        self.aad = self.cut("A", worked.aad, True)
        self.plain, self.cipher = self.cut("P", worked.block), self.cut("C", worked.result)
        lengths = (len(worked.aad), len(worked.block))
        self.lengths = {"aad_bytes": str(lengths[0]), "data_bytes": str(lengths[1])}
        self.values |= {str(n): n for n in lengths}
        iv = int.from_bytes(worked.iv, "big")
        self.values |= {"IV": iv, "IV2": iv + 1, "T": self.number(worked.tag, WORD_BYTES)}

    def words(self, decrypt: bool) -> list[Moment]:
        """The packet, word by word, until its last word is taken."""
        words = [*self.aad, *(self.cipher if decrypt else self.plain)]
        way = {"decrypt": "1" if decrypt else "0"}
        later = dict.fromkeys(("iv", *self.lengths), ANY)
        first = {"iv": "IV", **self.lengths, **way}
        beside: list[dict[str, str]] = [first, *(later for _ in words[1:])]
        beside[-1] = {**beside[-1], "tag_in": "T"} if decrypt else beside[-1]
        return self.offered(words, beside)

    def whole(self, decrypt: bool) -> list[Moment]:
        """The packet, its results and its tag or verdict."""
        taken, data = self.words(decrypt), self.plain if decrypt else self.cipher
        if decrypt and "release" in self.facts:
            results = [self.result(w, w is data[-1], 0) for w in data]
            return [*taken, self.withdrawn(), self.tag(decrypt, 0), *results]
        if self.in_loop:
            return [*self.one_by_one(taken, data), self.tag(decrypt, 0)]
        return [*taken, self.withdrawn(), *self.at_once(decrypt, data)]

    def at_once(self, decrypt: bool, data: list[_Word]) -> Iterator[Moment]:
        """Results and tag of words that were taken one cycle after the other, after the cycle in which no
        word is offered any more.
        """
        first = self.core.latency - len(data)
        shown = {first + k: self.result(w, w is data[-1], 1) for k, w in enumerate(data)}
        at_tag, tag = int(self.facts["tag_latency_cycles"]) - 1, self.tag(decrypt, 1)
        shown[at_tag] = _joined(shown[at_tag], tag) if at_tag in shown else tag
        before = 0
        for cycle, moment in sorted(shown.items()):
            yield Moment({}, {"valid_out": "0", "tag_valid": "0", **moment.shows}, cycle - before)
            before = cycle

    def one_by_one(self, taken: list[Moment], data: list[_Word]) -> Iterator[Moment]:
        """The words that are `taken`; where they are data, the next one is offered after their result."""
        yield from taken[: len(self.aad)]
        for moment, word in zip(taken[len(self.aad) :], data, strict=True):
            yield moment
            left = self.withdrawn() if word is data[-1] else Moment({"valid_in": "0"})
            yield _joined(Moment(left.inputs), self.result(word, word is data[-1], 0))

    def tag(self, decrypt: bool, after: int) -> Moment:
        """The tag or the verdict, so many cycles later; `after` 0: when it comes."""
        shows = {"tag_valid": "1", "tag_out": "0" if decrypt else "T", "good": "1" if decrypt else "0"}
        return Moment({}, shows, after or 1, "" if after else "tag_valid")

    def sealed(self) -> Diagram:
        """From reset to the tag of a packet that is encrypted."""
        moments = [*self.begin(self.PAYLOAD[:-1]), *self.whole(False), Moment({}, {"tag_valid": "0"})]
        return self.diagram("packet", "Reset, a key, and a packet that is encrypted.", moments)

    def opened(self) -> Diagram:
        """The same packet, decrypted."""
        moments = [*self.begin(self.PAYLOAD), *self.whole(True), Moment({}, {"valid_out": "0"})]
        release = "; its data leave after the verdict" if "release" in self.facts else ""
        title = f"The same packet is decrypted, and its tag is the expected one{release}."
        return self.diagram("verdict", title, moments)

    def behind(self) -> Diagram:
        """The first word of another packet behind the last one of a packet."""
        word = (self.aad or self.plain)[0]
        another = {**self.payload(word, False), "iv": "IV2", **self.lengths, "decrypt": "0"}
        taken = Moment({}, {"ready_out": "1"})
        moments = [*self.begin(self.PAYLOAD[:-1]), *self.words(False)]
        if self.in_loop:
            moments += [self.withdrawn(), self.tag(False, 0), replace(taken, inputs=another)]
        else:
            moments += [Moment(another, {"ready_out": "0"}), taken]
        when = "after the tag" if self.in_loop else "one cycle later"
        return self.diagram("behind", f"Another packet follows: its first word is taken {when}.", moments)


class _Units(_Plan):
    """Of a core of data units: XTS."""

    PAYLOAD = ("block_in", "keep_in", "last_in", "decrypt")

    def __init__(self, core: Core, worked: Worked) -> None:
        assert core.unit is not None
        super().__init__(core, worked, core.unit)
        self.plain, self.cipher = self.cut("P", worked.block), self.cut("C", worked.result)
        self.values |= {"i": int.from_bytes(worked.iv, "big")}

    def whole(self) -> Diagram:
        """From reset to the results of a unit, whose last word is short."""
        keyed = {} if "key_valid" in self.ports else {"key": "K"}
        number = {"unit": "i", **keyed}
        way = {"decrypt": "0"}
        taken = self.offered(self.plain, [way] * len(self.plain))
        *_, whole, short = self.cipher
        results = [self.result(short, True, 0), self.result(whole, False, 0, late=True)]
        if not self.in_loop:
            results[0] = self.result(short, True, self.core.latency - len(taken))
        moments = [
            *self.begin((*self.PAYLOAD, "unit")),
            *handshake("unit_valid", "unit_ready", number),
            *taken,
            Moment(self.withdrawn().inputs),
            *results,
            Moment({}, {"valid_out": "0"}),
        ]
        held = "a unit's number and key" if keyed else "a key, a unit's number"
        return self.diagram("unit", f"Reset, {held}, and its words: the last one is short.", moments)


class _Wide(_Plan):
    """Of a core whose results are as long as their texts: HCTR2."""

    PAYLOAD = ("block_in", "keep_in", "last_in", "aad", "decrypt")

    def __init__(self, core: Core, worked: Worked) -> None:
        assert core.wide is not None
        super().__init__(core, worked, core.wide)
        self.tweak = self.cut("A", worked.aad, True)
        self.plain, self.cipher = self.cut("P", worked.block), self.cut("C", worked.result)

    def _until_result(self, takes: str) -> list[Moment]:
        """From reset to the first word of a result, which is taken where `takes` is "1"."""
        words = [*self.tweak, *self.plain]
        ways = [{"decrypt": "0"}, *({"decrypt": ANY} for _ in words[1:])]
        first, *others = self.begin(self.PAYLOAD)
        begun = replace(first, inputs={**first.inputs, "ready_in": takes})
        shown = self.result(self.cipher[0], False, 0)
        return [begun, *others, *self.offered(words, ways), self.withdrawn(), shown]

    def whole(self) -> Diagram:
        """From reset to the last word of a result, each of which is taken at once."""
        behind = [self.result(w, w is self.cipher[-1], 1) for w in self.cipher[1:]]
        end = Moment({}, {"valid_out": "0", "block_out": "0", "ready_out": "1"})
        moments = [*self._until_result("1"), *behind, end]
        return self.diagram("packet", "Reset, a key, and a packet that is encrypted.", moments)

    def stalled(self) -> Diagram:
        """The same, where nobody takes the first word for two cycles."""
        waits = self.result(self.cipher[0], False, 1)
        behind = [self.result(w, w is self.cipher[-1], 1) for w in self.cipher[1:]]
        taken = Moment({"ready_in": "1"}, waits.shows)
        moments = [*self._until_result("0"), waits, taken, *behind, Moment({}, {"valid_out": "0"})]
        port = self.ports["ready_in"]
        return self.diagram("stalled", f"A word of the result waits while {port} is 0.", moments)


class _Messages(_Plan):
    """Of a core that makes tags of messages: CMAC."""

    PAYLOAD = ("block_in", "keep_in", "last_in")

    def __init__(self, core: Core, worked: Worked) -> None:
        assert core.mac is not None
        super().__init__(core, worked, core.mac)
        self.message = self.cut("M", worked.block)
        self.values |= {"T": self.number(worked.tag, self.size)}

    def whole(self) -> Diagram:
        """From reset to the tag of a message."""
        moments = [
            *self.begin(self.PAYLOAD),
            *self.offered(self.message, [{}] * len(self.message)),
            self.withdrawn(),
            Moment({}, {"valid_out": "1", "block_out": "T"}, until="valid_out"),
            Moment({}, {"valid_out": "0", "block_out": "0"}),
        ]
        return self.diagram("message", "Reset, a key, a message and its tag.", moments)
