"""A core in VHDL: the package with its component declaration, and an instance of it."""

from __future__ import annotations

from collections.abc import Sequence

from ...rtl import Pin
from ..header import origin_lines
from .text import filled

__all__ = ["kind", "vhdl_instance", "vhdl_package"]


def kind(pin: Pin) -> str:
    """The type in VHDL of the port `pin`.

    >>> kind(Pin("key_i", 64))
    'std_logic_vector(63 downto 0)'
    """
    if pin.ascending:
        return f"std_logic_vector(1 to {pin.width})"
    return f"std_logic_vector({pin.width - 1} downto 0)" if pin.width > 1 else "std_logic"


def vhdl_package(name: str, top: str, pins: Sequence[Pin]) -> str:
    """The text of TOP_pkg.vhd, with the component `top` and its ports `pins`. `name`: the core's, as the user
    gave it.
    """
    return filled("package.vhd.j2", origin=origin_lines(name), top=top, pins=pins, kind=kind)


def vhdl_instance(top: str, pins: Sequence[Pin]) -> str:
    """Signals for the ports `pins` of the component `top`, and an instance of it."""
    signals = "\n".join(f"signal {pin.name} : {kind(pin)};" for pin in pins)
    links = ",\n".join(f"    {pin.name} => {pin.name}" for pin in pins)
    return f"-- use work.{top}_pkg.all;\n{signals}\n\nu_{top} : component {top}\n  port map (\n{links}\n  );"
