"""The rules of the stream control, both counters, of chaining, the Rijndael processor and the MARS engine,
proven by SymbiYosys; and seen to fail where the control is broken.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from cipherwright.engine.mars import MarsOptions
from cipherwright.engine.mars.keys import word_store
from cipherwright.rtl import print_any
from cipherwright.sources import preset_names
from cipherwright.spec import Spec, load
from cipherwright.target import load_target
from tests.conftest import ENGINES, Built
from tests.faults import Fault, Faults, always, drop, only, takes, unreset, use, when, when_drop
from tests.proofs import Breaks, Sees, sby

from . import loop_gcm_rules, loop_hctr2_rules

SOURCES = {
    path.name: path
    for room in ("shell", "engine.mars", "engine.rijndael")
    for path in (Path(str(resources.files(f"cipherwright.{room}"))) / "sv").iterdir()
}
"""Hand-written control, its rules and the scripts of their proofs, by file name."""

FILES = ("cipherwright_stream.sv", "cipherwright_stream_formal.sv", "stream.sby")
SHORT = ("cipherwright_short_stream.sv", "cipherwright_short_stream_formal.sv", "short_stream.sby")
DEEP = ("cipherwright_deep_stream.sv", "cipherwright_deep_stream_formal.sv", "deep_stream.sby")
RELEASE = ("cipherwright_release.sv", "cipherwright_release_formal.sv", "release.sby")
CHAIN = ("cipherwright_chain.sv", "cipherwright_chain_formal.sv", "chain.sby")
MAC = ("cipherwright_mac.sv", "cipherwright_mac_formal.sv", "mac.sby")
CCM = ("cipherwright_loop_ccm.sv", "cipherwright_loop_ccm_formal.sv", "ccm.sby")
LOOP_XTS = ("cipherwright_loop_xts.sv", "cipherwright_loop_xts_formal.sv", "loop_xts.sby")
COUNTER = ("cipherwright_counter.sv", "cipherwright_counter_formal.sv", "counter.sby")
LANES = ("cipherwright_lane_counter.sv", "cipherwright_lane_counter_formal.sv", "lane_counter.sby")
RELAYS = ("cipherwright_lane_relay_formal.sv", "lane_relay.sby")
ENGINE = ("cipherwright_mars.sv", "cipherwright_mars_formal.sv", "mars.sby")
STORE = ("cipherwright_word_store_formal.sv", "cipherwright_word_store_rules.svh", "word_store.sby")
EXPANSION = ("cipherwright_mars_keys.sv", "cipherwright_mars_keys_formal.sv", "mars_keys.sby")
PROCESSOR = ("cipherwright_rijndael.sv", "cipherwright_rijndael_formal.sv", "rijndael.sby")


def spoil(source: Path, fault: Fault | Faults) -> None:
    """Put a fault into a file."""
    source.write_text(fault(source.read_text()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    modes = (*COUNTER, *LANES, *RELAYS, *CHAIN, *MAC, *CCM, *LOOP_XTS)
    for name in (*FILES, *SHORT, *DEEP, *RELEASE, *modes, *PROCESSOR, *ENGINE, *EXPANSION):
        shutil.copy(SOURCES[name], tmp_path / name)
    return tmp_path


def resized(folder: Path, script: str, **sizes: int) -> str:
    """The name of a script whose proof is of other parameters, in place of those that it names."""
    text = re.sub(r"(?m)^chparam .*\n", "", (folder / script).read_text())
    top = re.search(r"^prep -top (\w+)$", text, re.M)
    assert top
    words = " ".join(f"-set {name} {value}" for name, value in sizes.items())
    (folder / f"sized_{script}").write_text(text.replace(top[0], f"chparam {words} {top[1]}\n{top[0]}"))
    return f"sized_{script}"


@pytest.mark.parametrize("log2", [2, 3, 5, 8])
def test_rules_of_the_stream(folder: Path, log2: int) -> None:
    """Every word leaves once, in its order, whatever is behind: for all times;
    benchmarks/control_proofs.py has all depths and real widths.
    """
    text = sby(folder, "rules", resized(folder, FILES[2], DEPTH_LOG2=log2, WIDTH=2))
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


def test_a_full_stream_is_reached(folder: Path) -> None:
    text = sby(folder, "reach")
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


STREAM_FAULTS = [
    when("read_q", "load", "taken"),
    use("credit_q", "DEPTH[DEPTH_LOG2:0]", "DEPTH[DEPTH_LOG2:0] + 4"),
    drop("ready_q", "~accept"),
    unreset("credit_q"),
    unreset("stored_q"),
    unreset("read_q"),
    unreset("write_q"),
    unreset("out_valid_q"),
    drop("core_valid_o", "ready_q"),
    drop("accept", "core_ready_i"),
    use("load", "free", "1'b1"),
    use("free", "m_ready_i", "1'b1"),
    use("credit_q", "credit", "credit + {{DEPTH_LOG2{1'b0}}, load}"),
    use("credit_q", "DEPTH[DEPTH_LOG2:0]", "DEPTH[DEPTH_LOG2:0] - 1"),
    use("ready_q", "one", "1'b0"),
    drop("two", "~falls_q"),
    drop("one", "~falls_q"),
    use("two", "rises_q", "1'b1"),
    drop("one", "rises_q"),
    drop("falls_q", "~taken"),
    drop("rises_q", "~accept"),
    unreset("rises_q"),
    unreset("falls_q"),
    when_drop("beside", "zeroise_i"),
    when("beside", "ready_q", "1'b1"),
    when("beside", "ready_q", "core_valid_i"),
    unreset("reserve_q"),
    when("reserve_q", "accept", "core_valid_i"),
    when("out_beside_q", "zeroise_q", "1'b0"),
    when("out_beside_q", "free", "taken"),
    when("out_data_q", "free", "taken"),
    unreset("ready_q"),
    unreset("zeroise_q"),
    drop("clear", "zeroise_q"),
    when_drop("memory", "zeroise_i"),
    when("out_data_q", "zeroise_q", "1'b0"),
]


@pytest.mark.parametrize("fault", STREAM_FAULTS[:8], ids=str)
def test_a_broken_stream_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    """The others, as for all that follow: benchmarks/control_proofs.py."""
    spoil(folder / FILES[0], fault)
    assert sees(folder, "rules")


@pytest.mark.parametrize("places", [2, 3])
def test_rules_of_a_short_stream(folder: Path, places: int) -> None:
    script = resized(folder, SHORT[2], PLACES=places, WIDTH=2)
    for task in ("rules", "reach"):
        text = sby(folder, task, script)
        assert "DONE (PASS, rc=0)" in text, text[-1500:]


SHORT_FAULTS = [
    drop("ready_q", "~accept"),
    use("moves[k]", "moves[k+1]", "1'b1"),
    when("out_beside_q", "moves[LAST]", "taken"),
    when_drop("free_q", "~taken"),
    use("ready_q", "free_q[1]", "1'b0"),
    use("ready_q", "taken", "1'b0"),
    unreset("ready_q"),
    unreset("free_q"),
    unreset("valid_q"),
    unreset("inside_q"),
    unreset("zeroise_q"),
    drop("clear", "zeroise_q"),
    drop("core_valid_o", "ready_q"),
    drop("accept", "core_ready_i"),
    use("load", "moves[LAST]", "1'b1"),
    use("moves[k]", "m_ready_i", "1'b1"),
    when_drop("free_q", "~accept"),
    when_drop("inside_q", "~load"),
    when_drop("inside_q", "~accept"),
    drop("valid_q[0]", "~moves[1]"),
    drop("valid_q[LAST:1]", "~moves[LAST:1]"),
    when_drop("words_q[WIDTH-1:0]", "zeroise_i"),
    when("words_q[LAST*WIDTH+:WIDTH]", "zeroise_q", "1'b0"),
    when("words_q[LAST*WIDTH+:WIDTH]", "moves[LAST]", "taken"),
    when("words_q[k*WIDTH+:WIDTH]", "moves[k]", "1'b1"),
    when("beside_q[LAST*BESIDE+:BESIDE]", "~inside_q[LAST]", "1'b1"),
    when("beside_q[k*BESIDE+:BESIDE]", "load", "taken"),
    when_drop("beside_q[k*BESIDE+:BESIDE]", "~inside_q[k]"),
    when_drop("beside_q[k*BESIDE+:BESIDE]", "~inside_q[k+1]"),
    use("beside_q[k*BESIDE+:BESIDE]", "beside_q[(k+1)*BESIDE+:BESIDE]", "s_beside_i"),
]


@pytest.mark.parametrize("fault", SHORT_FAULTS[:4], ids=str)
def test_a_broken_short_stream_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    spoil(folder / SHORT[0], fault)
    assert sees(folder, "rules", resized(folder, SHORT[2], PLACES=3, WIDTH=2))


@pytest.mark.parametrize("sure", [0, 1])
def test_rules_of_a_deep_stream(folder: Path, sure: int) -> None:
    """The same for the FIFO in block RAM, whose counts are late. `sure`: what is in front offers a word only
    where it is accepted (test_flowing.py).
    """
    text = sby(folder, "rules", resized(folder, DEEP[2], WIDTH=1, BESIDE=1, EACH=1, SURE=sure))
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


DEEP_FAULTS = [
    use("beside", "beside_q", "s_beside_i"),
    drop("there_o", "more_i"),
    use("START", "DEPTH", "DEPTH + 1"),
    use(
        "ready_o",
        "room_i | (GRACE > 0 & early_o) | (GRACE > 1 & past_o)",
        "room_i | (GRACE > 0 & early_o) | (GRACE > 1 & past_o) | ready_o",
    ),
    drop("room_falls_q", "~pop_past"),
    drop("some", "least_q[2]"),
    use("offered_q", "spare_q", "taken_q"),
    when("offered_q", "~part_valid", "1'b0"),
    when("spare_q", "part_move", "1'b1"),
    when("data_q", "move", "1'b1"),
    use("waits", "~ready_i", "1'b1"),
    use("move_o", "~held_o", "~valid_i"),
    drop("valid_o", "~move_o"),
    use("valid_o", "waits", "valid_o"),
    use("valid_o", "~move_o | held_o | waits", "1'b1"),
    unreset("both_o"),
    unreset("room_moves_q"),
    unreset("deep_stream_room:past_o"),
    use("none_o", "~pop_o & ~past_o", "~past_o"),
    use("moves_o", "store_i ^ pop_o", "store_i"),
    unreset("least_q"),
    unreset("early_o"),
    unreset("accept_q"),
    unreset("first_q"),
    unreset("held_o"),
    drop("accept", "core_ready_i"),
    use("store_q", "~rst_i & (zeroise | core_valid_i)", "core_valid_i & ~zeroise & ~rst_i"),
    use("store_q", "~rst_i & (zeroise | core_valid_i)", "zeroise | core_valid_i"),
    when("memory", "store_q", "core_valid_i"),
    when("write_q", "store_q", "core_valid_i | zeroise"),
    only("result_q", "core_valid_i"),
    drop("clear_late", "zeroise_q"),
    drop("zeroise", "zeroising_i"),
]


@pytest.mark.parametrize("fault", DEEP_FAULTS[:3], ids=str)
def test_a_broken_deep_stream_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    spoil(folder / DEEP[0], fault)
    assert sees(folder, "rules", resized(folder, DEEP[2], WIDTH=1, BESIDE=1, EACH=1))


@pytest.mark.parametrize("task", ["rules", "admits"])
def test_first_cycles_of_a_release(folder: Path, task: str) -> None:
    """What is told in time, and zeroising: in the first cycles after a reset, not for all times."""
    text = sby(folder, task, RELEASE[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


def test_rules_of_a_release(folder: Path) -> None:
    """No word leaves before a good verdict, and every word after it, in its order: for all times, with 16
    words. That a word finds a place is proven by benchmarks/control_proofs.py (three minutes).
    """
    text = sby(folder, "always", RELEASE[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


RELEASE_FAULTS = [
    use("good_q", "good_i", "1'b1"),
    drop("good_q", "~over_q"),
    use("back", "back_q", "1'b0"),
    use("open_q", "~hold_q", "1'b1"),
    when("left_q", "verdict_q", "1'b0"),
    use("over", "left_q[DEPTH_LOG2]", "(left_q > DEPTH)"),
    when("read_q", "pop", "pop & ~both_q"),
    use("least_q", "many_q", "1'b1"),
    use("there_q", "more", "some"),
    unreset("start_q"),
    unreset("there_q"),
    drop("clear", "zeroise_i"),
]


@pytest.mark.parametrize("fault", RELEASE_FAULTS[:3], ids=str)
def test_a_broken_release_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    spoil(folder / RELEASE[0], fault)
    assert sees(folder, "always", RELEASE[2])


@pytest.mark.parametrize("task", ["wide", "gcm"])
def test_rules_of_the_counter(folder: Path, task: str) -> None:
    """The counter block of the k-th step after a load is k more: all 128 bits, every pattern of steps,
    loads and resets, for all times.
    """
    text = sby(folder, task, COUNTER[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


COUNTER_FAULTS = [
    drop("wait_q", "~{5{load_q}}"),
    drop("last_q", "~load_q"),
    use("u_step.loaded", "loaded_q", "ready_q"),
    drop("carry", "carry[i]"),
    use("LAST", "6'd59", "6'd61"),
    drop("last_q", "last_b"),
    drop("last_a", "~load_q"),
    use("idle_q", "~load_q & (idle_q | last_q)", "idle_q | last_q"),
    drop("raise_q", "~load_q"),
    unreset("load_q"),
    unreset("wipe_q"),
    unreset("given_q"),
    unreset("loaded_q"),
    unreset("ready_q"),
    unreset("idle_q"),
    unreset("raise_q"),
    unreset("counter_step:q"),
    unreset("valid_2"),
    unreset("valid_o"),
    drop("q", "~drop"),
    drop("valid_2", "~drop_i"),
    drop("valid_o", "~drop_i"),
    use("u_low.load", "load_q", "1'b0"),
    use("move_mid", "(step_q & low_ones)", "step_q"),
    drop("low_ones", "iv_ones"),
    drop("mid_ones", "mid_half_2"),
    drop("q", "c"),
    use("next", "(now[3 * i] & carry[i])", "carry[i]"),
    drop("load", "wipe_q"),
    drop("load", "~drop_i"),
    drop("ready_q", "~drop_i"),
    drop("given_q", "~drop_i"),
    drop("loaded_q", "given_q"),
    use("count_o", "low_2", "low"),
]


@pytest.mark.parametrize("fault", COUNTER_FAULTS[:2], ids=str)
def test_a_broken_counter_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    spoil(folder / COUNTER[0], fault)
    assert sees(folder, "gcm", COUNTER[2])


def test_rules_of_the_counter_of_a_lane(folder: Path) -> None:
    """The same for any number of lanes and any lane."""
    text = sby(folder, "wide", LANES[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


LANE_FAULTS = [
    unreset("load"),
    use("more", "carry[i]", "1'b0"),
    unreset("taken_q"),
    unreset("taken_2"),
    use("step", "clear", "1'b0"),
    drop("more", "lane_i"),
    drop("sum", "value"),
    drop("step", "loaded_o"),
    unreset("valid_q"),
    drop("taken_q", "zeroise_q"),
]


@pytest.mark.parametrize("fault", LANE_FAULTS[:1], ids=str)
def test_a_broken_counter_of_a_lane_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    spoil(folder / LANES[0], fault)
    assert sees(folder, "gcm", LANES[2])


def test_rules_of_what_goes_from_lane_to_lane(folder: Path) -> None:
    """A lane is what the front was, and has its counter block."""
    text = sby(folder, "five", RELAYS[1])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


RELAY_FAULTS = [
    drop("hold_q", "wipe_q"),
    unreset("step_q"),
    use("wait_q", "rst_i", "1'b0"),
    always("iv_q"),
    use("taken_o", "wait_q[3*DELAY-1:3*DELAY-3]", "{take_q, wipe_q, step_q}"),
]


@pytest.mark.parametrize("fault", RELAY_FAULTS, ids=str)
def test_a_broken_relay_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    spoil(folder / LANES[0], fault)
    assert sees(folder, "two", RELAYS[1])


def test_presets_use_proven_counters() -> None:
    """Counters have one parameter, which the proofs' tasks name: 128 (wide) or 32 (gcm)."""
    for preset in preset_names():
        spec = load(preset)
        if spec.mode == "ctr" and spec.architecture == "pipelined":
            assert spec.counter_bits in (128, 32)


