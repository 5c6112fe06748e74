"""Proof of a key-expansion unit: whatever it held before, every round key that it keeps is the cipher's,
and stays.

The unit is unrolled in time from a key's load. Registers that reset clears whatever else happens start
cleared, all others with any value; later cycles may present any other key.

That the round keys stay is shown by induction. At rest some registers hold constants: from these alone,
with any values elsewhere and any key presented but not offered, the next cycle finds the same constants.
Then the round keys' registers, and all that these read, read only one another, and one cycle leaves what
they hold as it is. So it is left for all times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..arch import KeyMemory
from ..errors import CheckFailed
from ..graph import Graph
from .aig import FALSE, TRUE, Aig, Hints, graph_to_aig
from .cuts import Comparison
from .equivalence import Frame, Logic, Proof, compare, flip_flops
from .netlist import Netlist, read_netlist

__all__ = ["prove_expansion"]


@dataclass(frozen=True)
class _Shown:
    """Where a unit shows a round key `name`: at `bits`, the least significant first, with the inputs `at`.
    rows: the linear map of it that these bits are, the most significant row first.
    """

    name: str
    bits: Sequence[Any]
    rows: tuple[int, ...]
    at: dict[Any, int]


def _shown(
    n: Netlist,
    registers: Mapping[Any, Any],
    schedule: Graph,
    rows: Mapping[str, tuple[int, ...]],
    memory: KeyMemory | None,
) -> list[_Shown]:
    """All places at which a unit shows round keys; of a word that is there a cycle after its address, what
    its register takes.
    """
    if memory is None:
        return [_Shown(name, n.outputs[f"{name}_o"], r, {}) for name, r in rows.items()]
    found = []
    for number in range(memory.count):
        name, address = memory.user(number), memory.address(number)
        width = schedule.nodes[dict(schedule.outputs)[name]].width
        whole = tuple(1 << k for k in reversed(range(width)))
        high = slice(memory.width - width, None)
        ports = [n.outputs[f"word{i}_o"][high] for i in range(memory.reads)]
        if memory.late:
            ports = [[registers[b] for b in bits] for bits in ports]
        for i in range(memory.reads):
            at = {b: TRUE if address >> k & 1 else FALSE for k, b in enumerate(n.inputs[f"address{i}_i"])}
            found.append(_Shown(name, ports[i], whole, at))
        if number in memory.fixed:
            found.append(_Shown(name, n.outputs[f"{name}_o"][high], whole, {}))
    return found


def prove_expansion(
    sources: Sequence[Path],
    top: str,
    schedule: Graph,
    rows: Mapping[str, tuple[int, ...]],
    cycles: int,
    hints: Hints | None = None,
    memory: KeyMemory | None = None,
) -> Proof:
    """Prove the key-expansion unit `top` of the files `sources`. `schedule`: key -> round keys rk0, …;
    `rows[name]`: the linear map of a round key that the unit keeps, most significant row first; `cycles` from
    a key's load to key_ready_o; `hints`: see `graph_to_aig`; `memory`: in place of rows, where round keys are
    read by address. Raises CheckFailed where a word is wrong, or does not stay.
    """
    n = read_netlist(sources, top, written=memory is not None)
    logic = Logic(n, wires=False)
    registers = flip_flops(n)
    reset, clock, offer = n.inputs["rst_i"][0], n.inputs["clk"][0], n.inputs["key_valid_i"][0]
    key, zeroise = n.inputs["key_i"], n.inputs.get("zeroise_i", [])
    shown = _shown(n, registers, schedule, rows, memory)
    asked = [b for name, bits in n.inputs.items() if name.startswith("address") for b in bits]

    # What one cycle of reset leaves, for any content before and any inputs.
    free = [*registers, offer, *key, *zeroise, *asked]
    aig = Aig([str(q) for q in free])
    frame = Frame(logic, aig, {q: aig.input(j) for j, q in enumerate(free)} | {reset: TRUE, clock: FALSE})
    cleared = {q: v for q, d in registers.items() if (v := frame.get(d)) in (FALSE, TRUE)}
    state = [q for q in registers if q not in cleared]

    given = [*key, *asked]
    width = len(given) + 1
    aig = Aig(
        [f"cycle {t} input {k}" for t in range(cycles + 1) for k in range(width)]
        + [n.names[q] for q in state]
    )
    now = dict(cleared) | {q: aig.input(width * (cycles + 1) + j) for j, q in enumerate(state)}
    for t in range(cycles + 1):
        offered = TRUE if t == 0 else FALSE if t == cycles else aig.input(width * t)
        known = (
            now
            | {b: aig.input(width * t + 1 + k) for k, b in enumerate(given)}
            | {reset: FALSE, clock: FALSE, offer: offered}
        )
        frame = Frame(logic, aig, known)
        if frame.word(n.outputs["key_ready_o"]) != [TRUE if t in (0, cycles) else FALSE]:
            raise CheckFailed(f"key_ready_o is not what it should be in cycle {t} after a key's load")
        if t < cycles:
            now = {q: frame.get(d) for q, d in registers.items()}
    if any(now[q] != v for q, v in cleared.items()):
        raise CheckFailed("the key-expansion unit does not come to rest")
    got = [b for word in shown for b in Frame(logic, aig, known | word.at).word(word.bits)]
    rest = {q: v for q, v in now.items() if v in (FALSE, TRUE)}
    _check_rest(n, logic, registers, rest, now, shown)
    core_gates, marks = len(aig.gates), list[int]()
    made = graph_to_aig(schedule, aig, {"key": [aig.input(1 + k) for k in range(len(key))]}, hints, marks)
    want = []
    for word in shown:
        for row in reversed(word.rows):
            total = FALSE
            for k, bit in enumerate(made[word.name]):
                total = aig.xor(total, bit) if row >> k & 1 else total
            want.append(total)
    labels = [f"{word.name} bit {k}" for word in shown for k in range(len(word.rows))]
    gates = compare(Comparison(aig, core_gates, tuple(marks), tuple(got), tuple(want)), labels, [{}])
    count = len({word.name for word in shown})
    return Proof(
        (
            f"for every key, all {count} round keys are there {cycles} cycles after its load, and stay "
            f"for all times until reset{', zeroise' if zeroise else ''} or another key"
        ),
        gates,
    )


def _check_rest(
    n: Netlist,
    logic: Logic,
    registers: Mapping[Any, Any],
    rest: Mapping[Any, int],
    now: Mapping[Any, int],
    shown: Sequence[_Shown],
) -> None:
    """Once at rest (`rest`: registers with constants, `now`: all of them), the unit stays ready and its
    words stay as they are, for all times without an offer, reset or zeroise. Raises CheckFailed with what
    does not.
    """
    key, others = n.inputs["key_i"], [q for q in registers if q not in rest]
    aig = Aig([*(f"key_i[{k}]" for k in range(len(key))), *(n.name(q) for q in others)])
    free = {b: aig.input(k) for k, b in enumerate(key)} | {
        q: aig.input(len(key) + k) for k, q in enumerate(others)
    }
    quiet = [b for name in ("rst_i", "clk", "key_valid_i", "zeroise_i") for b in n.inputs.get(name, [])]
    asked = [b for name, bits in n.inputs.items() if name.startswith("address") for b in bits]
    known = free | dict(rest) | dict.fromkeys((*quiet, *asked), FALSE)
    frame = Frame(logic, aig, known)
    if moves := next((q for q, v in rest.items() if frame.get(registers[q]) != v), None):
        raise CheckFailed(f"the key-expansion unit does not stay at rest: {n.name(moves)} changes")
    if frame.word(n.outputs["key_ready_o"]) != [TRUE]:
        raise CheckFailed("key_ready_o does not stay as it is")
    # A register at rest takes what another one holds, or keeps what it has: a chain of copies that ends in
    # registers that keep theirs.
    source = {literal: b for b, literal in free.items()}
    todo = [b for word in shown for b in Frame(logic, aig, known | word.at).word(word.bits)]
    seen = set[Any]()
    while todo:
        literal = todo.pop()
        if literal <= TRUE:
            continue
        q = source.get(literal)
        if q is None or q not in registers:
            raise CheckFailed(
                "the round keys do not stay as they are: they depend on more than registers that hold them"
            )
        if q in seen:
            continue
        seen.add(q)
        after = frame.get(registers[q])
        held = after if after <= TRUE else now.get(source.get(after))
        if held != now[q]:
            raise CheckFailed(f"the round keys do not stay as they are: {n.name(q)} changes")
        todo.append(after)
