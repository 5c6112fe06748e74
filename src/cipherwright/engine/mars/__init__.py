"""The MARS engine of Satoh et al. 2000, and the key-expansion unit of MARS cores over a store of words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...cipher.mars import MARS
from ...errors import CheckFailed
from ...progress import Tell
from ...schedule import DelayModel
from ...shell import BuiltEngine, KeyUnit
from ...spec import ENGINE_OPTIONS
from ...spec import Engine as EngineSpec
from ...verify import CoreFolder, Verdict
from ..base import Engine, KeyStore
from .build import build_engine
from .checks import verify_engine
from .driver import MarsBench
from .interface import ADDRESS, MarsOptions
from .keys import word_store
from .proof import prove_engine, prove_store_step

__all__ = [
    "ADDRESS",
    "MARS_ENGINE",
    "MARS_KEY_STORE",
    "MarsBench",
    "MarsOptions",
    "prove_engine",
]


class MarsEngine(Engine):
    """One mixer and one core round behind a bus of 32-bit words, with memories for S-box and round keys."""

    options = ENGINE_OPTIONS[MARS.name]

    def build(self, spec: EngineSpec, given: Mapping[str, str]) -> BuiltEngine:
        return build_engine(spec, given)

    def driver(self, folder: CoreFolder) -> MarsBench:
        return MarsBench.compile(folder.sources, folder.record)

    def verify(self, folder: CoreFolder, blocks: int, tell: Tell, all_sizes: bool) -> list[Verdict]:
        return verify_engine(folder, blocks, tell)


class MarsKeyStore(KeyStore):
    """The expansion by memory of the engine, with registers that catch the expanded key's words."""

    cipher = MARS.name

    def build(
        self, name: str, key_bits: int, decrypt: bool, block_ram: bool, model: DelayModel, period: float
    ) -> KeyUnit:
        return word_store(name, key_bits, decrypt, block_ram, model, period, zeroise=True)

    def prove(self, sources: Sequence[Path], top: str) -> str:
        text = "".join(path.read_text() for path in sources)
        steps = re.findall(r"\.LOOKUP\((\d+)\), \.STEP\((\d+)\)\) u_expansion", text)
        # The unit's S-box; rounds have S-boxes in modules of their own.
        boxes = re.findall(rf"({re.escape(top)}_keys_\w+) u_s \(", text)
        if len(steps) != 1 or len(boxes) != 1:
            raise CheckFailed("the core has no key expansion with one S-box and steps of one length")
        return prove_store_step(sources, top, int(steps[0][1]), boxes[0], int(steps[0][0]))


MARS_ENGINE = MarsEngine()
MARS_KEY_STORE = MarsKeyStore()
