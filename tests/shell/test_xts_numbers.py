"""The numbers of runs of units, proven for all times: a run has as many as were announced, each is one
more than the one before, and a run goes on at its pace; and seen to fail where the counting is broken.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherwright.shell.xts.numbers import PACE, numbers
from tests.faults import drop, takes, use
from tests.proofs import killed

from .sby_module import SbyModule

DEPTH = 9
"""Cycles of the induction: more than from one number of a run to the next."""

FAULTS = {
    "the next step begins before the last one is known": use("ready", "settled[4]", "settled[0]"),
    "a carry into the upper half is lost": drop("number_into_4[16]", "number_low[0]"),
    "a run has a number too many": takes("last_q", "1'b0"),
}
"""What is broken -> the fault."""

RULES = f"""
    function [127:0] f_reversed(input [127:0] word);
        integer k;
        for (k = 0; k < 16; k = k + 1) f_reversed[8 * k +: 8] = word[127 - 8 * k -: 8];
    endfunction
    reg f_start = 1, f_run = 0, f_after = 0;
    reg [127:0] f_number;
    reg [31:0] f_more;
    reg [4:0] f_wait = 0;
    always @(posedge clk) begin
        f_start <= 0;
        if (f_start) assume (rst_i);
        assume (free_o | ~start_i);
        assume (valid_o | ~taken_i);
        f_after <= 0;
        if (rst_i | drop_i) f_run <= 0;
        else if (start_i) begin
            f_run <= 1; f_number <= f_reversed(unit_i); f_more <= unit_more_i;
        end else if (taken_i) begin
            f_run <= f_more != 0; f_number <= f_number + 1; f_more <= f_more - 1;
        end
        f_wait <= (rst_i | drop_i | start_i | valid_o | free_o) ? 0 : f_wait + 1;
        if (~f_start & ~rst_i) begin
            if (valid_o) assert (f_run & f_reversed(number_o) == f_number & rest == ~f_more);
            if (owed) assert (number + 128'd1 == f_number & rest == ~f_more - 32'd1);
            if (owed) assert (f_run == (f_more != ~32'd0));
            if (free_o) assert (~f_run & ~valid_o & ~owed & ~fresh);
            else assert (valid_o | owed | fresh);
            assert (~(valid_o & owed) & ~(valid_o & fresh) & ~(owed & fresh));
            assert (f_wait < {PACE});
        end
    end
"""
"""The statement, to be put into the module; free_o, valid_o, owed and fresh are its states."""

COPY = """\
module cipherwright_copy (input wire clk, input wire d, output reg q);
    always @(posedge clk) q <= d;
endmodule
"""


RULED = SbyModule(numbers("numbers"), COPY, RULES, always=DEPTH)


def test_numbers_of_runs(tmp_path: Path) -> None:
    text = RULED.said(tmp_path)
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize("fault", list(FAULTS)[:1])
def test_broken_counting_is_seen(fault: str, tmp_path: Path) -> None:
    """The others: benchmarks/control_proofs.py."""
    assert killed(RULED.said(tmp_path, FAULTS[fault]))
