"""GHASH in the emitted RTL: packets one behind the other and with gaps, under several keys, against the
standard's algorithm; the scheme on integers for several loops; faults that are seen.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from cipherwright.arch import field_multiplier
from cipherwright.cipher.gcm import ghash
from cipherwright.rtl import print_design, print_wrapper
from cipherwright.rtl.cells import COPY
from cipherwright.shell.ghash import GhashTiming, ghash_unit
from cipherwright.target import load_target
from cipherwright.verify.simulate import Model, Simulation, compile_simulation

from .ghash_model import Packet, Slot, product_stream, random_packets, setup_slots, slots_of


@cache
def unit() -> tuple[str, GhashTiming]:
    """The text of the unit and its timing."""
    made = field_multiplier("multiplier", load_target("ecp5-85k-8").delay)
    timing = GhashTiming(made.stages)
    text = print_wrapper(ghash_unit("ghash", "multiplier", timing))
    return print_design(made.design) + text + COPY, timing


FAULTS = {
    "wrong power": ("block_q ? 2'd2 : 2'd1", "2'd2"),
    "missed gate at a packet's start": ("~(|near)", "1'b1"),
    "sum over two packets": ("~first_line[9] & ~open_before", "~open_before"),
}


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    """The unit with all faults in one model: a bit of a port of its own chooses one, and zero none."""
    text, _ = unit()
    text = text.replace("input  wire first_i,", "input  wire first_i,\n    input  wire [7:0] fault_i,")
    for n, (right, broken) in enumerate(FAULTS.values()):
        assert right in text
        text = text.replace(right, f"(fault_i[{n}] ? {broken} : {right})")
    file = tmp_path_factory.mktemp("ghash") / "ghash.v"
    file.write_text(text)
    return compile_simulation([file], "ghash")


def run(simulation: Simulation, timing: GhashTiming, slots: Sequence[Slot], fault: int) -> list[int]:
    """sum_o in every slot's cycle, from the first slot's on; the reset comes before."""
    cycles = len(slots) + timing.flags_lead + timing.sum_latency + 2
    rows = simulation.rows(cycles)
    simulation.view(rows, "rst_i")[0, 0] = 1
    simulation.view(rows, "fault_i")[:, 0] = fault
    for flag in ("first", "block", "last", "setup"):
        simulation.view(rows, f"{flag}_i")[1 : 1 + len(slots), 0] = [getattr(s, flag) for s in slots]
    words = b"".join(s.x.to_bytes(16, "little") for s in slots)
    at = 1 + timing.flags_lead
    simulation.view(rows, "x_i")[at : at + len(slots)] = np.frombuffer(words, np.uint8).reshape(-1, 16)
    model = Model(simulation)
    out = simulation.view(model.run(rows), "sum_o")[at + timing.sum_latency :]
    model.close()
    return [int.from_bytes(row.tobytes(), "little") for row in out]


def wrong(
    simulation: Simulation,
    keys: Sequence[int],
    packets: Sequence[Sequence[Packet]],
    gaps: Sequence[Sequence[int]],
    fault: int = 0,
) -> int:
    """Packets whose sum is not GHASH; under every key the packets of a list."""
    _, timing = unit()
    slots, want = list[Slot](), dict[int, int]()
    for h, some, between in zip(keys, packets, gaps, strict=True):
        slots += setup_slots(h, timing.loop)
        for packet, slot in zip(some, (s for s in slots_of(some, between) if s.last), strict=True):
            assert slot.last
            want[len(want)] = ghash(h, [x for x in packet if x is not None])
        slots += slots_of(some, between)
    sums = run(simulation, timing, slots, fault)
    found = [x for s, x in zip(slots, sums, strict=False) if s.last and s.packet >= 0]
    return sum(a != b for a, b in zip(found, want.values(), strict=True))


def cases() -> tuple[list[int], list[list[Packet]], list[list[int]]]:
    rng = random.Random(19)
    keys = [rng.getrandbits(128) for _ in range(3)]
    packets = [
        random_packets(rng, 150, 60, 0.0),
        random_packets(rng, 150, 25, 0.15),
        [[rng.getrandbits(128)] for _ in range(40)] + random_packets(rng, 60, 12, 0.4),
    ]
    gaps = [[0] * 150, [rng.choice([0, 0, 1, 7, 30]) for _ in range(150)], [0] * 100]
    return keys, packets, gaps


@pytest.mark.parametrize("loop", [5, 8, 10, 14])
def test_one_product_a_slot_is_ghash(loop: int) -> None:
    rng = random.Random(loop)
    packets, h = random_packets(rng, 12, 2 * loop, 0.1), rng.getrandbits(128)
    slots = slots_of(packets, [rng.choice([0, 0, 3]) for _ in packets])
    want = [ghash(h, [x for x in p if x is not None]) for p in packets]
    assert list(product_stream(h, slots, loop).values()) == want


def test_packets_under_three_keys(simulation: Simulation) -> None:
    assert unit()[1].loop == 10
    assert wrong(simulation, *cases()) == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, simulation: Simulation) -> None:
    assert wrong(simulation, *cases(), fault=1 << list(FAULTS).index(fault)) > 0
