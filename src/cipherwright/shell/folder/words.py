"""What README.md says of a core of packets, data units or messages whose words are registers: the protocol, a
worked message as accesses, and a function in C over the header.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...cipher.cmac import mac_words
from ..buses import Register
from ..core import Core
from ..short_words import words_of
from .accesses import Access, access_table, core_registers, field_bit
from .example import Worked
from .text import filled
from .unit import units_ahead

__all__ = ["begun_by", "word_accesses", "word_program", "word_sentences", "word_table", "word_timing"]


def word_sentences(core: Core) -> Iterator[str]:
    """How messages go over the registers of `core`."""
    registers, size = core_registers(core), core.parameters["block_bits"] // 8
    yield f"A message is a run of words of {size} bytes. Write the bytes of a word to DATA_IN."
    yield (
        "Then write 1 to START in CONTROL, in the same write with what the word is: BYTES, how many of its "
        "bytes count, and LAST, whether it ends its message."
    )
    yield from (_packets if core.packet else _units if core.unit else _messages)(core, registers)
    yield ""
    yield (
        "READY in STATUS is 1 when START will be carried out; a word that is started waits until the core "
        "takes it (DATA_PENDING). Then DATA_IN is cleared, and the next word can be written."
    )
    yield (
        "Bytes behind those that count need not be written. The others must be: START of a part of a word is "
        "ignored."
    )
    ways = field_bit(registers, "RESULT", "DATA_DECRYPTED")
    if "DATA_OUT" in registers:
        yield ""
        yield (
            "RESULT in STATUS is 1 when DATA_OUT has a word of a result. The register RESULT says how many "
            "of its bytes count (DATA_BYTES; the others are 0), whether it is the last one (DATA_LAST)"
            f"{' and which way its message went (DATA_DECRYPTED)' if ways else ''}."
        )
    yield from _tag_sentences(core, registers)
    yield (
        "What is read stays until all of its words have been read, in any order; a word can be read again "
        "until then. Then it is cleared, and the next one comes."
    )
    yield (
        "Nothing is overwritten: where results are not read, words that are started wait. Read what is there "
        "while READY is 0."
    )
    yield ""
    yield (
        "A command that cannot be carried out, and a write to words that wait to be taken, are ignored and "
        "set REJECTED in INTERRUPT_STATUS."
    )
    yield (
        "LOAD_KEY is ignored while a word"
        f"{' or a number' if core.unit else ''} waits, so a key is for what comes behind it. One that is "
        "loaded within a message is taken after its end."
    )
    yield "Several commands in one write act in the order key, what belongs to the message, word."


def _tag_sentences(core: Core, registers: Mapping[str, Register]) -> Iterator[str]:
    if "TAG_OUT" not in registers:
        return
    if core.packet is None:
        yield ""
        yield "TAG in STATUS is 1 when TAG_OUT has the tag of a message; before that it reads as 0."
        return
    yield (
        "TAG in STATUS is 1 when the tag or the verdict of a packet is there. Read the register RESULT "
        "first: DECRYPTED, GOOD (its tag is the expected one) and TEXT (it has words at DATA_OUT). Then read "
        "TAG_OUT: the tag of a packet that was encrypted, 0 of one that was decrypted. Both read as 0 before."
    )
    release = core.packet.get("release")
    if release is None:
        yield "**Words of a decrypted packet are there before its verdict: do not use them before it.**"
        return
    most = release["longest_packet_words"]
    yield (
        "**Words of a decrypted packet come after its verdict, and only where its tag was the expected "
        f"one.** It has at most {most} words of data; a longer one is refused, and TOO_LONG is 1."
    )


def _packets(core: Core, registers: Mapping[str, Register]) -> Iterator[str]:
    assert core.packet is not None
    nonce = "nonce" if "AAD_BYTES" in registers else "IV"
    yield (
        "DECRYPT is the direction, in all words of a packet. AAD says that a word is additional data: these "
        "come first."
    )
    yield (
        "Only the last word of the additional data and the last word of the data may be short. A packet "
        "without both is one word with BYTES = 0 and LAST = 1."
    )
    yield f"Before its first word write its {nonce} to IV, and then 1 to LOAD_IV. It is for one packet."
    if "AAD_BYTES" in registers:
        yield (
            "Before that, write how many bytes of additional data it has to AAD_BYTES, and of data to "
            "DATA_BYTES, also where there are none. **The core does not count: they must be right.**"
        )
    yield (
        "For a packet that is decrypted, write the expected tag to TAG before LOAD_IV; bytes that are not "
        "written are 0. The first word takes both."
    )
    if field_bit(registers, "CONTROL", "IV_WORD"):
        yield (
            "An IV that has not 96 bits comes in words before its packet, with IV_WORD = 1; LAST ends it. "
            "Then IV stays as it is. Write TAG before its first word."
        )
    what = "A nonce" if nonce == "nonce" else "An IV"
    yield f"{what} is used for one packet under a key. The core can't see that one is used again."


def _units(core: Core, registers: Mapping[str, Register]) -> Iterator[str]:
    assert core.unit is not None
    if field_bit(registers, "CONTROL", "DECRYPT"):
        yield "DECRYPT is the direction, in all words of a unit."
    yield "A unit has a whole word at least; its last word may be short, from BYTES = 1 on."
    yield (
        "Write its number to UNIT, and then 1 to LOAD_UNIT; the core takes it when it can (UNIT_PENDING), up "
        f"to {units_ahead(core.unit)}. A word waits for the number of its unit."
    )
    yield (
        "Words of the result come in the order of the bytes. Where bytes are stolen the last whole word "
        "comes after the short one was started."
    )
    if core.parameters["distinct_halves"]:
        yield "Under a key whose halves are equal UNIT_PENDING stays 1, and no word is taken."
    else:
        yield "The core does not compare K1 and K2. They must differ (option `distinct_halves`)."


def _messages(core: Core, registers: Mapping[str, Register]) -> Iterator[str]:
    yield "Every word but the last is whole; an empty message is one word with BYTES = 0 and LAST = 1."


def _worked_words(core: Core, worked: Worked) -> list[tuple[bytes, str]]:
    """Words of the worked message, and the field of CONTROL that goes with each."""
    if core.packet:
        return [(w, "AAD") for w in words_of(worked.aad)] + [(w, "") for w in words_of(worked.block)]
    if core.unit:
        return [(w, "") for w in words_of(worked.block)]
    return [(w, "") for w in mac_words(worked.block, core.parameters["block_bits"])]


class _Accesses:
    """The accesses of a core's registers."""

    def __init__(self, core: Core) -> None:
        self.registers = core_registers(core)

    def words(self, name: str, data: bytes, write: bool, meaning: str) -> Iterator[Access]:
        """Words of a value."""
        start = self.registers[name].address
        for at in range(0, len(data), 4):
            part = data[at : at + 4]
            last = at + len(part) - 1
            word = int.from_bytes(part, "little")
            yield Access(write, name, start + at, word, f"{meaning}, bytes {at} to {last}")

    def number(self, name: str, value: int, meaning: str) -> Access:
        """A register that is written."""
        return Access(True, name, self.registers[name].address, value, meaning)

    def command(self, fields: list[str], size: int = 0) -> Access:
        """Bits of CONTROL, with BYTES."""
        there = [f for f in fields if field_bit(self.registers, "CONTROL", f)]
        word = sum(field_bit(self.registers, "CONTROL", f) for f in there)
        word |= size * field_bit(self.registers, "CONTROL", "BYTES")
        said = [*there, *([f"BYTES = {size}"] if "START" in there else [])]
        return self.number("CONTROL", word, ", ".join(said))

    def until(self, field: str) -> Access:
        """STATUS until a bit is 1."""
        bit = field_bit(self.registers, "STATUS", field)
        return Access(False, "STATUS", self.registers["STATUS"].address, bit, f"until {field} is 1")

    def told(self, word: int, meaning: str) -> Access:
        """RESULT."""
        return Access(False, "RESULT", self.registers["RESULT"].address, word, meaning)


