"""Cells that a library or a user rules out are not mapped to; files that are no library are refused before
anything runs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cipherwright.errors import UserError
from cipherwright.target import CellOptions, load_target, synthesise
from cipherwright.target.library import read_library

OSU018 = Path(load_target("osu018").liberty)

_DESIGN = """
module small (input wire clk, input wire [7:0] a_i, input wire [7:0] b_i, output reg [7:0] y_o);
    always @(posedge clk) y_o <= ~(a_i & b_i) ^ {a_i[0], b_i[7:1]};
endmodule
"""


def _cell(name: str) -> str:
    """One cell of the installed library."""
    text = OSU018.read_text()
    start = text.index(f"cell ({name})")
    return text[start : text.index("\ncell (", start + 1)]


def _copy(name: str, new: str, attribute: str) -> str:
    """A cell like another one, next to nothing in area, with one attribute more."""
    text = _cell(name).replace(f"cell ({name}) {{", f"cell ({new}) {{\n  {attribute}", 1)
    return re.sub(r"\barea : [\d.]+", "area : 0.1", text, count=1)


def _library(path: Path, attributes: tuple[str, str]) -> Path:
    """The installed library with an inverter and a NAND that cost nothing."""
    cheap = _copy("INVX1", "PADLIKE", attributes[0]) + _copy("NAND2X1", "NAND2_RULED_OUT", attributes[1])
    text = OSU018.read_text()
    at = text.index("cell (AND2X1)")
    path.write_text(text[:at] + "/* braces in a comment: } } { */\n" + cheap + text[at:])
    return path


def _mapped(library: Path, folder: Path, dont_use: tuple[str, ...] = ()) -> dict[str, int]:
    folder.mkdir()
    source = folder.parent / "small.v"
    source.write_text(_DESIGN)
    target = load_target(str(library))
    return synthesise([source], "small", target, folder, "area", CellOptions(dont_use)).cells


def test_pads_and_ruled_out_cells_are_not_used(tmp_path: Path) -> None:
    usual = _mapped(OSU018, tmp_path / "usual")
    library = _library(tmp_path / "ruled.lib", ("pad_cell : true;", 'dont_use : "true";'))
    assert _mapped(library, tmp_path / "ruled") == usual
    # The same cells without the attributes are used: the test sees what it should.
    free = _library(tmp_path / "free.lib", ("pad_cell : false;", "dont_use : false;"))
    assert {"PADLIKE", "NAND2_RULED_OUT"} & set(_mapped(free, tmp_path / "free"))
    assert _mapped(free, tmp_path / "named", ("PAD*", "*_OUT")) == usual


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    more = (
        "cell (FILL) { area : 8; }\n"
        'cell ("PADIN") { area : 1; pin(A) { direction : input; is_pad : true; } '
        'pin(Y) { direction : output; function : "A"; } }\n'
    )
    more += "cell (RAM) { area : 9; memory () { type : ram; } }\n"
    text = _library(tmp_path / "l.lib", ("pad_cell : true;", "dont_use : true;")).read_text()
    at = text.index("cell (AND2X1)")
    (tmp_path / "l.lib").write_text(text[:at] + more + text[at:])
    found = read_library(tmp_path / "l.lib", ("XNOR*",))
    assert found.left_out == {
        "PADLIKE": "pad",
        "NAND2_RULED_OUT": "dont_use in the library",
        "FILL": "no logic function",
        "PADIN": "pad",
        "RAM": "memory",
        "TBUFX1": "three-state",
        "TBUFX2": "three-state",
        "XNOR2X1": "--dont-use XNOR*",
    }
    for name in found.left_out:
        assert not re.search(rf'cell \("?{name}"?\)', found.text)
    assert found.text.count("cell (") == OSU018.read_text().count("cell (") - 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"has no library\(\.\.\.\) group"),
        ("\x00\x01\x7fELF", r"has no library\(\.\.\.\) group"),
        ("library (x) {", "its braces do not match"),
        ("library (x) { cell (INV) { pin (A) {} } }", "has no flip-flop"),
        ("library (x) { cell (D) { ff (IQ, IQN) { } } }", "has no two-input NAND"),
    ],
)
def test_no_library(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "x.lib").write_text(text)
    with pytest.raises(UserError, match=sentence):
        load_target(str(tmp_path / "x.lib"))


def test_a_pattern_that_names_nothing() -> None:
    with pytest.raises(UserError, match=r"--dont-use NOSUCH names no cell of osu018_stdcells\.lib"):
        read_library(OSU018, ("NOSUCH",))


@pytest.mark.parametrize(
    ("patterns", "sentence"),
    [
        (("INV*",), "has no inverter that may be used"),
        (("DFFPOSX1", "DFFSR"), "has no flip-flop for rising edges that may be used: DFFNEGX1 follows no"),
        (("DFF*",), "has no flip-flop that may be used"),
    ],
)
def test_what_a_core_can_not_be_made_of(patterns: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read_library(OSU018, patterns)


def test_an_inverter_is_one_by_its_function(tmp_path: Path) -> None:
    """Whatever its name; and no other cell is one by its name."""
    path = tmp_path / "x.lib"
    path.write_text(re.sub(r"\bINVX(\d)\b", r"sky__not_\1", OSU018.read_text()))
    assert "sky__not_1" in read_library(path).text
    with pytest.raises(UserError, match="has no inverter"):
        read_library(path, ("sky__not_*",))
    path.write_text(OSU018.read_text().replace("cell (BUFX2)", "cell (INVERTER)"))
    with pytest.raises(UserError, match="has no inverter"):
        read_library(path, ("INVX*",))


_CLEARED = """
module small (input wire clk, input wire rst_i, input wire [7:0] a_i, output reg [7:0] y_o);
    always @(posedge clk%s) if (rst_i) y_o <= 0; else y_o <= a_i;
