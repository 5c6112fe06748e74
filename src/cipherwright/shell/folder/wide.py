"""What README.md says of a core whose results are as long as their texts."""

from __future__ import annotations

from collections.abc import Iterator

from ...cipher.hctr2 import POLYNOMIALS
from ..core import Core
from ..hctr2 import WideTiming, wide_words
from ..short_words import keep_text, word_text
from .example import Worked

__all__ = ["wide_bytes", "wide_refused", "wide_sentences", "wide_table", "wide_timing", "wide_warning"]

_EXPERIMENTAL = (
    "**Experimental.** No standard has this mode with blocks of {bits} bits, and nobody has published "
    "vectors. Its hash is POLYVAL's construction over GF(2^{bits}) with {polynomial}, the polynomial of "
    "OMAC; a product is that of the field times x^-{bits}. The core is checked against the generator's own "
    "model, and the model against a second formulation of the same. Data in it may not be readable by any "
    "other implementation."
)
"""What a user of such a core must know first."""


def wide_sentences(core: Core) -> Iterator[str]:
    """The protocol of packets at the ports of `core`."""
    p, bits = core.ports, core.parameters["block_bits"]
    assert core.wide is not None
    n, most = core.wide["ports"], wide_bytes(core)
    yield from wide_warning(core)
    yield (
        f"A packet is a run of words of {bits // 8} bytes: those of the tweak, with `{n['aad']}` = 1, and "
        f"then those of the text, with `{n['aad']}` = 0. The last word of each may be shorter. There need be "
        "no tweak."
    )
    yield f"A word is taken in a cycle in which `{p.valid_in}` and `{p.ready_out}` are both 1."
    yield f"Never wait for `{p.ready_out}` before `{p.valid_in}` is 1; keep the word until it is taken."
    yield f"`{n['keep_in']}` has ones for the bytes that are there, from the left."
    yield f"`{n['last_in']}` is 1 with the last word. `{p.decrypt}` is read with the first one."
    yield (
        f"A text has {bits // 8} to {most} bytes, a tweak 0 to {most}. The text waits in a memory, since the "
        "first byte of the result depends on the last one of the text."
    )
    yield ""
    yield (
        f"The result has as many bytes as the text. A word of it leaves in a cycle in which `{p.valid_out}` "
        f"and `{p.ready_in}` are both 1, and stays until then."
    )
    yield f"Without `{p.valid_out}` all ports of the result are 0. `{n['last_out']}` is 1 with the last word."
    yield "The first word of the next packet can be taken in the cycle after the last word has left."
    yield ""
    yield wide_refused("word")
    yield (
        f"It is taken to its end. Then one word leaves with `{n['error']}` = 1 and `{n['last_out']}` = 1 and "
        "without a byte. The packet behind it is right."
    )


def wide_warning(core: Core) -> Iterator[str]:
    """What a user of an experimental `core` must know first, and an empty line; nothing of another."""
    bits = core.parameters["block_bits"]
    if core.experimental:
        terms = [f"x^{k}" if k else "1" for k in (bits, *POLYNOMIALS[bits])]
        yield _EXPERIMENTAL.format(bits=bits, polynomial=" + ".join(terms))
        yield ""


def wide_bytes(core: Core) -> int:
    """Bytes of the longest text of `core`, and of the longest tweak."""
    assert core.wide is not None
    return int(core.wide["message_bytes"])


def wide_refused(part: str) -> str:
    """Which packets are refused; `part`: what one comes in, a word or a beat."""
    return (
        "A packet is refused where its text is shorter than a block, where its text or its tweak is too "
        f"long, where a {part} that is not the last of its kind is not whole, where a {part} has no byte, "
        f"and where a {part} of the tweak follows the text."
    )


def wide_table(core: Core, worked: Worked) -> Iterator[str]:
    """The words of the worked packet `worked` at the ports of `core`: a table."""
    p, size = core.ports, core.parameters["block_bits"] // 8
    assert core.wide is not None
    n = core.wide["ports"]
    words = wide_words(worked.aad, worked.block, size)
    yield f"The packet of the section Bytes, with `{p.decrypt}` = 0:"
    yield ""
    yield f"| word | `{p.block_in}` | `{n['keep_in']}` | `{n['aad']}` | `{n['last_in']}` |"
    yield "|--:|---|---|--:|--:|"
    for number, (word, aad) in enumerate(words, 1):
        last = int(number == len(words))
        yield f"| {number} | `{word_text(word, size)}` | `{keep_text(word, size)}` | {int(aad)} | {last} |"
    yield ""
    yield "Its result:"
    yield ""
    yield f"| word | `{p.block_out}` | `{n['keep_out']}` | `{n['last_out']}` |"
    yield "|--:|---|---|--:|"
    parts = [part for part, _ in wide_words(b"", worked.result, size)]
    for number, part in enumerate(parts, 1):
        last = int(number == len(parts))
        yield f"| {number} | `{word_text(part, size)}` | `{keep_text(part, size)}` | {last} |"
    yield ""
    yield "Bytes that are not there may have any value at the input."


def wide_timing(core: Core) -> Iterator[str]:
    """Latencies and the rate of `core`."""
    assert core.wide is not None and core.inner is not None
    bits, cipher, digit = (
        core.parameters["block_bits"],
        core.inner["latency_cycles"],
        core.wide["multiplier"]["digit"],
    )
    t = WideTiming(bits, cipher, core.inner["slots"], digit)
    yield "Words of a packet are taken one a cycle."
    yield (
        "With t words of a tweak and m of a text the first word of the result is there H + M + S cycles "
        "after the last word was taken:"
    )
    yield f"H = {t.product} (t + m) + 2, in which the text is hashed;"
    yield (
        f"M = {t.cipher + 2} or {t.product} (t + 1) + 2, whichever is more: the block in the middle, and the "
        "hash of the tweak beside it;"
    )
    yield (
        f"S = {t.cipher + t.product + 4} + {t.interval} (m - 2) for the key stream and the second hash, or 3 "
        "where m is 1."
    )
    yield f"The other words follow without a pause as they are taken. So {t.latency(0, 1)} is the least."
    most = core.wide["message_bytes"] // (bits // 8)
    yield (
        f"The longest text, of {most} words, under a tweak of one has {t.latency(1, most)} cycles. A long "
        f"text takes {t.word} cycles a word in all: {core.bits_per_cycle:.4g} bits a cycle."
    )
    yield f"A packet that is refused is answered {t.refused} cycles after its last word."
    setup = core.wide["setup_cycles"]
    yield f"Of the cycles after a key, {setup} are for the key of the hash and the mask L."