def word_accesses(core: Core, worked: Worked) -> tuple[Access, ...]:
    """The worked message `worked` over the registers of `core`, in order."""
    a = _Accesses(core)
    return (*_before(a, worked), *_sent(a, core, worked), *_left(a, core, worked))


def begun_by(core: Core, worked: Worked) -> tuple[Access, ...]:
    """The accesses that come before the beats of the worked message `worked`, to the registers of `core`,
    which stand beside AXI-Stream.
    """
    return tuple(_before(_Accesses(core), worked))


def _before(a: _Accesses, worked: Worked) -> Iterator[Access]:
    """The key, and what belongs to the message as a whole."""
    yield from a.words("KEY", worked.key, True, "the key")
    lengths = "AAD_BYTES" in a.registers
    if lengths:
        yield a.number("AAD_BYTES", len(worked.aad), "bytes of the additional data")
        yield a.number("DATA_BYTES", len(worked.block), "bytes of the data")
    for name, what in (("IV", "the nonce" if lengths else "the IV"), ("UNIT", "its number")):
        if name in a.registers:
            yield from a.words(name, worked.iv, True, what)
    yield a.command(["LOAD_KEY", "LOAD_IV", "LOAD_UNIT"])


def _sent(a: _Accesses, core: Core, worked: Worked) -> Iterator[Access]:
    """The words, each started."""
    words = _worked_words(core, worked)
    for number, (word, kind) in enumerate(words, 1):
        yield a.until("READY")
        yield from a.words("DATA_IN", word, True, f"word {number}")
        yield a.command(["START", kind, *["LAST"] * (number == len(words))], len(word))


