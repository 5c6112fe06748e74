"""Round keys that a loop reads by address, in place of a key schedule on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...cipher.word import Word, choose, over
from ...graph import STATIC
from ..form import Form
from ..key_memory import KeyMemory
from .base import Fold, Loop

__all__ = ["KeyReads"]


class KeyReads:
    """The reads of a loop: for each read port `i` the output `address<i>` and the input `word<i>`, which is
    there in the same cycle or a cycle later; and the round keys that registers hold, as inputs.
    """

    def __init__(self, fold: Fold, memory: KeyMemory) -> None:
        self.fold, self.memory = fold, memory
        b = fold.b
        self.fixed = {n: over(b, b.input(memory.user(n), memory.width, STATIC)) for n in memory.fixed}

    @property
    def form(self) -> Form:
        """The form whose rounds read the keys."""
        return self.fold.form

    def _number(self, step: int, back: bool) -> int:
        """The round key that the `step`-th addition of one in a direction takes."""
        return self.memory.count - 1 - step if back else step

    def end(self, step: int, back: Word) -> Word:
        """A round key that registers hold, in the direction `back`: the first one (`step` 0) or the last one
        (the last `step`).
        """
        there, again = (self.fixed.get(self._number(step, way)) for way in (False, True))
        found = [word for word in (there, again) if word is not None]
        word = choose(back, found[1], found[0]) if len(found) > 1 else found[0]
        return self.form.supplied_key(word, back)

    def read(
        self,
        port: int,
        told: Callable[[str, Callable[[int, bool], int], int], int],
        step: Callable[[int], int | None],
    ) -> Word:
        """The word at read port number `port`. `told(name, value, width)`: a control word that is
        `value(iteration, back)`; `step(iteration)`: the number of the round key in the order of use, or None
        where none is read.
        """
        memory, b = self.memory, self.fold.b

        def address(iteration: int, back: bool) -> int:
            found = step(iteration)
            return 0 if found is None else memory.address(self._number(found, back))

        b.output(f"address{port}", told(f"address{port}", address, memory.address_bits))
        return over(b, b.input(f"word{port}", memory.width))

    def finished(self, loop: Loop) -> Loop:
        """`loop` with this memory, whose addresses leave in its first stage."""
        reads = range(self.memory.reads)
        addresses = tuple((f"address{i}", 0) for i in reads)
        words = tuple((f"word{i}", self.memory.late) for i in reads)
        io = replace(loop.io, leave=(*loop.io.leave, *addresses), arrive=(*loop.io.arrive, *words))
        return replace(loop, io=io, memory=self.memory)
