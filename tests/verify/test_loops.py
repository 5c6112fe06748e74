"""The proof of a loop is of every block after every history: faults that the first block from reset does
not show are seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.shell import Core
from cipherwright.verify import checks
from tests.conftest import Built
from tests.faults import Fault, takes, unreset, use
from tests.verify.test_checks import broken_file

SHELL = """
module des_small (
    input wire clk, input wire rst_i, input wire valid_i, input wire [63:0] block_i, input wire [63:0] \
key_i, input wire decrypt_i,
    output wire ready_o, output wire valid_o, output wire [63:0] block_o
);
    wire ready, valid;
    wire [63:0] given, made;
    des_small_inside u_inside (
        .clk(clk), .rst_i(rst_i), .valid_i(valid_i), .block_i(given), .key_i(key_i), .decrypt_i(decrypt_i),
        .ready_o(ready), .valid_o(valid), .block_o(made)
    );
    reg [15:0] count;
    reg found, before;
    always @(posedge clk) count <= rst_i ? 16'd0 : count + {15'd0, valid & (count != 16'd20000)};
    always @(posedge clk) found <= ~rst_i & (found | (valid_i & block_i == 64'h0123456789abcdef));
    always @(posedge clk) before <= ~rst_i & valid;
    assign given = GIVEN;
    assign ready_o = READY;
    assign valid_o = VALID;
    assign block_o = BLOCK;
endmodule
"""
USUAL = {"GIVEN": "block_i", "READY": "ready", "VALID": "valid", "BLOCK": "made"}

FAULTS: dict[str, tuple[dict[str, str], str]] = {
    "wrong from the 20,001st block": (
        {"BLOCK": "count == 16'd20000 ? made ^ 64'd1 : made"},
        "does not compute the cipher",
    ),
    "the key after a magic block": ({"BLOCK": "found ? key_i : made"}, "does not compute the cipher"),
    "a block that follows at once": (
        {"GIVEN": "{block_i[63:1], block_i[0] & ~valid}"},
        "does not compute the cipher",
    ),
    "a result after another": ({"BLOCK": "{made[63:1], made[0] ^ before}"}, "does not compute the cipher"),
    "valid stops after 20,000 blocks": (
        {"VALID": "valid & (count != 16'd20000)"},
        "too many states|control of different blocks",
    ),
    "ready stops after a magic block": ({"READY": "ready & ~found"}, "depends on block_i, which is data"),
    "valid after a magic block": ({"VALID": "valid | found"}, "depends on block_i, which is data"),
    "valid twice": ({"VALID": "valid | before"}, "valid is not what it should be|one slot|different blocks"),
    "ready all the time": ({"READY": "1'b1"}, "can be taken|one slot"),
    "never ready": ({"READY": "1'b0"}, "does not take a block|one slot"),
}


# With one slot no result follows another at once, so there that is no fault.
@pytest.mark.long_check
@pytest.mark.parametrize(
    ("fault", "stages"), [(f, s) for f in FAULTS for s in (1, 2) if (f, s) != ("a result after another", 1)]
)
def test_faults_that_come_later(fault: str, stages: int, built: Callable[..., Built], tmp_path: Path) -> None:
    _, folder = built("des-small", f"stages={stages}")
    changes, message = FAULTS[fault]
    shell = SHELL
    for word, usual in USUAL.items():
        shell = shell.replace(f"= {word};", f"= {changes.get(word, usual)};")
    broke = broken_file(
        folder,
        "des_small.v",
        lambda text: re.sub(r"module des_small \(", "module des_small_inside (", text) + shell,
        tmp_path / "b",
    )
    with pytest.raises(CheckFailed, match=message):
        checks.prove_core(broke, built("des-small")[0].plain, None)


@pytest.mark.long_check
@pytest.mark.parametrize("stages", [1, 2])
def test_a_shell_without_a_fault(stages: int, built: Callable[..., Built], tmp_path: Path) -> None:
    """The hidden registers of the faults alone do no harm, and the statement tells how many have any
    value.
    """
    core, folder = built("des-small", f"stages={stages}")
    shell = SHELL
    for word, usual in USUAL.items():
        shell = shell.replace(f"= {word};", f"= {usual};")
    same = broken_file(
        folder,
        "des_small.v",
        lambda text: re.sub(r"module des_small \(", "module des_small_inside (", text) + shell,
        tmp_path / "b",
    )
    assert "after every history since a cycle of reset" in checks.prove_core(same, core.plain, None)


@pytest.mark.long_check
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (unreset("busy_1_q1"), "reset does not clear busy_1_q1"),
        (unreset("count_1_q2"), "reset does not clear count_1_q2"),
        (use("count_1_q2", "5'd0", "5'd3"), None),
        (use("busy_1_q2", "busy_1_q1", "busy_1_q2"), "different blocks meets|does not take a block"),
        (
            use("busy_1_q2", "1'd0", "1'd1"),
            "valid is not what it should be|an idle core does not take a block",
        ),
    ],
    ids=["busy not reset", "count not reset", "another idle count", "another slot's busy", "busy from reset"],
)
def test_faults_of_control(
    fault: Fault, message: str | None, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built("des-small", "stages=2")
    broke = broken_file(folder, "des_small.v", fault, tmp_path / "b")
    if message is None:  # the count of an idle slot is nobody's
        assert "after every history" in checks.prove_core(broke, core.plain, None)
        return
    with pytest.raises(CheckFailed, match=message):
        checks.prove_core(broke, core.plain, None)


@pytest.mark.long_check
@pytest.mark.parametrize("name", ["u_copy_9_q1", "u_copy_1_q2"])
def test_a_copy_that_loads_no_block_is_seen(name: str, built: Callable[..., Built], tmp_path: Path) -> None:
    """A lane of eight bits keeps what the block before left; without the fault:
    tests/verify/test_checks.py.
    """
    core, folder = built("des-small", "rounds_per_cycle=4", "stages=3", "direction=decrypt", "copies=8")
    assert isinstance(core, Core)
    broken = broken_file(folder, f"{core.top}.v", takes(f"{name}.d", "1'b0"), tmp_path / "broken")
    with pytest.raises(CheckFailed):
        checks.prove_core(broken, core.plain, None)