CHAIN_TASKS = [
    "cbc_encrypt",
    "cbc_decrypt",
    "cbc_both",
    "cfb_encrypt",
    "cfb_decrypt",
    "cfb_both",
    "ofb",
    "ctr_8",
    "ctr_4",
    "ctr_2",
    "ctr_8_part",
    "ctr_4_part",
    "ctr_2_part",
]


@pytest.mark.parametrize(
    ("task", "slots"),
    [
        ("cbc_decrypt", 2),
        ("cbc_both", 2),
        ("cfb_both", 2),
        ("ofb", 2),
        ("ctr_4_part", 2),
        ("cbc_both", 1),
        ("ctr_4_part", 1),
    ],
)
def test_rules_of_chaining(folder: Path, task: str, slots: int) -> None:
    """Every stream is what its mode says, around any loop, whatever the other slot does and whenever
    resets come; benchmarks/control_proofs.py has all tasks and the numbers of slots of all presets.
    """
    text = sby(folder, task, resized(folder, CHAIN[2], SLOTS=slots))
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


CHAIN_FAULTS = [
    ("ofb", drop("used", "now")),
    ("cbc_both", drop("after", "held")),
    ("cfb_both", drop("now", "chain")),
    ("ctr_4_part", use("u_carry.d_i", "fewer", "left")),
    ("ctr_8", use("u_chain.d_i", "turned", "chain")),
    ("cbc_both", use("decrypts", "decrypt_i", "~decrypt_i")),
    ("cfb_both", drop("u_direction.d_i", "decrypted")),
    ("cbc_encrypt", use("used", "iv_i", "{WIDTH{1'b0}}")),
    ("cbc_decrypt", drop("u_held.d_i", "held")),
    ("ctr_8", drop("u_held.d_i", "held")),
    ("cbc_both", drop("slot", "rst_i")),
    ("cbc_both", drop("words", "{SLOTS * WIDTH{1'b0}}")),
    ("ctr_2", drop("words", "{SLOTS * WIDTH{1'b0}}")),
    ("cfb_encrypt", drop("after", "leaves")),
]


