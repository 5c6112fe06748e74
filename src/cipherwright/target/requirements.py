"""What a spec asks of a target: what it has not, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import UserError
from ..shell import BuiltEngine, Core
from ..spec import Datapath, Loop, Spec
from .facts import Target
from .idle import idle_sentences
from .synth import CELL_MAPPINGS, USUAL_MAPPING

__all__ = ["delay_lines_from", "experimental", "require", "require_room", "short_tags", "warnings"]


def require(spec: Datapath, target: Target) -> None:
    """Raise UserError where `spec` asks for logic that `target` has not: the XOR gate behind a lookup table
    (`slice_xor`).
    """
    if spec.slice_xor and not target.slice_xor:
        raise UserError(
            f"slice_xor is for Virtex slices (xcv, xcve); {spec.target} has no XOR gate behind its lookup "
            f"tables"
        )


def delay_lines_from(spec: Datapath, target: Target) -> int:
    """Cycles of the shortest delay that is a delay line: what `spec` asks for where `target` has such delay
    lines; 0: none is asked for, or the target has none.
    """
    rings = spec.delay_lines in ("ram", "bram") and target.ram_delay
    return spec.srl_from if rings or (spec.delay_lines == "srl" and target.srl) else 0


def warnings(spec: Spec, target: Target, core: Core | BuiltEngine) -> Iterator[str]:
    """What was asked for in `spec` and does nothing in `core` on `target`, or needs care of the user, a
    sentence each.
    """
    if not isinstance(core, Core):
        yield from spec.idle().values()
    elif isinstance(spec, Datapath):
        yield from idle_sentences(spec, core)
        yield from _idle_delay_lines(spec, target, core)
        yield from short_tags(spec)
        yield from _long_unit_keys(spec)
        yield from experimental(spec)
    yield from _idle_cells(spec, target)


def require_room(target: Target, core: Core | BuiltEngine) -> None:
    """Raise UserError where `core` has more flip-flops than the device of `target`."""
    if beyond := target.beyond({"ffs": core.flip_flops}):
        raise UserError(
            f"{core.top} does not fit {target.title}: it takes {' and '.join(beyond)}; choose a larger one"
        )


_FEW = "wrong tags that are tried under a key are as few, as {}, appendix {} says; the core counts none"
_SHORT_TAGS = {
    "gcm": "packets are as short, and decryptions under a key as few, as SP 800-38D, appendix C says; the "
    "core counts neither",
    "ccm": _FEW.format("SP 800-38C", "B"),
    "cmac": _FEW.format("SP 800-38B", "A"),
}
"""Mode -> what the standard says that uses of short tags need."""

_SHORT = {"gcm": 64, "ccm": 63, "cmac": 63}
"""Mode -> bits of the longest tag that its standard calls for care with (in the places of `_SHORT_TAGS`)."""


def short_tags(spec: Spec) -> Iterator[str]:
    """What needs care of the user of a core of `spec` whose tags have 64 or fewer bits in GCM, fewer in CCM
    and CMAC: one sentence; none where tags are longer, or there are none.
    """
    if isinstance(spec, Datapath) and spec.mode in _SHORT and spec.tag_bits <= _SHORT[spec.mode]:
        yield (
            f"tag_bits = {spec.tag_bits} is short: such tags are for uses in which {_SHORT_TAGS[spec.mode]}"
        )


def _long_unit_keys(spec: Datapath) -> Iterator[str]:
    if spec.mode == "xts" and spec.key_bits not in (128, 256):
        yield f"XTS with keys of {spec.key_bits} bits is in no standard: IEEE 1619 has those of 128 and 256"


def experimental(spec: Spec) -> Iterator[str]:
    """What a user of a core of `spec` has to know whose mode nobody else has with such blocks: one sentence,
    or none.
    """
    if isinstance(spec, Loop) and spec.experimental:
        yield (
            f"mode = {spec.mode} with blocks of {spec.block_bits} bits is experimental: no standard has it, "
            "there are no published vectors, and other implementations may differ"
        )


def _idle_cells(spec: Spec, target: Target) -> Iterator[str]:
    """Options for cell libraries where `target` is none."""
    if target.kind == "cells":
        return
    if spec.mapping in CELL_MAPPINGS and spec.mapping != USUAL_MAPPING:
        yield f"mapping = {spec.mapping} does nothing on {spec.target}, which is no cell library"
    if spec.clock_gating:
        yield (
            f"clock_gating = true is for cell libraries, and {spec.target} is none: implement refuses it "
            f"there"
        )


def _idle_delay_lines(spec: Datapath, target: Target, core: Core) -> Iterator[str]:
    if spec.delay_lines == "ff" or core.has_delay_lines:
        return
    if delay_lines_from(spec, target):
        yield (
            f"delay_lines = {spec.delay_lines} moves nothing: no bit of this core waits for srl_from = "
            f"{spec.srl_from} cycles or longer"
        )
    else:
        instead = (
            "; it has delay_lines = srl" if target.srl else "; it has delay_lines = ram" * target.ram_delay
        )
        yield (
            f"delay_lines = {spec.delay_lines} does nothing on {spec.target}, which has no such delay lines"
            f"{instead}"
        )
