"""The whole generator: the calls in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .arch import lowered
from .datapath import idle_options, prepare, with_registers
from .engine import ENGINES
from .process import without_collector
from .registry import blaming, origin
from .rtl import Design
from .shell import PACKETS, BuiltEngine, Core, CoreInputs, assemble, assemble_packets
from .spec import Datapath, Engine, Spec
from .target import load_target, require_room, warnings
from .verify import confirm_core

__all__ = ["build", "generate"]


@without_collector
def generate(spec: Spec, given: Mapping[str, str] | None = None) -> Core | BuiltEngine:
    """The core or the engine that `spec` asks for. given: the preset and the changes as the user wrote them
    (None: the spec's name), for the record and the Verilog's header; a cipher from outside the package adds
    where it came from. Raises UserError where the spec can't be met, with the nearest that can.
    """
    known = {**(asked := given or {"preset": spec.name}), **origin(spec.cipher), **asked}
    with blaming(spec.cipher):
        if isinstance(spec, Engine):
            core: Core | BuiltEngine = ENGINES[spec.cipher].build(spec, known)
        else:
            assert isinstance(spec, Datapath)
            core = build(spec, known)
    target = load_target(spec.target)
    require_room(target, core)
    return replace(core, family=target.family, warnings=tuple(warnings(spec, target, core)))


def build(spec: Datapath, given: Mapping[str, str] | None = None) -> Core:
    """The pipeline or loop of `spec`, compared with the cipher's description on random keys and blocks
    (`verify.confirm_core`). `given` as in `generate`, which adds the target's facts and the warnings.
    """
    ready = prepare(spec)
    datapath, unit = with_registers(spec, ready)

    def design(name: str) -> Design:
        own = lowered(spec, datapath, ready.timing.srl_from, name)
        return Design((*unit.modules, *own.modules)) if unit else own

    asked, keys = given or {"preset": spec.name}, unit.unit if unit else None
    schedules = tuple(loop.schedule for loop in unit.loops) if unit else ()
    inputs = CoreInputs(spec, ready.plain, datapath, design, asked, keys, ready.timing, schedules)
    core = assemble_packets(inputs) if spec.mode in PACKETS else assemble(inputs)
    confirm_core(spec, core.design, datapath, ready.parts, unit.loops if unit else ())
    return replace(core, idle=idle_options(spec, datapath, unit))
