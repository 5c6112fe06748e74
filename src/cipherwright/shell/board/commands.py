"""Commands that come in over the UART, and their answers.

A command is a letter and the bytes of its value, most significant byte first. Every command has one answer:
the same letter, or the value that is asked for. Bytes of 0 between commands do nothing. A letter that is no
command is answered by `?`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from ...rtl import Clocked, ClockReset, Drive, Held, Let, Pin, Reg, Step, Stream, Wrapper, concatenated

__all__ = ["READ_BYTES", "Command", "Widths", "commands", "requests"]

READ_BYTES = 8
"""Bytes of the answer to `READ`."""


class Command(Enum):
    """The letters. Their values: see `Widths.length`."""

    KEY = "k"
    IV = "v"
    DIRECTION = "d"
    BLOCK = "b"
    """A word goes through the core; the answer is its result. The next may come before it."""

    SEED = "g"
    EXPECT = "x"
    START = "s"
    """The self-check begins. The value's bit 0: it ends after one batch."""

    STOP = "t"
    READ = "r"
    SIGNATURE = "m"

    ATTRIBUTES = "p"
    """Of packets: what is said of the words that follow. A byte, bit 0: additional data, bit 1: the packet
    ends; then the bytes that are there, a bit each, the first at the top.
    """

    TAG = "e"
    """Of packets with a tag: the one that is expected."""

    ZEROISE = "z"
    """Of packets: keys and packets are dropped, and a word that waits."""

    SLOT = "l"
    """Of two resident keys: a byte, whose bit 0 is the slot of the keys, expected values, packets and units
    that follow.
    """

    LENGTHS = "n"
    """Of packets whose lengths come before their data: bytes of additional data, then bytes of data."""

    @property
    def code(self) -> str:
        """The letter as a Verilog constant."""
        return f"8'h{ord(self.value):02x}"


_HERE = (Command.READ, Command.SIGNATURE)
"""Commands that are answered in this clock domain."""


@dataclass(frozen=True)
class Widths:
    """Bits of a `word` (one or more blocks side by side), of the `key` and of the initial value (`iv`; 0:
    none).
    """

    word: int
    key: int
    iv: int
    kept: int = 0
    """Where words come in packets, their bytes; otherwise 0."""

    tag: int = 0
    """Bits of a packet's tag that leaves beside its words (0: none)."""

    slots: int = 1
    """Resident keys."""

    aad_length: int = 0
    data_length: int = 0
    """Bits of the lengths that a packet's first word takes: of additional data, and of data (0: none)."""

    @property
    def value(self) -> int:
        """Bits of the longest value of a command."""
        return max(self.word, self.key, self.iv, self.tag, 8 + self.kept)

    @property
    def known(self) -> tuple[Command, ...]:
        """The commands of such a core."""
        absent = {Command.IV: not self.iv, Command.TAG: not self.tag}
        absent |= dict.fromkeys((Command.ATTRIBUTES, Command.ZEROISE), not self.kept)
        absent |= {Command.SLOT: self.slots == 1, Command.LENGTHS: not self.aad_length}
        return tuple(c for c in Command if not absent.get(c))

    @property
    def answer(self) -> int:
        """Bits of the longest answer."""
        return max(self.word, 8 * READ_BYTES)

    def length(self, command: Command) -> int:
        """Bytes of the value of `command`."""
        bits = {
            Command.KEY: self.key,
            Command.IV: self.iv,
            Command.DIRECTION: 8,
            Command.BLOCK: self.word,
            Command.SEED: self.word,
            Command.EXPECT: self.word,
            Command.START: 8,
            Command.READ: 8,
            Command.ATTRIBUTES: 8 + self.kept,
            Command.TAG: self.tag,
            Command.SLOT: 8,
            Command.LENGTHS: self.aad_length + self.data_length,
        }
        return bits.get(command, 0) // 8


def requests(widths: Widths) -> tuple[Command, ...]:
    """Commands of a core of these `widths` for the core's clock domain: bit 0 of the request's `op` is the
    first.
    """
    of_some = (Command.ATTRIBUTES, Command.TAG, Command.ZEROISE, Command.SLOT, Command.LENGTHS)
    return tuple(c for c in Command if c not in _HERE and (c not in of_some or c in widths.known))


