"""The counter of counter mode: every value at every carry length, with gaps, loads and both widths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from cipherwright.cipher.modes import next_counter
from cipherwright.rtl import print_wrapper
from cipherwright.shell import COUNTER_FILE, LANE_COUNTER_FILE, counter_latency, hand_written
from cipherwright.shell.counter import COUNTER_LOAD
from cipherwright.shell.modes import Around, counter_layer
from cipherwright.verify.simulate import Model, Simulation, compile_simulation
from tests.faults import Fault, drop, use

WAIT = 70


def of_lane(s: Simulation, rows: np.ndarray, lanes: int, lane: int) -> None:
    """The constant inputs of a lane's counter, or of the one alone."""
    if lanes == 1:
        s.view(rows, "open_i")[:] = 1
    else:
        s.view(rows, "lanes_i")[:] = np.frombuffer(lanes.to_bytes(2, "little"), dtype=np.uint8)
        s.view(rows, "lane_i")[:] = np.frombuffer(lane.to_bytes(2, "little"), dtype=np.uint8)


@dataclass(frozen=True)
class Run:
    """`steps` steps of a counter from `iv` on, of whose bits the lowest `count` count; a share `gaps` of the
    cycles has none. The counter is the one alone, or that of lane `lane` of `lanes`.
    """

    count: int
    iv: int
    steps: int
    gaps: float
    seed: int
    lanes: int = 1
    lane: int = 0


def values(run: Run, folder: Path, fault: Fault | None = None) -> tuple[list[int], list[int], list[int]]:
    """(values shown, values wanted, cycles from step to value); `fault`: put into the counter."""
    count, iv, steps, step = run.count, run.iv, run.steps, run.lanes
    source, file = folder / "counter.sv", LANE_COUNTER_FILE if step > 1 else COUNTER_FILE
    text = hand_written(file).replace("parameter COUNT = 128", f"parameter COUNT = {count}")
    source.write_text(fault(text) if fault else text)
    model = Model(compile_simulation([source], file.removesuffix(".sv")))
    s, r = model.simulation, np.random.default_rng(run.seed)
    rows = s.rows(steps + 2 * WAIT + 20)
    of_lane(s, rows, step, run.lane)
    s.view(rows, "rst_i")[:4] = 1
    s.view(rows, "iv_valid_i")[5] = 1
    # A lane's counter looks at it a cycle later.
    s.view(rows, "iv_i")[5 + (step > 1)] = np.frombuffer(iv.to_bytes(16, "little"), dtype=np.uint8)
    start = 5 + WAIT
    stepping = r.random(steps) >= run.gaps
    s.view(rows, "step_i")[start : start + steps, 0] = stepping
    out = model.run(rows)
    model.close()
    ready = s.view(out, "iv_ready_o")[:, 0]
    assert ready[5] == 1
    assert not ready[6 : 16 if step > 1 else 50].any()
    assert ready[start:].all()
    at = np.flatnonzero(s.view(out, "valid_o")[:, 0])
    shown = [int.from_bytes(s.view(out, "count_o")[i].tobytes(), "little") for i in at]
    upper, lower = iv >> count << count, iv & (1 << count) - 1
    want = [upper | (lower + run.lane + step * i) & (1 << count) - 1 for i in range(int(stepping.sum()))]
    return shown, want, [int(x) for x in at - (start + np.flatnonzero(stepping))]


@pytest.mark.parametrize("gaps", [0.0, 0.4])
@pytest.mark.parametrize(
    ("count", "step", "lane", "latency"),
    [(32, 1, 0, 3), (128, 1, 0, 3), (128, 5, 0, 9), (128, 6, 5, 9), (32, 16, 15, 9), (32, 2, 1, 9)],
)
def test_every_carry_length(
    count: int, step: int, lane: int, latency: int, gaps: float, tmp_path: Path
) -> None:
    r = np.random.default_rng(9)
    for k in range(count + 1):
        # k ones at the bottom, reached after some steps; what is above is random.
        above = int.from_bytes(r.bytes(16), "big") >> k + 1 << k + 1 if k < 127 else 0
        before = int(r.integers(0, 20 if step == 1 else 60))
        iv = ((above | (1 << min(k, 128)) - 1) - before) % (1 << 128)
        shown, want, late = values(Run(count, iv, 60, gaps, k, step, lane), tmp_path)
        assert shown == want, k
        assert set(late) == {latency}
    if step == 1:
        assert counter_latency() == latency


