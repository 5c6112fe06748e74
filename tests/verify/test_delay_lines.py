"""Delay lines: rings of RAM are proven to be delays, and one that is a cycle too long is seen by the
proof, in each form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.rtl.cells import DELAY_BLOCK, DELAY_RING, valid_line
from cipherwright.verify import checks
from cipherwright.verify.delay_lines import KEPT, delay_of, flushes
from cipherwright.verify.netlist import read_netlist
from tests.conftest import Built
from tests.verify.test_checks import broken_file

TOP = (
    "module t (input clk, input rst_i, input [1:0] d, output [1:0] q);\n    cipherwright_delay_{0} "
    "#(.WIDTH(2), .{1}) u (.clk(clk), .rst_i(rst_i), .d(d), .q(q));\nendmodule\n"
)


def delay(text: str, kind: str, size: str, folder: Path) -> int:
    (folder / "t.v").write_text(text + TOP.format(kind, size))
    n = read_netlist([folder / "t.v"], "t", keep=KEPT)
    return delay_of(n.kept[next(c["type"] for c in n.cells.values())])


@pytest.mark.parametrize("words", [1, 2, 9, 16])
def test_rings_of_distributed_ram(words: int, tmp_path: Path) -> None:
    assert delay(DELAY_RING, "ring", f"WORDS({words})", tmp_path) == words + 1


@pytest.mark.parametrize("depth", [3, 4, 17, 40])
def test_rings_of_block_ram(depth: int, tmp_path: Path) -> None:
    assert delay(DELAY_BLOCK, "block", f"DEPTH({depth})", tmp_path) == depth


def flushed(text: str, depth: int, folder: Path) -> int:
    (folder / "t.v").write_text(text)
    return flushes(read_netlist([folder / "t.v"], f"cipherwright_delay_valid_{depth}"))


@pytest.mark.parametrize("depth", [5, 16, 61, 92, 128, 231])
def test_lines_of_valid_bits(depth: int, tmp_path: Path) -> None:
    """After a reset such a line gives nothing until what was inside has left, and then what came in since."""
    assert flushed(valid_line(depth), depth, tmp_path) == depth


VALID_FAULTS = [
    ("~rst_i & left_q", "~rst_i"),
    ("~rst_i & left_q", "left_q"),
    ("left_q <= 1'b0", "left_q <= left_q"),
    ("time_q <= 5'd0", "time_q <= 5'd1"),
    ("match_q <= 2'd0", "match_q <= 2'd3"),
    ("left_q <= left_q | ", "left_q <= "),
    ("match_q[0] <= time_q[2:0] == 3'd", "match_q[0] <= time_q[2:0] != 3'd"),
    ("(&match_q)", "(|match_q)"),
    ("line <= {line[15:0], d}", "line <= {line[15:0], d & left_q}"),
    ("~(time_q[4] ^ time_q[2])", "(time_q[4] ^ time_q[2])"),
    ("line[16];", "line[15];"),
]


@pytest.mark.parametrize(("old", "new"), VALID_FAULTS)
def test_faults_of_a_valid_line(old: str, new: str, tmp_path: Path) -> None:
    text = valid_line(18)
    assert old in text
    try:
        depth = flushed(text.replace(old, new), 18, tmp_path)
    except CheckFailed:
        return
    assert depth != 18  # which the ranks tell from the right one


FAULTS = [
    (DELAY_RING, "ring", "WORDS(9)", "rst_i || ", "", "reset does not clear the counter"),
    (DELAY_RING, "ring", "WORDS(9)", "at + 4'd1", "at + 4'd2", 6),
    (
        DELAY_RING,
        "ring",
        "WORDS(9)",
        "words[at] <= d",
        "if (d[0]) words[at] <= d",
        "depends on a bit that is x|does not write in every cycle",
    ),
    (
        DELAY_RING,
        "ring",
        "WORDS(9)",
        "behind <= words[at]",
        "behind <= at == 4'd3 ? d : words[at]",
        "takes 1 or 10 cycles",
    ),
    (
        DELAY_RING,
        "ring",
        "WORDS(9)",
        "words[at] <= d",
        "words[at] <= {d[0], d[1]}",
        "does not give back what it takes",
    ),
    (
        DELAY_RING,
        "ring",
        "WORDS(9)",
        "words[at] <= d",
        "words[at] <= {d[1], d[1] & d[0]}",
        "computes with what it delays",
    ),
    (
        DELAY_RING,
        "ring",
        "WORDS(9)",
        "at == LAST",
        "at == LAST && d[0]",
        "place depends on what it delays|reset does not clear|computes",
    ),
    (
        DELAY_RING,
        "ring",
        "WORDS(9)",
        "initial at = 4'd0",
        "initial at = 4'd12",
        "does not give back what it takes",
    ),
    (
        DELAY_BLOCK,
        "block",
        "DEPTH(40)",
        "rst_i ? {BITS{1'b0}} : next",
        "next",
        "reset does not clear the counter",
    ),
    (DELAY_BLOCK, "block", "DEPTH(40)", "[0:DEPTH-2]", "[0:DEPTH-3]", "beyond its memory"),
    (DELAY_BLOCK, "block", "DEPTH(40)", "next == LAST", "next == LAST - ONE", 39),
]


@pytest.mark.parametrize("fault", FAULTS, ids=[f[4] or f[3] for f in FAULTS])
def test_faults_of_a_ring(fault: tuple[str, str, str, str, str, str | int], tmp_path: Path) -> None:
    text, kind, size, old, new, message = fault
    assert old in text
    if isinstance(message, int):  # another delay, which the ranks tell from the right one
        assert delay(text.replace(old, new), kind, size, tmp_path) == message
        return
    with pytest.raises(CheckFailed, match=message):
        delay(text.replace(old, new), kind, size, tmp_path)


CORES = {
    "srl": ("des-xilinx-48", (), r"(delay_line #\(\.WIDTH\(\d+\), \.DEPTH\()(\d+)"),
    "ram": ("des-fast", ("delay_lines=ram", "srl_from=4"), r"(delay_ring #\(\.WIDTH\(\d+\), \.WORDS\()(\d+)"),
    "bram": (
        "des-fast",
        ("delay_lines=bram", "srl_from=4"),
        r"(delay_block #\(\.WIDTH\(\d+\), \.DEPTH\()(\d+)",
    ),
}


@pytest.mark.parametrize("kind", CORES)
def test_a_delay_line_one_cycle_too_long(kind: str, built: Callable[..., Built], tmp_path: Path) -> None:
    preset, changes, pattern = CORES[kind]
    core, folder = built(preset, *changes)
    text = (folder.path / f"{core.top}.v").read_text()
    assert "ifdef" not in text
    if kind != "srl":
        assert "rings of RAM" in checks.prove_core(folder, core.plain, None)
    broke = broken_file(
        folder,
        f"{core.top}.v",
        lambda t: re.sub(pattern, lambda m: f"{m[1]}{int(m[2]) + 1}", t, count=1),
        tmp_path / "b",
    )
    with pytest.raises(CheckFailed, match=r"bits of different blocks meet|comes after \d+ registers"):
        checks.prove_core(broke, core.plain, None)
