"""What README.md says of a core that makes tags of messages."""

from __future__ import annotations

from collections.abc import Iterator

from ...cipher.cmac import mac_words
from ..core import Core
from ..short_words import keep_text, word_text
from .example import Worked

__all__ = ["broken_messages", "mac_sentences", "mac_table", "mac_timing"]


def mac_sentences(core: Core) -> Iterator[str]:
    """The protocol of messages at the ports of `core`."""
    p = core.ports
    assert core.mac is not None
    n, shown, bits = core.mac["ports"], core.mac["tag_bits"], core.parameters["block_bits"]
    yield f"A message is a run of words of {bits // 8} bytes, the last of which may be shorter."
    yield f"A word is taken in a cycle in which `{p.valid_in}` and `{p.ready_out}` are both 1."
    yield f"Never wait for `{p.ready_out}` before `{p.valid_in}` is 1; keep the word until it is taken."
    yield f"`{p.ready_out}` is 0 in the cycle after a word is taken, and it depends on registers only."
    yield (
        f"`{n['keep_in']}` has ones for the bytes that are there, from the left. The core pads a "
        "short last word."
    )
    yield f"`{n['last_in']}` is 1 with the last word. Every word before it is whole."
    yield (
        f"An empty message is one word with `{n['keep_in']}` = 0 and `{n['last_in']}` = 1, and no other word "
        "is empty."
    )
    yield ""
    yield (
        f"For every message `{p.valid_out}` is 1 in one cycle, in the order of the messages. Nothing "
        "holds it back."
    )
    yield f"Then `{p.block_out}` is the tag{_first_bits(shown, bits)}. In all other cycles it is 0."
    yield "The first word of the next message can be taken before the tag leaves."
    yield f"`{p.busy}` does not tell that a message has begun: only words and tags on their way count."
    yield ""
    yield (
        "The core makes the subkeys K1 and K2 of SP 800-38B from each key. No word is taken before "
        "they are there."
    )
    yield "A key that is offered within a message is taken after the message's tag."
    yield "SP 800-38B, appendix B has the limit on messages under a key; the core does not count."
    yield ""
    yield from broken_messages()


def broken_messages() -> Iterator[str]:
    """What comes of messages that break rules, at ports or behind AXI-Stream."""
    yield (
        "The core does not check these rules. The tag of a message that breaks one means nothing; those of "
        "messages behind it are right."
    )


def _first_bits(shown: int, bits: int) -> str:
    return "" if shown == bits else f": its first {shown} bits, then zeros"


def mac_table(core: Core, worked: Worked) -> Iterator[str]:
    """The words of the worked message `worked` at the ports of `core`: a table."""
    p, bits = core.ports, core.parameters["block_bits"]
    assert core.mac is not None
    n, size = core.mac["ports"], bits // 8
    words = mac_words(worked.block, bits)
    yield "The message of the section Bytes:"
    yield ""
    yield f"| word | `{p.block_in}` | `{n['keep_in']}` | `{n['last_in']}` |"
    yield "|--:|---|---|--:|"
    for number, word in enumerate(words, 1):
        shown, keep = word_text(word, size), keep_text(word, size)
        yield f"| {number} | `{shown}` | `{keep}` | {int(number == len(words))} |"
    yield ""
    yield (
        f"Then `{p.block_out}` is `{word_text(worked.tag, size)}`. Bytes that are not there may have "
        "any value at the input."
    )


def mac_timing(core: Core) -> Iterator[str]:
    """Latencies and the rate of `core`."""
    assert core.mac is not None
    longest, key = core.mac["longest_latency_cycles"], core.mac["subkey_cycles"]
    yield (
        f"The tag is there {core.latency} cycles after the message's last word is taken, where no "
        "other word is on its way."
    )
    yield f"Where the word before has just begun, it is there {longest} cycles after it."
    yield (
        f"A word can be taken every {core.interval} cycles: {core.bits_per_cycle:.4g} bits a cycle, "
        "also from message to message."
    )
    yield f"Of the cycles after a key, {key} are for the subkeys."
