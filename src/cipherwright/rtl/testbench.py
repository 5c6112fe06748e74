"""Testbenches: a device under test with its typed ports, signals for them, and what a bench does with them.

Signals come from the ports: an input is driven by a variable, an output is a wire, each as wide as its port.
The clock has a period of 10 time units, and signals change at its falling edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .ports import Pin

__all__ = ["Bench", "print_bench"]


@dataclass(frozen=True)
class Bench:
    """The testbench `{top}_tb` of the module `top` with the ports `pins`.

    comment: the first line. signals: port -> its signal in the bench; linked: port -> an expression, empty
    for an output that is not read, in place of a signal of its own; variables: further declarations; body:
    what the bench does, as procedural Verilog. The signal `clk` is the clock; `rst`, where there is one,
    begins at 1, all other variables at 0.

    Raises ValueError where a port has neither a signal nor an expression, or a name is no port.
    """

    top: str
    comment: str
    pins: tuple[Pin, ...]
    signals: Mapping[str, str]
    linked: Mapping[str, str]
    variables: tuple[str, ...]
    body: str

    def __post_init__(self) -> None:
        names = {pin.name for pin in self.pins}
        if unknown := (self.signals.keys() | self.linked.keys()) - names:
            raise ValueError(f"{self.top} has no port {', '.join(sorted(unknown))}")
        if missing := names - self.signals.keys() - self.linked.keys():
            raise ValueError(f"the testbench of {self.top} leaves out {', '.join(sorted(missing))}")
        if twice := self.signals.keys() & self.linked.keys():
            raise ValueError(f"the testbench of {self.top} links {', '.join(sorted(twice))} twice")


def print_bench(bench: Bench) -> str:
    """The text of the testbench `bench`, which any simulator of Verilog-2005 runs."""
    driven = [pin for pin in bench.pins if pin.name in bench.signals]
    return "\n".join(
        (
            f"// {bench.comment}",
            f"module {bench.top}_tb;",
            *_declared(driven, bench.signals),
            *(f"    {line}" for line in bench.variables),
            f"    {bench.top} dut (",
            ",\n".join(f"        .{p.name}({_link(bench, p)})" for p in bench.pins),
            "    );",
            "    always #5 clk = ~clk;",
            bench.body.rstrip("\n"),
            "endmodule\n",
        )
    )


def _link(bench: Bench, pin: Pin) -> str:
    return bench.signals.get(pin.name) or bench.linked[pin.name]


def _declared(pins: Sequence[Pin], signals: Mapping[str, str]) -> Iterable[str]:
    """Declarations of signals."""
    for pin in pins:
        name = signals[pin.name]
        bits = f"[{pin.width - 1}:0] " if pin.width > 1 else ""
        yield f"    wire {bits}{name};" if pin.out else f"    reg {bits}{name} = {int(name == 'rst')};"
