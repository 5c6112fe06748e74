"""What a core's folder holds of its register map: the SystemRDL source, and a page and a C header made from
it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UserError
from ...spec import Datapath
from ..core import PortSet
from ..header import GENERATOR, commented, module_name, origin_lines
from .register_map import MapFacts, markdown, read_map, registers_of

if TYPE_CHECKING:
    from systemrdl.node import AddrmapNode

__all__ = ["browser_pages", "map_facts", "map_pages"]


def map_facts(spec: Datapath, ports: PortSet, held_way: bool, block_way: bool = False) -> MapFacts:
    """What software sees of a core of `spec` with the ports `ports`. held_way, block_way: its direction is
    held, or comes with each block, over the registers.
    """
    blocks = spec.interface == "registers"
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
        spec.mode in ("ecb", "cbc") and not blocks,
        blocks,
        block_way,
    )


def map_pages(name: str, source: str, channels: int = 1) -> dict[str, str]:
    """The SystemRDL source of the core `name` (`source`), its page, and its C header, by file name. channels:
    how many times the registers are there, in windows.
    """
    top, node = module_name(name), read_map(source)
    origin = commented(origin_lines(name))
    return {
        f"{top}.rdl": origin + source,
        f"{top}_registers.md": markdown(top, registers_of(node), channels),
        f"{top}_registers.h": f"{origin}//\n// Offsets are of bytes. Bits 7:0 of the first word of KEY "
        "are the key's first byte.\n// C11 or later. Registers are words: the structure is aligned to 4 "
        "bytes, so that compilers access each as a whole.\n" + _c_header(node),
    }


def browser_pages(source: Path, out: Path) -> None:
    """Fill the folder `out` with pages for a browser of the map in the SystemRDL file `source`; the first is
    index.html. Raises UserError where peakrdl-html is not installed.
    """
    try:
        from peakrdl_html import HTMLExporter
        from systemrdl.compiler import RDLCompiler
    except ImportError:
        raise UserError(
            "pages of registers need peakrdl-html: pip install 'cipherwright[html]' installs it"
        ) from None
    compiler = RDLCompiler()
    compiler.compile_file(str(source))
    HTMLExporter().export(compiler.elaborate().top, str(out))


def _c_header(node: AddrmapNode) -> str:
    """The text that PeakRDL makes of a map: a structure of the registers, and masks of their fields. The
    structure is aligned to a word: where it is only packed, compilers for processors that access aligned
    words alone write a register byte by byte, and a command goes out before what belongs to it.
    """
    from peakrdl_cheader.exporter import CHeaderExporter

    with tempfile.TemporaryDirectory() as d:
        path = Path(d) / f"{node.inst_name}.h"
        CHeaderExporter().export(node, str(path))
        packed = "__attribute__ ((__packed__))"
        return path.read_text().replace(packed, "__attribute__ ((__packed__, __aligned__(4)))")
