"""The top of a board: oscillator and UART outside, the PLL, the commands at the oscillator's clock, and the
core with its self-check at the PLL's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...rtl import (
    Clocked,
    ClockReset,
    Drive,
    Group,
    Held,
    Order,
    Part,
    Pin,
    Placed,
    Rate,
    Reg,
    Step,
    Wire,
    Wrapper,
    WrapperItem,
    bits_reversed,
    concatenated,
    connect,
    print_wrapper,
)
from ..buses import bytes_reversed
from ..core import Core
from .checker import BATCH, Checked, checker
from .commands import Widths, commands, requests
from .taken import beside_words, check_core
from .uart import receiver, transmitter

__all__ = [
    "LEDS",
    "MAGIC",
    "BoardPins",
    "BoardTop",
    "Pll",
    "board_top",
    "model_of_pll",
    "pll_module",
]

MAGIC = 0x43574231
"""What `READ` 0 begins with."""

LEDS = ("locked", "running", "wrong")
"""What lights mean: the PLL has locked; the self-check runs; a batch of it was wrong."""


@dataclass(frozen=True)
class Pll:
    """Dividers of an EHXPLLL: of the input (`input_divider`), of the feedback (`feedback_divider`), of the
    output (`output_divider`).
    """

    input_divider: int
    feedback_divider: int
    output_divider: int

    def output_mhz(self, input_mhz: float) -> float:
        """The output's frequency in MHz, from `input_mhz`, that of the oscillator: the feedback is the
        output, divided.

        >>> Pll(5, 42, 3).output_mhz(25.0)
        210.0
        """
        return input_mhz * self.feedback_divider / self.input_divider


@dataclass(frozen=True)
class BoardPins:
    """Ports beside clock and UART. leds: which of `LEDS` there are; `lit_by_0`: a 0 lights them; high: names
    of pins that have to be 1.
    """

    leds: Sequence[str]
    lit_by_0: bool
    high: Sequence[str]


@dataclass(frozen=True)
class BoardTop:
    """The `name` of the top, its modules as Verilog (`text`, without the PLL's), the name of the PLL's module
    (`pll`), the `widths` of the core, and the words of a `batch`.
    """

    name: str
    text: str
    pll: str
    widths: Widths
    batch: int = BATCH


def board_top(core: Core, pins: BoardPins, divisor: int, digest: int) -> BoardTop:
    """The modules around `core`. pins: of the board, beside clock and UART; divisor: cycles of the oscillator
    in a bit of the UART; digest: 32 bits by which the driver knows the core. Raises UserError as
    `check_core`.
    """
    checked, name = check_core(core, divisor), f"{core.top}_board"
    made = {
        "reset": _reset(f"{name}_reset"),
        "rx": receiver(f"{name}_rx", divisor),
        "tx": transmitter(f"{name}_tx", divisor),
        "commands": commands(f"{name}_commands", checked.widths, _words(core, checked, digest)),
    }
    check = checker(f"{name}_check", checked)
    parts = {what: Part(m.name, m.ports) for what, m in made.items()}
    parts["check"] = Part(check[-1].name, check[-1].ports)
    parts["core"] = Part(core.top, core.component.ports, Rate(core.latency, core.interval, core.slots))
    parts["pll"] = Part(f"{name}_pll", _PLL_PORTS)
    top = connect(
        name,
        (
            f"{core.top} on a board: commands over a UART ({divisor} cycles a bit) at the oscillator's "
            "clock, the core "
            "and its self-check at the PLL's.",
        ),
        _ports(pins),
        (*_clocks(parts), *_commands(parts, checked), *_checked(parts, core, checked), *_leds(pins)),
    )
    modules = (*made.values(), *check, top)
    text = "`default_nettype none\n\n" + "\n".join(map(print_wrapper, modules)) + "\n`default_nettype wire\n"
    return BoardTop(name, text, f"{name}_pll", checked.widths)


_PLL_PORTS: tuple[Group, ...] = (
    ClockReset("osc_i", ""),
    Held((Pin("clk_o", out=True), Pin("locked_o", out=True))),
)


def pll_module(name: str, pll: Pll) -> str:
    """The module `name` with the PLL of an ECP5 and the dividers of `pll`, as Verilog."""
    parameters: Mapping[str, int | str] = {
        "PLLRST_ENA": "DISABLED",
        "INTFB_WAKE": "DISABLED",
        "STDBY_ENABLE": "DISABLED",
        "DPHASE_SOURCE": "DISABLED",
        "OUTDIVIDER_MUXA": "DIVA",
        "CLKOP_ENABLE": "ENABLED",
        "CLKI_DIV": pll.input_divider,
        "CLKFB_DIV": pll.feedback_divider,
        "CLKOP_DIV": pll.output_divider,
        "CLKOP_CPHASE": pll.output_divider - 1,
        "CLKOP_FPHASE": 0,
        "FEEDBK_PATH": "CLKOP",
    }
    inputs = ("CLKI", "CLKFB", "RST", "STDBY", "PLLWAKESYNC", "ENCLKOP")
    part = Part(
        "EHXPLLL", (Held((*(Pin(n) for n in inputs), *(Pin(n, out=True) for n in ("CLKOP", "LOCK")))),)
    )
    links = dict.fromkeys(inputs, "1'b0") | {
        "CLKI": "osc_i",
        "CLKFB": "clk_o",
        "CLKOP": "clk_o",
        "LOCK": "locked_o",
    }
    return print_wrapper(
        connect(name, ("The PLL.",), _PLL_PORTS, (Placed(part, "u_pll", links, parameters),))
    )


def model_of_pll(name: str) -> str:
    """The PLL's module `name` for simulation: the core's clock is the oscillator's, and it is locked."""
    items = (Drive("clk_o", "osc_i"), Drive("locked_o", "1'b1"))
    return print_wrapper(connect(name, ("A model of the PLL: the same clock.",), _PLL_PORTS, items))


def _reset(name: str) -> Wrapper:
    """Reset from power-up until four cycles after ready_i."""
    return connect(
        name,
        ("Reset, until four cycles after ready_i became 1. Registers are 0 at power-up.",),
        (ClockReset(reset=""), Held((Pin("ready_i"), Pin("rst_o", out=True)))),
        (
            Reg(("steps_q",), 4),
            Drive("rst_o", "~steps_q[3]"),
            Clocked((Step("steps_q", "{steps_q[2:0], ready_i}"),)),
        ),
    )


def _words(core: Core, checked: Checked, digest: int) -> tuple[str, ...]:
    """What `READ` gives: the facts of the core, then the state of the self-check."""
    w = checked.widths
    facts = w.word // 8 << 24 | w.key // 8 << 16 | w.iv // 8 << 8 | checked.ways
    return (
        f"64'h{MAGIC:08x}{facts:08x}",
        f"64'h{digest:08x}{BATCH:08x}",
        *(f"state_i[{low + 63}:{low}]" for low in range(0, 256 + (64 + w.tag if w.tag else 0), 64)),
    )


def _ports(pins: BoardPins) -> tuple[Group, ...]:
    lights = tuple(Pin(f"led_{led}_o", out=True) for led in pins.leds)
    high = tuple(Pin(f"{name}_o", out=True) for name in pins.high)
    return (
        ClockReset("osc_i", ""),
        Held((Pin("uart_rx_i"), Pin("uart_tx_o", out=True), *lights, *high)),
    )


def _clocks(parts: Mapping[str, Part]) -> list[WrapperItem | Placed]:
    return [
        Wire(("clk_core", "locked", "rst_slow", "rst_core")),
        Placed(parts["pll"], "u_pll", {"osc_i": "osc_i", "clk_o": "clk_core", "locked_o": "locked"}),
        Placed(parts["reset"], "u_reset_slow", {"clk": "osc_i", "ready_i": "locked", "rst_o": "rst_slow"}),
        Placed(parts["reset"], "u_reset_core", {"clk": "clk_core", "ready_i": "locked", "rst_o": "rst_core"}),
    ]


def _commands(parts: Mapping[str, Part], checked: Checked) -> list[WrapperItem | Placed]:
    """UART and commands, at the oscillator's clock."""
    slow = {"clk": "osc_i", "rst_i": "rst_slow"}
    widths, flags = checked.widths, checked.flags
    state = f"16'd0, cycles, 32'd0, wrong, batches_in, batches_out, {64 - flags}'d0, flags"
    state = f"{{tags, tag_wrongs, tag, {state}}}" if widths.tag else f"{{{state}}}"
    between = {
        "request_o": "request",
        "op_o": "op",
        "value_o": "value",
        "ack_i": "ack",
        "result_i": "result",
        "taken_o": "taken",
        "signature_i": "signature",
        "state_i": state,
    }
    return [
        Wire(("rx_valid", "tx_valid", "tx_ready", "request", "ack", "result", "taken")),
        Wire(("rx_data", "tx_data"), 8),
        Wire(("op",), len(requests(widths))),
        Wire(("value",), checked.widths.value),
        Wire(("signature",), checked.widths.word),
        Wire(("flags",), flags),
        *(Wire((what,), bits) for what, bits in checked.state.items()),
        *([Wire(("tag",), widths.tag)] if widths.tag else []),
        Placed(
            parts["rx"], "u_rx", {**slow, "rx_i": "uart_rx_i", "valid_o": "rx_valid", "data_o": "rx_data"}
        ),
        Placed(
            parts["tx"],
            "u_tx",
            {**slow, "valid_i": "tx_valid", "data_i": "tx_data", "ready_o": "tx_ready", "tx_o": "uart_tx_o"},
        ),
        Placed(
            parts["commands"],
            "u_commands",
            {
                **slow,
                "valid_i": "rx_valid",
                "data_i": "rx_data",
                "valid_o": "tx_valid",
                "data_o": "tx_data",
                "ready_i": "tx_ready",
                **between,
            },
        ),
    ]


def _checked(parts: Mapping[str, Part], core: Core, checked: Checked) -> list[WrapperItem | Placed]:
    """The core and its self-check, at the PLL's clock."""
    ports, fast, word = core.ports, {"clk": "clk_core", "rst_i": "rst_core"}, checked.widths.word
    little = _little(core)
    wires: list[WrapperItem | Placed] = [
        Wire(("core_valid", "result_valid")),
        Wire(("core_block", "core_result"), word),
    ]
    at_check = {
        "core_valid_o": "core_valid",
        "core_block_o": "core_block",
        "core_valid_i": "result_valid",
        "core_block_i": "core_result",
        **{name: name.rpartition("_")[0] for name in ("request_i", "op_i", "value_i", "ack_o", "result_o")},
        **{name: name.rpartition("_")[0] for name in ("taken_i", "signature_o", "flags_o")},
        **{f"{what}_o": what for what in checked.state},
    }
    at_core = {
        ports.clk: "clk_core",
        ports.reset: "rst_core",
        ports.valid_in: "core_valid",
        ports.block_in: bytes_reversed("core_block", word) if little else "core_block",
        ports.valid_out: "result_valid",
        ports.block_out: bytes_reversed("core_result", word) if little else "core_result",
        **({ports.zeroise: "1'b0"} if ports.zeroise else {}),
        **({ports.ready_in: "1'b1"} if ports.ready_in else {}),
    }
    if checked.waits:
        wires.append(Wire(("core_ready",)))
        at_check["core_ready_i"] = at_core[ports.ready_out] = "core_ready"
    if checked.chains:
        wires.append(Wire(("core_first",)))
        at_check["core_first_o"] = at_core[ports.first] = "core_first"
    for what, _, bits in checked.shown:
        wires.append(Wire((f"core_{what}",), bits))
        at_check[f"core_{what}_o"] = at_core[getattr(ports, what)] = f"core_{what}"
    for what in checked.loads:
        wires.append(Wire((f"core_{what}_valid", f"core_{what}_ready")))
        at_check |= {
            f"core_{what}_valid_o": f"core_{what}_valid",
            f"core_{what}_ready_i": f"core_{what}_ready",
        }
        at_core |= {
            getattr(ports, f"{what}_valid"): f"core_{what}_valid",
            getattr(ports, f"{what}_ready"): f"core_{what}_ready",
        }
    if checked.packets:
        more = _packet_links(core, checked)
        wires += [Wire((n,), bits) for n, bits in more.wires.items()]
        at_check, at_core = at_check | more.at_check, at_core | more.at_core
    return [
        *wires,
        Placed(parts["check"], "u_check", {**fast, **at_check}),
        Placed(parts["core"], "u_core", at_core),
    ]


def _little(core: Core) -> bool:
    """Whether byte 0 of a word is the least significant byte of the core's ports, and its mark bit 0."""
    return any(p.name == core.ports.block_in and p.order is Order.PIECE_LITTLE for p in core.component.pins)


@dataclass(frozen=True)
class _Links:
    """Wires between core and self-check -> bits, and what is at the ports of both."""

    wires: dict[str, int]
    at_check: dict[str, str]
    at_core: dict[str, str]


_GIVEN = {"keep_in": "keep", "last_in": "last", "aad": "aad", "tag_in": "tag"}
_GIVEN |= {name: name for name in ("unit_valid", "unit", "key_slot", "load_slot", "aad_bytes", "data_bytes")}
_SHOWN = {"keep_out": "keep", "last_out": "last", "late": "late", "tag_valid": "tag_valid"}
_SHOWN |= {"tag_out": "tag", "good": "good"}
_ANSWERS = {"unit_ready": "unit_ready"}
_SIDES = ((_GIVEN, "core", "o"), (_ANSWERS, "core", "i"), (_SHOWN, "result", "i"))
"""What ports beside words are for -> a part of the wire's name; its other part, and the direction at the
self-check.
"""


def _packet_links(core: Core, checked: Checked) -> _Links:
    """What goes with words in packets, and the tag."""
    pins = {p.name: p for p in core.component.pins}
    links = _Links({"core_zeroise": 1}, {"core_zeroise_o": "core_zeroise"}, {})
    user = {0: "core_decrypt"} | _link_words(core, pins, links)
    links.at_core.update({name: f"{pins[name].width}'d0" for name in _unused(core) if name in pins})
    if len(user) > 1:
        bits = range(pins[core.ports.decrypt].width)
        links.at_core[core.ports.decrypt] = concatenated(user.get(k, _NONE) for k in bits)
    if "m_tag_tready" in pins:
        links.at_core["m_tag_tready"] = "1'b1"
    if core.ports.zeroise:
        links.at_core[core.ports.zeroise] = "core_zeroise"
    else:
        links.at_core[core.ports.reset] = "rst_core | core_zeroise"
    links.at_check.update({"tag_o": "tag"} if checked.widths.tag else {})
    return links


def _link_words(core: Core, pins: Mapping[str, Pin], links: _Links) -> dict[int, str]:
    """Link each port beside words; a bit of s_axis_tuser -> what is said in it."""
    beside, user = beside_words(core), dict[int, str]()
    for names, prefix, end in _SIDES:
        for what in (w for w in names if w in beside):
            port, _, bit = beside[what].partition("[")
            wire, at_check = f"{prefix}_{names[what]}", f"core_{names[what]}_{end}"
            if bit and pins[port].out:
                _link_said(links, pins[port], beside[what], at_check)
                continue
            links.wires[wire], links.at_check[at_check] = 1 if bit else pins[port].width, wire
            if bit:
                user[int(bit[:-1])] = wire
            else:
                links.at_core[port] = _in_order(core, pins[port], wire)
    return user


def _link_said(links: _Links, port: Pin, bit: str, at_check: str) -> None:
    """A bit of what is said of a tag, and the others beside it."""
    others = [b for k in range(port.width) if (b := f"{port.name}[{k}]") != bit]
    links.wires[port.name], links.at_core[port.name] = port.width, port.name
    links.at_check.update({at_check: bit, "core_said_i": concatenated(others)})


def _in_order(core: Core, port: Pin, wire: str) -> str:
    """A wire in the order of a port's bytes, or of marks of bytes."""
    if port.order is Order.PIECE_LITTLE:
        return bytes_reversed(wire, port.width)
    if _little(core) and port.name in (beside_words(core)[f"keep_{way}"] for way in ("in", "out")):
        return bits_reversed(wire, port.width)
    return wire


def _unused(core: Core) -> tuple[str, ...]:
    """Inputs that are 0, of which a core may have some: TID, that a word is part of an IV, and how many units
    follow with the next numbers.
    """
    beside = beside_words(core)
    return ("s_axis_tid", *(beside.get(what, "") for what in ("iv_word", "unit_more")))


_NONE = "1'b0"
"""A bit of TUSER that nothing is said in."""


def _leds(pins: BoardPins) -> list[WrapperItem | Placed]:
    values = {"locked": "locked", "running": "flags[0]", "wrong": "flags[1]"}
    dark = "~" if pins.lit_by_0 else ""
    return [
        *(Drive(f"led_{led}_o", f"{dark}{values[led]}") for led in pins.leds),
        *(Drive(f"{name}_o", "1'b1") for name in pins.high),
    ]