@pytest.mark.parametrize("task", ["narrow", "timed", "reach"])
def test_rules_of_tags(folder: Path, task: str) -> None:
    """Every message's blocks are what CMAC says, with its own words and subkeys alone, for blocks of 64 bits
    and any loop; with one of 49 cycles, tags and words in time. benchmarks/control_proofs.py has 128 bits.
    """
    text = sby(folder, task, MAC[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


MAC_FAULTS = [
    use("chain_q", "begins ? ~last_q : chain_q & ~core_valid_i", "begins | (chain_q & ~core_valid_i)"),
    when_drop("sum_q", "clear"),
    drop("ready_o", "complete_q"),
    use("subkey", "k2", "k1_q"),
    use("subkey", "last_i & whole", "whole"),
    when_drop("sum_q", "begins"),
    when_drop("sum_q", "rst_i"),
    use("padded", "{first_absent, 7'd0}", "{7'd0, first_absent}"),
    use("first_absent", "i+1", "i+2"),
    use("first_absent", "1'b1", "1'b0"),
    use("R_B", "RB[7:0]", "RB[7:0] ^ 8'd2"),
    use("doubled", "1", "2"),
    use("k1_q", "doubled(core_block_i)", "core_block_i"),
    drop("clear", "drop_i"),
    drop("clear", "renew_i"),
    drop("ready_o", "~word_q"),
    drop("complete_q", "~renew_i"),
    drop("setup_q", "~renew_i"),
    drop("asks", "expanded_i"),
    drop("begins", "~run_q"),
    drop("final_q", "~clear"),
    drop("inside_q", "~clear"),
    drop("run_q", "(run_q & ~core_valid_i)"),
    drop("tag_o", "{WIDTH{tag_valid_o}}"),
    drop("added", "core_valid_i"),
    drop("tag_valid_o", "~drop_i"),
]


LATE_FAULTS = [
    use("run_q", "(run_q & ~core_valid_i)", "run_q"),
    use("begins", "core_ready_i & ~run_q & word_q", "core_ready_i & ~run_q & word_q & ~(valid_i & last_q)"),
    use("asks", "core_ready_i & ~run_q", "core_ready_i & ~run_q & ~valid_i"),
]
"""Words or subkeys that wait for too long."""


@pytest.mark.parametrize(
    ("task", "fault"),
    [*(("narrow", fault) for fault in MAC_FAULTS[:3]), ("timed", LATE_FAULTS[0])],
    ids=str,
)
def test_broken_tags_are_seen(folder: Path, task: str, fault: Fault, sees: Sees) -> None:
    spoil(folder / MAC[0], fault)
    assert sees(folder, task, MAC[2])


@pytest.mark.parametrize("task", ["long", "middle", "short", "reach"])
def test_rules_of_ccm(folder: Path, task: str) -> None:
    """Every block of a packet is what CCM says, with its own nonce, lengths, words and numbers alone, and the
    tag is that of its packet, for any loop. benchmarks/control_proofs.py has other nonces and tags.
    """
    text = sby(folder, task, CCM[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


CCM_FAULTS = [
    when_drop("sum_q", "compare_q"),
    use("number", "{COUNT{~tail}}", "{COUNT{1'b1}}"),
    drop("adds_data", "~carries_q"),
    use("is_long", "&aad_bytes_i[15:8]", "&aad_bytes_i[15:9]"),
    use("first_block", "|aad_bytes_i", "1'b0"),
    use("first_block", "T[2:0]", "3'd0"),
    use("first_block", "Q[2:0]", "3'd0"),
    use("carries_q", "rests", "1'b0"),
    use("rests", "keep_i[1]", "keep_i[2]"),
    use("rests", "keep_i[5]", "keep_i[4]"),
    use("rest", "{given[15:0], 32'd0}", "{given[31:16], 32'd0}"),
    use("waiting", "carry_q", "48'd0"),
    use("plain", "data_q & decrypt_q", "1'b0"),
    use("plain", "data_q & decrypt_q", "decrypt_q"),
    use("stream", "kept", "{128{1'b1}}"),
    use("given[*]", "{8{keep_i[i]}}", "8'hff"),
    drop("there_q", "~adds_data"),
    drop("there_q", "~stale"),
    drop("adds_data", "~zero_q"),
    use("count_q", "count_q + 1'b1", "count_q"),
    use("count_q", "{{COUNT - 1{1'b0}}, 1'b1}", "{COUNT{1'b0}}"),
    when_drop("sum_q", "begins_chain"),
    when_drop("sum_q", "clear"),
    when_drop("sum_q", "rst_i"),
    when_drop("carry_q", "rst_i"),
    drop("linked", "chain_live_q"),
    use("chain_ends", "older_q", "~older_q"),
    use("older_q", "chain_run_q", "1'b0"),
    use("zero_q", "run_zero_q", "1'b1"),
    use("good_o", "|unequal_q", "|unequal_q[7:0]"),
    drop("good_o", "decrypt_q"),
    drop("ready_o", "~word_q"),
    drop("loop_ccm:ready_o", "~close_q"),
    drop("ready_o", "complete_q"),
    drop("tag_o", "~decrypt_q"),
    use("block_o", "{128{valid_o}}", "{128{there_q}}"),
    use("inside_q", "~last_i", "1'b0"),
    drop("inside_q", "~clear"),
    drop("clear", "drop_i"),
    drop("clear", "renew_i"),
    drop("tag_valid_o", "~clear"),
    drop("valid_o", "~clear"),
    drop("begins_chain", "~chain_run_q"),
    drop("wants", "~stream_run_q"),
    drop("ends", "~chain_run_q"),
    drop("ends", "~added_q"),
    drop("ends", "zero_q"),
]


@pytest.mark.parametrize("fault", CCM_FAULTS[:3], ids=str)
def test_broken_ccm_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    spoil(folder / CCM[0], fault)
    assert sees(folder, "long", CCM[2])


def test_rules_of_gcm_around_a_loop(tmp_path: Path) -> None:
    """Every packet's blocks, products, results and tag are GCM's own, whatever packets, keys, resets and
    zeroising there are. benchmarks/control_proofs.py has other sizes, IVs of any length and all faults.
    """
    quick = loop_gcm_rules.SIZES[0]
    assert loop_gcm_rules.broken_rules(tmp_path, loop_gcm_rules.module_text(), quick) == []
    assert loop_gcm_rules.reached(tmp_path, quick, 50)


@pytest.mark.parametrize(("fault", "word"), loop_gcm_rules.QUICK_FAULTS, ids=str)
def test_broken_gcm_around_a_loop_is_seen(tmp_path: Path, fault: Fault, word: str, breaks: Breaks) -> None:
    """By the rules that have the word."""
    text = fault(loop_gcm_rules.module_text())
    assert breaks(loop_gcm_rules.ruled(text, loop_gcm_rules.SIZES[0]), tmp_path, word)


def test_rules_of_hctr2_around_a_loop(tmp_path: Path) -> None:
    """Every block, hash and result is HCTR2's, of its own packet, whatever packets, keys, resets and
    zeroising there are. benchmarks/control_proofs.py has other sizes and all faults.
    """
    quick = loop_hctr2_rules.SIZES[0]
    assert loop_hctr2_rules.broken_rules(tmp_path, loop_hctr2_rules.module_text(), quick) == []
    assert loop_hctr2_rules.reached(tmp_path, quick, 80)


@pytest.mark.parametrize(("fault", "word"), loop_hctr2_rules.QUICK_FAULTS, ids=str)
def test_broken_hctr2_around_a_loop_is_seen(tmp_path: Path, fault: Fault, word: str, breaks: Breaks) -> None:
    """By the rules that have the word."""
    text = fault(loop_hctr2_rules.module_text())
    assert breaks(loop_hctr2_rules.ruled(text, loop_hctr2_rules.SIZES[0]), tmp_path, word)


@pytest.mark.parametrize("task", ["both", "one", "encrypt", "reach"])
def test_rules_of_xts_in_a_loop(folder: Path, task: str) -> None:
    """Every number and word goes into the loop once, with its own unit's tweak, and every result leaves as
    its word's, in blocks of two bytes. benchmarks/control_proofs.py has whole blocks.
    """
    text = sby(folder, task, LOOP_XTS[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


LOOP_XTS_FAULTS = [
    takes("back", "1'b0"),
    use("tweak_q", "following", "tweak_q"),
    use("stolen[*]", "keep_q[i]", "1'b1"),
    use("doubled[WIDTH-1-:8]", "8'h87", "8'h86"),
    drop("back", "decrypt_q"),
    drop("back", "short"),
    drop("ready_o", "~closed_q"),
    drop("ready_o", "unit_q"),
    use("ready_o", "(~word_q | can)", "1'b1"),
    drop("can", "~short_q"),
    drop("fills", "filled_q"),
    drop("free", "~asked_q"),
    use("goes", "(last_q | (valid_i & open_i))", "1'b1"),
    use("ends", "fills", "1'b0"),
    drop("turns", "there_q"),
    drop("unit_ready_o", "~asked_q"),
    drop("unit_ready_o", "~there_q"),
    drop("made", "kind[NUMBER]"),
    drop("gives", "kind[STEALS]"),
    use("kept", "core_valid_o | drop_i", "1'b1"),
    takes("wait_tweak_o", "used"),
    takes("core_second_o", "1'b0"),
    drop("core_decrypt_o", "~asked_q"),
    drop("shows", "~kind[NUMBER]"),
    drop("shows", "~drop_i"),
    drop("shows", "~rst_i"),
    use("shown", "keep_q[i]", "1'b1"),
    use("kept_q", "keep_q", "{BYTES{1'b1}}"),
    drop("late_q", "kind[LATE]"),
    use("ended_q", "kind[STEALS]", "1'b0"),
    use("pending_o", "there_q", "1'b0"),
    use("pending_o", "~closed_q", "1'b1"),
    drop("word_q", "~drop_i"),
    drop("asked_q", "~drop_i"),
    use("last_q", "~(short & word_q)", "1'b1"),
]


@pytest.mark.parametrize("fault", LOOP_XTS_FAULTS[:3], ids=str)
def test_broken_xts_in_a_loop_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    spoil(folder / LOOP_XTS[0], fault)
    assert sees(folder, "both", LOOP_XTS[2])


@pytest.mark.parametrize(("task", "fault"), CHAIN_FAULTS[:4], ids=str)
def test_broken_chaining_is_seen(folder: Path, task: str, fault: Fault, sees: Sees) -> None:
    spoil(folder / CHAIN[0], fault)
    assert sees(folder, task, CHAIN[2])


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        (file, fault)
        for file, faults in (
            (FILES[0], STREAM_FAULTS),
            (SHORT[0], SHORT_FAULTS),
            (DEEP[0], DEEP_FAULTS),
            (COUNTER[0], COUNTER_FAULTS),
            (LANES[0], LANE_FAULTS),
            (MAC[0], [*MAC_FAULTS, *LATE_FAULTS]),
            (CCM[0], CCM_FAULTS),
            (LOOP_XTS[0], LOOP_XTS_FAULTS),
            (CHAIN[0], [fault for _, fault in CHAIN_FAULTS]),
            ("cipherwright_loop_gcm.sv", loop_gcm_rules.FAULTS),
            ("cipherwright_loop_hctr2.sv", loop_hctr2_rules.FAULTS),
        )
        for fault in faults
    ],
    ids=str,
)
def test_faults_of_the_long_run_stand_in_todays_text(file: str, fault: Fault) -> None:
    """benchmarks/control_proofs.py tries them all; a list that fell behind its file is seen here."""
    text = SOURCES[file].read_text()
    assert fault(text) != text


@pytest.mark.parametrize("task", ["both", "encrypt", "reach"])
def test_rules_of_the_processor(folder: Path, task: str) -> None:
    """No key leaves, no state is without an end, no half-word is lost, nothing is left by a reset: for all
    sizes and times.
    """
    text = sby(folder, task, "rijndael.sby")
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize(
    "fault",
    [
        drop("clear", "sets_block"),
        drop("move", "out_ready_i"),
        when("data_q", "begins", "begins | in_ready_o"),
        use("ready_o", "state_q == IDLE", "state_q == IDLE || state_q == KEY"),
        use("moved", "{data_q[239:64], half_word, 64'd0}", "{data_q[239:48], half_word, 48'd0}"),
        drop("more_q", "10'd1"),
        unreset("more_q"),
        unreset("mix_q"),
        when("data_q", "clear", "clear & ~rst_i"),
    ],
)
def test_a_broken_processor_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    spoil(folder / PROCESSOR[0], fault)
    assert sees(folder, "both", "rijndael.sby")


def _control(spec: Spec) -> dict[str, int]:
    """Parameters of the MARS engine's control."""
    return MarsOptions.of(spec.options()).control


def engine_sets() -> list[tuple[tuple[str, int], ...]]:
    """The control's parameters of every engine among the presets, and of one whose keys may be read."""
    specs = [*map(load, ENGINES), load("mars-ibm-1port-key2", ["readable_keys=true"])]
    return list(dict.fromkeys(tuple(_control(s).items()) for s in specs))


def _quick_sets() -> list[tuple[tuple[str, int], ...]]:
    """The plainest, the one with blocks that overlap, and the one with most: every parameter is in one.
    benchmarks/control_proofs.py has all.
    """
    every = sorted(engine_sets(), key=lambda s: sum(bool(v) for _, v in s))
    lap = next(s for s in every if dict(s)["OVERLAP"])
    return [every[0], lap, every[-1]]


@pytest.mark.parametrize(
    "parameters", _quick_sets(), ids=lambda p: " ".join(f"{n}={v}" for n, v in p if v) or "none"
)
def test_rules_of_the_engine(folder: Path, parameters: tuple[tuple[str, int], ...]) -> None:
    """No write is lost, no block met by another, no key shown on the bus, nothing left by a reset: for all
    times, with reset at any time.
    """
    text = sby(folder, "", resized(folder, ENGINE[2], **dict(parameters)))
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize(
    "fault",
    [
        drop("ready_o", "!message_there"),
        use("data_o", "(at_key && READABLE != 0)", "at_key"),
        drop("ends", "!result_there"),
        use("message_there", "&written", "written[3]"),
        unreset("newest"),
        use("read_address", "2'b11", "2'b00"),
        unreset("round"),
        unreset("count"),
        unreset("result_there"),
        unreset("key_there"),
        when_drop("arrives", "rst_i"),
    ],
)
def test_a_broken_engine_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    """In a bounded search from the first reset, or in the step of the induction."""
    script = resized(folder, ENGINE[2], **dict(engine_sets()[0]))
    spoil(folder / ENGINE[0], fault)
    assert sees(folder, "", script)


def _expansion_sets() -> list[dict[str, int]]:
    """Parameters of the key expansion: of the engines, with either key storage, and of the word stores of
    pipeline and loop.
    """
    engines = [{"READ": 1, "LOOKUP": 0, "STEP": 0, "SPLIT": _control(load(p))["SPLIT"]} for p in ENGINES]
    stores = [{"READ": 2, "LOOKUP": 3, "STEP": step, "SPLIT": 0, "LATE": 1} for step in (5, 6)]
    return [dict(items) for items in dict.fromkeys(tuple(s.items()) for s in (*engines, *stores))]


def of_expansion(folder: Path, parameters: dict[str, int]) -> str:
    """The name of a script with a unit's parameters, and with as many cycles as its data are on their way."""
    script = resized(folder, EXPANSION[2], **parameters)
    depth = (
        (1 + parameters["SPLIT"]) * parameters["READ"] + parameters["LOOKUP"] + parameters.get("LATE", 0) + 2
    )
    path = folder / script
    path.write_text(path.read_text().replace("depth 20", f"depth {depth}"))
    return script


def test_the_word_stores_have_these_parameters(built: Callable[..., Built]) -> None:
    """Of mars-small; mars-fast, whose generation takes longer, has a step of 6 cycles."""
    core, _ = built("mars-small")
    found = re.search(r"\.READ\((\d+)\), \.LOOKUP\((\d+)\), \.STEP\((\d+)\)", core.files["mars_small.v"])
    assert found
    assert {
        "READ": int(found[1]),
        "LOOKUP": int(found[2]),
        "STEP": int(found[3]),
        "SPLIT": 0,
        "LATE": 1,
    } in _expansion_sets()


@pytest.mark.parametrize(
    "parameters", _expansion_sets(), ids=lambda p: " ".join(f"{n}={v}" for n, v in p.items())
)
def test_rules_of_the_key_expansion(folder: Path, parameters: dict[str, int]) -> None:
    """Every step in its order with the operands of its number, for any step and S-box, every key, all
    times and reset at any time.
    """
    text = sby(folder, "", of_expansion(folder, parameters))
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize(
    "fault",
    [
        when_drop("round", "restart_i"),
        use("i7", "4'd14", "4'd13"),
        use("i4", "4'd10", "4'd8"),
        use("before2_q", "before_q", "result"),
        use("k", "6'd5", "6'd4"),
        use("s_address_o", "a_data_i[1:0]", "b_data_i[1:0]"),
        use("phase", "pass == 2'd3", "pass == 2'd2"),
        drop("wait_q", "!restart_i"),
    ],
)
def test_a_broken_key_expansion_is_seen(folder: Path, fault: Fault, sees: Sees) -> None:
    script = of_expansion(folder, _expansion_sets()[0])
    spoil(folder / EXPANSION[0], fault)
    assert sees(folder, "", script)


def with_rules(text: str, name: str) -> str:
    """The word store `name` of a core's text, with its rules inside; the S-box is any."""
    found = re.search(rf"(?s)// 64 words.*?module {name}_store \(.*?\nendmodule\n", text)
    assert found
    store = found[0].replace(
        "    input  wire clk,\n",
        "    input  wire [5:0]  f_pick,\n    output wire [31:0] f_word,\n    input  wire clk,\n",
        1,
    )
    store = store.replace("endmodule", "    assign f_word = words[f_pick];\nendmodule")
    unit = text[text.index("// Round keys, made once") :]
    unit = unit[: unit.index("endmodule")]
    unit = unit.replace(
        "u_store (\n        .clk(clk)", "u_store (\n        .f_pick(pick), .f_word(in_store), .clk(clk)"
    )
    unit = re.sub(r"\w+ u_s \(", "cipherwright_any_sbox u_s (", unit)
    unit = unit.replace(
        ");\n    reg  idle",
        ");\n    (* anyconst *) wire [5:0] pick;\n    wire [31:0] in_store;\n    reg  idle",
        1,
    )
    words = "".join(f"pick == 6'd{k} ? word_{k} : " for k in range(40)) + "32'd0"
    return f"{store}{unit}{SOURCES[STORE[1]].read_text().replace('PICKED', words)}endmodule\n"


def word_store_rules(folder: Path, bits: int, zeroise: bool = True) -> Path:
    """A word store with its rules, and what stands around it, in the folder; the file to be spoiled."""
    unit = word_store("word_store", bits, False, True, load_target("ecp5-85k-8").delay, 3.0, zeroise)
    for name in STORE[::2]:
        shutil.copy(SOURCES[name], folder / name)
    (folder / "word_store.v").write_text(with_rules("\n".join(map(print_any, unit.generated)), "word_store"))
    return folder / "word_store.v"


def test_rules_of_the_word_store(tmp_path: Path) -> None:
    """The key's words are in their places when the expansion starts, its words are caught as they are
    written, and stay: for all times. Longer keys: benchmarks/control_proofs.py.
    """
    word_store_rules(tmp_path, 128)
    text = sby(tmp_path, "", STORE[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


STORE_FAULTS = [
    use("store_address", "6'd40", "6'd41"),
    drop("place", "~stop"),
    drop("load", "~last_word"),
    takes("store_write", "~rst_i & (write | load)"),
    use("word_7", "data_q", "store_data"),
    when("word_9", "9", "8"),
    use("idle", "2", "0"),
    drop("key_q", "128'd0"),
    use(
        "store_data",
        "{key_q[103:96], key_q[111:104], key_q[119:112], key_q[127:120]}",
        "{key_q[111:104], key_q[103:96], key_q[119:112], key_q[127:120]}",
    ),
    use("last_q", "stop", "rst_i"),
    drop("idle", "rst_i"),
    use("a_data_o", "a_address", "a_address_i"),
    use("b_data_o", "words[b_address]", "write_i ? write_data_i : words[b_address]"),
    always("words"),
    drop("take", "idle"),
]


@pytest.mark.parametrize("fault", STORE_FAULTS[:5], ids=str)
def test_a_broken_word_store_is_seen(fault: Fault, tmp_path: Path, sees: Sees) -> None:
    """The others: benchmarks/control_proofs.py."""
    spoil(word_store_rules(tmp_path, 128), fault)
    assert sees(tmp_path, "", STORE[2])
