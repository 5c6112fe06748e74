"""Which bench the packets of a core go through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..shell import LENGTH_PORTS, RELEASE_PORTS
from .announced_keys import AnnouncedBench
from .ccm_packets import CcmBench
from .held_packets import HeldBench, HeldCcmBench
from .key_slots import SlotBench
from .packets import PacketBench

__all__ = ["packet_bench"]


def packet_bench(record: Mapping[str, Any]) -> type[PacketBench]:
    """The bench of a core of packets with this `record`: those with lengths are of CCM, those with slots have
    two keys, in some every packet's key is announced, and in some words wait for a verdict.
    """
    ports = record["packet"]["ports"].keys()
    if RELEASE_PORTS.keys() <= ports:
        return HeldCcmBench if LENGTH_PORTS.keys() <= ports else HeldBench
    if LENGTH_PORTS.keys() <= ports:
        return CcmBench
    if "key_change_cycles" in record["packet"]:
        return AnnouncedBench
    return SlotBench if "key_slot" in ports else PacketBench
