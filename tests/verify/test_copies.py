"""Registers that are equal from a reset on count as one; those that may differ do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherwright.verify.copies import without_copies
from cipherwright.verify.equivalence import topological
from cipherwright.verify.netlist import read_netlist

CORE = """\
module top (input wire clk, input wire rst_i, input wire go, input wire stop, output wire [2:0] q);
    turn u_first (.clk(clk), .rst_i(rst_i), .go(go), .stop(stop), .q(q[0]));
    turn u_second (.clk(clk), .rst_i(rst_i), .go(go), .stop(stop), .q(q[1]));
    turn u_third (.clk(clk), .rst_i(rst_i), .go(go), .stop(q[1] & stop), .q(q[2]));
endmodule

(* keep_hierarchy = "yes" *)
module turn (input wire clk, input wire rst_i, input wire go, input wire stop, output reg q);
    reg past;
    always @(posedge clk) begin
        if (rst_i) begin
            q <= 1'b0;
            past <= 1'b0;
        end else begin
            past <= go;
            q <= past | (q & ~stop);
        end
    end
endmodule
"""


def _shown(text: str, folder: Path) -> list[int]:
    """The register that each bit of q shows in the netlist without copies: by the first bit that has it."""
    (folder / "top.v").write_text(text)
    n = read_netlist([folder / "top.v"], "top")
    bits = without_copies(n, "rst_i", topological(n, through_ff=False)).outputs["q"]
    return [bits.index(b) for b in bits]


def test_copies_count_as_one(tmp_path: Path) -> None:
    """The third is none: what stops it is another function, though it is 1 in the same cycles."""
    assert _shown(CORE, tmp_path) == [0, 0, 2]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "turn u_second (.clk(clk), .rst_i(rst_i), .go(go)",
            "turn u_second (.clk(clk), .rst_i(rst_i), .go(stop)",
        ),
        ("turn u_second (.clk(clk), .rst_i(rst_i)", "turn u_second (.clk(clk), .rst_i(1'b0)"),
    ],
    ids=["another input", "no reset"],
)
def test_what_may_differ_is_no_copy(old: str, new: str, tmp_path: Path) -> None:
    assert CORE.count(old) == 1
    assert _shown(CORE.replace(old, new), tmp_path)[1] == 1
