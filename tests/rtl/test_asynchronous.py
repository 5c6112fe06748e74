"""Asynchronous resets of modules: the registers of the synchronous one, with its values, and nothing else."""

from __future__ import annotations

import re

import pytest

from cipherwright.errors import UserError
from cipherwright.rtl import (
    Assign,
    Cell,
    Clocked,
    ClockReset,
    DelayLine,
    Design,
    Drive,
    Held,
    Module,
    Note,
    Pin,
    Port,
    Reg,
    Register,
    Step,
    Wrapper,
    WrapperItem,
    asynchronous_design,
    asynchronous_reset,
    asynchronous_text,
    print_design,
    print_wrapper,
)

_PORTS = (ClockReset(), Held((Pin("a"), Pin("b"), Pin("y", out=True))))


def _wrapper(
    *steps: Step | Note, reset: tuple[tuple[str, str], ...] = (), more: tuple[WrapperItem, ...] = ()
) -> Wrapper:
    items = (Reg(("p", "q")), Clocked((*steps, Step("q", "a")), reset), Drive("y", "p & q"), *more)
    return Wrapper("m", (), _PORTS, items)


@pytest.mark.parametrize(
    ("value", "taken", "reset"),
    [
        ("rst_i ? 1'd1 : a ? b : q", "a ? b : q", "1'd1"),
        ("rst_i | (a & b)", "(a & b)", "1'b1"),
        ("rst_i | a & b | q", "a & b | q", "1'b1"),
        ("~rst_i & a != b", "a != b", "1'b0"),
        ("~rst_i & (a | b)", "(a | b)", "1'b0"),
        ("(a ^ b) & ~rst_i", "(a ^ b)", "1'b0"),
    ],
)
def test_a_value_in_reset_is_taken_out_of_the_text(value: str, taken: str, reset: str) -> None:
    made = asynchronous_reset(_wrapper(Step("p", value)))
    assert isinstance(made, Wrapper)
    free, bound = (i for i in made.items if isinstance(i, Clocked))
    assert free == Clocked((Step("q", "a"),))
    assert bound == Clocked((Step("p", taken),), (("p", reset),), True)
    assert "always @(posedge clk or posedge rst_i) begin\n        if (rst_i) p <= " in print_wrapper(made)


def test_registers_without_reset_are_apart() -> None:
    made = asynchronous_reset(_wrapper(Note("Why."), Step("p", "b", "a"), reset=(("p", "1'b0"),)))
    assert isinstance(made, Wrapper)
    free, bound = (i for i in made.items if isinstance(i, Clocked))
    assert (free.steps, free.reset, free.asynchronous) == ((Step("q", "a"),), (), False)
    assert bound == Clocked((Note("Why."), Step("p", "b", "a")), (("p", "1'b0"),), True)


@pytest.mark.parametrize(
    ("step", "more"),
    [
        (Step("p", "rst_i ? a : b", "a"), ()),
        (Step("p", "a", "b | rst_i"), ()),
        (Step("p", "rst_i | a ? b : q"), ()),
        (Step("p", "~rst_i & a | b"), ()),
        (Step("p", "a | b & ~rst_i"), ()),
        (Step("p", "(a) | (b) & ~rst_i"), ()),
        (Step("p", "a ^ rst_i"), ()),
        (Step("p", "a"), (Cell("n", "u", {"clear": "rst_i"}),)),
        (Step("p", "a"), (Cell("n", "u", {"rst_i": "rst_i | a"}),)),
    ],
)
def test_what_else_reads_the_reset_is_refused(step: Step, more: tuple[WrapperItem, ...]) -> None:
    with pytest.raises(UserError, match="reset = async: m reads rst_i in "):
        asynchronous_reset(_wrapper(step, more=more))


def test_a_register_that_is_reset_in_part_is_refused() -> None:
    ports = (ClockReset(), Held((Pin("a"), Pin("y", 2, out=True, register=True))))
    w = Wrapper("m", (), ports, (Clocked((Step("y[0]", "rst_i | a"), Step("y[1]", "a"))),))
    with pytest.raises(UserError, match="reset only in part"):
        asynchronous_reset(w)


