"""A testbench that gives a netlist what went through the core in a simulation, and compares what it shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..verify.bus_traffic import BusTraffic
from ..verify.simulate import Port, Words
from .synth import CELLS

__all__ = ["replay_bench"]


def replay_bench(traffic: BusTraffic, top: str, clock: str = "clk") -> str:
    """The text of a testbench `<top>_tb` of the module `top`, whose registers follow the port `clock`: it
    shows the inputs of `traffic` in turn, compares the outputs, and prints PASS or how many cycles differ.
    """
    ins, outs = traffic.simulation.inputs, traffic.simulation.outputs
    pins = [f".{clock}(clk)", *_pins(ins, "in"), *_pins(outs, "out")]
    rows = [*_rows("given", ins, traffic.given), *_rows("seen", outs, traffic.seen)]
    words = {
        "cipherwright_tb": f"{top}_tb",
        "DUT": top,
        "INPUTS": str(_width(ins)),
        "OUTPUTS": str(_width(outs)),
        "CYCLES": str(len(traffic.given)),
        "PINS": ",\n        ".join(pins),
        "ROWS": ";\n        ".join(rows),
    }
    text = (CELLS / "replay.v").read_text()
    return re.sub(rf"\b({'|'.join(words)})\b", lambda m: words[m[0]], text)


def _width(ports: Sequence[Port]) -> int:
    return sum(p.width for p in ports)


def _pins(ports: Sequence[Port], word: str) -> list[str]:
    """The ports as parts of a word, the first at its least significant bits."""
    found, low = list[str](), 0
    for p in ports:
        found.append(f".{p.name}({word}[{low + p.width - 1}:{low}])")
        low += p.width
    return found


def _rows(memory: str, ports: Sequence[Port], rows: Words) -> list[str]:
    """Assignments of each row's word."""
    found = list[str]()
    for n, row in enumerate(rows):
        word = low = 0
        for p in ports:
            value = int.from_bytes(row[p.offset : p.offset + p.size].tobytes(), "little")
            word |= (value & (1 << p.width) - 1) << low
            low += p.width
        found.append(f"{memory}[{n}] = {low}'h{word:x}")
    return found
