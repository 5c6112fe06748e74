"""What waits beside a pipeline, in flip-flops or in delay lines of the target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..graph import GraphBuilder
from ..rtl import Design, LowerOptions, lower
from ..schedule import DelayModel, Io, schedule

__all__ = ["Waits"]


@dataclass(frozen=True)
class Waits:
    """What bits wait in (`options`), and by which delays of gates registers are placed (`model`)."""

    model: DelayModel
    options: LowerOptions

    def module(self, name: str, words: Mapping[str, tuple[int, int]]) -> Design:
        """The module `name`, in which words only wait: the input `WORD_i` is at `WORD_late_o` some cycles
        later. words: name -> (bits, cycles).
        """
        b = GraphBuilder("beside")
        for word, (bits, _) in words.items():
            b.output(f"{word}_late", b.input(word, bits))
        longest = max(cycles for _, cycles in words.values())
        leave = tuple((f"{word}_late", cycles) for word, (_, cycles) in words.items() if cycles < longest)
        return lower(schedule(b.build(), self.model, longest, None, Io(leave=leave)), name, self.options)