@pytest.mark.parametrize(
    "fault",
    [use("more", "carry[i]", "1'b0"), drop("more", "lane_i"), drop("sum", "value")],
    ids=["carry", "start", "count"],
)
def test_faults_of_a_lane_are_seen(fault: Fault, tmp_path: Path) -> None:
    iv = (7 << 32) - 20
    shown, want, _ = values(Run(128, iv, 40, 0.0, 1, 3, 2), tmp_path, fault)
    assert shown != want


def test_a_load_of_a_lane_does_not_touch_what_is_under_way(tmp_path: Path) -> None:
    """Steps up to the cycle before a load, and a load as soon as it may come."""
    source = tmp_path / "counter.sv"
    source.write_text(hand_written(LANE_COUNTER_FILE))
    model = Model(compile_simulation([source], "cipherwright_lane_counter"))
    s, r, late = model.simulation, np.random.default_rng(4), 9
    reset = s.rows(4)
    s.view(reset, "rst_i")[:] = 1
    model.run(reset)
    rows, want, at = s.rows(2000), {}, 0
    of_lane(s, rows, 2, 1)
    while at < 1900:
        iv, steps = int.from_bytes(r.bytes(16), "big"), int(r.integers(0, 5))
        s.view(rows, "iv_valid_i")[at] = 1
        s.view(rows, "iv_i")[at + 1] = np.frombuffer(iv.to_bytes(16, "little"), dtype=np.uint8)
        at += 12  # ready again
        for k in range(steps):
            s.view(rows, "step_i")[at + k] = 1
            want[at + k + late] = (iv + 1 + 2 * k) % (1 << 128)
        at += steps
    out = model.run(rows)
    model.close()
    assert s.view(out, "iv_ready_o")[np.flatnonzero(s.view(rows, "iv_valid_i")[:, 0]), 0].all()
    shown = np.flatnonzero(s.view(out, "valid_o")[:, 0])
    assert {int(i): int.from_bytes(s.view(out, "count_o")[i].tobytes(), "little") for i in shown} == want


def test_long_runs(tmp_path: Path) -> None:
    """Several turns of the slow part, back to back."""
    for iv in (0, (1 << 128) - 1000, 0xFFFFFFFFFFFFFFFF - 5000):
        shown, want, _ = values(Run(128, iv, 3000, 0.0, 1), tmp_path)
        assert shown == want


def test_loads_at_any_distance(tmp_path: Path) -> None:
    """A load takes the same time whenever it comes, and the value shown after it is its own."""
    source = tmp_path / "counter.sv"
    source.write_text(hand_written(COUNTER_FILE))
    model = Model(compile_simulation([source], "cipherwright_counter"))
    s, r = model.simulation, np.random.default_rng(3)
    reset = s.rows(4)
    s.view(reset, "rst_i")[:] = 1
    model.run(reset)
    for gap in range(140):
        iv = int.from_bytes(r.bytes(16), "big")
        rows = s.rows(WAIT + gap)
        s.view(rows, "iv_valid_i")[0] = 1
        s.view(rows, "iv_i")[0] = np.frombuffer(iv.to_bytes(16, "little"), dtype=np.uint8)
        of_lane(s, rows, 1, 0)
        s.view(rows, "step_i")[WAIT - 10] = 1
        out = model.run(rows)
        ready = s.view(out, "iv_ready_o")[:, 0]
        assert ready[0] == 1
        assert int(np.flatnonzero(ready[1:])[0]) == 48
        assert int.from_bytes(s.view(out, "count_o")[WAIT - 7].tobytes(), "little") == iv
    model.close()


