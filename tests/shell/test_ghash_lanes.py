"""GHASH of words of several blocks in the emitted RTL, with a multiplier for each: packets one behind the
other and with gaps, under several keys, against the standard's algorithm; the scheme on integers for several
loops; faults that are seen.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from cipherwright.arch import field_multiplier
from cipherwright.cipher.gcm import ONE, field_product, ghash
from cipherwright.rtl import print_design, print_wrapper
from cipherwright.rtl.cells import COPY
from cipherwright.shell.ghash import GhashTiming, ghash_unit
from cipherwright.target import load_target
from cipherwright.verify.simulate import Model, Simulation, compile_simulation
from tests.faults import Fault, drop, takes, use

from .chosen_faults import with_port


@dataclass(frozen=True)
class Slot:
    """What the unit is given for a cycle: a word's blocks, those that are there, and its flags. present: a
    bit for each lane, where that is not the number of blocks.
    """

    blocks: tuple[int, ...] = ()
    first: bool = False
    last: bool = False
    setup: bool = False
    packet: int = -1
    present: int = -1

    @property
    def flags(self) -> int:
        """Which lanes have a block."""
        return (1 << len(self.blocks)) - 1 if self.present < 0 else self.present


def random_slots(rng: random.Random, lanes: int, count: int, words: int, gaps: float) -> list[Slot]:
    """Packets of additional data, data and a block of lengths, each part with a last word that may be
    short, and with slots without a block inside and between.
    """
    out = list[Slot]()
    for packet in range(count):
        sizes = list[int]()
        for _ in range(2):
            blocks = rng.randint(0, lanes * words)
            sizes += [min(lanes, blocks - k) for k in range(0, blocks, lanes)]
        sizes = [*(sizes or [0]), 1]
        for k, size in enumerate(sizes):
            while k and rng.random() < gaps:
                out += [Slot(packet=packet)] * rng.randint(1, 13)
            blocks = tuple(rng.getrandbits(128) for _ in range(size))
            out.append(Slot(blocks, k == 0, k == len(sizes) - 1, False, packet))
        if rng.random() < 3 * gaps:
            out += [Slot()] * rng.choice([1, 7, 30])
    return out


def sums_of(h: int, slots: Sequence[Slot]) -> list[int]:
    """GHASH of each packet in turn."""
    blocks: dict[int, list[int]] = {}
    for slot in slots:
        if slot.packet >= 0:
            blocks.setdefault(slot.packet, []).extend(slot.blocks)
    return [ghash(h, some) for some in blocks.values()]


def product_streams(h: int, slots: Sequence[Slot], lanes: int, loop: int) -> list[int]:
    """GHASH of each packet by one product a lane and slot: Y[t] = (X[t] + g Y[t - L]) H^k, where k is the
    number of blocks of the packet from the lane's own on to its next turn.
    """
    power = [ONE]
    while len(power) <= lanes * loop:
        power.append(field_product(power[-1], h))
    y, sums = list[list[int]](), dict[int, int]()
    for t, slot in enumerate(slots):
        same = [(u, s) for u, s in enumerate(slots[t : t + loop + 1]) if s.packet == slot.packet]
        fed = y[t - loop] if t >= loop and slots[t - loop].packet == slot.packet >= 0 else [0] * lanes
        y.append([])
        for lane in range(lanes):
            k = sum(
                (u == 0 and b >= lane) or 0 < u < loop or (u == loop and b < lane)
                for u, s in same
                for b in range(len(s.blocks))
            )
            x = slot.blocks[lane] if lane < len(slot.blocks) else 0
            y[-1].append(field_product(x ^ fed[lane], power[k]))
            if slot.packet >= 0 and any(s.last for u, s in same if u < loop):
                sums[slot.packet] = sums.get(slot.packet, 0) ^ y[-1][-1]
    return list(sums.values())


@pytest.mark.parametrize(("lanes", "loop"), [(2, 6), (2, 10), (3, 7), (4, 5)])
def test_one_product_a_lane_is_ghash(lanes: int, loop: int) -> None:
    rng = random.Random(loop)
    slots, h = random_slots(rng, lanes, 12, loop, 0.1), rng.getrandbits(128)
    assert product_streams(h, slots, lanes, loop) == sums_of(h, slots)


TWO_TABLES = 3.3
"""A period of two lookup tables, in ns: a multiplier of 5 stages."""

FAULTS: dict[str, Fault] = {
    "the last slot does not count in the second lane": takes("beside_1[0]", "own[11]"),
    "two blocks count as one": takes("more_2", "{1'b0, more_1[0]}"),
    "wrong power of a short word": use("beside_0[1]", "own[11]", "own[10] | own[11]"),
    "missed gate at a packet's start": takes("fed", "1'b1"),
    "sum over two packets": drop("keep_line", "~first_line[5]"),
    "the second lane's powers end too early": takes("at_last", "ahead == 4'd9"),
}


def setup_slots(h: int, timing: GhashTiming) -> list[Slot]:
    """What makes the powers of h in all lanes: one, h, and h again as a packet of its own."""
    lanes, loop, last = timing.lanes, timing.loop, 1 << timing.lanes - 1
    idle = Slot(present=last)
    return [
        Slot((ONE,) * lanes, True, setup=True, present=last),
        Slot((h,) * lanes, present=last),
        *[idle] * (loop - 2),
        Slot((h,) * lanes, True, True, present=last),
        *[idle] * (lanes * loop * loop + 2),
    ]


def run(simulation: Simulation, timing: GhashTiming, slots: Sequence[Slot], fault: int) -> list[int]:
    """sum_o in every slot's cycle, from the first slot's on; the reset comes before."""
    rows = simulation.rows(len(slots) + timing.flags_lead + timing.sum_latency + 2)
    simulation.view(rows, "rst_i")[0, 0] = 1
    simulation.view(rows, "fault_i")[:, 0] = fault
    for name in ("first", "last", "setup", "flags"):
        port = f"{'block' if name == 'flags' else name}_i"
        simulation.view(rows, port)[1 : 1 + len(slots), 0] = [getattr(s, name) for s in slots]
    at, size = 1 + timing.flags_lead, 16 * timing.lanes
    words = b"".join(b"".join(x.to_bytes(16, "big") for x in s.blocks).ljust(size, b"\0") for s in slots)
    shown = np.frombuffer(words, np.uint8).reshape(-1, size)[:, ::-1]
    simulation.view(rows, "x_i")[at : at + len(slots)] = shown
    model = Model(simulation)
    out = simulation.view(model.run(rows), "sum_o")[at + timing.sum_latency :]
    model.close()
    return [int.from_bytes(row.tobytes(), "little") for row in out]


def wrong(simulation: Simulation, timing: GhashTiming, fault: int = 0) -> int:
    """Packets whose sum is not GHASH, under three keys."""
    rng, lanes = random.Random(19), timing.lanes
    slots, want = list[Slot](), list[int]()
    for count, words, gaps in ((60, 20, 0.0), (60, 10, 0.1), (80, 2, 0.2)):
        h = rng.getrandbits(128)
        some = random_slots(rng, lanes, count, words, gaps)
        slots += [*setup_slots(h, timing), *some]
        want += sums_of(h, some)
    sums = run(simulation, timing, slots, fault)
    found = [x for s, x in zip(slots, sums, strict=False) if s.last and s.packet >= 0]
    return sum(a != b for a, b in zip(found, want, strict=True))


@cache
def text(lanes: int) -> tuple[str, GhashTiming]:
    """The text of the unit, with the port that chooses a fault, and its timing."""
    made = field_multiplier("multiplier", load_target("ecp5-85k-8").delay, period=TWO_TABLES)
    timing = GhashTiming(made.stages, lanes=lanes)
    unit = print_wrapper(ghash_unit("ghash", "multiplier", timing))
    if lanes == 2:
        for n, fault in enumerate(FAULTS.values()):
            unit = fault.chosen(unit, f"fault_i[{n}]")
    return print_design(made.design) + with_port("ghash", unit, ()) + COPY, timing


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Simulation]:
    """The unit of so many lanes, compiled once; that of two with all faults in one model."""

    @cache
    def compiled(lanes: int) -> Simulation:
        file = tmp_path_factory.mktemp("ghash") / "ghash.v"
        file.write_text(text(lanes)[0])
        return compile_simulation([file], "ghash")

    return compiled


@pytest.mark.parametrize("lanes", [2, 3])
def test_packets_under_three_keys(lanes: int, simulation: Callable[[int], Simulation]) -> None:
    assert wrong(simulation(lanes), text(lanes)[1]) == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, simulation: Callable[[int], Simulation]) -> None:
    assert wrong(simulation(2), text(2)[1], 1 << list(FAULTS).index(fault)) > 0
