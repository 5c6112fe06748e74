"""The netlist that is built is the core that was emitted: after mapping, and after place and route."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..verify.cell_models import NO_MODELS, Models
from ..verify.mapped import Machine, Match, Same, mapped_machine, prove_same, reference_machine
from ..verify.matching import matched_by_cell, matched_by_name
from ..verify.netlist import read_netlist
from .canonical import CANONICAL_TOP
from .synth import CANONICAL, NAMES

__all__ = ["NetlistProof", "emitted", "prove_mapped", "prove_routed"]


@dataclass(frozen=True)
class NetlistProof:
    """What was shown, in words (`statement`, "not checked: …" where nothing was); and what became of
    registers of the core that have none of their own in the netlist: groups that synthesis `merged`, those
    that hold a `constant`, those that were `removed`, since nothing depends on them.
    """

    statement: str
    merged: tuple[tuple[str, ...], ...] = ()
    constant: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def fewer(self) -> int:
        """How many registers fewer than the core the netlist has."""
        return sum(len(g) - 1 for g in self.merged) + len(self.constant) + len(self.removed)


def emitted(sources: Sequence[Path], top: str, clock: str, spread: bool = False) -> Machine:
    """The module `top` of the emitted `sources`, as `prove_mapped` compares with it; registers follow the
    port `clock`. `spread`: with memories as registers, as cell libraries have them. Raises CheckFailed where
    the text breaks the rules of `read_netlist`.
    """
    return reference_machine(read_netlist(sources, top, clock, memories=not spread, spread=spread), clock)


def prove_mapped(
    folder: Path, reference: Machine, top: str, clock: str, models: Models = NO_MODELS
) -> NetlistProof:
    """The netlist of module `top` that synthesis left in `folder` (canonical.json, and netlist.json with the
    names of the RTL) equals `reference`, which is what `emitted` gave. Registers follow the port `clock`.
    `models`: what the cells of a library compute; a device's are known. Raises CheckFailed where it does not,
    Unknown where it has cells that the proof does not know.
    """
    netlist = json.loads((folder / "netlist.json").read_text())["modules"][top]
    named = mapped_machine(netlist, clock, True, models)
    canonical = _canonical(folder, clock, True, models)
    same = prove_same(
        reference,
        canonical,
        _renamed(matched_by_name(reference, named), named, canonical, folder),
        clock,
        "the mapped netlist",
    )
    return NetlistProof(f"after mapping, {same.statement}", same.merged, same.constant, same.removed)


def _canonical(folder: Path, clock: str, expand: bool = False, models: Models = NO_MODELS) -> Machine:
    module = json.loads((folder / CANONICAL).read_text())["modules"][CANONICAL_TOP]
    return mapped_machine(module, clock, expand, models)


def _renamed(match: Match, named: Machine, canonical: Machine, folder: Path) -> Match:
    """The match with the bits of the canonical netlist."""
    old = json.loads((folder / NAMES).read_text())
    at = {_old_cell(r.cell, old): q for q, r in canonical.registers.items()}
    columns = {
        (old[r.cell], k): b for (b, r), k in zip(canonical.rams.items(), _places(canonical), strict=True)
    }
    to = {q: at[r.cell] for q, r in named.registers.items() if r.cell in at}
    to |= {
        b: columns[r.cell, k]
        for (b, r), k in zip(named.rams.items(), _places(named), strict=True)
        if (r.cell, k) in columns
    }
    return replace(
        match,
        registers={
            a: b if b in ("0", "1") else to[b]
            for a, b in match.registers.items()
            if b in ("0", "1") or b in to
        },
        rams={a: to[b] for a, b in match.rams.items() if b in to},
        copies={to[b]: a for b, a in match.copies.items() if b in to},
    )


def _old_cell(name: str, old: dict[str, str]) -> str:
    """The name before of a register's cell, or of a register in a cell (`cell.NUMBER.WHICH`)."""
    cell = ".".join(name.split(".")[:2])
    return old[cell] + name[len(cell) :] if cell in old else name


def _places(m: Machine) -> list[int]:
    """Of every column of RAM, which of its cell it is."""
    count: dict[str, int] = {}
    out = []
    for r in m.rams.values():
        out.append(count.get(r.cell, 0))
        count[r.cell] = out[-1] + 1
    return out


def prove_routed(folder: Path, routed: Path, clock: str) -> Same:
    """The netlist `routed` that place and route wrote equals the canonical one in `folder`; registers follow
    the port `clock`. Raises like `prove_mapped`.
    """
    canonical = _canonical(folder, clock)
    placed = mapped_machine(next(iter(json.loads(routed.read_text())["modules"].values())), clock)
    return prove_same(
        canonical, placed, matched_by_cell(canonical, placed), clock, "the netlist after place and route"
    )