@pytest.mark.parametrize("file", [COUNTER_FILE, LANE_COUNTER_FILE])
@pytest.mark.parametrize("pin", ["rst_i", "zeroise_i"])
def test_one_cycle_of_reset_at_any_time(file: str, pin: str, tmp_path: Path) -> None:
    """At every cycle of a load and of a run; the next counter block is loaded as soon as it may be, and
    steps follow as soon as they may.
    """
    source = tmp_path / "counter.sv"
    source.write_text(hand_written(file))
    model = Model(compile_simulation([source], file.removesuffix(".sv")))
    s, r, lane = model.simulation, np.random.default_rng(5), int(file == LANE_COUNTER_FILE)
    lanes, late, loads = (3, 9, 11) if lane else (1, 3, 49)
    start = s.rows(4)
    s.view(start, "rst_i")[:] = 1
    of_lane(s, start, lanes, lane)
    model.run(start)
    for reset in range(1, 80):
        first, second = (int.from_bytes(r.bytes(16), "big") >> 16 << 16 | 0xFFF0 for _ in range(2))
        rows = s.rows(reset + 2 * loads + 40)
        of_lane(s, rows, lanes, lane)
        again = reset + (loads if pin == "zeroise_i" else 0) + 1  # the next load
        s.view(rows, pin)[reset] = 1
        drops = pin == "zeroise_i" and not lane  # with drop_i, in which no step is made
        if drops:
            s.view(rows, "drop_i")[[reset, reset + 1]] = 1
        s.view(rows, "iv_i")[:] = np.frombuffer(first.to_bytes(16, "little"), dtype=np.uint8)
        s.view(rows, "iv_i")[again + lane :] = np.frombuffer(second.to_bytes(16, "little"), dtype=np.uint8)
        s.view(rows, "iv_valid_i")[[0, again]] = 1
        s.view(rows, "step_i")[:] = 1  # taken where a counter block is loaded
        out = model.run(rows)
        ready, loaded, valid = (
            s.view(out, name)[:, 0].astype(bool) for name in ("iv_ready_o", "loaded_o", "valid_o")
        )
        assert list(loaded) == [loads <= t <= reset + drops or t >= again + loads for t in range(len(rows))]
        assert list(ready) == [
            t == 0 or loads <= t <= reset or (again <= t and not again < t < again + loads)
            for t in range(len(rows))
        ]
        want = {
            t + late: (first + lane + lanes * (t - loads)) for t in range(loads, reset) if t + late <= reset
        }
        want |= {
            t + late: (second + lane + lanes * (t - again - loads))
            for t in range(again + loads, len(rows) - late)
        }
        shown = {
            int(t): int.from_bytes(s.view(out, "count_o")[t].tobytes(), "little")
            for t in np.flatnonzero(valid)
        }
        assert shown == {t: v % (1 << 128) for t, v in want.items()}
        settle = s.rows(4)
        s.view(settle, "rst_i")[0] = 1
        of_lane(s, settle, lanes, lane)
        model.run(settle)
    model.close()


_STUB = """
module stub (input wire clk, input wire rst_i, input wire wipe_i, input wire valid_i,
    input wire [{high}:0] block_i,
    input wire [{high}:0] chain_i, output wire valid_o, output wire [{high}:0] block_o);
    assign valid_o = valid_i;
    assign block_o = chain_i;
endmodule
"""
"""In a cipher's place: it shows the counter block."""


