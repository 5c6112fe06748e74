"""A timing diagram as a Verilog testbench that drives its inputs and compares what the core shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from cipherwright.rtl import Component
from cipherwright.shell.folder import ANY, Diagram, Moment
from cipherwright.tools import run

_PATIENCE = 4000
"""Cycles in which an output that a diagram waits for must become 1."""


def bench(component: Component, diagram: Diagram, low: int = 0) -> str:
    """Verilog that prints PASS, or the first value that is another one. Inputs of `component` that are no
    rows are 0. low: the lowest bit of a word that is compared.
    """
    clock, inputs = diagram.clock, diagram.inputs
    pins = {pin.name: pin for pin in component.pins if pin.name != clock}
    widths = {name: pin.width for name, pin in pins.items()}
    declared = [
        f"    {'reg' if name in inputs else 'wire'} [{pin.width - 1}:0] {name}"
        f"{'' if pin.out or name in inputs else ' = 0'};"
        for name, pin in pins.items()
    ]
    links = ", ".join(f".{port}({port})" for port in (clock, *widths))
    steps = [line for k in range(len(diagram.moments)) for line in _step(diagram, k, widths, low)]
    body = "\n        ".join(steps)
    return "\n".join(
        [
            f"`timescale 1ns / 1ps\nmodule bench;\n    integer n;\n    reg {clock} = 1;",
            *declared,
            f"    {component.name} dut ({links});",
            f"    always #5 {clock} = ~{clock};",
            f'    initial begin\n        {body}\n        $display("PASS");\n        $finish;\n    end',
            "endmodule\n",
        ]
    )


def _step(diagram: Diagram, k: int, widths: Mapping[str, int], low: int) -> Iterator[str]:
    """Statements of one moment: inputs change after the clock edge, outputs are compared after them."""
    moment = diagram.moments[k]
    edge = f"@(posedge {diagram.clock}); #1"

    def number(port: str, value: str) -> str:
        return f"{widths[port]}'h{diagram.words.get(value, int(value == '1')):x}"

    yield f"repeat ({moment.after}) begin {edge}; end"
    yield from (f"{port} = {number(port, value)};" for port, value in moment.inputs.items())
    yield "#1;"
    if moment.until:
        yield f"n = 0; while ({moment.until} !== 1 && n < {_PATIENCE}) begin n = n + 1; {edge}; end"
    yield from _compared(moment, k, low, number, set(diagram.words))


def _compared(
    moment: Moment, k: int, low: int, number: Callable[[str, str], str], words: set[str]
) -> Iterator[str]:
    """Statements that compare outputs."""
    for port, value in moment.shows.items():
        if value != ANY:
            shift = low if value in words else 0
            yield f"if (({port} >> {shift}) !== ({number(port, value)} >> {shift})) begin"
            yield f'    $display("FAIL: moment {k}: {port} is %h, not {value}", {port}); $finish;'
            yield "end"


def run_bench(text: str, sources: list[Path], folder: Path) -> str:
    """What Icarus prints."""
    folder.mkdir(exist_ok=True)
    (folder / "bench.v").write_text(text)
    run("iverilog", ["-g2012", "-o", str(folder / "bench"), *map(str, sources), str(folder / "bench.v")])
    return run("vvp", ["-n", str(folder / "bench")]).stdout.strip()
