"""What is known of a device or cell library: one TOML file each in `data/`, and any Liberty file a user
names.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import UserError, nearest
from ..schedule import DelayModel
from .library import read_library

__all__ = ["REPAIRED", "REROUTED", "Target", "load_target", "target_names"]

REPAIRED = "repaired"
"""The placer `heap`, and a search that shortens the longest paths of what it placed (repair.py)."""

REROUTED = "rerouted"
"""The same by estimates and by delays of wires after routing, and again where routed wires are too long."""

_DATA = Path(str(resources.files(__package__))) / "data"


@dataclass(frozen=True)
class Target:
    """A device, a family or a cell library, as the generator sees it.

    `name`: by which a user chooses it; `title`: for people. `kind`: place-and-route, mapping or cells.
    `family`: which synthesis it takes (ecp5, ice40, gowin, nexus, xilinx, cells), and `yosys_family` the one
    of `synth_xilinx`. `lut_inputs`: of a lookup table, 0 for cells. `srl` and `ram_delay`: whether delay
    lines may be shift-register LUTs or rings of distributed or block RAM. `slice_xor`: whether a LUT4 has an
    XOR gate behind it. `delay`: the model that plans stages. `device`: the place-and-route tool's flags for
    it. `liberty`: the cell library's path.
    """

    name: str
    title: str
    kind: str
    family: str
    lut_inputs: int
    srl: bool
    ram_delay: bool
    slice_xor: bool
    delay: DelayModel
    device: tuple[str, ...] = ()
    yosys_family: str = ""
    liberty: str = ""
    capacity: Mapping[str, int] = field(default_factory=dict)
    """What a device has, where it is one device: `luts`, `ffs`, `brams`, `dsps`."""

    nextpnr: str = ""
    """The nextpnr that places it: the tool's name is `yowasp-nextpnr-` and this."""

    bare: bool = False
    """Place and route reads the netlist without its ports, where nextpnr has no placement out of context."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """All other entries of the target's file: `placers`, `slices`, `block_ram_sites`, `wires` and others, as
    they are read there.
    """

    def placer(self, asked: str) -> str:
        """The placer that is asked for, `asked`, or the first of this target where it has no such; `heap`
        where the one asked for needs delays of wires that are not known.
        """
        wires = self.options.get("wires", {})
        if asked == REROUTED and "to_lut" not in wires:
            asked = REPAIRED
        if asked == REPAIRED and not wires:
            asked = "heap"
        known = self.options.get("placers", [asked])
        return asked if asked in known else str(known[0])

    def beyond(self, used: Mapping[str, int]) -> list[str]:
        """What a use takes more of than the device has, in words; empty where it fits. `used`: how many
        `luts`, `ffs`, `brams` and `dsps`; one that is not given, or that the target states no capacity for,
        is not compared.
        """
        names = {"luts": "lookup tables", "ffs": "flip-flops", "brams": "block RAMs", "dsps": "multipliers"}
        return [
            f"{used[k]:,} {words} (the device has {self.capacity[k]:,})"
            for k, words in names.items()
            if k in self.capacity and used.get(k, 0) > self.capacity[k]
        ]


def target_names() -> list[str]:
    """All targets of the catalogue."""
    return sorted(p.stem for p in _DATA.glob("*.toml"))


def load_target(name: str) -> Target:
    """The target with this `name`, or a cell library by the path of its Liberty file, which ends in .lib.
    Raises UserError with the names there are, or where the file is missing or no usable library.
    """
    if name.endswith(".lib"):
        return _liberty(Path(name))
    if name not in target_names():
        there_are = f"there are {', '.join(target_names())}, or a Liberty file *.lib"
        said = " ".join(filter(None, (nearest(name, target_names()), there_are)))
        raise UserError(f"there is no target {name}; {said}")
    data = tomllib.loads((_DATA / f"{name}.toml").read_text())
    known = {
        "title",
        "kind",
        "family",
        "lut_inputs",
        "srl",
        "ram_delay",
        "slice_xor",
        "delay",
        "device",
        "yosys_family",
        "liberty",
        "capacity",
        "nextpnr",
        "bare",
    }
    return Target(
        name,
        data["title"],
        data["kind"],
        data["family"],
        data["lut_inputs"],
        data["srl"],
        data.get("ram_delay", False),
        data.get("slice_xor", False),
        DelayModel.from_table(name, data["delay"]),
        tuple(data.get("device", ())),
        data.get("yosys_family", ""),
        data.get("liberty", ""),
        data.get("capacity", {}),
        data.get("nextpnr", data["family"]),
        data.get("bare", False),
        {k: v for k, v in data.items() if k not in known},
    )


def _liberty(path: Path) -> Target:
    if not path.is_file():
        raise UserError(f"there is no Liberty file {path}")
    read_library(path)
    base = load_target("osu018")
    return Target(
        path.stem,
        f"cells of {path.name}",
        "cells",
        "cells",
        0,
        False,
        False,
        False,
        base.delay,
        liberty=str(path.resolve()),
    )
