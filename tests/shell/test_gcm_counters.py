"""The counters of GCM, proven by induction, for all times: a counter shows the number of steps since it was
cleared, or since it took a value, two cycles later, modulo 2^32, or 2^31 and 2^30 beside several lanes.

The counter is in pieces, whose carries go through registers; so the statement needs that no step comes before
the carries of a value that was taken are there. The mode waits for that (`BUMP`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.rtl import ClockReset, Drive, Held, Pin, Wrapper, print_wrapper
from cipherwright.rtl.cells import COPY
from cipherwright.shell.gcm.counter import Load, counter_items
from cipherwright.shell.gcm.timing import BUMP
from tests.faults import Fault, drop, takes, use
from tests.proofs import Sees, sby

SCRIPT = "counter.sby"

KINDS = {
    "number": (2, False, 32),
    "length": (0, False, 32),
    "number of any IV": (2, True, 32),
    "number of two lanes": (1, False, 31),
    "length of four lanes": (0, False, 30),
}
"""What a counter is for -> what it is after it was cleared, whether it takes values, and its bits."""

FAULTS: list[tuple[str, Fault]] = [
    ("number", drop("n_moves[3]", "n_full[2]")),
    ("number", use("n_at_15", "n_at_14", "(n_0 == 4'd15)")),
    ("number", drop("n_at_14", "n_0[3]")),
    ("length", use("n_to_8", "3'd6", "3'd5")),
    ("length", use("n_3", "n_carry[2]", "n_carry[1]")),
    ("length", use("n_1", "n_cleared[0]", "clear_i")),
    ("length", use("n_full[1]", "n_full[0]", "1'b1")),
    ("number of any IV", drop("n_moves[0]", "load_i")),
    ("number of any IV", use("n_at_14", "4'd14", "4'd13")),
    ("number of any IV", use("n_2", "value_i[11:8]", "value_i[15:12]")),
    ("number", takes("n_low", "n_0 ^ {3'd0, step_i}")),
    ("number of two lanes", use("n_7", "n_7[1] & n_7[0]", "n_7[1]")),
]


def counter(start: int, loads: bool, bits: int) -> str:
    """A counter as a module of its own."""
    pins = (Pin("step_i"), Pin("clear_i"), Pin("moves_i"), Pin("load_i"), Pin("value_i", 32))
    load = Load("load_i", "value_i") if loads else None
    items = counter_items("n", start, "step_i", "clear_i", "moves_i", load, bits)
    ports = (ClockReset(), Held((*pins, Pin("count_o", bits, True))))
    return print_wrapper(Wrapper("counter", ("A counter.",), ports, (*items, Drive("count_o", "n"))))


def rules(start: int, loads: bool, bits: int) -> str:
    """The statement, and what else holds in every cycle. f_m: the number; f_age: cycles since its upper
    digits changed, where f_loaded tells that a value was taken then.
    """
    load = "load_i" if loads else "1'b0"
    pieces = "".join(
        f"        if (f_age >= 2 && f_shown) assert (n_ones[{j - 1}] == &f_last[{4 * j + 3}:{4 * j}]);\n"
        f"        if (f_age >= {j + 2} && f_shown) assert (n_full[{j - 1}] == &f_last[{4 * j + 3}:4]);\n"
        for j in range(1, 7)
    )
    carries = [f"f_clear | f_load | (f_step & (&f_last[{4 * j - 1}:0]))" for j in range(1, 8)]
    pieces += "".join(
        f"        if (f_age >= 2 && f_shown) assert (n_carry[{j - 1}] == &f_last[{4 * j + 2}:{4 * j}]);\n"
        for j in range(1, bits // 4)
    )
    moves = "".join(
        f"        if (f_started) assert (n_moves[{k}] == ({carry}));\n" for k, carry in enumerate(carries)
    )
    loaded = "        if (f_started) assert (n_loaded == f_load);\n" if loads else ""
    return f"""
    wire f_loads = {load};
    reg [{bits - 1}:0] f_m, f_last, f_value;
    reg [3:0] f_age;
    reg f_started = 0, f_shown = 0;
    reg f_step, f_clear, f_load, f_loaded;
    wire f_carry = step_i & (&f_m[3:0]);
    always @(posedge clk) begin
        f_m <= clear_i ? {bits}'d{start} : f_loads ? value_i : f_m + {{{bits - 1}'d0, step_i}};
        f_last <= f_m;
        f_value <= value_i;
        f_age <= (clear_i | f_loads | f_carry) ? 4'd0 : f_age + (f_age != 4'd15);
        f_loaded <= ~clear_i & (f_loads | (~f_carry & f_loaded));
        f_step <= step_i;
        f_clear <= clear_i;
        f_load <= f_loads & ~clear_i;
        f_started <= f_started | clear_i;
        f_shown <= f_started;
    end
    always @(*) begin
        assume (moves_i == (step_i | clear_i | f_loads));
        assume (~(f_loads & (step_i | clear_i)));
        assume (~f_load | (value_i == f_value));
        assume (~(step_i & f_loaded & (f_age < {BUMP - 1})));
    end
    always @(posedge clk) begin
        if (f_shown) assert (n == f_last);
        if (f_started) begin
            assert (n_0 == f_m[3:0]);
            assert (n_to_8 == (f_m[2:0] == 3'd7));
            assert (n_at_5 == (f_m[2:0] == 3'd5));
            assert (n_at_14 == (f_m[3:0] == 4'd14));
            assert (n_at_15 == (f_m[3:0] == 4'd15));
            assert (n_cleared == {{2{{f_clear}}}});
            assert (f_shown | f_clear);
            assert (f_m == (f_clear ? {bits}'d{start} : f_load ? f_value
                : f_last + {{{bits - 1}'d0, f_step}}));
            assert (f_loaded | ({{1'b0, f_m[3:0]}} <= {{1'b0, f_age}} + 5'd{start}));
            assert (f_age != 0 | f_clear | f_load | (f_step & (&f_last[3:0])));
            assert (~(f_clear & f_load));
        end
        if (f_shown & (f_age >= 1)) assert (f_m[{bits - 1}:4] == f_last[{bits - 1}:4]);
{loaded}{moves}{pieces}    end
"""


def write(folder: Path, kind: str, fault: Callable[[str], str] = str) -> None:
    """A counter with its rules, and perhaps a fault, in the folder, and the script."""
    text = fault(counter(*KINDS[kind]))
    text = text.replace("endmodule", rules(*KINDS[kind]) + "endmodule")
    (folder / "counter.v").write_text(COPY + text)
    (folder / SCRIPT).write_text(
        "[options]\nmode prove\ndepth 3\n\n[engines]\nsmtbmc yices\n\n[script]\n"
        "read -formal -sv counter.v\nprep -top counter\nsetattr -mod -unset keep_hierarchy *\nflatten\n\n"
        "[files]\ncounter.v\n"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_counters_count(kind: str, tmp_path: Path) -> None:
    write(tmp_path, kind)
    text = sby(tmp_path, "", SCRIPT)
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize(("kind", "fault"), FAULTS, ids=str)
def test_a_broken_counter_is_seen(kind: str, fault: Fault, tmp_path: Path, sees: Sees) -> None:
    write(tmp_path, kind, fault)
    assert sees(tmp_path, "", SCRIPT)
