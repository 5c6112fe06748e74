"""Keys that are announced for GCM, proven for all times: every packet begins under its own key, in the order
in which keys were announced, and no key is written over that a packet needs; and seen to fail where it is
broken.

The core around which keys are announced is abstracted: it takes a key when it likes, but none into a slot
that a packet is in or could be admitted under, and it admits a packet by the slot that it sees, once that has
a key (slot_control.py and slots.py; test_gcm_control.py). Resets and zeroising come at any time. Keys have
18 bits, so that rows of differences end in parts of four.

Keys reach the control by two bits only, `new_q` and `slot_q`. What they are is told here as a function of
which keys are the same, and when they are told as a number of cycles. So the times of a core tell whether a
key was resident and in which slot, and nothing else of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherwright.shell.gcm.announced import announced_keys
from tests.faults import Fault, drop, takes, unreset, use
from tests.proofs import killed

from .sby_module import SbyModule

BITS = 18
"""Bits of a key."""

DEPTH = 8
"""Cycles of the induction: from a key that is taken to the answer whether it is resident."""

CORE = f"""\
module inner (input wire clk, input wire rst_i, input wire zeroise_i, input wire key_valid_i,
    input wire [{BITS - 1}:0] key_i, input wire load_slot_i, output wire key_ready_o, input wire valid_i,
    input wire key_slot_i, input wire last_i, output wire ready_o, output wire busy_o,
    input wire [15:0] keep_i, input wire aad_i, input wire decrypt_i, input wire [95:0] iv_i,
    input wire [127:0] tag_i, input wire [127:0] block_i, output wire valid_o, output wire [127:0] block_o,
    output wire [15:0] keep_o, output wire last_o, output wire tag_valid_o, output wire [127:0] tag_o,
    output wire good_o);
    (* anyseq *) wire f_takes, f_moves, f_works;
    assign {{key_ready_o, ready_o, busy_o}} = {{f_takes, f_moves, f_works}};
    assign {{valid_o, block_o, keep_o, last_o, tag_valid_o, tag_o, good_o}} = 0;
endmodule
"""
"""The core with two resident keys, whose answers are free."""

PROMISES = f"""
    // What the core does, and what it promises: keys of its slots, the slots under which it admits a packet,
    // and the packet that it is in.
    (* anyseq *) wire [1:0] f_ready;
    reg [{BITS - 1}:0] f_key_0, f_key_1;
    reg [1:0] f_held, f_open;
    reg f_admit, f_slot, f_end, f_calm, f_asked;
    wire f_offered = valid_i & opens;
    always @(posedge clk) begin
        if (loaded & ~slot_q) f_key_0 <= next_key;
        if (loaded & slot_q) f_key_1 <= next_key;
        f_asked <= slot_q;
        f_calm <= load_q & ~f_open[slot_q] & ~(f_admit & (f_slot == slot_q)) & ~rst_i;
        f_held[0] <= ~rst_i & ~zeroise_i & (f_held[0] | (loaded & ~slot_q));
        f_held[1] <= ~rst_i & ~zeroise_i & (f_held[1] | (loaded & slot_q));
        f_open <= rst_i | zeroise_i ? 2'd0 : f_held & f_ready & ~{{load_q & slot_q, load_q & ~slot_q}};
        f_admit <= ~rst_i & ~zeroise_i & ((f_admit & ~f_end) | (f_offered & f_open[q0_slot]));
        f_slot <= f_admit & ~f_end ? f_slot : q0_slot;
        f_end <= ~rst_i & f_offered & core_ready & last_i;
    end
    always @(*) begin
        assume (~core_key_ready | (load_q & f_calm & (f_asked == slot_q)));
        assume (~core_ready | (f_admit & ~f_end));
    end
