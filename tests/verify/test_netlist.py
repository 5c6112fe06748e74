"""The strict reader: whatever a proof does not know of is refused with the net's name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.verify import checks
from cipherwright.verify.netlist import read_netlist
from tests.conftest import Built
from tests.verify.test_checks import broken_file

GOOD = """\
module box (input wire [1:0] a, output wire [3:0] y);
    function [3:0] entry;
        input [1:0] address;
        case (address)
            2'd0: entry = 4'h6;
            2'd1: entry = 4'hb;
            2'd2: entry = 4'h1;
            default: entry = 4'h8;
        endcase
    endfunction
    assign y = entry(a);
endmodule
module t (input wire clk, input wire rst_i, input wire go_i, input wire [1:0] a_i, output wire valid_o, \
output wire [3:0] y_o);
    wire [3:0] found;
    reg go_q;
    reg [3:0] y_q;
    box u_box (.a(a_i), .y(found));
    always @(posedge clk) go_q <= rst_i ? 1'd0 : go_i;
    always @(posedge clk) y_q <= found;
    assign valid_o = go_q;
    assign y_o = y_q;
endmodule
"""

RANK = "    always @(posedge clk) y_q <= found;"
FAULTS = {
    "gated clock": (
        RANK,
        "    wire tick = clk & go_i;\n    always @(posedge tick) y_q <= found;",
        r"y_[oq]\[\d\] does not follow the clock clk but tick",
    ),
    "another clock": (
        RANK,
        "    always @(posedge go_i) y_q <= found;",
        r"y_[oq]\[\d\] does not follow the clock clk but go_i",
    ),
    "falling edge": (
        RANK,
        RANK.replace("posedge", "negedge"),
        r"y_[oq]\[\d\] is held by \$_DFF_N_, not by a plain flip-flop of clk",
    ),
    "asynchronous clear": (
        RANK,
        "    always @(posedge clk or posedge rst_i) if (rst_i) y_q <= 0; else y_q <= found;",
        r"y_[oq]\[\d\] is held by \$_DFF_PP0_",
    ),
    "asynchronous set": (
        RANK,
        "    always @(posedge clk or negedge go_i) if (!go_i) y_q <= 4'hf; else y_q <= found;",
        r"y_[oq]\[\d\] is held by \$_DFF_PN1_",
    ),
    "asynchronous load": (
        RANK,
        "    always @(posedge clk or posedge go_i) if (go_i) y_q <= {a_i, a_i}; else y_q <= found;",
        r"y_[oq]\[\d\] is held by",
    ),
    "latch": (RANK, "    always @* if (go_i) y_q = found;", r"y_[oq]\[\d\] is held by \$_DLATCH_P_"),
    "x in a table": ("entry = 4'hb;", "entry = 4'bx;", "depends on a bit that is x"),
    "one x in a table": ("entry = 4'hb;", "entry = 4'b10x1;", "depends on a bit that is x"),
    "a table with a hole": ("            default: entry = 4'h8;\n", "", "depends on a bit that is x"),
    "x at an output": (
        "assign y_o = y_q;",
        "assign y_o = {y_q[3:1], 1'bx};",
        "output y_o depends on a bit that is x",
    ),
    "z": ("assign y_o = y_q;", "assign y_o = go_q ? y_q : 4'bz;", r"y_o\[\d\] depends on a bit that is z"),
    "two drivers": ("assign y_o = y_q;", "assign y_o = y_q;\n    assign y_o = found;", "y_o|driver"),
    "no driver": ("assign y_o = y_q;", "wire [3:0] none;\n    assign y_o = none;", "nothing drives"),
    "clock as data": (
        "assign valid_o = go_q;",
        "assign valid_o = go_q & clk;",
        "valid_o depends on the clock as on data",
    ),
    "clock at an output": ("assign valid_o = go_q;", "assign valid_o = clk;", "output valid_o is the clock"),
    "a memory": (
        RANK,
        (
            "    reg [3:0] words [0:3];\n    always @(posedge clk) begin words[a_i] <= found; y_q <= "
            "words[a_i]; end"
        ),
        r"is held by \$mem_v2",
    ),
    "text for synthesis": (
        RANK,
        f"`ifdef SYNTHESIS\n{RANK}\n`else\n{RANK}\n`endif",
        r"the file t\.v has text that not every tool reads \(SYNTHESIS\)",
    ),
    "text for simulation": (
        RANK,
        f"// synthesis translate_off\n{RANK}\n// synthesis translate_on",
        r"the file t\.v has text that not every tool reads",
    ),
}


def test_a_plain_core_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.v").write_text(GOOD)
    n = read_netlist([tmp_path / "t.v"], "t")
    assert sum(c["type"] == "$_DFF_P_" for c in n.cells.values()) == 5


@pytest.mark.parametrize("fault", FAULTS)
def test_what_no_proof_knows_is_refused(fault: str, tmp_path: Path) -> None:
    old, new, message = FAULTS[fault]
    assert old in GOOD
    (tmp_path / "t.v").write_text(GOOD.replace(old, new))
    with pytest.raises(CheckFailed, match=message):
        read_netlist([tmp_path / "t.v"], "t")


DATA = r"posedge clk\) begin(\s+(\w+_s\d+_q3) <=)"
"""The first assignment of an `always` block for registers of data, where it stands first."""

RANKS = {
    "gated clock": (DATA, r"posedge (clk & valid_i)) begin\1", "does not follow the clock Clk"),
    "asynchronous clear": (
        DATA,
        r"posedge clk or posedge valid_i) if (valid_i) \2 <= 0; else begin\1",
        "is held by",
    ),
    "x in a table": (r"\.INIT\(16'h\w+\)", ".INIT(16'b11x0100110101001)", "depends on a bit that is x"),
}


def _first(text: str, register: str) -> str:
    """The text with an assignment to a register of that name at the head of its `always` block."""
    return re.sub(rf"(posedge clk\) begin)((?:[^;]*;)*?)(\s+{register} <= [^;]*;)", r"\1\3\2", text, count=1)


@pytest.mark.long_check
@pytest.mark.parametrize("fault", RANKS)
def test_faults_of_a_pipeline_that_simulation_need_not_show(
    fault: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built("des-xilinx-16")
    old, new, message = RANKS[fault]

    def change(text: str) -> str:
        return re.sub(old, new, _first(text, r"\w+_s\d+_q3"), count=1)

    broke = broken_file(folder, f"{core.top}.v", change, tmp_path / "b")
    with pytest.raises(CheckFailed, match=message):
        checks.prove_core(broke, core.plain, None)
