"""The emitted Verilog as a flat netlist of gates (by Yosys, before any optimisation), read strictly for
the proofs.

A statement about logic and registers is worth nothing where the netlist holds what the statement does not
know of. So the reader refuses, with the net's name: a register that is not a plain flip-flop of the core's
one clock (a gated or derived clock, a falling edge, an asynchronous set or clear, a latch), a clock that
logic reads, a bit that is `x` or `z`, a net with two drivers or none, and text that only some tools read.
A reset that clears or sets registers asynchronously, and does nothing else, is read as one that does so at
the clock (`asynchronous.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from ..errors import CheckFailed
from .hierarchy import MEMORY, Modules, elaborated, flattened, net_names

__all__ = [
    "DELAY",
    "FLIP_FLOP",
    "GATES",
    "MEMORY",
    "Netlist",
    "check_strict",
    "in_bits",
    "out_bits",
    "read_modules",
    "read_netlist",
]

GATES = {
    "$_AND_": "AB",
    "$_OR_": "AB",
    "$_XOR_": "AB",
    "$_XNOR_": "AB",
    "$_NAND_": "AB",
    "$_NOR_": "AB",
    "$_ANDNOT_": "AB",
    "$_ORNOT_": "AB",
    "$_NOT_": "A",
    "$_BUF_": "A",
    "$_MUX_": "SBA",
}
"""Gate type -> the order of its input pins; the output is Y."""

_READ = {kind: tuple(sorted(pins)) for kind, pins in GATES.items()}
"""The same pins in the order of the alphabet."""

FLIP_FLOP = "$_DFF_P_"
"""The only register that a proof knows: D to Q at the rising edge of C, always."""

DELAY = "$delay"
"""One bit through a delay line that is proven to be one (`delay_lines.py`): D to Q in DEPTH cycles of C."""


@dataclass(frozen=True)
class Netlist:
    """Bits are integers from 2 on, or "0"/"1" for constants. `inputs` and `outputs`: bits by port, least
    significant first. `cells` are Yosys's gate types ($_AND_, $_MUX_ …), FLIP_FLOP, MEMORY, and instances of
    the modules in `kept`, which were not flattened. `names` of bits, the shortest in the hierarchy;
    `initial`: values at power-up of bits that have one.
    """

    inputs: dict[str, list[Any]]
    outputs: dict[str, list[Any]]
    cells: dict[str, dict[str, Any]]
    names: dict[int, str]
    initial: Mapping[int, int] = field(default_factory=dict)
    kept: Mapping[str, Netlist] = field(default_factory=dict)

    def name(self, bit: Any) -> str:
        """For messages: the name of `bit`, or what stands for one."""
        return self.names.get(bit, f"net {bit}") if isinstance(bit, int) else f"the constant {bit}"


def in_bits(cell: Mapping[str, Any]) -> list[Any]:
    """What `cell` reads, clocks apart."""
    if pins := _READ.get(cell["type"]):
        wires = cell["connections"]
        return [wires[p][0] for p in pins]
    return [
        b
        for port, bits in cell["connections"].items()
        if cell["port_directions"][port] == "input" and not _is_clock(cell, port)
        for b in bits
    ]


def out_bits(cell: Mapping[str, Any]) -> list[Any]:
    """What `cell` drives."""
    if cell["type"] in GATES:
        return [cell["connections"]["Y"][0]]
    return [
        b
        for port, bits in cell["connections"].items()
        if cell["port_directions"][port] == "output"
        for b in bits
    ]


def _is_clock(cell: Mapping[str, Any], port: str) -> bool:
    kind = cell["type"]
    if kind in GATES:
        return False
    return (
        port in ("RD_CLK", "WR_CLK")
        if kind == MEMORY
        else port == "C"
        if kind in (FLIP_FLOP, DELAY)
        else port == "clk"
    )


def read_netlist(
    sources: Sequence[Path],
    top: str,
    clock: str = "clk",
    keep: str = "",
    memories: bool = False,
    spread: bool = False,
    written: bool = False,
) -> Netlist:
    """Elaborate the module `top` of the files `sources`. `clock`: the port that all registers follow; `keep`:
    names of modules that are not flattened but come as instances, separated by blanks (`*` stands for any
    part of a name); `memories`: memories that can be written may be there, and bits that are x, which the
    caller takes for any value; `spread`: the same, but memories become registers; `written`: memories become
    registers, and what is x in their modules (what is written where nothing is written) 0. Raises CheckFailed
    where Yosys does not accept the text, and with the name of a net that breaks the rules above.
    """
    known = "setundef -zero t:$mem_v2 %m; " if written else ""
    modules = elaborated(sources, top, f"{known}memory_map; " if written or spread else "")
    kept, todo = dict[str, Netlist](), [top]
    while todo:
        name = todo.pop()
        kept[name] = _flat(modules, name, keep)
        todo += {c["type"] for c in kept[name].cells.values() if c["type"] in modules} - kept.keys() - {*todo}
    n = replace(kept.pop(top), kept=kept)
    for module in (n, *kept.values()):
        check_strict(module, clock, memories or spread, module is not n)
    return n


def read_modules(
    sources: Sequence[Path], top: str, clock: str = "clk", lines: str = ""
) -> dict[str, Netlist]:
    """The modules of the files `sources` before they are flattened, each under its name, with instances of
    others. The registers of `top` follow its port `clock`, those of the others `clk`. `lines`: names of delay
    lines in RAM and of valid lines, separated by blanks, which keep their memories and have no instances (`*`
    stands for any part of a name). Other memories become registers, and what is x in their modules (what is
    written where nothing is written) 0. Raises as `read_netlist`.
    """
    others = "".join(f"{name} %d " for name in lines.split())
    registers = f"setundef -zero t:$mem_v2 %m {others}; memory_map * {others}; "
    modules = elaborated(sources, top, registers, lambda name: _matches(name, lines))
    read = {n: _flat(modules, n, "") if _matches(n, lines) else _netlist(m) for n, m in modules.items()}
    for name, n in read.items():
        known = replace(n, kept={k: v for k, v in read.items() if k != name})
        check_strict(known, clock if name == top else "clk", ring=_matches(name, lines))
    return read


def _matches(name: str, patterns: str) -> bool:
    """Whether a module's name is one of the patterns, which blanks separate."""
    return any(fnmatch(name, p) for p in patterns.split())


