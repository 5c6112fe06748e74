"""One writer: whole modules of Verilog come from `rtl/` or from hand-written files; testbenches as well."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cipherwright.rtl import Bench, Pin, print_bench

PINS = (Pin("clk"), Pin("rst_i"), Pin("word_i", 8), Pin("word_o", 8, True), Pin("spare_o", out=True))
BENCH = Bench(
    "echo",
    "Testbench of echo.",
    PINS,
    {"clk": "clk", "rst_i": "rst", "word_o": "seen"},
    {"word_i": "8'd7", "spare_o": ""},
    ("integer cycle = 0;",),
    "    initial #20 $finish;\n",
)


def writers(source: Path) -> list[str]:
    """Files that print the end of a module and are neither in rtl/ nor Verilog themselves."""
    found = [p for p in source.rglob("*") if p.suffix not in (".sv", ".svh", ".v", ".pyc") and p.is_file()]
    outside = (p for p in found if p.relative_to(source).parts[0] != "rtl")
    return sorted(str(p.relative_to(source)) for p in outside if b"endmodule" in p.read_bytes())


def test_only_the_writer_ends_a_module(root: Path) -> None:
    assert writers(root / "src" / "cipherwright") == []


def test_another_writer_is_seen(tmp_path: Path) -> None:
    for name in ("rtl/verilog.py", "shell/other.py", "shell/sv/control.sv", "data/template.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("endmodule\n")
    assert writers(tmp_path) == ["data/template.txt", "shell/other.py"]


def test_signals_of_a_bench_come_from_the_ports() -> None:
    assert print_bench(BENCH) == (
        "// Testbench of echo.\nmodule echo_tb;\n    reg clk = 0;\n    reg rst = 1;\n    wire [7:0] seen;\n"
        "    integer cycle = 0;\n    echo dut (\n        .clk(clk),\n        .rst_i(rst),\n"
        "        .word_i(8'd7),\n        .word_o(seen),\n        .spare_o()\n    );\n"
        "    always #5 clk = ~clk;\n    initial #20 $finish;\nendmodule\n"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"signals": {"clk": "clk", "rst_i": "rst"}}, "leaves out word_o"),
        ({"linked": {"word_i": "8'd7", "spare_o": "", "word_x": ""}}, "has no port word_x"),
        ({"linked": {"word_i": "8'd7", "spare_o": "", "word_o": ""}}, "links word_o twice"),
        ({"pins": (*PINS, Pin("more_i"))}, "leaves out more_i"),
    ],
)
def test_a_bench_links_every_port_once(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(BENCH, **change)  # type: ignore[arg-type]
