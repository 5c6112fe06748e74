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
