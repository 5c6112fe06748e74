"""What a core's folder holds beside its Verilog: README, timing diagrams, constraints, packages.

Everything is made from the core's value: its typed ports, its timing, its options, and its cipher's
description.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...spec import Spec, parse
from ..built_engine import BuiltEngine
from ..core import Core
from ..digests import rtl_digest, rtl_names
from ..wave import ANY, Diagram, Moment, svg
from .constraints import constraints
from .diagrams import diagrams
from .example import Worked, worked_block
from .extras import EXTRAS, check_extras, extra_files
from .figures import FIGURES, measured, measured_presets
from .fusesoc import fusesoc_core, vlnv
from .readme import readme
from .vhdl import vhdl_package

__all__ = [
    "ANY",
    "EXTRAS",
    "FIGURES",
    "Diagram",
    "Moment",
    "Worked",
    "check_extras",
    "diagrams",
    "folder_files",
    "svg",
    "vlnv",
    "worked_block",
]


def folder_files(core: Core | BuiltEngine) -> dict[str, str]:
    """Texts by file name: README.md, timing diagrams, constraints, packages for VHDL and FuseSoC. They speak
    of `core.files`, which are not among them.
    """
    spec = parse(core.parameters)
    worked, pins = worked_block(spec), core.component.pins
    drawn = core.diagrams if isinstance(core, BuiltEngine) else diagrams(core, worked)
    tested = core.tested if isinstance(core, Core) else core.top
    rtl = rtl_names(core.files)[::-1]
    clock = core.component.clock.clock
    files = {
        **constraints(spec, core.top, pins, clock, core.period),
        f"{core.top}.core": fusesoc_core(spec.name, core.top, f"{tested}_tb", rtl, core.family, spec.title),
        f"{core.top}_pkg.vhd": vhdl_package(spec.name, core.top, pins),
        **{f"{core.top}_{d.name}.svg": svg(d) for d in drawn},
    }
    files |= extra_files(spec, core, worked)
    names = sorted([*core.files, *files])
    files["README.md"] = readme(spec, core, worked, drawn, names, _record_of(spec, core))
    return files


def _record_of(spec: Spec, core: Core | BuiltEngine) -> Mapping[str, Any] | None:
    """The committed record of this very text on its target, if there is one."""
    known = spec.name in measured_presets()
    return measured(spec.name, spec.target, rtl_digest(core.files)) if known else None