def test_registers_of_a_datapath() -> None:
    ports = (
        Port("input", "clk", 1),
        Port("input", "rst_i", 1),
        Port("input", "d", 1),
        Port("output", "y", 1),
    )
    a, q = ("d", 0), ("q", 0)
    items = (
        Register("q", 1, (a,), reset=True),
        Register("r", 1, (a,)),
        Register("s", 2, (("r", 0),), reset=True, clear=q),
        Register("k", 2, (q,), reset=True, keep=True),
        Assign("y", 1, "and", ((("s", 0),), (("k", 0),))),
    )
    text = print_design(asynchronous_design(Design((Module("m", ports, items),))))
    assert text.count("posedge rst_i") == 3  # q; s; the cell of k
    assert "        r <= d;\n" in text
    assert "if (rst_i) s <= 1'd0;\n        else s <= q ? 1'd0 : r;" in text
    assert "if (rst_i) q <= 1'b0; else q <= d;" in text


@pytest.mark.parametrize("memory", ["ram", "bram"])
def test_a_ring_of_memory_counts_from_the_start_at_once(memory: str) -> None:
    line = DelayLine("q", 5, (("d", 0),), memory)
    ports = (Port("input", "clk", 1), Port("input", "rst_i", 1), Port("input", "d", 1))
    design = Design((Module("m", ports, (line,)),))
    for made, edges in ((design, 0), (asynchronous_design(design), 1)):
        text = print_design(made)
        assert text.count("always @(posedge clk or posedge rst_i) begin\n        if (rst_i)") == edges
        assert len(re.findall(r"rst_i (\?|\|\|)", text)) == (0 if edges else 4 if memory == "bram" else 1)


BLOCKS = "\n".join(
    (
        "module m (input  wire rst_i, output reg q); // rst_i clears q",
        "    always @(posedge clk) begin",
        "        if (rst_i) q <= 1'b0;",
        "        else q <= d;",
        "    end",
        "    always @(posedge clk) p <= q;",
        "    m u_m (.rst_i(rst_i), .q(r));",
        "endmodule",
    )
)


def test_a_file_by_hand() -> None:
    """The block that resets its registers, and no other, and nothing else."""
    made = asynchronous_text(BLOCKS, "m.sv").splitlines()
    changed = [(a, b) for a, b in zip(BLOCKS.splitlines(), made, strict=True) if a != b]
    assert changed == [
        ("    always @(posedge clk) begin", "    always @(posedge clk or posedge rst_i) begin"),
    ]


def test_a_choice_by_the_reset() -> None:
    """The value of reset, and the rest under the other condition."""
    made = asynchronous_text("always @(posedge clk) q <= rst_i || q == LAST[1:0] ? 2'd0 : q + 1'b1;", "m.sv")
    assert made.split("\n") == [
        "always @(posedge clk or posedge rst_i) begin",
        "    if (rst_i) begin",
        "        q <= 2'd0;",
        "    end else begin",
        "        q <= q == LAST[1:0] ? 2'd0 : q + 1'b1;",
        "    end",
        "end",
    ]


@pytest.mark.parametrize(
    ("line", "value", "next_value"),
    [
        ("always @(posedge clk) q <= ~rst_i & d;", "1'b0", "        q <= d;\n"),
        (
            "always @(posedge clk) if (rst_i | clear_i) q <= 1'b0; else q <= d;",
            "1'b0",
            "        if (clear_i) begin\n            q <= 1'b0;\n        end else begin\n"
            "            q <= d;\n        end\n",
        ),
        (
            "wire clear = rst_i | zeroise_i;\nalways @(posedge clk) q <= clear | d;",
            "1'b1",
            "        q <= clear | d;\n",
        ),
    ],
)
def test_a_reset_beside_something_else(line: str, value: str, next_value: str) -> None:
    """What resets a register is taken out of its next value."""
    before = "wire clear = zeroise_i;\n" if line.startswith("wire") else ""
    assert asynchronous_text(line, "m.sv") == (
        f"{before}always @(posedge clk or posedge rst_i) begin\n    if (rst_i) begin\n        q <= {value};\n"
        f"    end else begin\n{next_value}    end\nend"
    )


@pytest.mark.parametrize(
    "line",
    [
        "    wire clear = rst_i ^ zeroise_i;",
        "    always @(posedge clk) q <= d & ~(rst_i & e);",
        "    m u_m (.clear_i(rst_i));",
        "    always @(posedge clk) if (d) if (rst_i) q <= 1'b0;",
    ],
)
def test_another_reader_of_the_reset_is_refused(line: str) -> None:
    with pytest.raises(UserError, match=r"reset = async: m\.sv reads rst_i in .*, at the clock"):
        asynchronous_text(f"{BLOCKS}\n{line}", "m.sv")
