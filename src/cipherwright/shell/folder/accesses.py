"""A core's registers as software uses them: one worked block as writes and reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..buses import Register, read_map, registers_of
from ..core import Core
from .example import Worked

__all__ = ["Access", "access_table", "core_registers", "field_bit", "register_sentences", "worked_accesses"]


@dataclass(frozen=True)
class Access:
    """A write of `word` to the byte address `address`, of the register `register`, or a read there that gives
    it; of STATUS, until all bits of it are 1. `meaning`: a phrase for the documents.
    """

    write: bool
    register: str
    address: int
    word: int
    meaning: str


def core_registers(core: Core) -> dict[str, Register]:
    """The registers of `core` by name; empty where it has no register bus."""
    source = core.files.get(f"{core.top}.rdl")
    return {r.name: r for r in registers_of(read_map(source))} if source else {}


def field_bit(registers: Mapping[str, Register], register: str, field: str) -> int:
    """The lowest bit of the field `field` of the register `register`, as a number with that bit set; 0 where
    the map `registers`, by name, has none.
    """
    found = registers[register].fields if register in registers else ()
    return next((1 << f.low for f in found if f.name == field), 0)


def worked_accesses(core: Core, worked: Worked) -> tuple[Access, ...]:
    """The worked block `worked` over the registers of `core`, in order."""
    registers = core_registers(core)

    def words(name: str, data: bytes, write: bool, meaning: str) -> Iterator[Access]:
        start = registers[name].address
        for at in range(0, len(data), 4):
            word = int.from_bytes(data[at : at + 4], "little")
            yield Access(write, name, start + at, word, f"{meaning}, bytes {at} to {at + 3}")

    def command(*fields: str) -> Access:
        there = [f for f in fields if field_bit(registers, "CONTROL", f)]
        word = sum(field_bit(registers, "CONTROL", f) for f in there)
        return Access(True, "CONTROL", registers["CONTROL"].address, word, " and ".join(there))

    way = ("DECRYPT",) if worked.decrypt else ()
    there = field_bit(registers, "STATUS", "RESULT")
    return (
        *words("KEY", worked.key, True, "the key"),
        *(words("IV", worked.iv, True, "the initial value") if worked.iv else ()),
        command("LOAD_KEY", "LOAD_IV"),
        *words("DATA_IN", worked.block, True, "the block"),
        command("START", *way),
        Access(False, "STATUS", registers["STATUS"].address, there, "until RESULT is 1"),
        *words("DATA_OUT", worked.result, False, "the result"),
    )


def access_table(accesses: Sequence[Access]) -> Iterator[str]:
    """Lines of a table of `accesses`, in Markdown."""
    yield "| access | address | register | word | |"
    yield "|---|---|---|---|---|"
    for a in accesses:
        kind = "write" if a.write else "read"
        yield f"| {kind} | `0x{a.address:02x}` | {a.register} | `0x{a.word:08x}` | {a.meaning} |"


def register_sentences(core: Core) -> Iterator[str]:
    """How blocks and results go over the registers of `core`."""
    chained = field_bit(core_registers(core), "CONTROL", "LOAD_IV") != 0
    yield "Write every byte of DATA_IN, then 1 to START in CONTROL."
    if field_bit(core_registers(core), "CONTROL", "DECRYPT"):
        yield "DECRYPT in the same write is the block's direction."
    if chained:
        yield (
            "Write IV and then 1 to LOAD_IV before the first block of each message. Blocks after it "
            "continue the message."
        )
        yield "A new key ends the message."
    yield "RESULT in STATUS is 1 when DATA_OUT has the result. Words can be read in any order, and again."
    yield "When all have been read, DATA_OUT is cleared and RESULT is 0."
    yield ""
    yield (
        "DATA_IN is free again once the block is taken (DATA_PENDING is 0), so the next one can be "
        "written meanwhile."
    )
    yield (
        "A block that is started waits while another is inside and until the result before it has been read."
    )
    yield "A result that has not been read is never overwritten."
    yield ""
    yield (
        "A command that cannot be carried out, and a write to words that wait to be taken, are "
        "ignored and set REJECTED in"
    )
    yield "INTERRUPT_STATUS. READY in STATUS tells that START will be carried out once DATA_IN is written."
    yield (
        "ZEROISE clears KEY, IV, DATA_IN and DATA_OUT, the word that was read last, and the core; "
        "REJECTED stays."
    )
