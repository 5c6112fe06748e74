"""Two resident keys on a board: a command says into which slot a key goes, and under which a packet or unit
goes.

In the self-check packets go under both keys by turns, a batch each, so batches come in pairs, and there are
two expected signatures and tags. Data units of a batch go under either key, as a bit of their number says,
which is random.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...rtl import Clocked, Drive, Pin, Reg, Step, WrapperItem
from .commands import Command

__all__ = ["Expected", "slot_of_unit", "slot_pins", "slots"]


def slot_pins() -> list[Pin]:
    """The slot of a key that is loaded, and that of a packet or unit."""
    return [Pin("core_load_slot_o", out=True), Pin("core_key_slot_o", out=True)]


def slot_of_unit(number: bytes) -> int:
    """The slot of the key of the data unit `number` in the self-check: the lowest bit of its last byte.

    >>> slot_of_unit(bytes(15) + b"\\x03")
    1
    """
    return number[-1] & 1


def slots(units: bool, pulses: Mapping[Command, str]) -> list[WrapperItem]:
    """The slot that was given, and that of the packet or unit (`units`) that is offered; of packets also
    `out_slot_q` and `tag_slot_q`, those of the results and of the tag that come next. pulses: what is 1 when
    a command is carried out.
    """
    items: list[WrapperItem] = [
        Reg(("slot_q",), note="The slot of keys and words that are given one by one."),
        Drive("core_load_slot_o", "slot_q"),
        Clocked((Step("slot_q", "value_i[0]", pulses[Command.SLOT]),), (("slot_q", "1'b0"),)),
    ]
    if units:
        return [*items, Drive("core_key_slot_o", "single_q ? slot_q : unit_q[0]")]
    turn = "single_q ? slot_q : ~restart_q & (word_slot_q ^ last_q)"
    return [
        *items,
        Reg(("word_slot_q", "out_slot_q", "tag_slot_q"), note="Of the word on offer, of results, of tags."),
        Drive("core_key_slot_o", "word_slot_q"),
        Clocked(
            (
                Step("word_slot_q", turn, "restart_q | advance"),
                Step("out_slot_q", "~restart_q & (out_slot_q ^ ended_q)"),
                Step("tag_slot_q", "~restart_q & (tag_slot_q ^ tag_ended_q)"),
            )
        ),
    ]


@dataclass(frozen=True)
class Expected:
    """What software expects of a batch: a register NAME_q (`name`) of `bits` bits, and with two resident keys
    (`paired`) NAME_other_q for packets under the key of slot 1.
    """

    name: str
    bits: int
    paired: bool

    @property
    def registers(self) -> tuple[str, ...]:
        """Names of the registers, that of slot 0 first."""
        return (f"{self.name}_q", f"{self.name}_other_q") if self.paired else (f"{self.name}_q",)

    def steps(self, given: str) -> tuple[Step, ...]:
        """Each register takes the value when its slot was given before. given: 1 in the cycle of the
        command.
        """
        value = f"value_i[{self.bits - 1}:0]"
        when = [f"{given} & ~slot_q", f"{given} & slot_q"] if self.paired else [given]
        return tuple(Step(q, value, w) for q, w in zip(self.registers, when, strict=True))

    def of(self, slot: str) -> str:
        """The value of the slot that the expression `slot` names."""
        first, *other = self.registers
        return f"({slot} ? {other[0]} : {first})" if other else first
