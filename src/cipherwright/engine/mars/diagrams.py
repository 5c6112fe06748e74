"""The timing diagrams of a MARS engine: a key and a block over its bus, with every access in its cycle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...shell.folder import ANY, Diagram, Moment, Worked
from .driver import words_of_bytes
from .interface import ADDRESS, MarsOptions

__all__ = ["diagrams"]

_ROWS = ("rst_i", "select_i", "write_i", "address_i", "data_i", "ready_o", "data_o")
_DONE = {"ready_o": "1"}
_EXPANDING, _COMPLETE = 0b00001, 0b10110
"""The status while a key is expanded, and when it is there and no block is in work."""


def diagrams(options: MarsOptions, worked: Worked) -> tuple[Diagram, Diagram]:
    """A key, and a block under it, at the bus of an engine with `options`, with the values of `worked`.
    Results have a value where the S-box is logic: one in memory is not yet written.
    """
    plan = _Plan(options, worked)
    rest = {"select_i": "0", "write_i": "0", "address_i": ANY, "data_i": ANY}
    start = [Moment({"rst_i": "1", **rest}), Moment({"rst_i": "0"})]
    key = [*start, *plan.key(), Moment(rest)]
    block = [*start, *plan.key(), *plan.block(), Moment(rest)]
    values = "those of the section Bytes" if options.rom else "the result is that of the S-box in the memory"
    said = f"The same, then a block, and its result when it is there: {values}."
    return (
        plan.diagram("key", "Reset, a key, the command that expands it, and the status.", key),
        plan.diagram("block", said, block),
    )


class _Plan:
    """How the ports of the bus move, as lists of moments, and the words that they show."""

    def __init__(self, options: MarsOptions, worked: Worked) -> None:
        self.options, self.worked = options, worked
        self.words = dict[str, int]()

    def diagram(self, name: str, title: str, moments: Sequence[Moment]) -> Diagram:
        """The diagram of these moments."""
        return Diagram(name, title, "clk", _ROWS, tuple(moments), dict(self.words))

    def _word(self, name: str, value: int) -> str:
        self.words[name] = value
        return name

    def _write(self, address: int, name: str, value: int) -> Moment:
        """A word is written, at once."""
        at, data = self._word(f"{address:03x}", address), self._word(name, value)
        return Moment({"select_i": "1", "write_i": "1", "address_i": at, "data_i": data}, _DONE)

    def _written(self, where: str, letter: str, data: bytes) -> Iterator[Moment]:
        """Words are written one after the other, from an address on."""
        for k, value in enumerate(words_of_bytes(data)):
            yield self._write(ADDRESS[where] + k, f"{letter}{k + 1}", value)

    def _read(self, address: int, after: int = 1, **shows: str) -> Moment:
        """A word is read: what is shown in a cycle."""
        at = self._word(f"{address:03x}", address)
        bus = {"select_i": "1", "write_i": "0", "address_i": at, "data_i": ANY}
        return Moment(bus, shows, after)

    def _status(self, value: int, after: int) -> Moment:
        """The status is read, and has a value."""
        word = self._word(f"{value:02x}", value)
        return self._read(ADDRESS["status"], after, ready_o="1", data_o=word)

    def key(self) -> list[Moment]:
        """A key and the command that expands it; the status before and when it is complete."""
        words = len(self.worked.key) // 4
        command = words << 4 | bool(self.worked.iv) << 2 | self.worked.decrypt << 1 | 1
        return [
            *self._written("keys", "K", self.worked.key),
            self._write(ADDRESS["command"], f"{command:x}", command),
            self._status(_EXPANDING, 1),
            self._status(_EXPANDING, self.options.timing.expansion - 1),
            self._status(_COMPLETE, 1),
        ]

    def block(self) -> list[Moment]:
        """An initial value where there is one, a block, and the four words of its result."""
        known = self.options.rom
        result = words_of_bytes(self.worked.result)
        shown = [self._word(f"C{k + 1}", value) if known else ANY for k, value in enumerate(result)]
        first = ADDRESS["result"]
        return [
            *self._written("result", "IV", self.worked.iv),
            *self._written("message", "P", self.worked.block),
            self._read(first, ready_o="0"),
            self._read(first, self.options.timing.latency, ready_o="0"),
            self._read(first, ready_o="1", data_o=shown[0]),
            *(self._read(first + k, ready_o="1", data_o=shown[k]) for k in (1, 2, 3)),
        ]
