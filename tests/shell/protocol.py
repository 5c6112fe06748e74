"""The scoreboard of `verify/handshake.py` for the tests: a core is compiled for it alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cipherwright.verify import handshake
from cipherwright.verify.handshake import Seen
from cipherwright.verify.simulate import compile_simulation

__all__ = ["Bus", "Rows", "Seen"]

Rows = NDArray[np.uint8]


class Bus(handshake.Bus):
    """The scoreboard of a core's files."""

    def __init__(self, sources: Sequence[Path], record: Mapping[str, Any]) -> None:
        super().__init__(compile_simulation(sources, record["top"]), record)
