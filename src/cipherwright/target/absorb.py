"""Flip-flops that become registers inside a block: the output register of an ECP5 block RAM, both
registers of its multiplier.

Synthesis leaves them outside; nothing else changes, so a netlist computes the same in the same cycles.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["absorb_registers"]

_RAM, _MULTIPLIER, _FF = "DP16KD", "MULT18X18D", "TRELLIS_FF"

Bit = int | str


class _Netlist:
    """A flat module of a Yosys netlist, with who drives and who reads each bit."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.cells: dict[str, dict[str, Any]] = module["cells"]
        self.driver: dict[Bit, str] = {}
        self.readers: dict[Bit, list[tuple[str, str]]] = {}
        for name, cell in self.cells.items():
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "output":
                    self.driver.update(dict.fromkeys(bits, name))
                else:
                    self._read(bits, name, pin)
        for port in module["ports"].values():
            if port["direction"] == "output":
                self._read(port["bits"], "", "")

    def _read(self, bits: Iterable[Bit], name: str, pin: str) -> None:
        """Note a reader of bits: a cell's pin, or an output port, which has no name here."""
        for b in bits:
            self.readers.setdefault(b, []).append((name, pin))

    def plain(self, name: str, clock: Bit, enable: Bit = "1") -> bool:
        """Whether the cell is a flip-flop on this clock, without a reset, loaded where `enable` is 1."""
        cell = self.cells[name]
        if cell["type"] != _FF or cell["connections"]["CLK"] != [clock] or self.enable(name) != enable:
            return False
        held = [b for pin in ("LSR", "M") for b in cell["connections"].get(pin, []) if isinstance(b, int)]
        usual = cell["parameters"].get("CLKMUX", "CLK") == "CLK"
        return not held and usual and cell["parameters"].get("REGSET", "RESET") == "RESET"

    def enable(self, name: str) -> Bit:
        """The net that enables a flip-flop: "1" where it always takes its data, "" where it is inverted."""
        cell = self.cells[name]
        pin: Bit = cell["connections"].get("CE", ["1"])[0]
        mode = cell["parameters"].get("CEMUX", "1").strip()
        if mode == "1":
            return "1" if isinstance(pin, str) else ""
        return pin if mode == "CE" and isinstance(pin, int) else ""

    def enable_behind(self, bits: Iterable[Bit]) -> Bit:
        """The enable of the flip-flop behind the first bit that somebody reads, "1" where there is none."""
        for b in bits:
            for name, pin in self.readers.get(b, []):
                if pin == "DI" and self.cells[name]["type"] == _FF:
                    return self.enable(name)
        return "1"

    def behind(self, bits: Iterable[Bit], clock: Bit, enable: Bit = "1") -> dict[Bit, str] | None:
        """The flip-flop with this enable behind each bit that somebody reads, where every one has just such a
        reader; else None.
        """
        out: dict[Bit, str] = {}
        for b in bits:
            users = self.readers.get(b, [])
            if not users:
                continue
            name, pin = users[0]
            if len(users) > 1 or pin != "DI" or not self.plain(name, clock, enable):
                return None
            out[b] = name
        return out or None

    def before(self, bits: Iterable[Bit], clock: Bit) -> dict[Bit, str] | None:
        """The flip-flop that drives each bit, where all that are not constant have one; else None."""
        out: dict[Bit, str] = {}
        for b in bits:
            if isinstance(b, str):
                continue
            name = self.driver.get(b, "")
            if not name or not self.plain(name, clock):
                return None
            out[b] = name
        return out or None

    def take_output(self, cell: dict[str, Any], pins: Iterable[str], found: dict[Bit, str]) -> int:
        """The cell's pins drive what the flip-flops drove, which go."""
        for pin in pins:
            bit = cell["connections"].get(pin, [""])[0]
            if bit in found:
                cell["connections"][pin] = self.cells.pop(found[bit])["connections"]["Q"]
                self.driver[cell["connections"][pin][0]] = ""
        return len(found)

    def take_input(self, name: str, pins: Iterable[str], found: dict[Bit, str]) -> int:
        """The cell's pins read what the flip-flops read; those that nobody reads any more go."""
        gone = 0
        for pin in pins:
            bit = self.cells[name]["connections"].get(pin, [""])[0]
            if bit not in found:
                continue
            data = self.cells[found[bit]]["connections"]["DI"]
            self.cells[name]["connections"][pin] = data
            self.readers[bit].remove((name, pin))
            self.readers.setdefault(data[0], []).append((name, pin))
            if not self.readers[bit]:
                self.readers[data[0]].remove((found[bit], "DI"))
                del self.cells[found[bit]]
                gone += 1
        return gone


