"""The control of GHASH, proven for all times: which power a slot is multiplied by, what is fed back to it,
and which products make a packet's sum.

The flags of the slots are free, and so is every register at the start. The control is a shift register of
flags, but for one bit, whose rule is part of the statement (it tells which slots are within a packet). So
what holds from any state after as many cycles as the control remembers holds at all times; a reset changes
nothing of it. The multiplier is abstracted: its outputs are free. That such products give GHASH is
arithmetic, which tests/shell/test_ghash.py has on integers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherwright.rtl import print_wrapper
from cipherwright.rtl.cells import COPY
from cipherwright.shell.ghash import READ, GhashTiming, ghash_unit
from tests.faults import Fault, drop, takes
from tests.proofs import Sees, sby

SCRIPT = "ghash.sby"

FREE = """\
module multiplier (input wire clk, input wire [127:0] x_i, input wire [127:0] h_i,
    output wire [127:0] a_o, output wire [127:0] b_o);
    (* anyseq *) wire [127:0] f_a, f_b;
    assign a_o = f_a;
    assign b_o = f_b;
endmodule
"""

FAULTS = [
    takes("count_0", "2'd2"),
    takes("fed", "1'b1"),
    drop("keep_line", "~first_line[9]"),
    drop("keep_line", "~open_before"),
    drop("more[4]", "~last_q"),
    drop("inside_q", "~last_q"),
]


LANES_FAULTS = [
    takes("beside_1[0]", "own[7]"),
    takes("more_2", "{1'b0, more_1[0]}"),
    drop("more_3", "~last_q"),
    takes("u_gate_of_1_3.d", "1'b1"),
    drop("keep_line", "~open_before"),
]


def lane_rules(timing: GhashTiming) -> str:
    """The statement where words have several blocks. f_block[i] has a bit for each lane. Of the blocks of a
    slot the first ones are there. The power of a lane is that of the blocks of its packet from its own on to
    its next turn; gates are as with one lane, a cycle later.
    """
    loop, lanes, bits = timing.loop, timing.lanes, timing.count_bits
    here, late = loop + 2, READ + 1
    out = 2 * loop + 3 + late
    most, age = out + 1, out + 3
    rows = "".join(f"            {k}: f_state = {bits}'d{timing.count(k)};\n" for k in range(timing.most + 1))
    asserts = ""
    for lane in range(lanes):
        terms = [f"f_block_{here}[{k}]" for k in range(lane, lanes)]
        for j in range(1, loop + 1):
            same = f"f_inside[{here}] & ~(|f_last[{here}:{here - j + 1}])"
            terms += [f"({same} & f_block_{here - j}[{k}])" for k in range(lanes if j < loop else lane)]
        count = " + ".join(f"{{7'd0, {term}}}" for term in terms)
        asserts += f"        assert (count_of_{lane} == {{8{{f_state({count})}}}});\n"
        asserts += f"        assert (gate_of_{lane} == {{8{{f_fed}}}});\n"
    blocks = "".join(f"    reg [{lanes - 1}:0] f_block_{k};\n" for k in range(1, here + 1))
    moves = "".join(f"        f_block_{k} <= f_block_{k - 1};\n" for k in range(2, here + 1))
    falls = " & ".join(f"(block_i[{k - 1}] | ~block_i[{k}])" for k in range(1, lanes))
    return f"""
    reg [{most}:0] f_first, f_last, f_inside;
{blocks}    reg [5:0] f_age = 0;
    reg [{lanes - 1}:0] f_block_0;
    always @(*) assume ({falls});
    always @(posedge clk) begin
        f_first <= {{f_first[{most - 1}:1], first_q, 1'b0}};
        f_last <= {{f_last[{most - 1}:1], last_q, 1'b0}};
        f_inside <= {{f_inside[{most - 1}:1], inside_q, 1'b0}};
        f_block_0 <= block_i;
        f_block_1 <= f_block_0;
{moves}        if (f_age != {age}) f_age <= f_age + 1;
    end
    function automatic [{bits - 1}:0] f_state(input [7:0] k);
        case (k)
{rows}            default: f_state = 0;
        endcase
    endfunction
    wire f_fed = ~(|f_first[{2 * loop + late}:{loop + 1 + late}]);
    wire f_open = f_inside[{out}] & ~(|f_last[{out}:{out - loop + 1}]);
    always @(posedge clk) if (f_age == {age}) begin
{asserts}        assert (keep == {{8{{~f_first[{out - 1}] & ~f_open}}}});
        assert (f_inside[1] == (f_first[1] | (f_inside[2] & ~f_last[2])));
    end
"""


def rules(timing: GhashTiming) -> str:
    """The statement, to be put into the unit: f_block[i] and so on are the flags of the slot that entered i
    cycles ago. The power of slot L + 1 is read, and a cycle later what is fed back is chosen; slot
    2 L + 2 leaves the multiplier.
    """
    loop, here, late = timing.loop, timing.loop + 1, READ
    out = 2 * loop + 2 + late
    most, age = out + 1, out + 3
    chosen = """
    reg f_slot;
    always @(posedge clk) begin
        f_slot <= slot_i;
        if (f_age > 2) assert (bank == {8{f_slot}});
    end
"""
    rows = "".join(f"            {k}: f_state = 4'd{timing.count(k)};\n" for k in range(loop + 1))
    terms = " + ".join(
        f"(f_inside[{here}] & ~(|f_last[{here}:{here - j + 1}]) & f_block[{here - j}])"
        for j in range(1, loop)
    )
    return f"""
    reg [{most}:0] f_first, f_block, f_last, f_inside;
    reg [5:0] f_age = 0;
    always @(posedge clk) begin
        f_first <= {{f_first[{most - 1}:1], first_q, 1'b0}};
        f_block <= {{f_block[{most - 1}:1], block_q, 1'b0}};
        f_last <= {{f_last[{most - 1}:1], last_q, 1'b0}};
        f_inside <= {{f_inside[{most - 1}:1], inside_q, 1'b0}};
        if (f_age != {age}) f_age <= f_age + 1;
    end
    function automatic [3:0] f_state(input [3:0] k);
        case (k)
{rows}            default: f_state = 0;
        endcase
    endfunction
    wire [3:0] f_count = {{3'd0, f_block[{here}]}} + {terms};
    wire f_fed = ~(|f_first[{2 * loop + late}:{here + late}]);
    wire f_open = f_inside[{out}] & ~(|f_last[{out}:{here + 2 + late}]);
    always @(posedge clk) if (f_age == {age}) begin
        assert (count == {{8{{f_state(f_count)}}}});
        assert (gate == {{8{{f_fed}}}});
        assert (keep == {{8{{~f_first[{2 * loop + 1 + late}] & ~f_open}}}});
        assert (f_inside[1] == (f_first[1] | (f_inside[2] & ~f_last[2])));
    end
{chosen if timing.banks > 1 else ""}"""


def write(folder: Path, fault: Fault | None = None, banks: int = 1, lanes: int = 1) -> None:
    """The unit with its rules, and one fault, in the folder, and the script. banks: of powers; lanes: blocks
    of a word.
    """
    timing = GhashTiming(9 if lanes == 1 else 3, banks, lanes)
    stated = rules(timing) if lanes == 1 else lane_rules(timing)
    text = print_wrapper(ghash_unit("ghash", "multiplier", timing))
    text = fault(text) if fault else text
    (folder / "ghash.v").write_text(f"{COPY}{FREE}{text.replace('endmodule', stated + 'endmodule')}")
    (folder / SCRIPT).write_text(
        f"[options]\nmode bmc\ndepth {2 * timing.loop + 7 + READ + 3 * timing.of_lanes}\n\n"
        "[engines]\nsmtbmc yices\n\n[script]\n"
        "read -formal -sv ghash.v\nprep -top ghash\nsetattr -mod -unset keep_hierarchy *\nflatten\n"
        "memory_map\nopt_clean\n\n[files]\nghash.v\n"
    )


@pytest.mark.parametrize("banks", [1, 2])
def test_control_of_ghash(banks: int, tmp_path: Path) -> None:
    write(tmp_path, banks=banks)
    text = sby(tmp_path, "", SCRIPT)
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


def test_the_other_bank_is_seen(tmp_path: Path, sees: Sees) -> None:
    write(tmp_path, takes("u_bank_3.d", "1'b0"), 2)
    assert sees(tmp_path, "", SCRIPT)


@pytest.mark.parametrize("lanes", [2, 4])
def test_control_of_several_lanes(lanes: int, tmp_path: Path) -> None:
    write(tmp_path, lanes=lanes)
    text = sby(tmp_path, "", SCRIPT)
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize("fault", LANES_FAULTS, ids=str)
def test_a_broken_control_of_two_lanes_is_seen(fault: Fault, tmp_path: Path, sees: Sees) -> None:
    write(tmp_path, fault, lanes=2)
    assert sees(tmp_path, "", SCRIPT)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_broken_control_is_seen(fault: Fault, tmp_path: Path, sees: Sees) -> None:
    write(tmp_path, fault)
    assert sees(tmp_path, "", SCRIPT)
