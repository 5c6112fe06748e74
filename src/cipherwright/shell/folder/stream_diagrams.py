"""The timing diagrams of a core behind AXI-Stream: the worked message from reset to what it becomes, with a
result that waits until it is taken; zeroising.

Values have the letters of `message_diagrams.py`. Of single blocks P1 and so on are beats of plaintext, and C1
and so on those of ciphertext.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...cipher.cmac import mac_words
from ..channels import CHOSEN, channel_name
from ..core import Core
from ..short_words import words_of
from ..wave import ANY, Diagram, Moment, handshake
from .example import Worked

__all__ = ["registered_stream", "stream_diagrams"]

_BESIDE = ("s_key_i", "s_iv_i", "s_aad_bytes_i", "s_data_bytes_i")
"""Ports that are read with a beat, as the core has them."""

_FEW = 8
"""Bits from which on a number is shown in hexadecimal digits."""

_ROWS = (
    *("rst_i", "zeroise_i", "key_valid_i", "key_ready_o", "key_i", CHOSEN),
    *("iv_valid_i", "iv_ready_o", "iv_i", "unit_valid_i", "unit_ready_o", "unit_i"),
    *("s_axis_tvalid", "s_axis_tready", "s_axis_tdata", "s_axis_tkeep", "s_axis_tlast", "s_axis_tuser"),
    *_BESIDE,
    *("m_axis_tvalid", "m_axis_tready", "m_axis_tdata", "m_axis_tkeep", "m_axis_tlast"),
    *("m_tag_tvalid", "m_tag_tready", "m_tag_tdata", "m_tag_tuser", "busy_o"),
)
"""Ports from the top of a diagram."""


@dataclass(frozen=True)
class _Beat:
    """A beat: the name of its data, how many bytes count, TUSER, and whether it is the last one."""

    name: str
    count: int
    user: int
    last: bool


def stream_diagrams(core: Core, worked: Worked) -> tuple[Diagram, ...]:
    """All diagrams of `core`, whose outermost ports are AXI-Stream and ports for keys, with the values of
    `worked`.
    """
    plan = _Plan(core, worked)
    return (plan.message(), *([plan.zeroised()] if core.ports.zeroise else []))


def registered_stream(
    core: Core, worked: Worked, begun: Sequence[Moment], rows: Sequence[str], values: Mapping[str, int]
) -> Diagram:
    """The diagram of the worked message `worked` through `core`, whose keys and all that belongs to a message
    are in registers: `begun` writes them at the ports `rows`, with these `values`, its first moment in reset.
    """
    plan = _Plan(core, worked)
    plan.values |= values
    first, *others = begun
    inputs = {**plan.at_rest(), **first.inputs}
    title = (
        f"A {plan.what} in beats behind the write of CONTROL for it, and its results; the first one waits "
        "until it is taken."
    )
    moments = [replace(first, inputs=inputs), *others, *plan.beats(), *plan.results()]
    return plan.diagram("stream", title, moments, rows)


class _Plan:
    """How the ports of a core move, as lists of moments. Ports are named as a core without channels has them;
    those of the first channel move.
    """

    def __init__(self, core: Core, worked: Worked) -> None:
        self.core, self.worked = core, worked
        first = channel_name("", 0)
        self.ports = {pin.name.removeprefix(first): pin.name for pin in core.component.pins}
        self.widths = {pin.name.removeprefix(first): pin.width for pin in core.component.pins}
        self.size = self.widths["s_axis_tdata"] // 8
        self.values = {"K": int.from_bytes(worked.key, "big"), "all": (1 << core.channel_count) - 1}
        self.initial = "i" if core.unit else "IV"
        self.values |= {self.initial: int.from_bytes(worked.iv, "big")} if worked.iv else {}
        self.values |= {"T": int.from_bytes(worked.tag, "little")} if worked.tag else {}

    def named(self, letter: str, data: bytes, user: int = 0, last: bool = True) -> list[_Beat]:
        """The beats of `data`, whose values are named by `letter` and a number. last: TLAST of the last."""
        parts = [data[k : k + self.size] for k in range(0, len(data), self.size)]
        beats = [
            _Beat(f"{letter}{k}", len(part), user, last and k == len(parts))
            for k, part in enumerate(parts, 1)
        ]
        self.values |= {b.name: int.from_bytes(p, "little") for b, p in zip(beats, parts, strict=True)}
        return beats

    @property
    def sent(self) -> list[_Beat]:
        """What goes in."""
        w = self.worked
        if self.core.packet:
            return [*self.named("A", w.aad, 2, not w.block), *self.named("P", w.block)]
        if self.core.unit:
            return self.named("P", b"".join(words_of(w.block)))
        if self.core.wide:
            return [*self.named("A", w.aad, 2, False), *self.named("P", w.block)]
        if self.core.mac:
            return self.named("M", b"".join(mac_words(w.block, 8 * self.size)))
        return self.named("C" if w.decrypt else "P", w.block)

    @property
    def left(self) -> list[_Beat]:
        """What comes out of m_axis."""
        if self.core.mac:
            return self.named("T", self.worked.tag)
        return self.named("P" if self.worked.decrypt else "C", self.worked.result)

    @property
    def what(self) -> str:
        """What beats make."""
        return "message" if self.core.takes == "block" else self.core.takes

    @property
    def at_once(self) -> bool:
        """Whether a beat is taken in every cycle."""
        return (
            self.core.interval == 1 and 8 * self.size == self.core.parameters["block_bits"] * self.core.lanes
        )

    def diagram(
        self, name: str, title: str, moments: Sequence[Moment], before: Sequence[str] = ()
    ) -> Diagram:
        """The diagram of these moments, without ports that the core does not have. before: ports above those
        of all cores.
        """

        def there(values: Mapping[str, str]) -> dict[str, str]:
            return {self.ports[port]: value for port, value in values.items() if port in self.ports}

        found = tuple(
            replace(m, inputs=there(m.inputs), shows=there(m.shows), until=self.ports.get(m.until, ""))
            for m in moments
        )
        rows = {port for m in found for port in (*m.inputs, *m.shows)}
        places = dict.fromkeys((*before, *_ROWS))
        order = tuple(self.ports[port] for port in places if self.ports.get(port) in rows)
        return Diagram(name, title, self.core.component.clock.clock, order, found, self.values)

    def number(self, value: int, port: str) -> str:
        """The name of a number at a port: of one bit the bit, of a few as in Verilog, else its digits."""
        width = self.widths.get(port, 1)
        if width == 1:
            return str(value)
        text = f"{width}'d{value}" if width < _FEW else f"{value:0{-(-width // 4)}x}"
        self.values[text] = value
        return text

    def at_rest(self) -> dict[str, str]:
        """Inputs where nothing is offered and nothing is taken."""
        zero = ("zeroise_i", "key_valid_i", "iv_valid_i", "unit_valid_i", "s_axis_tvalid")
        calm = dict.fromkeys((*zero, "m_axis_tready", "m_tag_tready"), "0")
        data = ("key_i", "iv_i", "unit_i", CHOSEN, *_BESIDE, *(p for p in _ROWS if p.startswith("s_axis_t")))
        some = dict.fromkeys((n for n in data if n not in ("s_axis_tvalid", "s_axis_tready")), ANY)
        return {**some, **calm}

    def begin(self) -> Iterator[Moment]:
        """Reset, and a key, a counter block and a unit's number, where the core takes them apart from beats.
        Results wait from the reset on.
        """
        held = {"key_i": "K"} if "key_valid_i" not in self.widths and "unit_i" not in self.widths else {}
        yield Moment({**self.at_rest(), **held, "rst_i": "1"})
        yield Moment({"rst_i": "0"}, {"m_axis_tvalid": "0", "m_tag_tvalid": "0"})
        if "key_valid_i" in self.widths:
            yield from handshake("key_valid_i", "key_ready_o", {"key_i": "K", CHOSEN: "all"})
        if "iv_valid_i" in self.widths:
            yield from handshake("iv_valid_i", "iv_ready_o", {"iv_i": "IV"})
        if "unit_valid_i" in self.widths:
            keyed = {} if "key_valid_i" in self.widths else {"key_i": "K"}
            yield from handshake("unit_valid_i", "unit_ready_o", {"unit_i": self.initial, **keyed})

    def beats(self) -> Iterator[Moment]:
        """Each beat until it is taken."""
        lengths = {"s_aad_bytes_i": len(self.worked.aad), "s_data_bytes_i": len(self.worked.block)}
        beside = {"s_key_i": "K", "s_iv_i": "IV"} | {n: self.number(v, n) for n, v in lengths.items()}
        first = True
        for beat in self.sent:
            said = {
                "s_axis_tdata": beat.name,
                "s_axis_tkeep": self.number((1 << beat.count) - 1, "s_axis_tkeep"),
                "s_axis_tlast": "1" if beat.last else "0",
                "s_axis_tuser": self.number(beat.user, "s_axis_tuser"),
            }
            more = beside if first or not (self.core.packet or self.core.unit) else dict.fromkeys(beside, ANY)
            until = "s_axis_tready" if first or not self.at_once else ""
            yield Moment({"s_axis_tvalid": "1", **said, **more}, {"s_axis_tready": "1"}, until=until)
            first = False
        yield Moment({"s_axis_tvalid": "0", **dict.fromkeys((*said, *beside), ANY)})

    def results(self) -> Iterator[Moment]:
        """The first beat waits for a cycle; then all are taken, and at last the tag."""
        beats = self.left
        shown = [
            {
                "m_axis_tvalid": "1",
                "m_axis_tdata": beat.name,
                "m_axis_tkeep": self.number((1 << beat.count) - 1, "m_axis_tkeep"),
                "m_axis_tlast": "1" if beat.last else "0",
            }
            for beat in beats
        ]
        yield Moment({}, shown[0], until="m_axis_tvalid")
        yield Moment({"m_axis_tready": "1"}, shown[0])
        for beat in shown[1:]:
            yield Moment({}, beat, until="" if self.at_once else "m_axis_tvalid")
        if "m_tag_tvalid" in self.widths:
            tag = {"m_tag_tvalid": "1", "m_tag_tdata": "T", "m_tag_tuser": self.number(4, "m_tag_tuser")}
            yield Moment({"m_tag_tready": "1"}, tag, until="m_tag_tvalid")
        yield Moment({}, {"m_axis_tvalid": "0", "m_tag_tvalid": "0"})

    def message(self) -> Diagram:
        """From reset to the results of the worked message."""
        where = " in channel 0" if self.core.channels else ""
        title = (
            f"Reset, a {self.what} in beats{where}, and its results; the first one waits until it is taken."
        )
        return self.diagram("stream", title, [*self.begin(), *self.beats(), *self.results()])

    def zeroised(self) -> Diagram:
        """Everything is cleared."""
        moments = [
            *self.begin(),
            Moment({"zeroise_i": "1"}),
            Moment({"zeroise_i": "0"}, {"busy_o": "1", "m_axis_tvalid": "0", "m_tag_tvalid": "0"}),
            Moment({}, {"busy_o": "0", "m_axis_tvalid": "0"}, after=self.core.zeroise_cycles - 1),
        ]
        return self.diagram(
            "zeroise", "One cycle of zeroise_i clears keys and all that is in flight.", moments
        )
