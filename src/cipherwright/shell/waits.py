"""What waits beside a pipeline, in flip-flops or in delay lines of the target."""

from __future__ import annotations

from collections.abc import Mapping

from ..graph import GraphBuilder
from ..rtl import Design, LowerOptions, lower
from ..schedule import DelayModel, Io, schedule

__all__ = ["wait_module"]


def wait_module(
    name: str, words: Mapping[str, tuple[int, int]], model: DelayModel, options: LowerOptions
) -> Design:
    """The module `name`, in which words only wait: the input `WORD_i` is at `WORD_late_o` some cycles later.

    words: name -> (bits, cycles); options: what they wait in, and which outputs are control.
    """
    b = GraphBuilder("beside")
    for word, (bits, _) in words.items():
        b.output(f"{word}_late", b.input(word, bits))
    longest = max(cycles for _, cycles in words.values())
    leave = tuple((f"{word}_late", cycles) for word, (_, cycles) in words.items() if cycles < longest)
    return lower(schedule(b.build(), model, longest, None, Io(leave=leave)), name, options)
