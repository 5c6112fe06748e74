"""Several channels behind one register bus: the registers of each do what those of a core alone do, while
those of the others are written and read, and words come to the others at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..errors import CheckFailed
from ..shell import CHANNEL_BYTES, Register, channel_name, without_channel
from .message_axi import AxiMessageBench
from .message_registers import check_messages, played_messages
from .register_bus import RegisterDriver, registers_in
from .simulate import Simulation, compile_simulation
from .verdict import CoreFolder

__all__ = ["channel_bench", "check_windows", "in_window", "played_windows"]

_BETWEEN = 0.3
"""How probable an access to another window is before an access."""

_WRITES = 0.5
"""How probable it is that it writes."""

_COMMANDS = (1, 2, 3, 1, 2, 4)
"""What is written to CONTROL of another channel: a key or an IV is loaded, or everything is cleared."""


@dataclass(frozen=True)
class _Others:
    """Accesses to other windows than that of a channel: those of other channels (`taken`), and those of none,
    which read as 0 (`free`). `registers`: of the map of one channel; `rng`: what makes the accesses.
    """

    taken: Sequence[int]
    free: Sequence[int]
    registers: Sequence[Register]
    rng: np.random.Generator

    def access(self, driver: RegisterDriver) -> None:
        """Maybe a write or a read by `driver`, which knows no windows. Raises CheckFailed where a word in no
        channel's window does not read as 0.
        """
        rng = self.rng
        if rng.random() >= _BETWEEN:
            return
        window = int(rng.choice([*self.taken, *self.free]))
        register = self.registers[int(rng.integers(len(self.registers)))]
        address = window + register.address + 4 * int(rng.integers(register.count))
        if rng.random() < _WRITES:
            command = register.name == "CONTROL"
            word = int(rng.choice(_COMMANDS)) if command else int(rng.integers(1 << 32))
            driver.write(address, word, 15 if command else int(rng.integers(16)))
        elif driver.read(address) and window in self.free:
            raise CheckFailed(f"the address {address:#x} is in no channel's window, and does not read as 0")


@dataclass(frozen=True)
class _InWindow(RegisterDriver):
    """Accesses to the registers of one channel, whose window begins at `base`, with accesses to `others`
    between them (None: there are none).
    """

    base: int = 0
    others: _Others | None = None

    def write(self, address: int, word: int, strobe: int = 15) -> None:
        """As of `RegisterDriver`, in the window of the channel."""
        self._between()
        super().write(self.base + address, word, strobe)

    def read(self, address: int) -> int:
        """As of `RegisterDriver`, in the window of the channel."""
        self._between()
        return super().read(self.base + address)

    def _between(self) -> None:
        """Maybe an access to another window."""
        if self.others:
            self.others.access(RegisterDriver(self.simulation, self.model, self.kind, self.held))


def in_window(
    channel: int, count: int, registers: Mapping[str, Register], seed: int | None = None
) -> Callable[..., RegisterDriver]:
    """Makes the driver of the registers of the channel numbered `channel` of `count`, as `RegisterDriver` is
    made. registers: those of the map of one channel, by name; seed: of accesses to other windows between
    those to its own; None: there are none.
    """
    taken = [CHANNEL_BYTES * k for k in range(count) if k != channel]
    free = [CHANNEL_BYTES * k for k in range(count, 1 << (count - 1).bit_length())]
    others = None
    if seed is not None:
        others = _Others(taken, free, tuple(registers.values()), np.random.default_rng([seed, channel]))
    return partial(_InWindow, base=CHANNEL_BYTES * channel, others=others)


def channel_bench(
    simulation: Simulation, record: Mapping[str, Any], channel: int, held: Mapping[str, int] | None = None
) -> AxiMessageBench:
    """The whole core of `record`, compiled (`simulation`), as the channel numbered `channel` sees it: its
    ports have the names that they have in a core of one channel. What is not its own has any value, but for
    inputs that are `held`.
    """
    own = channel_name("", channel)
    inputs, outputs = (
        tuple(replace(port, name=port.name.removeprefix(own)) for port in ports)
        for ports in (simulation.inputs, simulation.outputs)
    )
    ports = {what: without_channel(n) if isinstance(n, str) else n for what, n in record["ports"].items()}
    seen = replace(simulation, inputs=inputs, outputs=outputs)
    return AxiMessageBench(seen, {**record, "ports": ports}, held or {})


def _windows(
    folder: CoreFolder, simulation: Simulation, seed: int | None = None
) -> Iterator[tuple[AxiMessageBench, Callable[..., RegisterDriver]]]:
    """Of each channel of the core in `folder`, compiled (`simulation`), its bench and what makes the driver
    of its registers. seed: as of `in_window`.
    """
    count, registers = int(folder.record["channels"]["count"]), registers_in(folder.register_map)
    for channel in range(count):
        bench = channel_bench(simulation, folder.record, channel)
        yield bench, in_window(channel, count, registers, seed)


def check_windows(folder: CoreFolder) -> str:
    """The check `registers` of the core in `folder`, one of several channels; what was checked, in words.
    Raises CheckFailed with what is not as the map says.
    """
    record, source = folder.record, folder.register_map
    simulation = compile_simulation(folder.sources, record["top"], record["ports"]["clk"])
    said = [check_messages(bench, source, drive) for bench, drive in _windows(folder, simulation, 3)]
    return (
        f"in each of {len(said)} channels, while registers of the others are written and read, and words "
        f"come to them at random: {said[-1]}"
    )


def played_windows(folder: CoreFolder, simulation: Simulation, seed: int) -> None:
    """Messages under one key through each channel of the core in `folder`, compiled (`simulation`), one after
    the other. `seed`: of all that is random. Raises CheckFailed where one differs from the reference.
    """
    for bench, drive in _windows(folder, simulation):
        played_messages(bench, folder.register_map, seed, drive)