def _pins(cell: dict[str, Any], *prefixes: str) -> list[str]:
    return [p for p in cell["connections"] if p.rstrip("0123456789") in prefixes]


def _clock(cell: dict[str, Any], *pins: str) -> Bit | None:
    """The one net among the clock pins."""
    nets = {b for pin in pins for b in cell["connections"].get(pin, []) if isinstance(b, int)}
    return nets.pop() if len(nets) == 1 else None


def _ram(n: _Netlist, name: str) -> int:
    cell = n.cells[name]
    clock, pins = _clock(cell, "CLKA", "CLKB"), _pins(cell, "DOA", "DOB")
    bits = [cell["connections"][p][0] for p in pins]
    enable = n.enable_behind(bits)
    found = n.behind(bits, clock, enable) if clock is not None and enable else None
    if found is None or any(cell["parameters"].get(f"REGMODE_{x}") != "NOREG" for x in "AB"):
        return 0
    for x in "AB":
        cell["parameters"][f"REGMODE_{x}"] = "OUTREG"
        cell["connections"] |= {
            f"OCE{x}": [enable],
            f"CLK{x}": [clock],
        }  # words of 36 bits leave by both ports
    return n.take_output(cell, pins, found)


def _multiplier(n: _Netlist, name: str) -> int:
    cell = n.cells[name]
    product = _pins(cell, "P")
    users = [u for p in product for u, _ in n.readers.get(cell["connections"][p][0], []) if u]
    clocks = {n.cells[u]["connections"]["CLK"][0] for u in users if n.cells[u]["type"] == _FF}
    if len(clocks) != 1:
        return 0
    clock = clocks.pop()
    out = n.behind([cell["connections"][p][0] for p in product], clock)
    sides = {x: _pins(cell, x) for x in "AB"}
    ins = {x: n.before([cell["connections"][p][0] for p in pins], clock) for x, pins in sides.items()}
    if out is None or any(i is None for i in ins.values()):
        return 0
    for x in ("INPUTA", "INPUTB", "OUTPUT"):
        cell["parameters"] |= {f"REG_{x}_CLK": "CLK0", f"REG_{x}_CE": "CE0", f"REG_{x}_RST": "RST0"}
    for pin, net in (("CLK0", clock), ("CE0", "1"), ("RST0", "0")):
        cell["connections"][pin] = [net]
        cell["port_directions"][pin] = "input"
    gone = n.take_output(cell, product, out)
    return gone + sum(n.take_input(name, sides[x], i) for x, i in ins.items() if i)


def absorb_registers(module: dict[str, Any]) -> int:
    """Take the flip-flops around block RAMs (DP16KD) and multipliers (MULT18X18D) into them, in a flat mapped
    `module` of an ECP5 netlist (Yosys JSON, changed in place); returns how many flip-flops went. A block
    stays as it is unless every bit of its output that is read goes to a flip-flop alone, on one clock,
    without a reset, and for a multiplier every bit of its inputs comes from one.
    """
    n = _Netlist(module)
    gone = 0
    for name in [name for name, cell in n.cells.items() if cell["type"] in (_RAM, _MULTIPLIER)]:
        gone += (_ram if n.cells[name]["type"] == _RAM else _multiplier)(n, name)
    return gone
