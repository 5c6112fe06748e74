"""The control of GCM around a pipeline, proven for all times: every word has its own counter block, is hashed
and leaves with its own key stream, lengths are those of its packet, and a tag meets its packet, with its
expected tag and direction, whatever other packets, gaps, resets and drops there are.

The mode is a row of registers behind the words that are taken. What it remembers for longer is told by rules
from one cycle to the next, which are part of the statement: whether a packet is inside, its IV, the lengths
of its last words. So what holds from any state after as many cycles as a word needs to its tag holds at all
times. The cipher and GHASH are abstracted: what they give is free in every cycle. That GHASH's sum belongs to
the packet whose last slot has passed is proven in test_ghash_control.py, that counters count in
test_gcm_counters.py. No key changes within the window.

Data are followed in a few bits of a word, since all are alike; the tag has 32 bits. The delays are those of
the emitted text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.arch import waiting
from cipherwright.rtl import print_design, print_wrapper
from cipherwright.rtl.cells import COPY
from cipherwright.shell.gcm.layer import gcm_layer
from cipherwright.shell.gcm.modules import control_outputs, waits_beside
from cipherwright.shell.gcm.timing import FRONT, GcmTiming
from cipherwright.shell.ghash import GhashTiming
from cipherwright.shell.waits import Waits
from cipherwright.spec import Pipeline, load
from cipherwright.target import load_target
from tests.faults import Fault, drop, takes, use
from tests.proofs import Sees, sby

SCRIPT = "gcm.sby"
TAG_BITS = 32
TIMING = GcmTiming(8, GhashTiming(3))
"""A cipher of 8 stages and a multiplier of 3: the least for which everything that waits is there."""

QUICK = GcmTiming(14, GhashTiming(9))
"""Those of the quick core of the tests, whose multiplier is that of the presets."""

LONG = GcmTiming(31, GhashTiming(9))
"""A cipher so long that bits which are cleared wait beside it in lines that count the cycles since reset."""

BITS = (127, 100)
"""Bits of a word that are followed; both are of the tag."""

TWO_KEYS = GcmTiming(8, GhashTiming(3, 2))
"""Two resident keys."""

TWO_LANES = GcmTiming(8, GhashTiming(3, lanes=2))
"""Words of two blocks."""

FREE = """\
module cipher (input wire clk, input wire rst_i, input wire KEYS key_valid_i, input wire [127:0] key_i,
    output wire key_ready_o, input wire wipe_i, input wire CHOICE, input wire WORD block_i,
    output wire valid_o, output wire WORD block_o);
    (* anyseq *) wire WORD f_stream;
    (* anyseq *) wire f_ready;
    assign key_ready_o = f_ready;
    assign valid_o = 1;
    assign block_o = f_stream;
endmodule
module ghash (input wire clk, input wire rst_i, input wire first_i, input wire BLOCKS block_i,
    input wire last_i, POWERS, input wire WORD x_i, output wire [31:0] sum_o);
    (* anyseq *) wire [31:0] f_sum;
    assign sum_o = f_sum;
endmodule
module powers (input wire clk, input wire rst_i, input wire start_i, input wire stop_i,
    input wire [127:0] value_i, output wire write_o, output wire [3:0] address_o, output wire [127:0] power_o,
    output wire done_o);
    (* anyseq *) wire [133:0] f_made;
    assign {write_o, address_o, power_o, done_o} = f_made;
endmodule
"""

FREE_PORTS = {
    1: {"KEYS": "", "CHOICE": "valid_i", "POWERS": "input wire setup_i, output wire filled_o"},
    2: {
        "KEYS": "[1:0]",
        "CHOICE": "second_i",
        "POWERS": "input wire slot_i, input wire [1:0] write_i, input wire [3:0] address_i, "
        "input wire [127:0] power_i",
    },
}
"""Ports of what is abstracted, by resident keys."""


def free_modules(key_slots: int, lanes: int) -> str:
    """The cipher, GHASH and what makes powers, whose outputs are free."""
    text = FREE
    widths = {"WORD": f"[{128 * lanes - 1}:0]", "BLOCKS": f"[{lanes - 1}:0]"}
    for name, ports in (FREE_PORTS[key_slots] | widths).items():
        text = ports.join(text.split(name))
    return text


SINCE_RESET = """
    reg f_first = 1;
    always @(posedge clk) f_first <= 0;
    always @(*) if (f_first) assume (left_q | rst_i);
