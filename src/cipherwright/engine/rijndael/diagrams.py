"""The timing diagrams of a Rijndael processor: a key, and a block with its result, half-word by half-word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...cipher.rijndael import RIJNDAEL
from ...shell.folder import ANY, Diagram, Moment
from .interface import INSTRUCTIONS

__all__ = ["diagrams"]

_ROWS = (
    *("rst_i", "instruction_valid_i", "instruction_i", "ready_o", "in_valid_i", "in_data_i", "in_ready_o"),
    *("out_valid_o", "out_ready_i", "out_data_o"),
)
_BYTES = 16
"""Bytes of a block and a key after a reset."""


def diagrams() -> tuple[Diagram, Diagram]:
    """A key, and a block under the key that a reset leaves, both of 128 bits."""
    plan = _Plan()
    key = [*plan.started(), plan.instruction("input_key"), *plan.taken("K", bytes(range(_BYTES)))]
    said = "Reset, the instruction 0001 (input key), and a key; then an instruction can be taken."
    rest = {"instruction_valid_i": "0", "in_valid_i": "0", "in_data_i": ANY}
    drawn = plan.diagram("key", said, [*key, Moment(rest, {"ready_o": "1", "in_ready_o": "0"})])
    return drawn, _Plan().block()


class _Plan:
    """How the ports move, as lists of moments, and the words that they show."""

    def __init__(self) -> None:
        self.words = dict[str, int]()

    def diagram(self, name: str, title: str, moments: Sequence[Moment]) -> Diagram:
        """The diagram of these moments, with the rows of which they speak."""
        named = {port for m in moments for port in (*m.inputs, *m.shows)}
        rows = tuple(row for row in _ROWS if row in named)
        return Diagram(name, title, "clk", rows, tuple(moments), dict(self.words))

    def started(self) -> list[Moment]:
        """Reset."""
        rest = {"instruction_valid_i": "0", "instruction_i": ANY, "in_valid_i": "0", "in_data_i": ANY}
        return [Moment({"rst_i": "1", **rest}), Moment({"rst_i": "0"})]

    def instruction(self, name: str, ready: str = "1") -> Moment:
        """An instruction is offered, and taken where `ready` is 1."""
        code = INSTRUCTIONS[name]
        self.words[f"{code:04b}"] = code
        offered = {"instruction_valid_i": "1", "instruction_i": f"{code:04b}"}
        return Moment({**offered, "in_valid_i": "0", "in_data_i": ANY}, {"ready_o": ready})

    def _named(self, letter: str, data: bytes) -> list[str]:
        """The half-words of `data`, named by `letter` and a number from 1."""
        parts = [int.from_bytes(data[k : k + 2], "big") for k in range(0, len(data), 2)]
        named = {f"{letter}{k}": value for k, value in enumerate(parts, 1)}
        self.words |= named
        return list(named)

    def taken(self, letter: str, data: bytes) -> Iterator[Moment]:
        """Half-words go in, one a cycle."""
        calm = {"instruction_valid_i": "0", "instruction_i": ANY}
        for name in self._named(letter, data):
            yield Moment({**calm, "in_valid_i": "1", "in_data_i": name}, {"in_ready_o": "1"})

    def block(self) -> Diagram:
        """A block goes in, is encrypted under the key 0, and leaves."""
        block = bytes.fromhex("00112233445566778899aabbccddeeff")
        made = RIJNDAEL.with_block(8 * _BYTES).encrypt_block(bytes(_BYTES), block)
        calm = {"instruction_valid_i": "0", "instruction_i": ANY, "out_ready_i": "1"}
        start, *then = self.started()
        moments = [
            Moment({**start.inputs, "out_ready_i": "0"}),
            *then,
            self.instruction("input_data"),
            *self.taken("P", block),
            self.instruction("encrypt"),
            self.instruction("output_data", "0"),
            Moment({}, {"ready_o": "1"}, until="ready_o"),
            *(Moment(calm, {"out_valid_o": "1", "out_data_o": n}) for n in self._named("C", made)),
            Moment({"out_ready_i": "0"}, {"out_valid_o": "0"}),
        ]
        said = (
            "Reset, and a block: 1001 (input data), 1101 (encrypt), 0111 (output data), which is taken when "
            "the result is there. C1 to C8 are P1 to P8 under the key 0."
        )
        return self.diagram("block", said, moments)
