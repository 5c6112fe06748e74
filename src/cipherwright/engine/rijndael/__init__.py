"""The Rijndael processor of Kuo and Verbauwhede 2001: all nine sizes of block and key in one core."""

from __future__ import annotations

from collections.abc import Mapping

from ...cipher.rijndael import RIJNDAEL
from ...progress import Tell
from ...shell import BuiltEngine
from ...spec import ENGINE_OPTIONS
from ...spec import Engine as EngineSpec
from ...verify import CoreFolder, Verdict
from ..base import Engine
from .build import build_processor, processor_graphs
from .checks import verify_processor
from .driver import ProcessorBench
from .interface import INSTRUCTIONS, processor_rounds

__all__ = [
    "INSTRUCTIONS",
    "RIJNDAEL_ENGINE",
    "ProcessorBench",
    "processor_graphs",
    "processor_rounds",
]


class RijndaelEngine(Engine):
    """One round and one step of the key schedule behind 16-bit channels, driven by instructions."""

    options = ENGINE_OPTIONS[RIJNDAEL.name]

    def build(self, spec: EngineSpec, given: Mapping[str, str]) -> BuiltEngine:
        return build_processor(spec, given)

    def driver(self, folder: CoreFolder) -> ProcessorBench:
        return ProcessorBench.compile(folder.sources, folder.record)

    def verify(self, folder: CoreFolder, blocks: int, tell: Tell, all_sizes: bool) -> list[Verdict]:
        p = folder.record["parameters"]
        return verify_processor(
            folder, blocks, tell, None if all_sizes else [(p["block_bits"], p["key_bits"])]
        )


RIJNDAEL_ENGINE = RijndaelEngine()