def _left(a: _Accesses, core: Core, worked: Worked) -> Iterator[Access]:
    """What they become."""
    results = words_of(worked.result) if "DATA_OUT" in a.registers else []
    for number, word in enumerate(results, 1):
        last_bit = field_bit(a.registers, "RESULT", "DATA_LAST") * (number == len(results))
        more = f"{len(word)} bytes{', the last ones' * bool(last_bit)}"
        yield a.until("RESULT")
        if not core.packet:  # of a packet a verdict may be beside it
            yield a.told(len(word) | last_bit, more)
        whole = word.ljust(core.parameters["block_bits"] // 8, b"\0")
        yield from a.words("DATA_OUT", whole, False, f"word {number} of the result, {more}")
    if "TAG_OUT" in a.registers:
        yield a.until("TAG")
        if core.packet:
            yield a.told(field_bit(a.registers, "RESULT", "TEXT"), "encrypted, with data")
        yield from a.words("TAG_OUT", worked.tag, False, "the tag")


def word_table(core: Core, worked: Worked) -> Iterator[str]:
    """The accesses of the worked message `worked` to the registers of `core`, and a function in C."""
    what = core.takes
    way = "" if core.mac else ", encrypted"
    yield f"The {what} of the section Bytes{way}. Bytes that are not there may have any value."
    yield ""
    yield from access_table(word_accesses(core, worked))
    yield ""
    yield f"The same for any {what} in C, over `{core.top}_registers.h`; the key is loaded before:"
    yield ""
    yield "```c"
    yield from word_program(core).splitlines()
    yield "```"


def word_program(core: Core) -> str:
    """A function in C that sends a message to `core` and reads what it becomes."""
    registers = core_registers(core)
    return filled(
        "words.c.j2",
        top=core.top,
        p=f"{core.top.upper()}_REGISTERS",
        kind=core.takes,
        size=core.parameters["block_bits"] // 8,
        data="DATA_OUT" in registers,
        ways=bool(field_bit(registers, "CONTROL", "DECRYPT")),
        lengths="AAD_BYTES" in registers,
        nonce_bytes=int(core.parameters["nonce_bytes"]) if "AAD_BYTES" in registers else 12,
        tag_bytes=_tag_bytes(core),
        several=_tag_bytes(core) > 4,
    )


def _tag_bytes(core: Core) -> int:
    p: Mapping[str, Any] = core.parameters
    return int(min(p["tag_bits"], p["block_bits"])) // 8


def word_timing(core: Core) -> Iterator[str]:
    """Latencies of `core`, and the rate of software."""
    what = "tag" if core.mac else "word of a result"
    taken = "its message's last word" if core.mac else "its word"
    stolen = ", where no bytes are stolen" if core.unit else ""
    yield (
        f"While nothing else is in flight, a {what} is in its register {core.latency} cycles after {taken} "
        f"is taken{stolen}."
    )
    rest = "" if core.mac else " and reads a word of the result"
    yield (
        f"Software that never polls can have a word every {core.interval} cycles, where it writes a word"
        f"{rest}: {core.bits_per_cycle:.4g} bits a cycle."
    )
