"""A core with several faults in its text, of which an input chooses one: compiled once for all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from cipherwright.shell import Core
from cipherwright.shell.digests import rtl_names
from cipherwright.verify.simulate import Simulation, compile_simulation
from tests.conftest import Built
from tests.faults import Fault, Faults

B = TypeVar("B")

__all__ = ["PACKETS_PASS", "PORT", "UNITS_PASS", "chosen", "faulty_bench", "faulty_simulation", "with_port"]

PACKETS_PASS = [
    ("files", "ok"),
    ("compile", "ok"),
    ("published packets", "ok"),
    ("random packets against OpenSSL", "ok"),
    ("resets within packets", "ok"),
    ("reset", "ok"),
    ("zeroise", "ok"),
    ("equivalence for all inputs", "ok"),
]
"""Checks of a core of packets, and what they say of one that is right."""

UNITS_PASS = [
    ("files", "ok"),
    ("compile", "ok"),
    ("published units", "ok"),
    ("random units against OpenSSL", "ok"),
    ("resets within units", "ok"),
    ("reset", "ok"),
    ("zeroise", "ok"),
    ("equivalence for all inputs", "ok"),
]
"""The same of a core of data units."""

_FAULTS = 32

PORT = f"\n    input  wire [{_FAULTS - 1}:0] fault_i,"
"""The port that chooses a fault."""


def chosen(n: int) -> dict[str, int]:
    """Inputs of the core with the fault of a number, or -1 for none."""
    return {"fault_i": 1 << n if n >= 0 else 0}


def faulty_simulation(
    core: Core, faults: Iterable[Fault | Faults], modules: Iterable[str], folder: Path
) -> Simulation:
    """Compile a core with all faults in it. modules: those from the top to the faults, without the core's
    name.
    """
    file, text = folder / f"{core.top}.v", "\n".join(core.files[n] for n in rtl_names(core.files))
    for n, fault in enumerate(faults):
        assert n < _FAULTS
        text = fault.chosen(text, f"fault_i[{n}]")
    file.write_text(with_port(core.top, text, modules))
    return compile_simulation([file], core.top)


def faulty_bench(
    kind: Callable[[Simulation, Mapping[str, Any], Mapping[str, int]], B],
    made: Built,
    faults: Iterable[Fault | Faults],
    modules: Iterable[str],
    folder: Path,
) -> Callable[[int], B]:
    """The bench of a core that was built, with the fault of a number, or -1 for none. kind: the bench of a
    simulation, a record and inputs that stay; modules: as of `faulty_simulation`.
    """
    core, built = made
    assert isinstance(core, Core)
    compiled = cache(lambda: faulty_simulation(core, faults, modules, folder))  # when a test asks for it
    return lambda n: kind(compiled(), built.record, chosen(n))


def with_port(top: str, text: str, modules: Iterable[str]) -> str:
    """The text with the port fault_i at the core `top` and at the modules below it, connected."""
    for name in (top, *(f"{top}_{part}" for part in modules)):
        text = re.sub(rf"(\nmodule {name} (?:#\([^;]*?\n\) )?\()", rf"\1{PORT}", text)
        text = re.sub(rf"(\b{name} (?:#\([^;]*?\)\s+)?u_\w+\s+\(\s*)", r"\1.fault_i(fault_i), ", text)
    return text