"""

RULES = f"""
    // The keys that were announced and whose packets have not begun, the oldest first.
    reg f_start = 1;
    reg [{BITS - 1}:0] f_fifo_0, f_fifo_1, f_fifo_2, f_current;
    reg [1:0] f_count;
    reg [2:0] f_since;
    reg f_gone;
    wire [{BITS - 1}:0] f_under = f_slot ? f_key_1 : f_key_0;
    wire f_drop = rst_i | forget;
    wire f_pending = (|compare) | have_q;
    wire [1:0] f_left = f_count - {{1'b0, pop}};
    wire f_same_0 = there_q[0] & (next_key == f_key_0);
    wire f_same_1 = there_q[1] & (next_key == f_key_1);
    function [2:0] f_ones(input [5:0] bits);
        f_ones = bits[0] + bits[1] + bits[2] + bits[3] + bits[4] + bits[5];
    endfunction
    always @(posedge clk) begin
        f_start <= 0;
        if (f_start) assume (rst_i);
        f_count <= f_drop ? 2'd0 : f_left + {{1'b0, take}};
        if (pop) {{f_fifo_0, f_fifo_1}} <= {{f_fifo_1, f_fifo_2}};
        if (take & f_left == 0) f_fifo_0 <= key_i;
        if (take & f_left == 1) f_fifo_1 <= key_i;
        if (take & f_left == 2) f_fifo_2 <= key_i;
        if (pop) f_current <= f_fifo_0;
        f_since <= f_drop || (~take && (f_since == 0 || f_since == 7)) ? 3'd0 : take ? 3'd1 : f_since + 3'd1;
        f_gone <= rst_i | zeroise_i;
    end
    always @(*) if (~f_start) begin
        // A packet begins under its own key, and keeps it.
        if (pop) assert (f_count != 0 && f_under == f_fifo_0 && f_held[f_slot]);
        if (inside_q) assert (f_admit && ~f_end && f_under == f_current);
        if (ready_o) assert (inside_q | (f_count != 0));
        if (f_admit & ~f_end & ~inside_q) assert (q0_valid && f_slot == q0_slot);
        // No key is lost, and there is room for each.
        assert (f_count == {{1'b0, q0_valid}} + {{1'b0, q1_valid}} + {{1'b0, f_pending}});
        assert (q0_valid | ~q1_valid);
        if (take) assert (~(q0_valid & q1_valid & f_pending));
        assert (f_ones({{free_q, (|compare), have_q, ~free_q & (|forget_q) & ~f_pending}}) == 1);
        assert (f_ones(compare) <= 1);
        // Those that have a slot find their key in it.
        if (q0_valid) assert (there_q[q0_slot] && f_fifo_0 == (q0_slot ? f_key_1 : f_key_0));
        if (q1_valid) assert (there_q[q1_slot] && f_fifo_1 == (q1_slot ? f_key_1 : f_key_0));
        if (f_pending & f_count == 1) assert (next_key == f_fifo_0);
        if (f_pending & f_count == 2) assert (next_key == f_fifo_1);
        if (f_pending & f_count == 3) assert (next_key == f_fifo_2);
        // What is told of slots is so, and the two keys are different ones.
        if (there_q[0]) assert (f_held[0] && key_0 == f_key_0);
        if (there_q[1]) assert (f_held[1] && key_1 == f_key_1);
        if (&there_q) assert (f_key_0 != f_key_1);
        // A key is loaded where it is not resident, into a slot that no packet needs, and stays on offer.
        if (have_q) assert (new_q == ~(f_same_0 | f_same_1));
        if (have_q & ~new_q) assert (slot_q == f_same_1);
        if (have_q & new_q) assert (slot_q == ~last_q);
        if (load_q) assert (have_q & new_q);
        if (load_q & ~forget) assert (~(q0_valid && q0_slot == slot_q) && ~q1_valid);
        if (loaded) assert (~(f_admit && f_slot == slot_q));
        if (q1_valid) assert (last_q == q1_slot);
        if (q0_valid & ~q1_valid) assert (last_q == q0_slot);
        // Whatever the keys are, the answer comes in the same cycle, and one that is resident is announced at
        // once where there is room.
        if (f_since != 0 && f_since < 7) assert (compare == 1 << (f_since - 1));
        if (f_since == 7) assert (have_q);
        if (compare != 0) assert (f_since != 0 && f_since < 7);
        if (have_q & ~new_q & ~q1_valid & ~forget) assert (push);
        // After a reset or zeroising nothing is announced, nothing is resident, and keys are taken again.
        if (f_gone) assert (f_count == 0 && there_q == 0 && ~load_q && ~have_q && ~ready_o);
        if (~free_q & ~f_pending) assert (|forget_q);
        // While anything is announced, the core says so.
        if (~busy_o) assert (f_count == 0 && free_q);
    end
    always @(*) if (~f_start) begin
        cover (pop && f_count == 3 && (&there_q) && f_under != f_current);
        cover (loaded && (&there_q) && inside_q);
        cover (pop && f_under == f_current && f_under != 0 && q1_valid);
    end
"""
"""The statement, to be put into the module."""

FAULTS: dict[str, Fault] = {
    "one bit of a key is compared": takes("differs_1_0", f"(next_key ^ key_1) & {BITS}'d1"),
    "one bit of a key is not compared": takes("differs_0_0", f"(next_key ^ key_0) & {BITS}'h1ffff"),
    "the last part of a key is not compared": takes("differs_1_1[4]", "1'b0"),
    "a slot without a key is compared": drop("same_1", "there_q[1]"),
    "the other slot is named": use("slot_q", "same_1", "same_0"),
    "a key goes into the slot of the packet before": use("slot_q", "~last_q", "last_q"),
    "a key is written over that a packet waits for": drop("load_q", "~q1_valid"),
    "a packet begins before its key is taken": use("push", "loaded", "load_q"),
    "a key is announced over another": drop("free_q", "~key_valid_i"),
    "a third packet is told without room": drop("push", "~q1_valid"),
    "an announced key is lost": use("q1_valid", "(push & stays)", "(push & stays & ~q0_slot)"),
    "the two packets that wait change places": use("q0_slot", "q1_valid ? q1_slot : slot_q", "slot_q"),
    "the second packet has the first one's slot": takes("q1_slot", "push ? q0_slot : q1_slot"),
    "the slot of a packet that has begun stays": takes("q0_slot", "q0_valid ? q0_slot : slot_q"),
    "words without a key": takes("opens", "1'b1"),
    "a packet's words after its end": takes("inside_q", "~forget & (accept | inside_q)"),
    "a packet ends with its first word": takes("inside_q", "1'b0"),
    "the answer is a cycle early": takes("decide", "compare[4]"),
    "a resident key is loaded again": takes("new_q", "decide | (new_q & ~forget)"),
    "a new key is said to be resident": takes("new_q", "1'b0"),
    "a slot has another key than it is told": use("key_0", "next_key", "key_i"),
    "the other slot has had a key": use("there_q[0]", "~slot_q", "slot_q"),
    "a key is offered once more": drop("load_q", "~loaded"),
    "zeroising leaves what was told of a slot": drop("there_q[0]", "~forget"),
    "zeroising leaves the first packet": drop("q0_valid", "~forget"),
    "zeroising leaves the second packet": drop("q1_valid", "~forget"),
    "zeroising leaves a packet's words": drop("inside_q", "~forget"),
    "zeroising leaves a key that waits": drop("have_q", "~forget"),
    "zeroising leaves a comparison": use("compare", "forget", "1'b0"),
    "zeroising leaves a load": drop("load_q", "~forget"),
    "no key is taken after zeroising": use("free_q", "forget_q[2]", "1'b0"),
    "a core at rest while a packet is announced": drop("busy_o", "q0_valid"),
    "a core at rest while a key is compared": drop("busy_o", "~free_q"),
    **{
        f"reset leaves {name}": unreset(name)
        for name in ("there_q", "q0_valid", "q1_valid", "inside_q", "have_q", "free_q")
    },
}
"""What is broken -> the fault."""

QUICK = [
    "one bit of a key is compared",
    "a key is written over that a packet waits for",
    "the two packets that wait change places",
    "zeroising leaves what was told of a slot",
]
"""Those that the tests try."""


RULED = SbyModule(announced_keys("announced", "inner", BITS), CORE, PROMISES + RULES, always=DEPTH, reach=40)


@pytest.mark.parametrize("task", ["always", "reach"])
def test_announced_keys(task: str, tmp_path: Path) -> None:
    text = RULED.said(tmp_path, task=task)
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize("fault", QUICK)
def test_broken_announcements_are_seen(fault: str, tmp_path: Path) -> None:
    """The others: benchmarks/control_proofs.py."""
    assert killed(RULED.said(tmp_path, FAULTS[fault]))