"""
"""Rules of a line of valid bits without a reset: at the beginning it has counted to its end since the last
reset, or that reset is now. A statement that is checked as many cycles longer as it counts holds at all times
then: those in which it still counts began with a reset.
"""

FAULTS: dict[str, Fault] = {
    "a tag comes a cycle early": use("tag_v", "end_l20", "end_l19"),
    "the direction is of the packet before": use("decrypt_2", "decrypt_2", "decrypt_1"),
    "the tag has the key stream of another slot": use("difference_0", "result_6", "result_5"),
    "the expected tag is not in the end": takes("tagged_1", "end_0"),
    "a dropped packet has a tag": drop("end_1", "~drop_i"),
    "lengths are of the packet before": drop("fresh_lengths", "end_l7"),
    "a word is taken in the end of a packet": use("gcm:ready_o", "free_q", "1'b1"),
    "an IV within a packet": drop("load_2", "~inside_q"),
    "a part of the tag is not compared": use("good_q", "differs_3", "differs_2[0]"),
    "the end is not hashed": drop("block_h", "end_l3"),
    "the number is not cleared": drop("clear_3", "end_2"),
    "a result of additional data": drop("text_1", "~aad_i"),
}

SLOT_FAULTS: dict[str, Fault] = {
    "round keys of the packet after": use("second_3", "slot_2", "slot_1"),
    "powers of the packet after": takes("slot_l2", "slot_late"),
    "a packet under a slot that is not open": drop("admit_q", "(key_slot_i ? open_i[1] : open_i[0])"),
    "the slot changes within a packet": takes("slot_q", "key_slot_i"),
    "a word in the slot of the hash key": drop("free_q", "~steal[1]"),
    "the hash key has another number": drop("blank_3", "steal[4]"),
    "a packet goes on while everything is forgotten": drop("admit_q", "~drop_i"),
}


LANE_FAULTS: dict[str, Fault] = {
    "the second lane has the first one's number": use("block_chain_1", "numbered_5", "1'b0"),
    "the number of the slot before": use("shown_count_from_1", "count_from_1", "count_from_1 - 31'd1"),
    "the second block counts as the first": use("block_h", "keep_l3[15]", "keep_l3[31]"),
    "the end is in the second lane": drop("block_h", "end_l3"),
    "a word of a gap is hashed": takes("keep_3", "keep_2"),
    "a word is full with one block": use("full_data", "keep_l8[0]", "keep_l8[16]"),
}


def history(name: str, value: str, cycles: int, cleared: bool = False, second: str = "") -> str:
    """A bit of what is taken, f_NAME[k] k cycles ago. cleared: a reset clears all of it; second: what gates
    it when it gets to its second place.
    """
    gate = f" & ({second})" if second else ""
    body = f"{{f_{name}[{cycles - 1}:2], f_{name}[1]{gate}, {value}, 1'b0}}"
    if cleared:
        body = f"rst_i ? {cycles + 1}'d0 : {body}"
    return f"    reg [{cycles}:0] f_{name};\n    always @(posedge clk) f_{name} <= {body};\n"


_ONE_KEY_STATE = """\
    reg f_within;
    always @(posedge clk) f_within <= inside_q & ~rst_i;
    always @(*) begin
        assume (~key_valid_i & ~wipe_i & ~fill_i);
        if (f_age == 0) assume (~key_valid_q & ~wipe_q & ~renew & ~pending & ~filling & setup == 0);
        if (f_age == 0) assume (~fill_q & ~making & ~making_late);
    end
"""
_ONE_KEY_RULES = """\
        assert (inside_o == f_within);
        assert (~f_end[1] | ~ready_o);
        assert (f_end[1] | ready_o);
"""
_SLOT_STATE = """\
    reg f_making, f_admit, f_ended, f_free_cycle, f_bank, f_may, f_asked;
    always @(posedge clk) begin
        f_making <= making;
        f_admit <= admit_q;
        f_ended <= f_end[1];
        f_free_cycle <= ~rst_i & (steal[0] | steal[1]);
        f_bank <= load_bank[1];
        f_may <= valid_i & (key_slot_i ? open_i[1] : open_i[0]) & ~stop_i & ~drop_i & ~rst_i;
        f_asked <= key_slot_i;
    end
    always @(*) begin
        assume (~wipe_i & ~fill_i);
        assume (~making | ~(|open_i));
        if (f_age == 0) assume (~making | ~admit_q);
    end