endmodule
"""


def test_an_asynchronous_reset_needs_a_flip_flop_that_has_it(tmp_path: Path) -> None:
    source = tmp_path / "small.v"
    source.write_text(_CLEARED % " or posedge rst_i")
    asked = CellOptions(("DFFSR",))
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(UserError, match="has no flip-flop with a clear or a preset that may be used"):
        synthesise([source], "small", load_target("osu018"), out, "area", asked)
    assert not (out / "netlist.json").exists()
    source.write_text(_CLEARED % "")
    mapped = synthesise([source], "small", load_target("osu018"), out, "area", asked)
    assert mapped.cell_ffs == 8


_WIDE = """
module small (input wire clk, input wire [31:0] a_i, input wire on_i, output reg [31:0] y_o);
    reg on;
    always @(posedge clk) begin on <= on_i; y_o <= a_i & {32{on}}; end
endmodule
"""


def test_flip_flops_are_known_by_their_group(tmp_path: Path) -> None:
    """Under another name they are counted, and have buffers behind them, as before."""
    source, renamed = tmp_path / "small.v", tmp_path / "renamed.lib"
    source.write_text(_WIDE)
    renamed.write_text(re.sub(r"\bDFFPOSX1\b", "sky__dfxtp_1", OSU018.read_text()))
    found = []
    for library in (OSU018, renamed):
        out = tmp_path / library.stem
        out.mkdir()
        found.append(synthesise([source], "small", load_target(str(library)), out, "area"))
    usual, other = found
    assert usual.cell_ffs == other.cell_ffs == usual.cells["DFFPOSX1"] == other.cells["sky__dfxtp_1"] == 33
    assert usual.area_um2 == other.area_um2
    names = {"DFFPOSX1": "sky__dfxtp_1"}
    assert {names.get(c, c): n for c, n in usual.cells.items()} == other.cells
    assert any(cell.startswith("BUF") for cell in usual.cells)
