"""What a core's folder holds of its register map: the SystemRDL source, and a page made from it."""

from __future__ import annotations

from ...spec import Datapath
from ..core import PortSet
from ..header import GENERATOR, commented, module_name, origin_lines
from .register_map import MapFacts, markdown, read_map, registers_of

__all__ = ["map_facts", "map_pages"]


def map_facts(spec: Datapath, ports: PortSet, held_way: bool) -> MapFacts:
    """What software sees of a core with the AXI-Stream ports `ports`."""
    major, minor, patch = (int(n) for n in GENERATOR.split(".")[:3])
    return MapFacts(
        module_name(spec.name),
        (major, minor, patch),
        spec.mode,
        spec.direction,
        spec.key_bits,
        spec.block_bits,
        spec.block_bits if ports.iv else 0,
        held_way,
        spec.mode in ("ecb", "cbc"),
    )


def map_pages(name: str, source: str) -> dict[str, str]:
    """The SystemRDL source of the core `name`, and its page."""
    top = module_name(name)
    return {
        f"{top}.rdl": commented(origin_lines(name)) + source,
        f"{top}_registers.md": markdown(top, registers_of(read_map(source))),
    }
