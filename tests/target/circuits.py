"""Small mapped circuits of ECP5 as Yosys writes them, and cores with a fault, mapped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cipherwright.target import load_target, synthesise
from tests.conftest import Built
from tests.faults import Fault

AND, OR, XOR = "1000" * 4, "1110" * 4, "0110100110010110"
"""Lookup tables over the first two of four inputs, and over all."""

_PINS = {"LUT4": "ABCD", "PFUMX": ("BLUT", "ALUT", "C0"), "L6MUX21": ("D0", "D1", "SD")}


def table(output: int, init: str, *inputs: int) -> dict[str, Any]:
    """A lookup table over up to four nets."""
    return _cell("LUT4", output, [*inputs, "0", "0", "0", "0"], {"INIT": init})


def choice(output: int, low: int, high: int, select: int) -> dict[str, Any]:
    """The multiplexer behind two lookup tables."""
    return _cell("PFUMX", output, [low, high, select], {})


def _cell(kind: str, output: int, nets: Iterable[int | str], parameters: dict[str, str]) -> dict[str, Any]:
    pins = dict(zip(_PINS[kind], nets, strict=False))
    return {
        "type": kind,
        "parameters": parameters,
        "port_directions": {**dict.fromkeys(pins, "input"), "Z": "output"},
        "connections": {pin: [net] for pin, net in (pins | {"Z": output}).items()},
    }


def settled(module: Mapping[str, Any], known: Mapping[Any, int]) -> dict[Any, int]:
    """The value of every net, for values of ports and flip-flops."""
    nets: dict[Any, int] = {"0": 0, "1": 1, **known}
    left = [c for c in module["cells"].values() if c["type"] in _PINS]
    while left:
        later = []
        for c in left:
            inputs = [c["connections"][p][0] for p in _PINS[c["type"]]]
            if not all(n in nets for n in inputs):
                later.append(c)
                continue
            v = [nets[n] for n in inputs]
            index = sum(bit << k for k, bit in enumerate(v))
            is_table = c["type"] == "LUT4"
            nets[c["connections"]["Z"][0]] = int(c["parameters"]["INIT"][-1 - index]) if is_table else v[v[2]]
        assert len(later) < len(left)
        left = later
    return nets


def map_with_fault(made: Built, fault: Fault, mapping: str, out: Path) -> None:
    """Map a core's text with a fault in it to an ECP5, in the folder `out`."""
    core, folder = made
    (out / "fault").mkdir()
    file = out / "fault" / f"{core.top}.v"
    file.write_text(fault(core.files[f"{core.top}.v"]))
    texts = [file if source.name == file.name else source for source in folder.sources]
    assert file in texts
    synthesise(texts, core.top, load_target("ecp5-85k-8"), out, mapping)
