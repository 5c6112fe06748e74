"""A FIFO between a core whose results nobody holds back and a stream that leaves under back-pressure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...rtl import Cell, Let, Wire, WrapperItem, concatenated, field_places
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
        n = self.name
        width, around = _width(self.word), _width(self.beside)
        items: list[WrapperItem] = [
            Wire((f"{n}_room",)),
            Wire((f"{n}_valid",), lint=self.unread),
            Wire((f"{n}_accepts",), lint="the core takes a beat by itself."),
            Wire((f"{n}_word",), width),
            *self._fields(self.word, f"{n}_word"),
            self._cell(zeroise, reset),
        ]
        if self.fifo.deep:
            items.append(Wire((f"{n}_early",), lint="nothing in front of the core waits for it."))
        if around:
            return [*items, Wire((f"{n}_side",), around), *self._fields(self.beside, f"{n}_side")]
        return [*items, Wire((f"{n}_side",), lint="nothing goes round the core.")]

    def _fields(self, parts: Sequence[Part], word: str) -> list[Let]:
        places = field_places(word, ((p.name, p.width) for p in parts))
        return [Let(f"{self.name}_{p.name}", places[p.name], p.width) for p in parts]

    def _cell(self, zeroise: str, reset: str) -> Cell:
        """The FIFO. zeroise, reset: as in `items`."""
        n, around = self.name, _width(self.beside)
        parameters: dict[str, int | str] = {"WIDTH": _width(self.word), **self.fifo.size}
        links = {
            "clk": "clk",
            "rst_i": reset,
            "zeroise_i": zeroise,
            "s_valid_i": self.reserves,
            "s_ready_o": f"{n}_room",
            "s_beside_i": concatenated(p.value for p in self.beside) if around else "1'b0",
            "core_valid_o": f"{n}_accepts",
            "core_ready_i": "1'b1",
            "core_valid_i": self.comes,
            "core_data_i": concatenated(p.value for p in self.word),
            "m_valid_o": f"{n}_valid",
            "m_ready_i": self.pops,
            "m_data_o": f"{n}_word",
            "m_beside_o": f"{n}_side",
        }
        if around:
            parameters["BESIDE"] = around
        if self.fifo.deep:
            links |= {"zeroising_i": "1'b0", "s_early_o": f"{n}_early"}
        return Cell(self.fifo.module, f"u_{n}", links, parameters)


def _width(parts: Sequence[Part]) -> int:
    return sum(p.width for p in parts)
