"""What every engine states and does: the one interface by which the generator, the command line and `verify`
use engines.

An engine is hand-written control around generated logic, for one cipher. Its room has all of it: datapath,
control, driver, checks, proof and testbench.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from ..progress import Tell
from ..schedule import DelayModel
from ..shell import BuiltEngine, KeyUnit
from ..spec import Engine as EngineSpec
from ..spec import EngineOptions
from ..target import Target
from ..verify import CoreFolder, Verdict

__all__ = ["Driver", "Engine", "KeyStore", "planned_period"]

_PERIOD_NS = 8.0
"""Planned period of an engine in a cell library; a device with lookup tables gets four times that."""


def planned_period(target: Target) -> float:
    """The period in ns that goes to the timing constraints of an engine on `target`: 8 in a cell library, 32
    on a device.
    """
    return _PERIOD_NS if target.kind == "cells" else 4 * _PERIOD_NS


class Driver(Protocol):
    """An engine's compiled simulation."""

    def crypt_bulk(self, key: bytes, decrypt: bool, data: bytes, iv: bytes = b"") -> bytes:
        """`data`, a whole number of blocks, encrypted, or decrypted where `decrypt` is true, under `key`: in
        ECB, or in CBC with the initial value `iv` where the engine takes `mode = cbc`. Byte 0 is the
        standard's. Raises CheckFailed where the engine hangs.
        """
        ...


class Engine(ABC):
    """An engine for one cipher; `engine.ENGINES` lists those that there are.

    `options`: the cipher that it is for, and what it takes of the options.
    """

    options: EngineOptions

    @abstractmethod
    def build(self, spec: EngineSpec, given: Mapping[str, str]) -> BuiltEngine:
        """The engine of `spec`, as files. `given`: the preset and the changes as the user wrote them."""

    @abstractmethod
    def driver(self, folder: CoreFolder) -> Driver:
        """The simulation of the built engine in `folder`, compiled. Raises ToolFailed where Verilator refuses
        the files.
        """

    @abstractmethod
    def verify(self, folder: CoreFolder, blocks: int, tell: Tell, all_sizes: bool) -> list[Verdict]:
        """Every check of the built engine in `folder`, a verdict each. `blocks`: random blocks; `tell`:
        called with what is being done; `all_sizes`: prove it for all sizes of block and key that it has,
        instead of the record's alone.
        """


class KeyStore(ABC):
    """A key-expansion unit of its own form for the cipher named `cipher`, over a store of words, in place of
    the loop that `arch.key_unit` derives. `engine.KEY_STORES` lists those that there are.
    """

    cipher: str

    @abstractmethod
    def build(
        self, name: str, key_bits: int, decrypt: bool, block_ram: bool, model: DelayModel, period: float
    ) -> KeyUnit:
        """The module `name`: a key of `key_bits` bits in, the round keys rk0, rk1, … of one direction out, in
        the order of use; `decrypt`: the direction.

        `block_ram`: its S-box is a block of the device; `period` in ns is met by as many registers in a step
        as it takes, by the delays of `model`.
        """

    @abstractmethod
    def prove(self, sources: Sequence[Path], top: str) -> str:
        """What is proven of the unit in the core `top`, as a clause; `sources`: all RTL files of the core.
        Raises CheckFailed.
        """
