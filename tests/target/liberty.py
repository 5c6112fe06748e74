"""Liberty files made from the installed library: the same cells under other conditions."""

from __future__ import annotations

import re
from pathlib import Path

from cipherwright.target import load_target

OSU018 = Path(load_target("osu018").liberty)

_TIMES = re.compile(
    r"\b(cell_rise|cell_fall|rise_transition|fall_transition|rise_constraint|fall_constraint)\s*"
    r"\(\w+\)\s*\{[^{}]*\}"
)


def _scaled(table: str, factor: float) -> str:
    """A table with other times: its values, and the slopes that it is indexed by. Index 1 of a delay is a
    load.
    """
    slopes = r"index_[12]|values" if "_constraint" in table.split("(", 1)[0] else r"index_2|values"

    def times(m: re.Match[str]) -> str:
        return m[1] + re.sub(r"-?\d+\.?\d*", lambda n: f"{float(n[0]) * factor:.9g}", m[2])

    return re.sub(rf"((?:{slopes})\s*\()([^)]*)", times, table)


def scaled(path: Path, factor: float, name: str = "osu018_stdcells") -> Path:
    """The library with every time multiplied by a factor."""
    text = _TIMES.sub(lambda m: _scaled(m[0], factor), OSU018.read_text())
    path.write_text(text.replace("library(osu018_stdcells)", f"library({name})"))
    return path


def without(path: Path, cell: str, text: str = "") -> Path:
    """A library with one cell less."""
    text = text or OSU018.read_text()
    start = text.index(f"cell ({cell})")
    path.write_text(text[:start] + text[text.index("\ncell (", start + 1) + 1 :])
    return path


_GATE = """\
cell (CLKGATE) {
  area : 128;
  cell_leakage_power : 0.2;
  clock_gating_integrated_cell : "%s";
  dont_use : %s;
  statetable ("CLK E SE", "ENL") { table : "L L L : - : L, L H - : - : H, L - H : - : H, H - - : - : N"; }
  pin(ENL) { direction : internal; internal_node : "ENL"; }
  pin(CLK) { direction : input; clock : true; clock_gate_clock_pin : true; capacitance : 0.009; }
  pin(E) { direction : input; clock_gate_enable_pin : true; capacitance : 0.009;
    timing() { related_pin : "CLK"; timing_type : setup_rising;
      rise_constraint(scalar) { values ("0.1"); } fall_constraint(scalar) { values ("0.1"); } }
    timing() { related_pin : "CLK"; timing_type : hold_rising;
      rise_constraint(scalar) { values ("0.0"); } fall_constraint(scalar) { values ("0.0"); } }
  }
  pin(SE) { direction : input; clock_gate_test_pin : true; capacitance : 0.009; }
  pin(GCLK) { direction : output; clock_gate_out_pin : true; state_function : "CLK * ENL";
    timing() { related_pin : "CLK"; timing_sense : positive_unate;
      cell_rise(scalar) { values ("0.1"); } cell_fall(scalar) { values ("0.1"); }
      rise_transition(scalar) { values ("0.06"); } fall_transition(scalar) { values ("0.06"); } }
    internal_power() { related_pin : "CLK";
      rise_power(scalar) { values ("0.05"); } fall_power(scalar) { values ("0.05"); } }
  }
}
"""


def gated(path: Path, kind: str = "latch_posedge_precontrol", ruled_out: str = "false") -> Path:
    """The library with a clock-gating cell."""
    text = OSU018.read_text()
    at = text.index("cell (AND2X1)")
    path.write_text(text[:at] + _GATE % (kind, ruled_out) + text[at:])
    return path