def _flat(modules: Modules, name: str, keep: str) -> Netlist:
    """A module with all instances taken in, except of modules of the names in `keep`."""
    flat = flattened(modules, name, lambda kind: _matches(kind, keep))
    return Netlist(flat.inputs, flat.outputs, flat.cells, flat.names, flat.initial)


def _netlist(module: Mapping[str, Any]) -> Netlist:
    """A module with its instances."""
    ports = module["ports"]
    if wrong := next((n for n, p in ports.items() if p["direction"] == "inout"), None):
        raise CheckFailed(f"the port {wrong} is both an input and an output")
    names, initial = net_names(module)
    return Netlist(
        {n: p["bits"] for n, p in ports.items() if p["direction"] == "input"},
        {n: p["bits"] for n, p in ports.items() if p["direction"] == "output"},
        module["cells"],
        names,
        initial,
    )


def check_strict(n: Netlist, clock: str, memories: bool = False, ring: bool = False) -> None:
    """The rules of the module's docstring for `n`, whose registers follow the port `clock`. `memories`: as of
    `read_netlist`; `ring`: a memory may be there, but no x. Raises CheckFailed with the first net that breaks
    one.
    """
    tick = n.inputs.get(clock, [None])[0]
    drivers = dict.fromkeys((b for bits in n.inputs.values() for b in bits), 1)
    for name, cell in n.cells.items():
        _check_cell(n, name, cell, tick, clock, memories, ring)
        for b in out_bits(cell):
            drivers[b] = drivers.get(b, 0) + 1
    if twice := next((b for b, count in drivers.items() if count > 1), None):
        raise CheckFailed(f"{n.name(twice)} has more than one driver")
    for name, bits in n.outputs.items():
        _check_defined(bits, f"output {name}")
        if tick in bits:
            raise CheckFailed(f"output {name} is the clock")
        if free := next((b for b in bits if isinstance(b, int) and b not in drivers), None):
            raise CheckFailed(f"nothing drives {n.name(free)}")


def _check_cell(
    n: Netlist, name: str, cell: Mapping[str, Any], tick: Any, clock: str, memories: bool, ring: bool
) -> None:
    kind = cell["type"]
    if kind in GATES and not {"x", "z", tick}.intersection(in_bits(cell)):
        return
    out = n.name(next(iter(out_bits(cell)), name))
    if (
        kind not in GATES
        and kind not in (FLIP_FLOP, DELAY)
        and kind not in n.kept
        and not (kind == MEMORY and (memories or ring))
    ):
        if re.match(r"\$_(A?L?DFF|SDFF|DLATCH|SR|FF)", kind) or kind == MEMORY:
            raise CheckFailed(f"{out} is held by {kind}, not by a plain flip-flop of {clock}")
        raise CheckFailed(f"the core has a cell {kind} ({out}) that the proof does not know")
    for c in _clocks(cell):
        if c != tick:
            raise CheckFailed(f"{out} does not follow the clock {clock} but {n.name(c)}")
    read = _memory_inputs(cell) if kind == MEMORY else in_bits(cell)
    if not memories:
        _check_defined(read, out)
    if tick in read:
        raise CheckFailed(f"{out} depends on the clock as on data")


def _clocks(cell: Mapping[str, Any]) -> Iterable[Any]:
    """Clock bits that a cell follows; of a memory, those of its ports that have one."""
    if cell["type"] != MEMORY:
        return [bits[0] for port, bits in cell["connections"].items() if _is_clock(cell, port)]
    p, wires = cell["parameters"], cell["connections"]
    found = []
    for side in ("RD", "WR"):
        enabled, polarity = (str(p[f"{side}_CLK_{what}"])[::-1] for what in ("ENABLE", "POLARITY"))
        for k, bit in enumerate(wires[f"{side}_CLK"]):
            if enabled[k : k + 1] == "1":
                found.append(bit if polarity[k : k + 1] == "1" else "the falling edge")
            elif side == "WR":
                found.append("no clock")
    return found


def _memory_inputs(cell: Mapping[str, Any]) -> list[Any]:
    """Addresses, data and enables of writing; addresses of reading, and enables where reading is clocked."""
    wires = cell["connections"]
    return [b for port in ("RD_ADDR", "WR_ADDR", "WR_DATA", "WR_EN") for b in wires[port]] + [
        b for b in wires["RD_EN"] if isinstance(b, int)
    ]


def _check_defined(bits: Collection[Any], where: str) -> None:
    if wrong := next((b for b in bits if b in ("x", "z")), None):
        raise CheckFailed(f"{where} depends on a bit that is {wrong}")
