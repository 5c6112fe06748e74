"""Faults by meaning: found whatever the layout is, and refused where they are not there."""

from __future__ import annotations

import pytest

from tests.faults import (
    Fault,
    Faults,
    NoSuchFault,
    all_of,
    always,
    drop,
    edge,
    flip,
    only,
    plain,
    starts,
    takes,
    unreset,
    use,
    when,
    when_drop,
)

TEXT = """
module core_part (input wire clk, input wire rst_i, input wire go, input wire [3:0] d, output wire y);
    localparam [3:0] LAST = 4'd9;
    wire clear = rst_i | go;
    reg [3:0] count, memory [0:3];
    reg valid_q, ready_q, held_q;
    reg [3:0] word_q;
    always @(posedge clk) begin
        if (clear) begin
            count <= 4'd0;
            ready_q <= 1'b1;
        end else begin
            if (go & d[0]) count <= count + 4'd1;
            else ready_q <= ~valid_q;
            memory[d[1:0]] <= count;
        end
        if (go) word_q[1:0] <= d[1:0];
        if (valid_q) word_q[3:2] <= d[3:2];
        if (rst_i) held_q <= 1'b0;
        else if (go) held_q <= d[1];
    end
    always @(posedge clk) valid_q <= rst_i ? 1'b0 : go & ~ready_q & d[2];
    initial count = 4'd3;
    assign y = valid_q ? d[3] : ready_q;
    core_cell #(.WIDTH(4)) u_cell (.clk(clk), .d(count ^ d), .q());
endmodule
module core_cell #(parameter integer WIDTH = 1) (input wire clk, input wire [3:0] d, output reg q);
    always @(posedge clk) q <= &d;
endmodule
"""

SHUFFLED = """
// The same in another order and layout; names that no fault speaks of are others.
module core_cell #(parameter integer WIDTH = 1) (
    input wire clk, input wire [3:0] d, output reg q
);
    always @(posedge clk) q <= &d;
endmodule
module core_part (
    input wire clk, input wire rst_i, input wire go, input wire [3:0] d, output wire y
);
    reg valid_q;
    reg ready_q;
    reg [3:0] memory[0:3];
    reg held_q;
    reg [3:0] word_q;
    wire start =
        rst_i  // in reset
        | go;
    reg [ 3:0 ] count;
    initial begin count = 4'd3; end
    core_cell #(
        .WIDTH ( 4 )
    ) u_cell (
        .q (),
        .d (count
            ^ d),
        .clk (clk)
    );
    assign y = valid_q
        ? d[ 3 ]
        : ready_q;
    always @(posedge clk) valid_q <=
        rst_i ? 1'b0 : go & ~ready_q
            & d[ 2 ];
    localparam [3:0] LAST = 4'd9;
    always @(posedge clk)
    begin
        if (valid_q) word_q[3 : 2] <= d[3:2];
        if (go) word_q[1 : 0] <= d[1:0];
        if (rst_i) held_q <= 1'b0;
        else if (go) held_q <= d[1];
        if (start)
        begin
            ready_q <= 1'b1;
            count <= 4'd0;
        end
        else
        begin
            if (go  &  d[0])
                count <= count + 4'd1;
            else
                ready_q <= ~valid_q;
            memory[ d[1 : 0] ] <= count;
        end
    end
endmodule
"""

