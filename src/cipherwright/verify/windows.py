"""Several channels behind one register bus: the registers of each do what those of a core alone do, while those
of the others are written and read, and words come to the others at random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

_COMMANDS = (1, 2, 3, 1, 2, 4)
"""What is written to CONTROL of another channel: a key or an IV is loaded, or everything is cleared."""


@dataclass(frozen=True)
class _InWindow(RegisterDriver):
    """Accesses to the registers of one channel, whose window begins at `base`, with accesses to the registers
    of `others` between them, and to those in windows of no channel (`gone`), which read as 0. `registers`: of
    the map of one; `rng`: what makes them; None: there are none between.
    """

    base: int = 0
    others: Sequence[int] = ()
    gone: Sequence[int] = ()
    registers: Sequence[Register] = ()
    rng: np.random.Generator | None = field(default=None, compare=False)

    def write(self, address: int, word: int, strobe: int = 15) -> None:
        """As of `RegisterDriver`, in the window of the channel."""
        self._between()
        super().write(self.base + address, word, strobe)

    def read(self, address: int) -> int:
        """As of `RegisterDriver`, in the window of the channel."""
        self._between()
        return super().read(self.base + address)

    def _between(self) -> None:
        """Maybe an access to another window. Raises CheckFailed where one of no channel does not read as 0."""
        rng = self.rng
        if rng is None or rng.random() >= _BETWEEN:
            return
        window = int(rng.choice([*self.others, *self.gone]))
        register = self.registers[int(rng.integers(len(self.registers)))]
        address = window + register.address + 4 * int(rng.integers(register.count))
        if rng.random() < 0.5:
            command = register.name == "CONTROL"
            word = int(rng.choice(_COMMANDS)) if command else int(rng.integers(1 << 32))
            super().write(address, word, 15 if command else int(rng.integers(16)))
        elif super().read(address) and window in self.gone:
            raise CheckFailed(f"the address {address:#x}, which is in no channel's window, does not read as 0")


def in_window(
    channel: int, count: int, registers: Mapping[str, Register], seed: int | None = None
) -> Callable[..., RegisterDriver]:
    """Makes the driver of the registers of the channel numbered `channel` of `count`, as `RegisterDriver` is
    made. registers: those of the map of one channel, by name; seed: of accesses to other windows between, for
    which there is at least one other channel; None: there are none.
    """
    windows = 1 << (count - 1).bit_length()
    others = [CHANNEL_BYTES * k for k in range(count) if k != channel]
    gone = [CHANNEL_BYTES * k for k in range(count, windows)]
    rng = None if seed is None else np.random.default_rng([seed, channel])
    some = {"others": others, "gone": gone, "registers": tuple(registers.values()), "rng": rng}
    return partial(_InWindow, base=CHANNEL_BYTES * channel, **some)


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


def check_windows(folder: CoreFolder) -> str:
    """The check `registers` of the core in `folder`, one of several channels; what was checked, in words.
    Raises CheckFailed with what is not as the map says.
    """
    record, source = folder.record, folder.register_map
    simulation = compile_simulation(folder.sources, record["top"], record["ports"]["clk"])
    count, registers, said = int(record["channels"]["count"]), registers_in(source), ""
    for channel in range(count):
        bench = channel_bench(simulation, record, channel)
        said = check_messages(bench, source, in_window(channel, count, registers, 3))
    return (
        f"in each of {count} channels, while registers of the others are written and read, and words come to "
        f"them at random: {said}"
    )


def played_windows(folder: CoreFolder, simulation: Simulation, seed: int) -> None:
    """Messages under one key through each channel of the core in `folder`, compiled (`simulation`), one channel
    after the other. `seed`: of all that is random. Raises CheckFailed where one differs from the reference.
    """
    record, source = folder.record, folder.register_map
    count, registers = int(record["channels"]["count"]), registers_in(source)
    for channel in range(count):
        bench = channel_bench(simulation, record, channel)
        played_messages(bench, source, seed, in_window(channel, count, registers))
