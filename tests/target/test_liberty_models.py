"""The mapped netlist of a cell library is proven equal to the core: logic, resets, clock gates. Another
netlist is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.target import CellOptions, load_target, synthesise
from cipherwright.target.liberty_models import liberty_models
from cipherwright.target.netlist_proof import emitted, prove_mapped
from cipherwright.verify.mapped import mapped_machine, prove_same
from cipherwright.verify.matching import matched_by_name
from tests.target.liberty import OSU018, gated

_DESIGN = """
module little (input wire clk, input wire rst_i, input wire en_i, input wire [4:0] a_i,
    output wire [4:0] y_o);
    reg [4:0] p, q;
    reg [3:0] held;
    reg on, off;
    always @(posedge clk or posedge rst_i) if (rst_i) begin on <= 1'b0; off <= 1'b1; end
        else begin on <= en_i ^ off; off <= on & a_i[0]; end
    always @(posedge clk or posedge rst_i) if (rst_i) held <= 4'b0101; else if (on) held <= a_i[3:0] ^ held;
    always @(posedge clk) begin
        if (on) p <= a_i;
        q <= p ^ {a_i[3:0], off};
    end
    assign y_o = q & ~p ^ held;
endmodule
"""

Netlist = dict[str, Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A source, and the folder with its netlist, with a clock gate and flip-flops with clear and preset."""
    home = tmp_path_factory.mktemp("little")
    (home / "little.v").write_text(_DESIGN)
    out = home / "out"
    out.mkdir()
    library = load_target(str(gated(home / "gated.lib")))
    found = synthesise([home / "little.v"], "little", library, out, "delay", CellOptions(clock_gating=True))
    assert found.gating
    assert (found.gating.gates, found.gating.registers) == (1, 9)
    assert found.cells["DFFSR"] == 6
    return home / "little.v", out


def test_the_netlist_is_proven(made: tuple[Path, Path]) -> None:
    source, out = made
    models = liberty_models(out / "cells.lib")
    proof = prove_mapped(out, emitted([source], "little", "clk", True), "little", "clk", models)
    assert "every next value of the 16 flip-flops" in proof.statement


def test_models_of_a_library() -> None:
    models = liberty_models(OSU018)
    assert {"NAND2X1", "FAX1", "MUX2X1", "BUFX4"} <= models.outputs.keys()
    assert models.flops.keys() == {"DFFPOSX1", "DFFNEGX1", "DFFSR"}
    assert not models.flops["DFFNEGX1"].rising
    assert models.flops["DFFSR"].idle == ((("R", 0), "1"), (("S", 0), "1"))
    assert models.gates == {}


def _gated_and_reset(netlist: Netlist) -> dict[str, Any]:
    """The pins of a flip-flop with a clear or a preset behind the clock gate."""
    clocks = _first(netlist, "CLKGATE")["GCLK"]
    cells = [c for c in netlist["cells"].values() if c["type"] == "DFFSR"]
    wires: dict[str, Any] = next(c["connections"] for c in cells if c["connections"]["CLK"] == clocks)
    return wires


def _never_reset(netlist: Netlist) -> None:
    _gated_and_reset(netlist).update(R=["1"], S=["1"])


def _reset_the_other_way(netlist: Netlist) -> None:
    wires = _gated_and_reset(netlist)
    wires["R"], wires["S"] = wires["S"], wires["R"]


def _first(netlist: Netlist, kind: str) -> dict[str, Any]:
    wires: dict[str, Any] = next(c for c in netlist["cells"].values() if c["type"] == kind)["connections"]
    return wires


def _port(netlist: Netlist, name: str) -> list[Any]:
    bits: list[Any] = netlist["ports"][name]["bits"]
    return bits


def _ungated(netlist: Netlist) -> None:
    clocks = _first(netlist, "CLKGATE")["GCLK"]
    for cell in netlist["cells"].values():
        if cell["connections"].get("CLK") == clocks:
            cell["connections"]["CLK"] = _port(netlist, "clk")


def _cleared_by(netlist: Netlist, bits: list[Any]) -> None:
    wires = _first(netlist, "DFFSR")
    pin = "R" if wires["S"] == ["1"] else "S"
    wires[pin] = bits


def _other_pin(netlist: Netlist) -> None:
    wires = _first(netlist, "DFFSR")
    wires["R"], wires["S"] = wires["S"], wires["R"]


def _other_gate(netlist: Netlist) -> None:
    kind = next(c for c in netlist["cells"].values() if re.match("N(AND|OR)2X1", c["type"]))
    kind["type"] = "NOR2X1" if kind["type"] == "NAND2X1" else "NAND2X1"


FAULTS: dict[str, tuple[Callable[[Netlist], object], str]] = {
    "another enable": (lambda n: _first(n, "CLKGATE").update(E=_port(n, "en_i")), "differs"),
    "a test pin at 1": (lambda n: _first(n, "CLKGATE").update(SE=["1"]), "differs"),
    "no gate": (_ungated, "differs"),
    "a gate of another clock": (lambda n: _first(n, "CLKGATE").update(CLK=_port(n, "en_i")), "rising edge"),
    "a clear by another net": (lambda n: _cleared_by(n, _port(n, "en_i")), "without the clock"),
    "a clear of the other polarity": (lambda n: _cleared_by(n, _port(n, "rst_i")), "without the clock"),
    "a preset in the place of a clear": (_other_pin, "differs"),
    "logic reads the reset": (lambda n: _first(n, "CLKGATE").update(SE=_port(n, "rst_i")), "others read it"),
    "behind the gate no reset": (_never_reset, "others read it|differs"),
    "behind the gate the other reset": (_reset_the_other_way, "differs"),
    "behind the gate the clock": (lambda n: _gated_and_reset(n).update(CLK=_port(n, "clk")), "differs"),
    "behind the gate a clear by another net": (
        lambda n: _gated_and_reset(n).update(R=_port(n, "en_i")),
        "without the clock",
    ),
    "another gate": (_other_gate, "differs"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_another_netlist_is_refused(fault: str, made: tuple[Path, Path]) -> None:
    source, out = made
    change, message = FAULTS[fault]
    netlist: Netlist = json.loads((out / "netlist.json").read_text())["modules"]["little"]
    change(netlist)
    reference = emitted([source], "little", "clk", True)
    with pytest.raises(CheckFailed, match=message):
        machine = mapped_machine(netlist, "clk", models=liberty_models(out / "cells.lib"))
        prove_same(reference, machine, matched_by_name(reference, machine), "clk", "the netlist")
