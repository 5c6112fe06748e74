"""Flattening: what modules compute stays the same however their ports are joined, and what has no meaning is
refused.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.verify.aig import FALSE, TRUE, Aig
from cipherwright.verify.equivalence import Frame, Logic
from cipherwright.verify.hierarchy import elaborated, flattened
from cipherwright.verify.netlist import read_netlist

PART = """
module part (input clk, input [1:0] a, output [1:0] y,
             output same, output wired, output one, output [1:0] dead);
    wire sum = a[0] ^ a[1];
    assign y = {a[0] & a[1], sum};
    assign same = sum;
    assign wired = a[1];
    assign one = 1'b1;
    assign dead = ~a;
endmodule
"""
TOP = """
module top (input clk, input [1:0] a, output [5:0] y);
    wire [1:0] first;
    wire back;
    part u (.clk(clk), .a(a), .y(first), .same(y[0]), .wired(back), .one(y[1]));
    part v (.clk(clk), .a({back, first[0]}), .y(y[3:2]), .wired(y[4]), .same(y[5]));
endmodule
"""


def written(folder: Path, text: str) -> list[Path]:
    (folder / "t.v").write_text(text)
    return [folder / "t.v"]


def test_ports_joined_in_every_way(tmp_path: Path) -> None:
    """Two outputs of one net, an input wired to an output, a constant, outputs that nobody reads."""
    n = read_netlist(written(tmp_path, PART + TOP), "top")
    for a in range(4):
        low, high = a & 1, a >> 1
        first = low ^ high
        bits = [first, 1, high ^ first, high & first, high, high ^ first]
        known = {b: (FALSE, TRUE)[a >> k & 1] for k, b in enumerate(n.inputs["a"])}
        frame = Frame(Logic(n, wires=True), Aig([]), known | {n.inputs["clk"][0]: FALSE})
        assert frame.word(n.outputs["y"]) == bits
    assert not any(c["type"] == "$_NOT_" for c in n.cells.values()), "what nobody reads is left out"


def test_names_are_those_of_the_hierarchy(tmp_path: Path) -> None:
    inner = "module inner (input clk, input d, output q); reg held; always @(posedge clk) held <= d;\n"
    outer = "module top (input clk, input d, output q); wire mid; inner a (.clk(clk), .d(d), .q(mid));\n"
    text = f"{inner} assign q = ~held; endmodule\n{outer} inner b (.clk(clk), .d(mid), .q(q)); endmodule\n"
    n = read_netlist(written(tmp_path, text), "top")
    registers = [c["connections"]["Q"][0] for c in n.cells.values() if c["type"] == "$_DFF_P_"]
    assert sorted(map(n.name, registers)) == ["a.held", "b.held"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("part u (.a(a), .y(y)); part v (.a(a), .y(y));", "more than one driver"),
        ("part u (.a(a), .same(y[0])); part v (.a(a), .wired(y[0]));", "more than one driver"),
        ("part u (.a(a), .wired(y[0])); part v (.a(a), .one(y[0]));", "more than one driver"),
        ("wire w; part u (.a({w, a[0]}), .wired(w), .y(y));", "it is joined to itself"),
        (
            "wire w, v; part p (.a({w, a[0]}), .wired(v)); part q (.a({v, a[0]}), .wired(w), .y(y));",
            "it is joined to itself",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(body: str, message: str, tmp_path: Path) -> None:
    text = f"{PART} module top (input clk, input [1:0] a, output [1:0] y); {body} endmodule"
    with pytest.raises(CheckFailed, match=message):
        read_netlist(written(tmp_path, text), "top")


def test_kept_modules_stay_and_a_text_is_read_once(tmp_path: Path) -> None:
    sources = written(tmp_path, PART + TOP)
    modules = elaborated(sources, "top")
    assert elaborated(sources, "part") is modules is elaborated(sources, "top", "memory_map; ")
    kept = flattened(modules, "top", lambda name: name == "part")
    assert sorted(c["type"] for c in kept.cells.values()) == ["part", "part"]
    changed = written(tmp_path, (PART + TOP).replace("1'b1", "1'b0"))
    assert elaborated(changed, "top") is not modules
