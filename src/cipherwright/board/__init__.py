"""Boards: a bitstream with the core behind a self-check, and the driver that talks to it over its UART."""

from .facts import Board, board_names, load_board
from .make import FACTS, Order, make_board

__all__ = ["FACTS", "Board", "Order", "board_names", "load_board", "make_board"]