FAULTS = {
    starts("count", "4'd7"): "initial count = 4'd7;",
    use("y", "ready_q", "go"): "assign y = valid_q ? d[3] : go;",
    use("LAST", "4'd9", "4'd8"): "localparam [3:0] LAST = 4'd8;",
    use("memory", "d[1:0]", "2'd0"): "memory[2'd0] <= count;",
    use("u_cell.d", "count", "4'd0"): ".d(4'd0 ^ d)",
    use("u_*.WIDTH", "4", "3"): ".WIDTH(3)",
    use("part:count", "4'd1", "4'd2"): "count <= count + 4'd2;",
    drop("valid_q", "~ready_q"): "valid_q <= rst_i ? 1'b0 : go & d[2];",
    drop("y", "d[3]"): "assign y = ready_q;",
    takes("ready_q", "1'b0"): "ready_q <= 1'b0;",
    flip("y", "go"): "assign y = (valid_q ? d[3] : ready_q) ^ go;",
    when("count", "go", "1'b1"): "if (1'b1 & d[0]) count",
    when_drop("count", "d[0]"): "if (go) count",
    when("word_q[1:0]", "go", "1'b1"): "if (1'b1) word_q[1:0]",
    when("part:word_q[3:2]", "valid_q", "go"): "if (go) word_q[3:2]",
    only("memory", "go"): "if (go) memory[d[1:0]] <= count;",
    always("held_q"): "else if (1'b1) held_q <= d[1];",
    unreset("count"): "begin ; ready_q <= 1'b1;",
    unreset("valid_q"): "valid_q <= go & ~ready_q & d[2];",
    unreset("held_q"): "if (1'b0) held_q <= 1'b0;",
    edge("valid_q", "clk", "go"): "always @(posedge go) valid_q",
}


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_changes_what_it_says_and_nothing_else(fault: Fault) -> None:
    broken, want = plain(fault(TEXT)), plain(FAULTS[fault])
    assert want in broken and want not in plain(TEXT)
    changed = [
        n for n, (a, b) in enumerate(zip(TEXT.splitlines(), fault(TEXT).splitlines(), strict=True)) if a != b
    ]
    assert len(changed) == 1


@pytest.mark.parametrize("fault", [f for f in FAULTS if f.kind not in ("unreset", "starts")], ids=str)
def test_layout_order_and_other_names_do_not_matter(fault: Fault) -> None:
    assert plain(FAULTS[fault]) in plain(fault(SHUFFLED))


def test_a_reset_by_a_wire_of_any_name_is_found() -> None:
    assert "count <= 4'd0" not in plain(unreset("count")(SHUFFLED))
    assert plain("count <= 4'd0") not in plain(unreset("count")(SHUFFLED))


@pytest.mark.parametrize(
    "fault",
    [
        use("nobody", "a", "b"),
        use("y", "count", "b"),
        use("y", "ready_q", "ready_q"),
        use("other:y", "ready_q", "go"),
        use("u_cell.none", "d", "go"),
        use("d", "count", "go"),
        drop("y", "count"),
        takes("valid_q", "rst_i ? 1'b0 : go  & ~ready_q & d[2]"),
        when("y", "go", "1'b1"),
        when_drop("count", "valid_q"),
        always("valid_q"),
        unreset("memory"),
        unreset("y"),
        only("y", "go"),
        starts("valid_q", "1'b1"),
        edge("y", "clk", "go"),
    ],
    ids=str,
)
def test_what_is_not_there_is_refused(fault: Fault) -> None:
    with pytest.raises(NoSuchFault, match=r"no module of 2 can have it"):
        fault(TEXT)


def test_two_modules_with_the_signal_are_refused() -> None:
    two = TEXT + TEXT.replace("core_part", "core_more").split("module core_cell")[0]
    with pytest.raises(NoSuchFault, match="core_part, core_more of 3 can have it"):
        drop("y", "d[3]")(two)
    assert drop("more:y", "d[3]")(two).count("assign y = ready_q;") == 1


def test_a_fault_can_be_chosen_by_an_input() -> None:
    faults = [
        drop("y", "d[3]"),
        use("y", "ready_q", "go"),
        all_of(flip("LAST", "4'd1"), takes("u_cell.d", "d")),
    ]
    text = TEXT
    for n, fault in enumerate(faults):
        text = fault.chosen(text, f"fault_i[{n}]")
    second = "(fault_i[1] ? (go) : (ready_q))"
    assert plain(f"assign y = (fault_i[0] ? ({second}) : (valid_q ? d[3] : {second}));") in plain(text)
    assert plain(".d((fault_i[2] ? (d) : (count ^ d)))") in plain(text)
    with pytest.raises(NoSuchFault, match="not of an expression"):
        unreset("count").chosen(TEXT, "fault_i[0]")


def test_several_faults_together() -> None:
    both = all_of(drop("y", "d[3]"), unreset("valid_q"))
    assert isinstance(both, Faults)
    assert str(both) == "y: drop d[3] and valid_q: unreset"
    assert both(TEXT) == unreset("valid_q")(drop("y", "d[3]")(TEXT))
