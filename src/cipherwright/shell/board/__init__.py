"""What is around a core on a board: UART, commands, PLL, and the self-check at full speed."""

from .checker import BATCH
from .commands import READ_BYTES, Command, Widths
from .lfsr import generated, signature
from .packets import AAD_WORDS, short_aad, short_text
from .slots import slot_of_unit
from .taken import FILLED_MODES, check_core
from .top import LEDS, MAGIC, BoardPins, BoardTop, Pll, board_top, model_of_pll, pll_module
from .uart import SHORTEST_BIT
from .units import UNIT_WORDS

__all__ = [
    "AAD_WORDS",
    "BATCH",
    "FILLED_MODES",
    "LEDS",
    "MAGIC",
    "READ_BYTES",
    "SHORTEST_BIT",
    "UNIT_WORDS",
    "BoardPins",
    "BoardTop",
    "Command",
    "Pll",
    "Widths",
    "board_top",
    "check_core",
    "generated",
    "model_of_pll",
    "pll_module",
    "short_aad",
    "short_text",
    "signature",
    "slot_of_unit",
]
