"""All checks of a core of whole messages: packets of GCM and CCM, data units of XTS, messages of CMAC,
packets of HCTR2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..progress import Tell
from ..shell import inside
from .announced_checks import check_announced_keys
from .announced_keys import AnnouncedBench
from .bus_rules import check_bus_rules
from .ccm import check_ccm_packets, check_ccm_resets, published_ccm, random_ccm
from .ccm_packets import CcmBench
from .channels import check_channels
from .cmac import check_mac_resets, check_messages, published_macs
from .forgotten_blocks import check_all_zeroise
from .gcm import (
    check_key_slots,
    check_packets,
    check_release,
    check_resets,
    published_packets,
    random_packets,
)
from .hctr2 import check_wide_packets, check_wide_resets, published_wide
from .held_packets import HeldBench, HeldCcmBench
from .key_slots import SlotBench
from .macs import MacBench
from .message_axi import AxiMessageBench
from .message_axi_checks import check_message_stream
from .message_bench import MessageBench
from .message_registers import check_message_registers
from .packet_benches import packet_bench
from .packets import PacketBench
from .reference import reference_of
from .register_words import check_register_words
from .reset import check_reset
from .units import UnitBench
from .verdict import CoreFolder, Verdict, attempts
from .wide_packets import WideBench
from .windows import check_windows
from .xts import (
    check_distinct_halves,
    check_unit_keys,
    check_unit_resets,
    check_unit_slots,
    check_units,
    published_units,
)

__all__ = ["MessageChecks", "message_checks", "streams_of", "verify_messages"]

_Check = Callable[[Any, Mapping[str, Any]], str]
"""A check of a compiled core, which a bench drives, with the core's parameters."""

_FEWEST, _MOST = 24, 602
"""Random packets and messages: at most two of every length."""

_MOST_UNITS = 2850
"""Random data units: at most ten of every length."""


