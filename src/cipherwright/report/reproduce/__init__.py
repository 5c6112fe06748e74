"""One module a paper (a second one for its parts where it is long)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...progress import Tell, quiet
from .aes_gmu import reproduce_aes_gmu
from .des_xilinx import reproduce_des_xilinx
from .khazad_misty1_ucl import reproduce_khazad_misty1_ucl
from .mars_ibm import reproduce_mars_ibm
from .rijndael_ucla import reproduce_rijndael_ucla

__all__ = ["PAPERS", "reproduce"]

PAPERS: dict[str, Callable[[Tell], dict[str, Any]]] = {
    "aes-gmu": reproduce_aes_gmu,
    "des-xilinx": reproduce_des_xilinx,
    "khazad-misty1-ucl": reproduce_khazad_misty1_ucl,
    "mars-ibm": reproduce_mars_ibm,
    "rijndael-ucla": reproduce_rijndael_ucla,
}
"""Paper by name -> the function that makes its tables."""


def reproduce(paper: str, tell: Tell = quiet) -> dict[str, Any]:
    """The tables of `paper`, a name in `PAPERS`, beside ours, as {title, tables: [{title, columns, rows,
    notes}]}, with `plots` for `report.plot` where the paper has figures. `tell` is called with what is
    measured. Everything is built, synthesised, placed and simulated anew. Raises KeyError for another name.
    """
    return PAPERS[paper](tell)
