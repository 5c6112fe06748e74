"""Reset: one cycle of rst_i, whatever was before, leaves nothing that a control output can ever show.

Shown on the netlist of the whole core, shell, mode, key unit and all. In the cycle of reset every
register, every word of a memory and every other input may have any value. After it, every register from
which a control output can be reached, through logic and through registers, must hold a constant. So what
the control outputs do later depends on what has come in since alone: nothing of a block accepted before
can be announced. Registers that are copies from then on count as one (`copies.py`). A pipeline's valid line
holds no constants, but shows nothing until all of it has left: that is shown of its module.

A register may be left as it is where nobody reads it before it has been loaded: what goes with a valid bit
beside it, and a word that a FIFO offers (`guarded.py` shows it). What the word is loaded with comes from the
memory of a hand-written FIFO, or from a register behind it or in its place, and the rules of the FIFO
(`shell/sv/stream.sby`, `deep_stream.sby`, `short_stream.sby`, `release.sby`) show that it was written since
the last reset.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import CheckFailed, NotChecked
from ..shell import (
    AXIS_DATA,
    BUS_DATA,
    DEEP_STREAM_FILE,
    RELEASE_FILE,
    SHORT_STREAM_FILE,
    STREAM_FILE,
    TAG_DATA,
    own_names,
    without_channel,
)
from .aig import FALSE, TRUE
from .copies import without_copies
from .delay_lines import VALID_LINES, flushes
from .equivalence import topological
from .guarded import Logic, guards
from .live import UNKNOWN, settled
from .netlist import FLIP_FLOP, MEMORY, Netlist, in_bits, out_bits, read_netlist
from .verdict import CoreFolder

__all__ = ["Cleared", "check_reset", "prove_reset"]

_PACKET = {"keep_o", "last_o", "late_o", "tag_o", "good_o"}
_DATA = {
    *("block_o", "m_block_o", "m_slot_o", "Data_out", "data_o", "out_data_o"),
    *_PACKET,
    *AXIS_DATA,
    *TAG_DATA,
    *BUS_DATA,
}
"""Outputs that are data (in a stream the number of the slot goes with the result, through the FIFO); all
others are control.
"""

_QUIET = {"valid_o", "tag_valid_o", "m_valid_o", "done_o", "out_valid_o", "m_axis_tvalid", "m_tag_tvalid"}
"""Control outputs that announce a result: 0 after reset."""


@dataclass(frozen=True)
class Cleared:
    """`cone`: registers that control outputs depend on and that reset clears; `registers`: how many there are
    in all, among them the `lined` ones of valid lines; `outputs`: the control outputs; `guarded`: registers
    that it leaves as they are, and that are read only after they have been loaded.
    """

    cone: int
    registers: int
    outputs: tuple[str, ...]
    lined: int = 0
    guarded: int = 0


def _after(n: Netlist, order: Sequence[str], known: Mapping[Any, int]) -> dict[Any, int]:
    """Every bit as 0, 1 or unknown, for what is in `known`."""
    return settled((n.cells[name] for name in order), known)


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


def _cone(
    n: Netlist, roots: Iterable[Any], value: Mapping[Any, int], words: Collection[Any] = ()
) -> set[Any]:
    """Outputs of the registers from which `roots` can be reached. What is constant for good (parameters)
    leads nowhere, and nothing is behind `words` that a FIFO offers. Raises CheckFailed where a memory is on
    the way: reset does not clear one.
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
        if bit in words:
            found.add(bit)
            continue
        if cell["type"] == MEMORY:
            raise CheckFailed(
                f"a control output depends on a memory, which reset does not clear ({n.name(bit)})"
            )
        if cell["type"] == FLIP_FLOP:
            found.add(bit)
        todo += in_bits(cell)
    return found


def _words(n: Netlist, fifos: Mapping[str, bool]) -> set[Any]:
    """Bits of the words that FIFOs offer, whose text is in one of the files `fifos`: registers loaded from
    the memory, or where that says so from registers behind it, or in its place.
    """
    logic = Logic.of(n)

    def of(files: Iterable[str]) -> list[Mapping[str, Any]]:
        heads = tuple(f"{file}:" for file in files)
        return [c for c in n.cells.values() if str(c.get("attributes", {}).get("src", "")).startswith(heads)]

    stored = {b for c in of(fifos) if c["type"] == MEMORY for b in c["connections"]["RD_DATA"]}
    registers = {
        c["connections"]["Q"][0]: c["connections"]["D"][0] for c in n.cells.values() if c["type"] == FLIP_FLOP
    }
    loaded = {q: logic.choice(d)[0] for q, d in registers.items()}

    def held(files: Iterable[str]) -> set[Any]:
        return {c["connections"]["Q"][0] for c in of(files) if c["type"] == FLIP_FLOP}

    inside = held(file for file, registered in fifos.items() if registered)
    stored |= {q for q in inside if n.name(q).rpartition(".")[2].split("[")[0] in _ROW}
    while further := {q for q in inside if loaded[q] & stored} - stored:
        stored |= further
    return {q for q in held(fifos) if loaded[q] & stored}