@pytest.mark.parametrize(("bits", "count"), [(64, 64), (64, 32), (96, 64), (192, 128), (256, 64)])
def test_counter_blocks_of_any_size(bits: int, count: int, tmp_path: Path) -> None:
    """Loads right behind steps, wraps of what counts, zeroising: the layer shows what SP 800-38A says."""
    layer = counter_layer(Around("layer", "stub", (), bits, True), count)
    source = tmp_path / "layer.sv"
    source.write_text(hand_written(COUNTER_FILE) + print_wrapper(layer.module) + _STUB.format(high=bits - 1))
    model = Model(compile_simulation([source], "layer"))
    s, r, size = model.simulation, np.random.default_rng(bits + count), bits // 8
    reset = s.rows(2)
    s.view(reset, "rst_i")[:] = 1
    model.run(reset)
    rows, want, at = s.rows(1500), {}, 1
    s.view(rows, "open_i")[:] = 1
    s.view(rows, "iv_i")[:] = r.integers(0, 256, (1500, size), dtype=np.uint8)
    zeroised = 0
    while at < 1400:
        if at > 700 and not zeroised:
            zeroised = at
            s.view(rows, "drop_i")[at : at + 60] = 1
            s.view(rows, "wipe_i")[at] = 1
            at += 70
        above, steps = int.from_bytes(r.bytes(size), "big"), int(r.integers(1, 9))
        iv = next_counter(above | (1 << count) - 1, count, -3)  # it wraps within the steps
        s.view(rows, "iv_valid_i")[at] = 1
        s.view(rows, "iv_i")[at] = np.frombuffer(iv.to_bytes(size, "little"), dtype=np.uint8)
        start = at + COUNTER_LOAD
        for k in range(steps):
            s.view(rows, "valid_i")[start + k] = 1
            want[start + k + counter_latency()] = next_counter(iv, count, k)
        at = start + steps - 1  # the last step comes together with the next load
    out = model.run(rows)
    model.close()
    taken = np.flatnonzero(s.view(rows, "iv_valid_i")[:, 0])
    assert s.view(out, "iv_ready_o")[taken, 0].all()
    shown = {int(i): s.view(out, "block_o")[i] for i in np.flatnonzero(s.view(out, "valid_o")[:, 0])}
    late = {t for t in want if zeroised < t <= zeroised + counter_latency()}  # dropped
    assert {t: int.from_bytes(v.tobytes(), "little") for t, v in shown.items()} == {
        t: v for t, v in want.items() if t not in late
    }


@pytest.mark.parametrize("lanes", [2, 5, 11, 16])
def test_lanes_count_together(lanes: int, tmp_path: Path) -> None:
    """Loads right behind steps, steps as soon as they may be, zeroising and resets at random times: all lanes
    show their counter blocks in the same cycle, as if there were no ranks between them.
    """
    layer = counter_layer(Around("layer", "stub", (), 128, True), 128, lanes)
    source = tmp_path / "layer.sv"
    stub = _STUB.format(high=128 * lanes - 1)
    source.write_text(hand_written(LANE_COUNTER_FILE) + print_wrapper(layer.module) + stub)
    model = Model(compile_simulation([source], "layer"))
    s, r, late, cycles = model.simulation, np.random.default_rng(lanes), counter_latency(lanes), 3000
    rows = s.rows(cycles)
    s.view(rows, "rst_i")[:2] = 1
    s.view(rows, "iv_i")[:] = ivs = r.integers(0, 256, (cycles, 16), dtype=np.uint8)
    s.view(rows, "valid_i")[:, 0] = steps = r.random(cycles) < 0.7
    s.view(rows, "iv_valid_i")[:, 0] = loads = r.random(cycles) < 0.05
    s.view(rows, "wipe_i")[:, 0] = wipes = r.random(cycles) < 0.005
    s.view(rows, "rst_i")[2:, 0] = r.random(cycles - 2) < 0.002
    resets = s.view(rows, "rst_i")[:, 0]
    out = model.run(rows)
    model.close()
    ready, loaded = (s.view(out, name)[:, 0] for name in ("iv_ready_o", "ready_o"))
    want: dict[int, list[int]] = {}
    now, there = 0, -1  # the next counter block, and the cycle from which on it may be used
    for t in range(2, cycles):
        assert loaded[t] == (0 <= there <= t)
        if resets[t] or wipes[t]:
            there = -1
            # What a lane has not shown is dropped; zeroising reaches the lanes as late as the steps do.
            reached = t if resets[t] else t + late - 9
            want = {k: v for k, v in want.items() if k <= reached}
            continue
        if steps[t] and loaded[t]:
            want[t + late] = [(now + lane) % (1 << 128) for lane in range(lanes)]
            now += lanes
        if loads[t] and ready[t]:
            now, there = int.from_bytes(ivs[t].tobytes(), "little"), t + 11
    shown = {
        int(t): s.view(out, "block_o")[t].reshape(lanes, 16)[::-1]
        for t in np.flatnonzero(s.view(out, "valid_o")[:, 0])
        if t >= 2
    }
    assert {t: [int.from_bytes(b.tobytes(), "little") for b in v] for t, v in shown.items()} == {
        t: v for t, v in want.items() if t < cycles
    }
    assert len(shown) > 300