"""
"""Keys are loaded at any time. The control opens no slot while there has been no key (test_control.py)."""
_SLOT_RULES = """\
        // Packets and slots of keys: a packet is admitted under a slot that is open, and keeps it.
        assert (used_o == {{admit_q & slot_q, admit_q & ~slot_q}});
        assert (~(making & admit_q));
        if (admit_q & ~(f_admit & ~f_ended)) assert (f_may & (slot_q == f_asked));
        if (f_admit & ~f_ended & ~f_reset_q) assert (slot_q == f_slot[1]);
        assert (free_q == ~(f_end[1] | f_free_cycle));
        assert (ready_o == (free_q & admit_q));
        // The slot of the hash key is nobody else's.
        assert (~f_hash[1] | ~(f_word[1] | f_ended));
        if (f_hash[5]) assert (chain == 128'd0);
        if (~f_reset_q) assert (second_3 == (f_hash[3] ? f_bank : f_slot[3]));
        assert (hash_key_l{start} == f_hash[{key}]);
        // Each word meets its packet's powers.
        assert (slot_l{read} == f_slot[{power}]);
"""


def rules(t: GcmTiming) -> str:
    """The statement, to be put into the mode's module."""
    s, tag, word, lanes, size = t.cipher, t.tag_latency, t.latency, t.lanes, t.word_bytes
    taken, hashed = "f_take", word + 1
    flags, s = hashed - t.ghash.flags_lead, s + t.front - FRONT
    rest = (size - 1).bit_length()
    followed = [(lane, b) for lane in range(lanes) for b in BITS]
    here = {(lane, b): 128 * (lanes - 1 - lane) + b for lane, b in followed}
    two = t.key_slots > 1
    # While there is no key, nothing is taken, counters are cleared and GHASH is.
    unkeyed, keyed = (" | f_making", " & (&f_keyed[5:1])") if two else ("", "")
    inside = (
        _SLOT_RULES.format(start=t.early - 1, key=s + 4, read=t.early + 1, power=s + 6)
        if two
        else _ONE_KEY_RULES
    )
    state = _SLOT_STATE if two else _ONE_KEY_STATE
    wait, held = t.ghash.sum_latency + 3, 4 if lanes == 1 else 5
    histories = [
        ("word", f"{taken} & ~rst_i", tag, False, ""),
        ("full", f"{taken} & ~rst_i & keep_i[0]", tag, False, ""),
        ("some", f"{taken} & ~rst_i & keep_i[{size - 1}]", tag, False, ""),
        *(
            (f"some_{k}", f"{taken} & ~rst_i & keep_i[{16 * (lanes - k) - 1}]", tag, False, "")
            for k in range(lanes)
        ),
        ("first", "1'b0", tag, False, ""),
        ("text", f"{taken} & ~aad_i & keep_i[{size - 1}]", tag, True, ""),
        ("end", f"{taken} & last_i", tag + 1, True, "~drop_i"),
        ("aad", "aad_i", tag, False, ""),
        ("last", "last_i", tag, False, ""),
        ("dec", "decrypt_i", tag, False, ""),
        *((f"kept{w}", f"keep_i[{w // 8}]", tag, False, "") for w in here.values()),
        *((f"block{w}", f"block_i[{w}]", tag, False, "") for w in here.values()),
        *((f"tag{b}", f"tag_i[{b}]", tag, False, "") for b in BITS),
        *((f"stream{w}", f"stream[{w}]", tag, False, "") for w in here.values()),
        *((f"iv{b}", f"iv_i[{b - 32}]", 6, False, "") for b in BITS),
        *([("slot", "slot_q", tag, False, ""), ("hash", "steal[2]", tag, True, "")] if two else []),
        *([("keyed", "~making", 6, True, "")] if two else []),
    ]
    text = "".join(history(*h) for h in histories if h[0] != "first")
    first = "{f_first[TOP-1:2], f_word[1] & ~inside_q, 2'd0}".replace("TOP", str(tag))
    text += f"    reg [{tag}:0] f_first;\n    always @(posedge clk) f_first <= {first};\n"
    bits = "".join(
        _of_bit(w, b, word, hashed, lane == 0) + (_of_tag(w, b, tag, wait, held) if lane == 0 else "")
        for (lane, b), w in here.items()
    )
    present = [f"f_some_{k}[{flags}]" for k in reversed(range(1, lanes))]
    present.append(f"f_some_0[{flags}] | f_end[{flags + 1}]")
    low = 128 - TAG_BITS
    return f"""
    wire f_take = valid_i & {"ready_o" if two else "open_i & ready_o"};
{text}
    reg [5:0] f_age = 0;
    reg f_inside, f_taken_q, f_last_q, f_drop_q, f_reset_q, f_reset_2;
    reg [{35 - rest}:0] f_count, f_count_2, f_aads, f_datas;
    reg [95:0] f_iv;
    reg [127:0] f_lengths;
    reg [{rest - 1}:0] f_bytes, f_aad_bytes, f_data_bytes, f_aad_rest, f_data_rest;
    reg f_aad_takes, f_data_takes, f_fresh;
    reg [{TAG_BITS - 1}:0] f_difference_1, f_difference_2, f_difference_3, f_difference_4, f_sum;
    always @(posedge clk) begin
        if (f_age != 63) f_age <= f_age + 1;
        f_inside <= inside_q;
        f_taken_q <= taken_1;
        f_last_q <= last_1;
        f_drop_q <= drop_i;
        f_reset_q <= rst_i;
        f_reset_2 <= f_reset_q;
        f_count <= {"count" if lanes == 1 else "count_from_1"};
        f_count_2 <= f_count;
        f_iv <= {"iv_4" if lanes == 1 else "iv_5"};
        f_lengths <= lengths;
        f_aads <= aads;
        f_datas <= datas;
        f_aad_rest <= aad_rest;
        f_data_rest <= data_rest;
        {{f_bytes, f_aad_bytes, f_data_bytes}} <= {{bytes, aad_bytes, data_bytes}};
        {{f_aad_takes, f_data_takes, f_fresh}} <= {{aad_takes, data_takes, fresh_lengths}};
        f_difference_1 <= difference_0;
        f_difference_2 <= f_difference_1;
        f_difference_3 <= f_difference_2;
        f_difference_4 <= f_difference_3;
        f_sum <= sum;
    end
{state}    always @(posedge clk) if (f_age >= {tag + 2}) begin
        // What lasts: from one cycle to the next. What has no reset shows a cycle more of what was before.
        assert (inside_q == (~f_reset_q & ~f_drop_q & (f_taken_q ? ~f_last_q : f_inside)));
{inside}        // Counter blocks.
        assert (data_3 == f_text[3]);
        if (~f_reset_q) assert (clear_3 == (f_end[4]{unkeyed}));
        if (~f_reset_q) assert (moves_3 == (f_text[3] | f_end[4]{unkeyed}));
{_counter_blocks(lanes, keyed)}        // What GHASH is told.
        assert (first_h == (f_first[{flags}]{unkeyed}));
        if (~f_reset_q) assert (block_h == {{{", ".join(present)}}});
        if (~f_reset_q) assert (last_h == (f_end[{flags + 1}]{unkeyed}));
        // Lengths.
        assert (full_aad == (f_full[{s + 4}] & f_aad[{s + 4}]));
        assert (full_data == (f_full[{s + 4}] & ~f_aad[{s + 4}]));
        if (~f_reset_q) assert (fresh_lengths == (f_end[{s + 5}]{unkeyed}));
        if (~f_reset_q) assert (aads_move == (full_aad | fresh_lengths));
        if (~f_reset_q) assert (datas_move == (full_data | fresh_lengths));
        if (~f_reset_q) assert (aad_takes == ((f_some[{s + 4}] & f_aad[{s + 4}]) | fresh_lengths));
        if (~f_reset_q) assert (data_takes == (f_text[{s + 4}] | fresh_lengths));
        assert (aad_bytes == (f_aad_takes ? (f_fresh ? {rest}'d0 : f_bytes) : f_aad_bytes));
        assert (data_bytes == (f_data_takes ? (f_fresh ? {rest}'d0 : f_bytes) : f_data_bytes));
        assert (aad_rest == f_aad_bytes);
        assert (data_rest == f_data_bytes);
        if (~f_reset_q & ~f_reset_2) assert (lengths == (f_end[{hashed}]
            ? {{25'd0, f_aads, f_aad_rest, 3'd0, 25'd0, f_datas, f_data_rest, 3'd0}} : 128'd0));
        // Results and tags.
        assert (valid_o == f_text[{word}]);
        if (valid_o) assert (last_o == f_last[{word}]);
        assert (tag_valid_o == (f_end[{tag}] & ~drop_i));
        if (tag_valid_o) begin
            assert (good_o == (f_dec[{tag}] & ~(|f_difference_4)));
            assert (tag_o == {{f_dec[{tag}] ? {TAG_BITS}'d0 : f_difference_4, {low}'d0}});
        end
{bits}    end
"""


def _counter_blocks(lanes: int, keyed: str) -> str:
    """Rules of counter blocks. Of two lanes the numbers are even ones and odd ones, a register later."""
    if lanes == 1:
        return f"""\
        if (f_word[5] & ~f_end[6]{keyed}) assert (chain == {{f_iv, f_count}});
        if (f_end[6]) assert (chain == {{f_iv, 32'd1}});
"""
    return """\
        if (f_word[6] & ~f_end[7]) assert (chain_0 == {f_iv, f_count_2, 1'b0});
        if (f_word[6] & ~f_end[7]) assert (chain_1 == {f_iv, f_count_2, 1'b1});
        if (f_end[7]) assert (chain_0 == {f_iv, 32'd1});
"""


def _of_bit(w: int, b: int, word: int, hashed: int, first: bool) -> str:
    """Rules of bit w of a word, which is bit b of its block; first: of its first one."""
    mask = f"f_word[{hashed}] & f_kept{w}[{hashed}]"
    stream = f"(f_stream{w}[2] & ~f_aad[{hashed}] & ~f_dec[{hashed}])"
    lengths = f" ^ f_lengths[{b}]" if first else ""
    return f"""\
        assert (x[{w}] == (({mask} & (f_block{w}[{hashed}] ^ {stream})){lengths}));
        if (valid_o) assert (keep_o[{w // 8}] == f_kept{w}[{word}]);
        if (valid_o) assert (block_o[{w}] == (f_kept{w}[{word}] & (f_stream{w}[1] ^ f_block{w}[{word}])));
"""


def _of_tag(w: int, b: int, tag: int, wait: int, held: int) -> str:
    """Rules of bit b of an IV and a tag; w: of the word, where the tag's key stream is; held: cycles from an
    IV at its port to the register that keeps it.
    """
    k = b - (128 - TAG_BITS)
    return f"""\
        assert (iv_{held}[{b - 32}] == (f_first[{held}] ? f_iv{b}[{held}] : f_iv[{b - 32}]));
        if (f_end[{tag - 4}]) assert (difference_0[{k}] == (f_sum[{k}] ^ f_stream{w}[{wait}]
            ^ (f_dec[{tag - 4}] & f_tag{b}[{tag - 4}])));
"""


def write(folder: Path, fault: Callable[[str], str] = str, timing: GcmTiming = TIMING) -> None:
    """The mode with its rules, and perhaps a fault, in the folder, and the script."""
    spec = load("aes128-gcm", ["delay_lines=ff"])
    assert isinstance(spec, Pipeline)
    slots = timing.key_slots
    waits = Waits(load_target(spec.target).delay, waiting(spec, 0, control_outputs(False, slots)))
    beside = print_design(waits.module("beside", waits_beside(timing, False)))
    longer = timing.beside if "left_q" in beside else 0
    beside = "endmodule".join(m + SINCE_RESET * ("reg left_q" in m) for m in beside.split("endmodule"))
    parts = ("cipher", "beside", "ghash", "powers")
    layer = print_wrapper(gcm_layer("gcm", parts, 128, timing, TAG_BITS))
    layer = fault(layer).replace("endmodule", rules(timing) + "endmodule")
    (folder / "gcm.v").write_text(f"{COPY}{free_modules(slots, timing.lanes)}{beside}\n{layer}")
    (folder / SCRIPT).write_text(
        f"[options]\nmode bmc\ndepth {timing.tag_latency + 4 + longer}\naigsmt none\n\n"
        "[engines]\nabc bmc3\n\n[script]\n"
        "read -formal -sv gcm.v\nprep -top gcm\nsetattr -mod -unset keep_hierarchy *\nflatten\n"
        "opt_clean\n\n[files]\ngcm.v\n"
    )


@pytest.mark.parametrize("timing", [TIMING, QUICK, LONG, TWO_KEYS, TWO_LANES])
def test_control_of_gcm(timing: GcmTiming, tmp_path: Path) -> None:
    write(tmp_path, timing=timing)
    text = sby(tmp_path, "", SCRIPT)
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_control_is_seen(fault: str, tmp_path: Path, sees: Sees) -> None:
    write(tmp_path, FAULTS[fault])
    assert sees(tmp_path, "", SCRIPT)


@pytest.mark.parametrize("fault", SLOT_FAULTS)
def test_a_broken_control_of_two_keys_is_seen(fault: str, tmp_path: Path, sees: Sees) -> None:
    write(tmp_path, SLOT_FAULTS[fault], TWO_KEYS)
    assert sees(tmp_path, "", SCRIPT)


@pytest.mark.parametrize("fault", LANE_FAULTS)
def test_a_broken_control_of_two_lanes_is_seen(fault: str, tmp_path: Path, sees: Sees) -> None:
    write(tmp_path, LANE_FAULTS[fault], TWO_LANES)
    assert sees(tmp_path, "", SCRIPT)
