"""Delay lines: rings of RAM are proven to be delays, and one that is a cycle too long is seen by the
proof, in each form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.rtl.cells import delay_piece, valid_line
from cipherwright.rtl.timer import TAPS, width_for
from cipherwright.verify import checks
from cipherwright.verify.delay_lines import KEPT, delay_of, flushes
from cipherwright.verify.netlist import read_netlist
from tests.conftest import Built
from tests.faults import Fault, drop, only, starts, takes, unreset, use
from tests.verify.test_checks import broken_file

TOP = (
    "module t (input clk, input rst_i, input [1:0] d, output [1:0] q);\n    cipherwright_delay_{0} "
    "#(.WIDTH(2), .{1}) u (.clk(clk), .rst_i(rst_i), .d(d), .q(q));\nendmodule\n"
)


def delay(text: str, kind: str, size: str, folder: Path) -> int:
    (folder / "t.v").write_text(text + TOP.format(kind, size))
    n = read_netlist([folder / "t.v"], "t", keep=KEPT)
    return delay_of(n.kept[next(c["type"] for c in n.cells.values())])


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("words", [1, 2, 9, 16])
def test_rings_of_distributed_ram(words: int, asynchronous: bool, tmp_path: Path) -> None:
    assert delay(delay_piece("ring", asynchronous), "ring", f"WORDS({words})", tmp_path) == words + 1


def of_block(depth: int) -> str:
    bits = width_for(depth - 1)
    return f"DEPTH({depth}), .BITS({bits}), .TAP({TAPS[bits]})"


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("depth", [3, 4, 5, 6, 7, 17, 40, 91, 130])
def test_rings_of_block_ram(depth: int, asynchronous: bool, tmp_path: Path) -> None:
    assert delay(delay_piece("block", asynchronous), "block", of_block(depth), tmp_path) == depth


def flushed(text: str, depth: int, folder: Path) -> int:
    (folder / "t.v").write_text(text)
    return flushes(read_netlist([folder / "t.v"], f"cipherwright_delay_valid_{depth}"))


def in_shift_luts(depth: int, asynchronous: bool = False) -> str:
    """A valid line whose places are in shift-register LUTs, and these."""
    return valid_line(depth, asynchronous, shift=True) + "\n" + delay_piece("line")


@pytest.mark.parametrize("depth", [5, 16, 61, 92, 128, 231])
def test_lines_of_valid_bits(depth: int, tmp_path: Path) -> None:
    """After a reset such a line gives nothing until what was inside has left, and then what came in since."""
    assert flushed(valid_line(depth), depth, tmp_path) == depth


@pytest.mark.parametrize("depth", [18, 208])
def test_lines_of_valid_bits_in_shift_luts(depth: int, tmp_path: Path) -> None:
    assert flushed(in_shift_luts(depth), depth, tmp_path) == depth


SHIFT_FAULTS = [
    drop("q", "left_q"),
    use("u_line.d", "d", "d & left_q"),
    use("u_line.DEPTH", "17", "16"),
]
"""Faults of a valid line of 18 cycles in shift-register LUTs."""


@pytest.mark.parametrize("fault", SHIFT_FAULTS, ids=str)
def test_faults_of_a_valid_line_in_shift_luts(fault: Fault, tmp_path: Path) -> None:
    try:
        depth = flushed(fault(in_shift_luts(18)), 18, tmp_path)
    except CheckFailed:
        return
    assert depth != 18


VALID_FAULTS = [
    drop("q", "left_q"),
    unreset("q"),
    use("left_q", "1'b0", "left_q"),
    use("time_q", "5'd0", "5'd1"),
    use("match_q", "2'd0", "2'd3"),
    drop("left_q", "left_q"),
    use("match_q", "time_q[2:0] == 3'd3", "time_q[2:0] != 3'd3"),
    use("left_q", "&match_q", "|match_q"),
    use("line", "d", "d & left_q"),
    use("time_q", "~(time_q[4] ^ time_q[2])", "(time_q[4] ^ time_q[2])"),
    use("q", "16", "15"),
]


@pytest.mark.parametrize("fault", VALID_FAULTS, ids=str)
def test_faults_of_a_valid_line(fault: Fault, tmp_path: Path) -> None:
    text = valid_line(18)
    try:
        depth = flushed(fault(text), 18, tmp_path)
    except CheckFailed:
        return
    assert depth != 18  # which the ranks tell from the right one


RING, BLOCK = (delay_piece("ring"), "ring", "WORDS(9)"), (delay_piece("block"), "block", of_block(40))
RING_AT_ONCE = (delay_piece("ring", True), "ring", "WORDS(9)")
BLOCK_AT_ONCE = (delay_piece("block", True), "block", of_block(40))
SHORT = (delay_piece("ring").replace("words [0:15]", "words [0:8]"), "ring", "WORDS(9)")
"""A ring with places for its words alone, and none for another address."""
FAULTS: list[tuple[tuple[str, str, str], Fault, str | int]] = [
    (RING, drop("at", "rst_i"), "reset does not clear the counter"),
    (RING, use("at", "4'd1", "4'd2"), 6),
    (
        RING,
        only("words", "d[0]"),
        "depends on a bit that is x|does not write in every cycle",
    ),
    (RING, takes("behind", "at == 4'd3 ? d : words[at]"), "takes 1 or 10 cycles"),
    (RING, takes("words", "{d[0], d[1]}"), "does not give back what it takes"),
    (RING, takes("words", "{d[1], d[1] & d[0]}"), "computes with what it delays"),
    (
        RING,
        use("at", "at == LAST", "at == LAST && d[0]"),
        "place depends on what it delays|reset does not clear|computes",
    ),
    (RING, starts("at", "4'd12"), "does not give back what it takes"),
    (BLOCK, unreset("at"), "reset does not clear the counter"),
    (BLOCK, use("EARLY", "3", "4"), 39),
    (BLOCK, use("SECOND", "1", "2"), "takes 39 or 40 cycles"),
    (BLOCK, starts("match", "{PIECES{1'b1}}"), "takes 4 or 40 cycles"),
    (RING_AT_ONCE, starts("at", "4'd12"), "does not give back what it takes"),
    (RING_AT_ONCE, use("at", "4'd1", "4'd2"), 6),
    (BLOCK_AT_ONCE, use("SECOND", "1", "2"), "takes 39 or 40 cycles"),
    (RING_AT_ONCE, unreset("at"), "Multiple edge sensitive events"),
    (BLOCK_AT_ONCE, unreset("at"), "not by a plain flip-flop"),
    (BLOCK_AT_ONCE, use("EARLY", "3", "4"), 39),
    (SHORT, use("at", "at == LAST", "at == 4'd12"), "beyond its memory"),
]


@pytest.mark.parametrize(
    ("line", "fault", "message"), FAULTS, ids=lambda v: v[1] if isinstance(v, tuple) else str(v)
)
def test_faults_of_a_ring(
    line: tuple[str, str, str], fault: Fault, message: str | int, tmp_path: Path
) -> None:
    text, kind, size = line
    if isinstance(message, int):  # another delay, which the ranks tell from the right one
        assert delay(fault(text), kind, size, tmp_path) == message
        return
    with pytest.raises(CheckFailed, match=message):
        delay(fault(text), kind, size, tmp_path)


CORES = {
    "srl": ("des-xilinx-48", (), "delay_line", "DEPTH"),
    "ram": ("des-fast", ("delay_lines=ram", "srl_from=4"), "delay_ring", "WORDS"),
    "bram": ("des-fast", ("delay_lines=bram", "srl_from=4"), "delay_block", "DEPTH"),
    "loop": ("des-small", ("delay_lines=ram", "srl_from=2", "stages=6"), "delay_ring", "WORDS"),
    "loop in block RAM": (
        "des-small",
        ("delay_lines=bram", "srl_from=3", "stages=6"),
        "delay_block",
        "DEPTH",
    ),
}


@pytest.mark.long_check
@pytest.mark.parametrize("kind", CORES)
def test_a_delay_line_one_cycle_too_long(kind: str, built: Callable[..., Built], tmp_path: Path) -> None:
    preset, changes, module, size = CORES[kind]
    core, folder = built(preset, *changes)
    text = (folder.path / f"{core.top}.v").read_text()
    assert "ifdef" not in text
    said = checks.prove_core(folder, core.plain, None)
    if kind in ("ram", "bram"):
        assert "rings of RAM" in said
    line = re.search(rf"{module} #\([^;]*?\.{size}\((\d+)\)[^;]*?\) (u_\w+)", text)
    assert line is not None
    longer = use(f"{line[2]}.{size}", line[1], str(int(line[1]) + 1))
    broke = broken_file(folder, f"{core.top}.v", longer, tmp_path / "b")
    met = r"bits of different blocks meet|comes after \d+ registers|of block_o is not the cipher's|differs"
    with pytest.raises(CheckFailed, match=met):
        checks.prove_core(broke, core.plain, None)