def commands(name: str, widths: Widths, words: tuple[str, ...]) -> Wrapper:
    """The module `name` between the UART and the core's clock domain, for a core of these `widths`.

    A request is a change of request_o: op_o has one bit set, and value_o is the value; both stay until ack_i
    has changed. A change of result_i says that signature_i is the result of a block. `words`: constants and
    names of state_i's parts, 64 bits each, that `READ` gives by number.
    """
    many, answer, asked = widths.value, widths.answer, requests(widths)
    known, states = widths.known, sum(word.startswith("state_i") for word in words)
    length = "".join(f"data_i == {c.code} ? 8'd{widths.length(c)} : " for c in known if widths.length(c))
    is_command = " | ".join(f"op_q == {c.code}" for c in known)
    listed = "".join(f"value_q[3:0] == 4'd{k} ? {word} : " for k, word in enumerate(words))
    ops = concatenated(f"op_q == {c.code}" for c in asked)
    sent = f"answer_q[{answer - 1}:{answer - 8}]"
    word = _left("signature_i", widths.word, answer)
    return Wrapper(
        name,
        ("Commands from the UART, and their answers.",),
        (
            ClockReset(),
            Stream("valid_i", (Pin("data_i", 8),)),
            Stream("valid_o", (Pin("data_o", 8, True),), "ready_i", out=True),
            Held(
                (
                    Pin("request_o", out=True),
                    Pin("op_o", len(asked), True),
                    Pin("value_o", many, True),
                    Pin("ack_i"),
                    Pin("result_i"),
                    Pin("taken_o", out=True),
                    Pin("signature_i", widths.word),
                    Pin("state_i", 64 * states),
                )
            ),
        ),
        (
            Reg(("op_q",), 8, "The command, and bytes of its value that have not come."),
            Reg(("left_q",), 8),
            Reg(("value_q",), many, "The value: the last bytes that came."),
            Reg(("run_q", "request_q"), note="The command is complete; a change is a request."),
            Reg(("ack_q", "result_q"), 2, "Of the core's clock domain, synchronised."),
            Reg(("acked_q", "taken_q"), note="What was answered."),
            Reg(("answer_q",), answer, "The answer, its next byte on top, and its bytes that are not sent."),
            Reg(("bytes_q",), 8),
            Let("begins", "valid_i & left_q == 8'd0"),
            Let("length", f"{length}8'd0", 8),
            Let("is_request", f"|{ops}"),
            Let("idle", "bytes_q == 8'd0"),
            Let("acks", "idle & acked_q != ack_q[1]"),
            Let("gives", "idle & ~acks & taken_q != result_q[1]"),
            Let("no_command", f"~({is_command}) & op_q != 8'd0"),
            Let(
                "here",
                f"run_q & (op_q == {Command.READ.code} | op_q == {Command.SIGNATURE.code} | no_command)",
            ),
            Let("listed", f"{listed}64'd0", 64),
            Drive("valid_o", "~idle"),
            Drive("data_o", sent),
            Drive("request_o", "request_q"),
            Drive("op_o", ops),
            Drive("value_o", "value_q"),
            Drive("taken_o", "taken_q"),
            Clocked(
                (
                    Step("op_q", "data_i", "begins"),
                    Step("left_q", "begins ? length : left_q - 8'd1", "valid_i"),
                    Step("run_q", "valid_i & (begins ? length == 8'd0 : left_q == 8'd1)"),
                    Step("request_q", "request_q ^ (run_q & is_request)"),
                    Step("ack_q", "{ack_q[0], ack_i}"),
                    Step("result_q", "{result_q[0], result_i}"),
                    Step("acked_q", "acked_q ^ acks"),
                    Step("taken_q", "taken_q ^ gives"),
                    Step("bytes_q", _bytes(widths)),
                ),
                (
                    ("op_q", "8'd0"),
                    ("left_q", "8'd0"),
                    ("run_q", "1'b0"),
                    ("request_q", "1'b0"),
                    ("ack_q", "2'd0"),
                    ("result_q", "2'd0"),
                    ("acked_q", "1'b0"),
                    ("taken_q", "1'b0"),
                    ("bytes_q", "8'd0"),
                ),
            ),
            Clocked(
                (
                    Step("value_q", f"{{value_q[{many - 9}:0], data_i}}", "valid_i & ~begins")
                    if many > 8
                    else Step("value_q", "data_i", "valid_i & ~begins"),
                    Step("answer_q", f"{{answer_q[{answer - 9}:0], 8'd0}}", "~idle & ready_i"),
                    Step("answer_q", word, "gives"),
                    Step("answer_q", _left("op_q", 8, answer), "acks"),
                    Step(
                        "answer_q",
                        f"no_command ? {_left('8' + chr(39) + 'h3f', 8, answer)} : op_q == "
                        f"{Command.READ.code} ? "
                        f"{_left('listed', 64, answer)} : {word}",
                        "here",
                    ),
                )
            ),
        ),
    )


def _left(word: str, bits: int, width: int) -> str:
    """A word of `bits` at the top of `width` bits."""
    return f"{{{word}, {width - bits}'d0}}" if width > bits else word


def _bytes(widths: Widths) -> str:
    """Bytes that are still to be sent. A block's request is not answered: its result is the answer."""
    size = widths.word // 8
    here = f"no_command ? 8'd1 : op_q == {Command.READ.code} ? 8'd{READ_BYTES} : 8'd{size}"
    ack = f"op_q == {Command.BLOCK.code} ? 8'd0 : 8'd1"
    sent = "bytes_q - {7'd0, ~idle & ready_i}"
    return f"here ? ({here}) : acks ? ({ack}) : gives ? 8'd{size} : {sent}"
