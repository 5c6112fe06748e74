"""The scheme of the GHASH unit on integers, and what a bench presents to it: packets as slots."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from cipherwright.cipher.gcm import ONE, field_product

__all__ = ["Packet", "Slot", "product_stream", "random_packets", "setup_slots", "slots_of"]

Packet = list[int | None]
"""Blocks, and None for a slot without one."""


@dataclass(frozen=True)
class Slot:
    """What the unit is given for a cycle: the block and its flags."""

    x: int = 0
    first: bool = False
    block: bool = False
    last: bool = False
    setup: bool = False
    packet: int = -1


def slots_of(packets: Sequence[Packet], gaps: Sequence[int]) -> list[Slot]:
    """Packets one behind the other; after each as many empty slots as `gaps` says."""
    out: list[Slot] = []
    for n, (packet, gap) in enumerate(zip(packets, gaps, strict=True)):
        ends = len(packet) - 1
        out += [Slot(x or 0, k == 0, x is not None, k == ends, False, n) for k, x in enumerate(packet)]
        out += [Slot()] * gap
    return out


def setup_slots(h: int, loop: int) -> list[Slot]:
    """What makes the powers of h: one, h, and h again as a packet of its own."""
    head = [Slot(ONE, True, True, True, True), Slot(h, block=True), *[Slot(block=True)] * (loop - 2)]
    return [*head, Slot(h, True, True, True), *[Slot(block=True)] * (loop * loop + 2)]


def product_stream(h: int, slots: Sequence[Slot], loop: int) -> dict[int, int]:
    """Packet -> GHASH, by one product a slot: Y[t] = (X[t] + g Y[t - L]) H^k."""
    power = [ONE]
    while len(power) <= loop:
        power.append(field_product(power[-1], h))
    y, sums = list[int](), dict[int, int]()
    for t, s in enumerate(slots):
        same = [u for u in slots[t : t + loop] if u.packet == s.packet]
        fed = y[t - loop] if t >= loop and slots[t - loop].packet == s.packet >= 0 else 0
        y.append(field_product(s.x ^ fed, power[sum(u.block for u in same)]))
        if s.packet >= 0 and any(u.last for u in same):
            sums[s.packet] = sums.get(s.packet, 0) ^ y[t]
    return sums


def random_packets(rng: random.Random, count: int, blocks: int, bubbles: float) -> list[Packet]:
    """Packets of 1 to `blocks` blocks, with empty slots inside."""
    out = []
    for _ in range(count):
        packet: Packet = []
        for _ in range(rng.randint(1, blocks)):
            while rng.random() < bubbles:
                packet += [None] * rng.randint(1, 13)
            packet.append(rng.getrandbits(128))
        out.append(packet)
    return out
