"""A FIFO between a core whose results nobody holds back and a stream that leaves under back-pressure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...rtl import Cell, Let, Wire, WrapperItem
from ..stream import Fifo

__all__ = ["Part", "Queue"]


@dataclass(frozen=True)
class Part:
    """Some bits of a word in a FIFO: their `name`, how many (`width`), and the expression that they take
    (`value`).
    """

    name: str
    width: int
    value: str


@dataclass(frozen=True)
class Queue:
    """A FIFO and what is in it.

    name: begins the names around it; fifo: its size and form. reserves: an expression that is 1 with a beat
    that is taken and that will have a result here; comes: one that is 1 with the result. word: fields of the
    result, from bit 0 on, as they come; beside: what goes round the core with the beat. pops: the expression
    that takes the word which is offered; unread: why nothing reads NAME_valid, where nothing does.

    After `items` the wrapper has NAME_room (a place is free, a register), NAME_valid and NAME_FIELD.
    """

    name: str
    fifo: Fifo
    reserves: str
    comes: str
    word: tuple[Part, ...]
    beside: tuple[Part, ...]
    pops: str
    unread: str = ""

    def items(self, zeroise: str, reset: str = "rst_i") -> list[WrapperItem]:
        """What is in the wrapper. zeroise: the expression that is 1 while everything is being forgotten;
        reset: the one that makes the FIFO start anew.
        """
        n, deep = self.name, self.fifo.deep
        width, around = _width(self.word), _width(self.beside)
        apart = around > 0 and not deep
        items: list[WrapperItem] = [
            Wire((f"{n}_room", f"{n}_there")),
            Wire((f"{n}_accepts",), lint="the core takes a beat by itself."),
            Wire((f"{n}_word",), width),
            *self._fields(self.word, f"{n}_word"),
            self._cell(
                f"u_{n}", self.comes, (f"{n}_word", _cat(self.word), width), f"{n}_there", (zeroise, reset)
            ),
        ]
        if deep:
            items.append(Wire((f"{n}_early",), lint="nothing in front of the core waits for it."))
        if around:
            items += [Wire((f"{n}_side",), around), *self._fields(self.beside, f"{n}_side")]
        elif deep:
            items.append(Wire((f"{n}_side",), lint="nothing goes round the core."))
        if apart:
            spare = "it has as many places as the FIFO of results, which says when."
            items += [
                Wire((f"{n}_side_room",), lint=spare),
                Wire((f"{n}_side_there", f"{n}_side_accepts")),
                self._cell(
                    f"u_{n}_side",
                    f"{n}_side_accepts",
                    (f"{n}_side", _cat(self.beside), around),
                    f"{n}_side_there",
                    (zeroise, reset),
                ),
            ]
        there = f"{n}_there & {n}_side_there" if apart else f"{n}_there"
        return [*items, Let(f"{n}_valid", there, lint=self.unread)]

    def _fields(self, parts: Sequence[Part], word: str) -> list[Let]:
        total, low, found = _width(parts), 0, list[Let]()
        for p in parts:
            place = f"[{low + p.width - 1}:{low}]" if p.width > 1 else f"[{low}]"
            found.append(Let(f"{self.name}_{p.name}", word + place * (total > 1), p.width))
            low += p.width
        return found

    def _cell(
        self, name: str, comes: str, word: tuple[str, str, int], there: str, forgets: tuple[str, str]
    ) -> Cell:
        """The FIFO of words (its name outside, the expression that goes in, its bits). forgets: `zeroise` and
        `reset` of `items`.
        """
        shown, value, width = word
        zeroise, reset = forgets
        prefix = shown.removesuffix("_word")
        parameters: dict[str, int | str] = {"WIDTH": width, "DEPTH_LOG2": self.fifo.log2}
        links = {
            "clk": "clk",
            "rst_i": reset,
            "zeroise_i": zeroise,
            "s_valid_i": self.reserves,
            "s_ready_o": f"{prefix}_room",
            "core_valid_o": f"{prefix}_accepts",
            "core_valid_i": comes,
            "core_data_i": value,
            "m_valid_o": there,
            "m_ready_i": self.pops if prefix == self.name else f"{self.name}_valid & {self.pops}",
            "m_data_o": shown,
        }
        if self.fifo.deep:
            around = _width(self.beside)
            links |= {"core_ready_i": "1'b1", "zeroising_i": "1'b0", "m_beside_o": f"{prefix}_side"}
            links |= {"s_beside_i": _cat(self.beside) if around else "1'b0", "s_early_o": f"{prefix}_early"}
            parameters |= {"BESIDE": around} if around else {}
        return Cell(self.fifo.module, name, links, parameters)


def _width(parts: Sequence[Part]) -> int:
    return sum(p.width for p in parts)


def _cat(parts: Sequence[Part]) -> str:
    """The fields' values as one word."""
    return f"{{{', '.join(p.value for p in reversed(parts))}}}"
