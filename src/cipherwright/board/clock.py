"""The PLL's settings: EHXPLLL of the ECP5, whose feedback is its output.

Limits: ECP5 and ECP5-5G Family Data Sheet (FPGA-DS-02012), sysCLOCK PLL timing: output and input 3.125 (10
at the phase detector) to 400 MHz, VCO 400 to 800 MHz, dividers 1 to 128.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import UserError
from ..shell.board import Pll

__all__ = ["HIGHEST_MHZ", "MARGIN", "pll_below"]

HIGHEST_MHZ = 400.0
"""The highest output of the PLL, in MHz."""

_VCO_MHZ = (400.0, 800.0)
_MIDDLE_MHZ = 600.0
_DETECTOR_MHZ = 10.0
_DIVIDERS = range(1, 129)

MARGIN = 0.05
"""The PLL's clock is below the placed figure by this part of it at least. The figure holds for the slowest
corner of the speed grade; the margin is for the jitter of oscillator and PLL, and for the board's supply.
"""


def _settings(input_mhz: float, most_mhz: float) -> Iterator[tuple[float, Pll]]:
    for divider in _DIVIDERS:
        detector = input_mhz / divider
        if detector < _DETECTOR_MHZ:
            return
        feedback = int(min(most_mhz, HIGHEST_MHZ) / detector + 1e-9)
        if feedback not in _DIVIDERS:
            continue
        output = detector * feedback
        able = [n for n in _DIVIDERS if _VCO_MHZ[0] <= output * n <= _VCO_MHZ[1]]
        if able:
            yield output, Pll(divider, feedback, min(able, key=lambda n: abs(output * n - _MIDDLE_MHZ)))


def pll_below(input_mhz: float, most_mhz: float) -> Pll:
    """The settings with which the PLL makes the highest clock that is not above `most_mhz` from an oscillator
    of `input_mhz`, both in MHz; of equal ones, those with the smallest divider of the input. Raises UserError
    where there are none.

    >>> pll_below(25.0, 210.0)
    Pll(input_divider=1, feedback_divider=8, output_divider=3)
    """
    found = sorted(_settings(input_mhz, most_mhz), key=lambda s: (-s[0], s[1].input_divider))
    if not found:
        raise UserError(f"the PLL can't make a clock of {most_mhz:g} MHz or less from {input_mhz:g} MHz")
    return found[0][1]