@dataclass(frozen=True)
class MessageChecks:
    """What a mode calls its messages, the bench that plays them, and the checks that it runs: of published
    answers, of random messages (the third argument says how many) and of resets within messages. `words`:
    words of a random message, on average; `most`: random messages at most.
    """

    what: str
    bench: type[MessageBench]
    published: _Check
    random: Callable[[Any, Mapping[str, Any], int], str]
    resets: _Check
    words: int
    most: int

    def count(self, words: int) -> int:
        """Random messages that have about so many `words`."""
        return max(_FEWEST, min(words // self.words, self.most))


def message_checks(record: Mapping[str, Any]) -> MessageChecks | None:
    """The checks of the core of `record`; None where it takes single blocks."""
    return next((made(record) for kind, made in _OF_MESSAGES.items() if kind in record), None)


def _of_packets(record: Mapping[str, Any]) -> MessageChecks:
    kind = packet_bench(record)
    if issubclass(kind, CcmBench):
        return MessageChecks("packets", kind, published_ccm, _random_ccm, check_ccm_resets, 20, _MOST)
    return MessageChecks("packets", kind, published_packets, _random_packets, check_resets, 20, _MOST)


def _of_units(_: Mapping[str, Any]) -> MessageChecks:
    return MessageChecks(
        "units", UnitBench, published_units, _random_units, check_unit_resets, 10, _MOST_UNITS
    )


def _of_macs(_: Mapping[str, Any]) -> MessageChecks:
    return MessageChecks("messages", MacBench, published_macs, check_messages, check_mac_resets, 10, _MOST)


def _of_wide(_: Mapping[str, Any]) -> MessageChecks:
    return MessageChecks(
        "packets", WideBench, published_wide, check_wide_packets, check_wide_resets, 6, _MOST
    )


_OF_MESSAGES: dict[str, Callable[[Mapping[str, Any]], MessageChecks]] = {
    "packet": _of_packets,
    "unit": _of_units,
    "mac": _of_macs,
    "wide": _of_wide,
}
"""By what a record has."""


def _random_packets(bench: PacketBench, p: Mapping[str, Any], count: int) -> str:
    """Random packets; of a core with two resident keys under both, too."""
    said = check_packets(bench, p, count)
    if isinstance(bench, HeldBench):
        return f"{said}; {check_release(bench, p, random_packets)}"
    if isinstance(bench, AnnouncedBench):
        return f"{said}; {check_announced_keys(bench, p)}"
    return f"{said}; {check_key_slots(bench, p)}" if isinstance(bench, SlotBench) else said


def _random_ccm(bench: CcmBench, p: Mapping[str, Any], count: int) -> str:
    """The same of a core of CCM."""
    said = check_ccm_packets(bench, p, count)
    if isinstance(bench, HeldCcmBench):
        return f"{said}; {check_release(bench, p, random_ccm)}"
    return said


def _random_units(bench: UnitBench, p: Mapping[str, Any], count: int) -> str:
    """Random data units; where equal halves of a key are refused or two keys wait, those checks, too."""
    said = check_units(bench, p, count)
    if p["distinct_halves"]:
        said = f"{said}; {check_distinct_halves(bench, p)}"
    if bench.travels:
        return f"{said}; {check_unit_keys(bench, p)}"
    return f"{said}; {check_unit_slots(bench, p)}" if bench.slots > 1 else said


def verify_messages(
    folder: CoreFolder, messages: MessageChecks, words: int, proof: Callable[[], str], tell: Tell
) -> list[Verdict]:
    """Every check of the core in `folder`, with its verdict: those of `messages`, with about so many `words`
    of random ones, and the `proof`. `tell` as of `verify_core`.
    """
    parameters, count = folder.record["parameters"], messages.count(words)
    streams, controlled = "stream" in folder.record, "bus" in folder.record
    channels = "channels" in folder.record
    # Over a register bus the check of registers is one of all channels.
    at_ports = channels and not controlled
    verdicts, attempt = attempts(tell, 8 + 2 * streams + controlled + at_ports)
    if not attempt("files", folder.check_files):
        return verdicts
    bench: list[MessageBench] = []

    def compiled() -> str:
        bench.append(messages.bench.compile(folder.sources, folder.record))
        return "accepted and compiled by Verilator"

    if attempt("compile", compiled):
        name, what = reference_of(parameters).name, messages.what
        attempt(f"published {what}", lambda: messages.published(bench[0], parameters))
        attempt(f"random {what} against {name}", lambda: messages.random(bench[0], parameters, count))
        attempt(f"resets within {what}", lambda: messages.resets(bench[0], parameters))
        if at_ports:
            attempt("channels", lambda: _channels(folder, bench[0]))
    if streams:
        attempt("AXI-Stream", lambda: _message_stream(folder))
    if controlled:
        in_registers = parameters["interface"] == "registers"
        of_messages = check_windows if channels else check_message_registers
        checked = check_register_words if in_registers else of_messages
        attempt("registers", lambda: checked(folder))
    if streams:
        attempt("bus rules", lambda: check_bus_rules(folder))
    attempt("reset", lambda: check_reset(folder))
    attempt("zeroise", lambda: check_all_zeroise(folder))
    attempt("equivalence for all inputs", proof)
    return verdicts


def _channels(folder: CoreFolder, bench: MessageBench) -> str:
    """All channels of a core of packets together: behind AXI-Stream, or as `bench` drives one."""
    if "stream" in folder.record:
        return check_channels(folder, streams_of(folder))
    assert isinstance(bench, PacketBench)
    return check_channels(folder, bench)


def streams_of(folder: CoreFolder) -> AxiMessageBench:
    """The AXI-Stream ports of the core in `folder`, compiled: of a register bus, of what is behind it; of
    channels, of one.
    """
    return AxiMessageBench.compile(folder.sources, inside(folder.record, "bus"))


def _message_stream(folder: CoreFolder) -> str:
    """Messages through the AXI-Stream ports of a core."""
    return check_message_stream(streams_of(folder), folder.record["parameters"])
