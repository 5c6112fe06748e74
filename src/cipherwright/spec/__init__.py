"""What a user asks for: one core, as a TOML file or a preset, with --set changes.

Facts about devices are in `target/`. The options of one architecture are one class: `Pipeline`, `Loop` or
`Engine`. `Spec` (`core`) is what they have in common, `Datapath` what pipelines and loops have. The reference
page docs/guide/options.md is made from these classes.
"""

from __future__ import annotations

from ..sources import preset_names, preset_path
from .core import ARCHITECTURES, INTERFACES, MODES, Spec, option_names
from .datapath import Datapath
from .engine import ENGINE_OPTIONS, Engine, EngineOptions
from .load import load, named, parse
from .loop import Loop
from .pipeline import Pipeline
from .stated import SECTIONS, Stated, stated

__all__ = [
    "ARCHITECTURES",
    "ENGINE_OPTIONS",
    "INTERFACES",
    "MODES",
    "SECTIONS",
    "Datapath",
    "Engine",
    "EngineOptions",
    "Loop",
    "Pipeline",
    "Spec",
    "Stated",
    "load",
    "named",
    "option_names",
    "parse",
    "preset_names",
    "preset_path",
    "stated",
]
