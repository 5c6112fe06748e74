"""Reset: one cycle of rst_i, whatever was before, leaves nothing that a control output can ever show.

Shown on the netlist of the whole core, shell, mode, key unit and all. In the cycle of reset every
register, every word of a memory and every other input may have any value. After it, every register from
which a control output can be reached, through logic and through registers, must hold a constant. So what
the control outputs do later depends on what has come in since alone: nothing of a block accepted before
can be announced. A pipeline's valid line holds no constants, but shows nothing until all of it has left:
that is shown of its module.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import CheckFailed, NotChecked
from ..shell import AXIS_DATA, BUS_DATA, SIDE_WORD
from .aig import FALSE, TRUE
from .delay_lines import VALID_LINES, flushes
from .equivalence import gate_function, topological
from .live import UNKNOWN, Ternary
from .netlist import FLIP_FLOP, GATES, MEMORY, Netlist, in_bits, out_bits, read_netlist
from .verdict import CoreFolder

__all__ = ["Cleared", "check_reset", "prove_reset"]

_PACKET = {"keep_o", "last_o", "tag_o", "good_o"}
_DATA = {
    *("block_o", "m_block_o", "m_slot_o", "Data_out", "data_o", "out_data_o"),
    *_PACKET,
    *AXIS_DATA,
    *BUS_DATA,
}
"""Outputs that are data (in a stream the number of the slot goes with the result, through the FIFO); all
others are control.
"""

_QUIET = {"valid_o", "tag_valid_o", "m_valid_o", "done_o", "out_valid_o", "m_axis_tvalid"}
"""Control outputs that announce a result: 0 after reset."""


@dataclass(frozen=True)
class Cleared:
    """`cone`: registers that control outputs depend on, of `registers` in all, beside the `lined` ones of
    valid lines; `outputs`: the control outputs.
    """

    cone: int
    registers: int
    outputs: tuple[str, ...]
    lined: int = 0


def _after(n: Netlist, order: Sequence[str], known: Mapping[Any, int]) -> dict[Any, int]:
    """Every bit as 0, 1 or unknown; what is not in `known` is unknown, the x in a text and what memories
    hold too.
    """
    value: dict[Any, int] = {"0": FALSE, "1": TRUE, **known}
    ternary: Any = Ternary
    for cell in (n.cells[name] for name in order):
        if cell["type"] in GATES:
            pins = cell["connections"]
            value[pins["Y"][0]] = gate_function(cell)(
                ternary, *[value.get(pins[p][0], UNKNOWN) for p in GATES[cell["type"]]]
            )
    return value


def _lines(n: Netlist) -> dict[Any, Any]:
    """What every valid line gives -> what it takes."""
    return {
        c["connections"]["q"][0]: c["connections"]["d"][0] for c in n.cells.values() if c["type"] in n.kept
    }


def _check_lines(n: Netlist, reset: str, clock: str) -> int:
    """Flip-flops of the valid lines. Raises CheckFailed with one that shows something of before a reset."""
    checked, count = set[str](), 0
    for name, cell in n.cells.items():
        if cell["type"] not in n.kept:
            continue
        module = n.kept[cell["type"]]
        if cell["type"] not in checked:
            flushes(module, "clk")
            checked.add(cell["type"])
        if cell["connections"]["rst_i"] != n.inputs[reset] or cell["connections"]["clk"] != n.inputs[clock]:
            raise CheckFailed(f"the reset of {name} is not that of the core")
        count += sum(c["type"] == FLIP_FLOP for c in module.cells.values())
    return count


def _cone(n: Netlist, roots: Iterable[Any], value: Mapping[Any, int]) -> set[Any]:
    """Outputs of the registers from which `roots` can be reached. What is constant for good (parameters)
    leads nowhere. Neither does the word that the FIFO of a bus offers: its rules (shell/sv/stream.sby) show
    that it was written after the last reset. Raises CheckFailed where a memory is on the way: reset does not
    clear one.
    """
    driver = {b: c for c in n.cells.values() for b in out_bits(c)}
    lines = _lines(n)
    found, seen, todo = set[Any](), set[Any](), list(roots)
    while todo:
        bit = todo.pop()
        if bit in lines and bit not in seen:
            seen.add(bit)
            todo.append(lines[bit])
        if bit in seen or bit not in driver or value.get(bit, UNKNOWN) <= TRUE:
            continue
        seen.add(bit)
        cell = driver[bit]
        if cell["type"] == FLIP_FLOP and n.name(bit).split("[")[0].split(".")[-1] == SIDE_WORD:
            continue
        if cell["type"] == MEMORY:
            raise CheckFailed(
                f"a control output depends on a memory, which reset does not clear ({n.name(bit)})"
            )
        if cell["type"] == FLIP_FLOP:
            found.add(bit)
        todo += in_bits(cell)
    return found


def prove_reset(
    n: Netlist, reset: str, data: Collection[str] = (), quiet: Collection[str] = (), clock: str = "clk"
) -> Cleared:
    """One cycle of the input `reset` clears every register from which an output that is not in `data` can
    be reached; outputs in `quiet` are 0 after it. Raises CheckFailed with one that stays.
    """
    lined = _check_lines(n, reset, clock)
    order = topological(n, through_ff=False)
    registers = {
        c["connections"]["Q"][0]: c["connections"]["D"][0] for c in n.cells.values() if c["type"] == FLIP_FLOP
    }
    control = {name: bits for name, bits in n.outputs.items() if name not in data}
    if not control:
        raise CheckFailed("the core has no control output")
    pin = n.inputs[reset][0]
    during = _after(n, order, {pin: TRUE})
    cone = _cone(n, [b for bits in control.values() for b in bits], _after(n, order, {}))
    for q in sorted(cone, key=n.name):
        if during.get(registers[q], UNKNOWN) > TRUE:
            outputs = [name for name, bits in control.items() if q in _cone(n, bits, {})]
            raise CheckFailed(
                f"one cycle of {reset} does not clear {n.name(q)}, which {outputs[0]} depends on"
            )
    after = _after(
        n,
        order,
        {q: during.get(registers[q], UNKNOWN) for q in registers}
        | {pin: FALSE}
        | dict.fromkeys(_lines(n), FALSE),
    )
    for name in sorted(control.keys() & set(quiet)):
        if any(after.get(b, UNKNOWN) != FALSE for b in control[name]):
            raise CheckFailed(f"{name} is not 0 after one cycle of {reset}")
    return Cleared(len(cone), len(registers) + lined, tuple(sorted(control)), lined)


def check_reset(folder: CoreFolder) -> str:
    """The check `reset` of a core folder. Raises CheckFailed, or NotChecked where the core has no reset."""
    record = folder.record
    ports = record.get("ports") or {"clk": "clk", "reset": "rst_i"}
    if not ports["reset"]:
        raise NotChecked("the ports of this core have no reset")
    n = read_netlist(folder.sources, record["top"], ports["clk"], VALID_LINES, memories=True)
    done = prove_reset(n, ports["reset"], _DATA, _QUIET, ports["clk"])
    lines = (
        f"; {done.lined} in lines of valid bits show nothing until what was inside has left"
        if done.lined
        else ""
    )
    return (
        f"after one cycle of {ports['reset']}, whatever was before: {', '.join(done.outputs)} depend on "
        f"what has come in since alone; "
        f"{done.cone} of {done.registers} registers can reach them, and all are cleared{lines}"
    )
