"""Loops: an iteration does one or several rounds, or a part of a round on a narrow datapath."""

from .base import Loop
from .fold import fold, fold_held, fold_read
from .narrow import fold_narrow

__all__ = ["Loop", "fold", "fold_held", "fold_narrow", "fold_read"]
