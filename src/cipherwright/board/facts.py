"""What is known of a board: one TOML file each in `data/`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path

from ..errors import UserError, nearest
from ..shell.board import SHORTEST_BIT, BoardPins

__all__ = ["Board", "board_names", "load_board"]

_DATA = Path(str(resources.files(__package__))) / "data"
_MOST_ERROR = 0.02
"""A UART's bit may be this much longer or shorter: a byte's last sample is 9.5 bits after its first edge."""


@dataclass(frozen=True)
class Board:
    """`name`: of the board and its file; `title`: one line that says what it is; `target`: the target by
    which a core's stages are planned; `device`: nextpnr's flags for the board's own device; `oscillator_mhz`:
    its clock; `oscillator`, `uart_rx`, `uart_tx`: sites of the package, as the FPGA sees them; `io_type`: I/O
    standard of all pins; `baud`: the UART's usual rate; `leds`: meaning (`shell.board.LEDS`) -> site, where a
    0 lights them if `lit_by_0`; `high`: pins that have to be 1, name -> site; `load`: the command that loads
    FILE.bit.
    """

    name: str
    title: str
    target: str
    device: tuple[str, ...]
    oscillator_mhz: float
    oscillator: str
    io_type: str
    uart_rx: str
    uart_tx: str
    baud: int
    leds: Mapping[str, str]
    lit_by_0: bool
    high: Mapping[str, str]
    load: str

    @property
    def pins(self) -> BoardPins:
        """Ports of the top beside clock and UART."""
        return BoardPins(tuple(self.leds), self.lit_by_0, tuple(self.high))

    def divisor(self, baud: int) -> int:
        """Cycles of the oscillator in a bit of the UART at the rate `baud`, in bits a second. Raises
        UserError where the rate is too high, or more than 2 % from every divisor of the oscillator's.
        """
        hertz = self.oscillator_mhz * 1e6
        found = round(hertz / baud)
        if found < SHORTEST_BIT:
            raise UserError(
                f"{baud} baud is too fast for {self.oscillator_mhz:g} MHz: at most "
                f"{int(hertz // SHORTEST_BIT)}"
            )
        if abs(hertz / found / baud - 1) > _MOST_ERROR:
            raise UserError(
                f"{baud} baud can't be made of {self.oscillator_mhz:g} MHz: the nearest is "
                f"{hertz / found:.0f}"
            )
        return found

    def constraints(self, core_mhz: float) -> str:
        """The .lpf file: sites, and the clocks that the placer has to reach: that of the oscillator, and
        `core_mhz` of the core.
        """
        sites = {"osc_i": self.oscillator, "uart_rx_i": self.uart_rx, "uart_tx_o": self.uart_tx}
        sites |= {f"led_{led}_o": site for led, site in self.leds.items()}
        sites |= {f"{name}_o": site for name, site in self.high.items()}
        lines = [f'FREQUENCY PORT "osc_i" {self.oscillator_mhz:g} MHZ;']
        lines.append(f'FREQUENCY NET "clk_core" {core_mhz:.3f} MHZ;')
        for port, site in sites.items():
            lines.append(f'LOCATE COMP "{port}" SITE "{site}";')
            lines.append(f'IOBUF PORT "{port}" IO_TYPE={self.io_type};')
        return "\n".join(lines) + "\n"


def board_names() -> list[str]:
    """Names of all boards of the catalogue, sorted."""
    return sorted(p.stem for p in _DATA.glob("*.toml"))


def load_board(name: str) -> Board:
    """The board called `name`. Raises UserError with the names that there are."""
    if name not in board_names():
        said = (nearest(name, board_names()), f"there are {', '.join(board_names())}")
        raise UserError(f"there is no board {name}; {' '.join(filter(None, said))}")
    data = tomllib.loads((_DATA / f"{name}.toml").read_text())
    data["device"] = tuple(data["device"])
    known = {f.name for f in fields(Board)}
    assert known == {"name", *data}, f"{name}.toml: {known ^ {'name', *data}}"
    return Board(name=name, **data)