_ROW = ("words_q", "beside_q")
"""Names of the registers that are in the place of a memory; the last one's has the names of the ports and
wires that show it.
"""

_VERDICT = ("good_q", "good_o", "good", "back_q", "hold_q")
"""Names of the registers of a verdict and of a direction: the first one also has the names of the ports and
wires that show it.
"""


def _verdicts(n: Netlist, buffer: str) -> set[Any]:
    """The registers of a direction and a verdict in a buffer, which decide whether words leave. What they
    take is a datum of a packet, as good_o is, and it counts only together with the announcement of a word or
    a tag, which is control.
    """
    cells = [c for c in n.cells.values() if c["type"] == FLIP_FLOP]
    inside = [c for c in cells if str(c.get("attributes", {}).get("src", "")).startswith(f"{buffer}:")]
    bits = [c["connections"]["Q"][0] for c in inside]
    return {q for q in bits if without_channel(n.name(q).rpartition(".")[2]) in _VERDICT}


def prove_reset(
    n: Netlist,
    reset: str,
    data: Collection[str] = (),
    quiet: Collection[str] = (),
    clock: str = "clk",
    fifos: Mapping[str, bool] | None = None,
    buffer: str = "",
) -> Cleared:
    """One cycle of the input `reset` of `n` clears every register from which an output that is not in `data`
    can be reached, or nobody reads it before it has been loaded; outputs in `quiet` are 0 after it. `clock`:
    the port that registers follow; `fifos`: the files of hand-written FIFOs, if the core may have one, and
    whether there are registers behind its memory or in its place; `buffer`: that of the buffer in which words
    wait for a verdict. Raises CheckFailed with one that stays.
    """
    lined = _check_lines(n, reset, clock)
    order = topological(n, through_ff=False)
    n = without_copies(n, reset, order)
    registers = {
        c["connections"]["Q"][0]: c["connections"]["D"][0] for c in n.cells.values() if c["type"] == FLIP_FLOP
    }
    control = {name: bits for name, bits in n.outputs.items() if name not in data}
    if not control:
        raise CheckFailed("the core has no control output")
    pin = n.inputs[reset][0]
    during = _after(n, order, {pin: TRUE})
    words = _words(n, fifos) if fifos else set[Any]()
    words |= _verdicts(n, buffer) if buffer else set()
    roots = {b for bits in control.values() for b in bits}
    cone = _cone(n, roots, _after(n, order, {}), words)
    left = {q for q in cone if during.get(registers[q], UNKNOWN) > TRUE}
    zeros = {q for q in cone if during.get(registers[q], UNKNOWN) == FALSE}
    hidden = guards(n, cone, roots | {*_lines(n).values()}, left, zeros) if left else {}
    for q in sorted(left - hidden.keys(), key=n.name):
        outputs = [name for name, bits in control.items() if q in _cone(n, bits, {}, words)]
        raise CheckFailed(f"one cycle of {reset} does not clear {n.name(q)}, which {outputs[0]} depends on")
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
    return Cleared(
        len(cone) - len(hidden), len(registers) + lined, tuple(sorted(control)), lined, len(hidden)
    )


def check_reset(folder: CoreFolder) -> str:
    """The check `reset` of a core `folder`; what was shown, in words. Raises CheckFailed, or NotChecked where
    the core has no reset.
    """
    record = folder.record
    ports = record.get("ports") or {"clk": "clk", "reset": "rst_i"}
    if not ports["reset"]:
        raise NotChecked("the ports of this core have no reset")
    n = read_netlist(folder.sources, record["top"], ports["clk"], VALID_LINES, memories=True)
    names = {name: without_channel(name) for name in n.outputs}
    data, quiet = ({name for name, own in names.items() if own in of} for of in (_DATA, _QUIET))
    top, buffer = record["top"], own_names(RELEASE_FILE, record["top"])
    fifos = {own_names(STREAM_FILE, top): False, own_names(DEEP_STREAM_FILE, top): True, buffer: True}
    fifos[own_names(SHORT_STREAM_FILE, top)] = True
    done = prove_reset(n, ports["reset"], data, quiet, ports["clk"], fifos, buffer)
    lines = (
        f"; {done.lined} in lines of valid bits show nothing until what was inside has left"
        if done.lined
        else ""
    )
    loaded = f"; {done.guarded} others are read only after they have been loaded" if done.guarded else ""
    return f"after one cycle of {ports['reset']}, whatever was before: {_shown(done)}{loaded}{lines}"


def _shown(done: Cleared) -> str:
    """What control outputs depend on, and which registers are cleared, in words."""
    depend, them = ("depends", "it") if len(done.outputs) == 1 else ("depend", "them")
    if done.cone or done.guarded:
        all_are = "it is" if done.cone == 1 else "all are"
        cleared = f"{done.cone} of {done.registers} registers can reach {them}, and {all_are} cleared"
    else:
        outside = " outside lines of valid bits" if done.lined else ""
        cleared = f"no register{outside} can reach {them}"
    return f"{', '.join(done.outputs)} {depend} on what has come in since alone; {cleared}"
