"""What a core takes on a board, and which cores a board does not take, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...cipher.modes import CHAIN_MODES
from ...errors import UserError
from ...rtl import Pin
from ..core import Core
from .checker import BATCH, Checked
from .commands import Widths
from .lfsr import PIECE
from .packets import PacketPorts

__all__ = ["FILLED_MODES", "beside_words", "check_core"]

_UART_BITS = 10
"""Bits of a byte on the line."""

_INTERFACES = ("plain", "stream", "axi-stream")
"""Those that a board takes. Results of a stream are taken in the cycle in which they are offered."""

FILLED_MODES = ("ecb", "cbc")
"""Modes of whole blocks: AXI-Stream fills the last block of a message up."""

_AXI_WORDS = {
    "keep_in": "s_axis_tkeep",
    "last_in": "s_axis_tlast",
    "keep_out": "m_axis_tkeep",
    "last_out": "m_axis_tlast",
}
"""What a port of AXI-Stream beside a word is for -> its name."""

_AXI_PACKETS = {
    "aad": "s_axis_tuser[1]",
    "iv_word": "s_axis_tuser[2]",
    "key_slot": "s_axis_tuser[2]",
    "tag_in": "s_tag_i",
    "tag_valid": "m_tag_tvalid",
    "tag_out": "m_tag_tdata",
    "good": "m_tag_tuser[1]",
    "aad_bytes": "s_aad_bytes_i",
    "data_bytes": "s_data_bytes_i",
}
"""The same of packets with a tag. Bit 0 of s_axis_tuser is the direction."""


def check_core(core: Core, divisor: int) -> Checked:
    """What `core` takes on a board. divisor: cycles of a bit on the UART.

    Raises UserError where it has ports that the board's top does not serve, or does not take a word in the
    time of two bytes.
    """
    ports, mode = core.ports, core.parameters["mode"]
    pins = {p.name: p for p in core.component.pins}
    for reason in _reasons(core, pins):
        raise UserError(reason)
    word = pins[ports.block_in].width
    if core.interval >= _UART_BITS * divisor:
        raise UserError(
            f"{core.top} takes a block in {core.interval} cycles, and a byte may come every "
            f"{_UART_BITS * divisor}: choose a lower baud rate"
        )
    loads = tuple(v for v, port in (("key", ports.key_valid), ("iv", ports.iv_valid)) if port)
    beside = beside_words(core)
    sizes = {what: pins[name].width for what, name in beside.items() if name in pins}
    iv = pins[ports.iv].width if ports.iv else sizes.get("unit", 0)
    tag = sizes.get("tag_in", word if "late" in beside else 0)
    slots = core.parameters["key_slots"]
    lengths = (sizes.get("aad_bytes", 0), sizes.get("data_bytes", 0))
    widths = Widths(word, pins[ports.key].width, iv, sizes.get("keep_in", 0), tag, slots, *lengths)
    filled = _bussed(core) and mode in FILLED_MODES
    packets = None
    if beside:
        named = ("aad", "last_out", "unit", "late")
        aad, marked, units, late = (what in beside for what in named)
        said = pins["m_tag_tuser"].width - 1 if "m_tag_tuser" in pins else 0
        packets = PacketPorts(aad, marked, filled, units, late, said)
    chains = bool(ports.first) and not packets
    return Checked(widths, loads, bool(ports.decrypt), bool(ports.ready_out), chains, packets)


def beside_words(core: Core) -> Mapping[str, str]:
    """What a port of packets, messages or units of `core` is for -> its name, or its name and a bit of it;
    empty where words are blocks alone. Behind AXI-Stream units leave in their order, none of their results
    late.
    """
    found: Mapping[str, str] = (core.packet or core.mac or core.unit or {"ports": {}})["ports"]
    if not _bussed(core):
        return found
    named = {what: _AXI_PACKETS.get(what, name) if core.packet else name for what, name in found.items()}
    return {what: name for what, name in named.items() if what != "late"} | _AXI_WORDS


def _bussed(core: Core) -> bool:
    """Whether words are beats of AXI-Stream."""
    return bool(core.parameters["interface"] == "axi-stream")


def _reasons(core: Core, pins: Mapping[str, Pin]) -> Iterable[str]:
    """Why a board does not take a core."""
    p, named = core.parameters, (core.ports.block_in, core.ports.key)
    word, key = (pins[name].width if name in pins else 0 for name in named)
    interface, mode, bussed = p["interface"], p["mode"], _bussed(core)
    interleaved = bool(core.ports.slot) or (core.slots > 1 and mode in CHAIN_MODES)
    cases = (
        (
            p["control"] != "none",
            f"a register bus, and {core.top} has control = {p['control']}: the board's keys come over its "
            "UART, so choose control = none",
        ),
        (
            interface not in _INTERFACES,
            f"interface = {interface}: choose {', '.join(_INTERFACES[:-1])} or {_INTERFACES[-1]}",
        ),
        (
            core.wide is not None,
            f"mode = {mode}: packets whose results wait for their end are not driven over the UART",
        ),
        (
            interleaved,
            f"interleaved messages, and {core.top} has them: the UART carries one at a time",
        ),
        (
            core.channels is not None,
            f"several channels, and {core.top} has {core.channel_count}: the UART carries one packet after "
            "the other, so choose channels = 1",
        ),
        (
            core.keys_travel,
            f"a key with every unit, and {core.top} has key = agile: its keys come over the UART, each for "
            "all units to come, so choose key = static and key_expansion = unit",
        ),
        (
            core.keys_announced,
            f"a key with every packet, and {core.top} has packet_keys = announced: its keys come over the "
            "UART, each for all packets to come, so choose packet_keys = loaded",
        ),
        (
            p["release"] == "verdict" and p["release_words"] - 8 < BATCH,
            f"release = verdict and a buffer of {p['release_words']} words: a packet of its self-check has "
            f"{BATCH}, so choose release_words = {2 * BATCH}",
        ),
        (
            bussed and word != p["block_bits"] * core.lanes,
            f"beats of another width than a word, and {core.top} has tdata_bits = {word}: its commands have "
            "a word each",
        ),
        (
            bool(word % PIECE or key % 8),
            f"words of {word} bits and keys of {key}, and {core.top} has them: they have to be multiples of "
            f"{PIECE} and 8",
        ),
    )
    return (f"a board takes no core with {reason}" for holds, reason in cases if holds)
