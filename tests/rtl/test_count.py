"""Counters by every adder, in the emitted RTL: a count a cycle over wraps, flip-flops as predicted, and a
fault that is seen.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cipherwright.rewrite import ADDERS
from cipherwright.rtl import counter, print_design
from cipherwright.target import load_target, synthesise
from cipherwright.tools import scratch
from cipherwright.verify.simulate import Model, compile_simulation


def counts(text: str, folder: Path, width: int, stages: int, start: int, cycles: int) -> list[int]:
    """What the counter shows after consecutive values from `start` were loaded."""
    path = folder / "counter.v"
    path.write_text(text)
    simulation = compile_simulation([path], "counter")
    rows = simulation.rows(stages + cycles)
    size = simulation.port("value_i").size
    for k in range(stages):
        simulation.view(rows, "load_i")[k, 0] = 1
        simulation.view(rows, "value_i")[k] = np.frombuffer(
            ((start + k) % (1 << width)).to_bytes(size, "little"), dtype=np.uint8
        )[: -(-width // 8)]
    model = Model(simulation)
    out = simulation.view(model.run(rows), "count_o")[stages:]
    model.close()
    return [int.from_bytes(row.tobytes(), "little") for row in out]


# A carry chain is one operation: it can't be cut.
CASES = [
    ("carry_chain", 32, 1),
    ("kogge_stone", 32, 1),
    ("brent_kung", 128, 8),
    *((kind, 64, 3) for kind in ADDERS if kind != "carry_chain"),
]


@pytest.mark.parametrize(("kind", "width", "stages"), CASES)
def test_a_count_a_cycle(kind: str, width: int, stages: int, tmp_path: Path) -> None:
    design, s = counter("counter", width, kind, stages, load_target("ecp5-85k-8").delay)
    start = (1 << width) - 70
    want = [(start + k) % (1 << width) for k in range(150)]
    assert counts(print_design(design), tmp_path, width, stages, start, 150) == want
    assert s.stages == stages


def test_flip_flops_and_a_fault(tmp_path: Path) -> None:
    target = load_target("ecp5-85k-8")
    design, _ = counter("counter", 32, "brent_kung", 4, target.delay)
    text = print_design(design)
    with scratch() as out:
        (out / "counter.v").write_text(text)
        (out / "mapped").mkdir()
        assert synthesise([out / "counter.v"], "counter", target, out / "mapped").ffs == design.flip_flops()
    assert " & " in text
    broken = text.replace(" & ", " | ")
    start = (1 << 32) - 70  # every carry is used
    assert counts(broken, tmp_path, 32, 4, start, 150) != [(start + k) % (1 << 32) for k in range(150)]
