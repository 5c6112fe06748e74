"""The top of a board in simulation, on a pseudo-terminal: the driver opens it as it opens a board's port."""

from __future__ import annotations

import os
import pty
import select
import threading
import tty
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError
from ..verify.simulate import Model, Simulation, compile_simulation

__all__ = ["SimulatedUart", "simulated_port"]

_BYTES = 64
"""Bytes that are simulated at a time."""

_FRAME = 10
"""Bits of a byte on the line."""


class SimulatedUart:
    """A running model of a board's top, byte by byte. `simulation`: the compiled top; `divisor`: cycles of
    the oscillator in a bit.
    """

    def __init__(self, simulation: Simulation, divisor: int) -> None:
        self._simulation, self._divisor = simulation, divisor
        self._model = Model(simulation)
        self._line = np.ones(0, dtype=np.uint8)
        self.cycles = 0
        """Cycles since power-up."""

    def close(self) -> None:
        """Free the model."""
        self._model.close()

    def run(self, data: bytes, idle: int = 0) -> bytes:
        """Send `data`, each byte as a start bit 0, eight bits with the least significant first and a stop bit
        1, and let the board run for `idle` cycles more; returns the bytes that the board has sent completely
        by then.
        """
        bits = np.ones((len(data), _FRAME), dtype=np.uint8)
        bits[:, 0] = 0
        bits[:, 1:9] = np.unpackbits(
            np.frombuffer(data, dtype=np.uint8).reshape(-1, 1), axis=1, bitorder="little"
        )
        line = np.concatenate([np.repeat(bits.reshape(-1), self._divisor), np.ones(idle, dtype=np.uint8)])
        rows = self._simulation.rows(len(line))
        self._simulation.view(rows, "uart_rx_i")[:, 0] = line
        out = self._simulation.view(self._model.run(rows), "uart_tx_o")[:, 0]
        self.cycles += len(line)
        return self._decoded(out)

    def _decoded(self, line: NDArray[np.uint8]) -> bytes:
        """Bytes of the frames that are complete; what is left is kept for the next time."""
        self._line = np.concatenate([self._line, line])
        lows = np.flatnonzero(self._line == 0)
        at, found, size = 0, bytearray(), _FRAME * self._divisor
        middles = np.arange(_FRAME) * self._divisor + self._divisor // 2
        while True:
            next_low = np.searchsorted(lows, at)
            if next_low == len(lows):
                at = len(self._line)
                break
            start = int(lows[next_low])
            if start + size > len(self._line):
                at = start
                break
            bits = self._line[start + middles]
            found.append(int(np.packbits(bits[1:9], bitorder="little")[0]))
            at = start + size - self._divisor // 2
        self._line = self._line[at:]
        return bytes(found)


def _pump(uart: SimulatedUart, master: int, ended: threading.Event, idle: int) -> None:
    """Carry bytes between the terminal and the model until it is to end."""
    while not ended.is_set():
        readable, _, _ = select.select([master], [], [], 0)
        data = os.read(master, _BYTES) if readable else b""
        if out := uart.run(data, 0 if data else idle):
            os.write(master, out)


@contextmanager
def simulated_port(folder: Path, facts: Mapping[str, Any]) -> Iterator[str]:
    """The path of a pseudo-terminal, inside a `with` statement, behind which the top in a board's `folder` is
    simulated; facts: of that folder (`read_facts`). The core's clock is the oscillator's there. Raises
    UserError where the folder lacks its Verilog.
    """
    sources = [folder / name for name in (*facts["files"], f"{facts['top']}_pll_model.v")]
    for path in sources:
        if not path.is_file():
            raise UserError(f"the file {path} of the board's folder is missing")
    simulation = compile_simulation(sources, facts["top"], "osc_i")
    uart = SimulatedUart(simulation, facts["divisor"])
    uart.run(b"", _FRAME * facts["divisor"])
    master, slave = pty.openpty()
    tty.setraw(slave)
    ended = threading.Event()
    thread = threading.Thread(target=_pump, args=(uart, master, ended, 20 * facts["divisor"]), daemon=True)
    thread.start()
    try:
        yield os.ttyname(slave)
    finally:
        ended.set()
        thread.join()
        uart.close()
        os.close(slave)
        os.close(master)
