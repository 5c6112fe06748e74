"""The multiplier of HCTR2's hash: exact for all words and keys in the emitted text, and faults that are seen.

Around the mode is a loop of wires, since what it makes is any word in the proof.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.verify.hash_multiplier import prove_hash_multiplier
from tests.conftest import Built
from tests.faults import Fault, drop, use, when, when_drop
from tests.shell.test_hctr2 import TWO

LOOP = """
module {top}_ecb (
    input wire clk, rst_i, key_valid_i, fill_i, wipe_i, valid_i, decrypt_i,
    input wire [127:0] key_i, block_i,
    output wire key_ready_o, ready_o, valid_o,
    output wire [127:0] block_o
);
    assign {{key_ready_o, ready_o, valid_o, block_o}} = {{key_valid_i, fill_i, valid_i, block_i}};
endmodule
"""

FAULTS = {
    "a wrong bit of the reduction": use("folded", "high << TAP_2", "high << (TAP_2 + 1)"),
    "a reduction without a term": drop("folded", "(high << TAP_1)"),
    "the digit before is not reduced": use("reduced", "folded", "{WIDTH{1'b0}}"),
    "the digit's bits in the other order": use("row", "factor_q[WIDTH-DIGIT+r]", "factor_q[WIDTH-1-r]"),
    "the lowest digit first": use("row", "factor_q[WIDTH-DIGIT+r]", "factor_q[r]"),
    "one coefficient of a digit is missing": use("row", "r", "(r == 3 ? 0 : r)"),
    "the sum does not move up": use("raised", "{sum_q, {DIGIT{1'b0}}}", "{{DIGIT{1'b0}}, sum_q}"),
    "a missed digit": use("step_q", "STEPS[COUNT-1:0]", "STEPS[COUNT-1:0] - 1'b1"),
    "the factor moves by a bit less": use("factor_q", "DIGIT", "(DIGIT - 1)"),
    "words in the other order": use("loaded[*]", "WIDTH-1-i", "i"),
    "sums in the other order": use("sum[*]", "WIDTH-1-i", "i"),
    "a word without the sum before": use("added", "word_q ^ sum", "word_q"),
    "a product on top of the one before": when_drop("sum_q", "load"),
    "a row more at the end": use("run_q", "step_q != {COUNT{1'b0}}", "1'b1"),
    "a constant that is x^2": use("FACTOR", "2'd2", "3'd4"),
    "h without its constant": when("key_q", "turned", "made"),
    "h of the key before": when("key_q", "renew_i", "drop_i"),
    "the middle has the hash of other bits": use(
        "middle_block_q", "middle_block_q ^ sum", "middle_block_q ^ sum_q"
    ),
    "bytes of h in the other order": use("result[*]", "WIDTH-8-8*i", "8*i"),
}


def sources(
    built: Callable[..., Built], folder: Path, fault: Fault | None = None, reset: str = "sync"
) -> tuple[list[Path], str, int]:
    """The mode of a small core with one `fault`, or without, in `folder`; its name; cycles of a product."""
    core, made = built(*TWO, f"reset={reset}")
    mode = re.search(rf"\nmodule {core.top}_hctr2 .*?\nendmodule\n", core.files[f"{core.top}.v"], re.S)
    assert mode
    text = core.files[f"{core.top}_loop_hctr2.sv"]
    (folder / "mode.v").write_text(LOOP.format(top=core.top) + mode[0])
    (folder / "loop_hctr2.sv").write_text(fault(text) if fault else text)
    assert not fault or fault(text) != text
    return (
        [folder / "mode.v", folder / "loop_hctr2.sv"],
        core.top,
        made.record["wide"]["multiplier"]["steps"],
    )


@pytest.mark.parametrize("reset", ["sync", "async"])
def test_products_are_those_of_the_standard(reset: str, built: Callable[..., Built], tmp_path: Path) -> None:
    files, top, steps = sources(built, tmp_path, reset=reset)
    assert "41236 terms x_i h_j" in prove_hash_multiplier(files, top, 128, steps).statement


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(fault: str, built: Callable[..., Built], tmp_path: Path) -> None:
    files, top, steps = sources(built, tmp_path, FAULTS[fault])
    with pytest.raises(CheckFailed):
        prove_hash_multiplier(files, top, 128, steps)


def test_another_number_of_cycles_is_refused(built: Callable[..., Built], tmp_path: Path) -> None:
    files, top, steps = sources(built, tmp_path)
    with pytest.raises(CheckFailed, match="the multiplier is free"):
        prove_hash_multiplier(files, top, 128, steps + 1)
