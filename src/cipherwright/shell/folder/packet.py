"""What README.md says of a core that takes whole packets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...cipher.ccm import LARGEST_AAD, largest_data
from ..ccm import CcmTiming
from ..core import Core
from ..short_words import WORD_BYTES, keep_text, word_text
from .example import Worked

__all__ = [
    "channel_sentences",
    "first_result",
    "key_limits",
    "packet_sentences",
    "packet_table",
    "packet_timing",
]


def packet_sentences(core: Core) -> Iterator[str]:
    """The protocol of packets at the ports of `core`."""
    p = core.ports
    assert core.packet is not None
    n, tag_bits = core.packet["ports"], core.packet["tag_bits"]
    yield "A packet is a message: words of additional data first, then words of data."
    yield from channel_sentences(core)
    if core.lanes > 1:
        yield f"A word has {core.lanes} blocks, the first one in the most significant bits."
    yield f"A word is taken in a cycle in which `{p.valid_in}` and `{p.ready_out}` are both 1."
    yield f"Never wait for `{p.ready_out}` before `{p.valid_in}` is 1; keep the word until it is taken."
    pause = (
        "from a packet's last word to its tag"
        if _in_loop(core)
        else "in the cycle after a packet's last word"
    )
    yield f"`{p.ready_out}` is 0 {pause}, and it depends on registers only."
    yield f"`{n['keep_in']}` has ones for the bytes that are there, from the left."
    yield (
        "Only the last word of the additional data and the last word of the data may have fewer than "
        f"{_word_bytes(core)}."
    )
    yield (
        f"A packet without additional data and data is one word with `{n['keep_in']}` = 0 and "
        f"`{n['last_in']}` = 1, and no other word is empty."
    )
    yield (
        f"`{p.iv}` is read with the first word, `{n['tag_in']}` with the last; `{p.decrypt}` stays "
        "for all words."
    )
    yield from _iv_sentences(core)
    yield from _length_sentences(core)
    yield ""
    yield f"Words of the result leave in their order, each in the one cycle in which `{p.valid_out}` is 1."
    yield "Nothing holds them back. Bytes that are not there are 0. Additional data have no result."
    yield from _passing_sentences(core)
    yield f"For every packet `{n['tag_valid']}` is 1 in one cycle, in the order of the packets."
    yield (
        f"Then `{n['tag_out']}` is the tag of a packet that was encrypted (its first {tag_bits} bits, "
        "then zeros)."
    )
    yield (
        f"Of a packet that was decrypted it is 0, and `{n['good']}` tells whether the tag is the "
        "expected one."
    )
    yield "The comparison takes the same time whatever the tags are."
    yield from _release_sentences(core)
    yield ""
    yield (
        "The core does not check what comes. What leaves for a packet that breaks a rule means nothing; "
        "packets behind it are right."
    )
    yield ""
    what = "A nonce" if "aad_bytes" in n else "An IV"
    yield f"{what} is used for one packet under a key. The core can't see that one is used again."
    yield from key_limits(core.packet)


def key_limits(packet: Mapping[str, Any]) -> Iterator[str]:
    """What may be done under a key, of a core of `packet` in its record."""
    if "nonce_bytes" in packet:
        yield (
            "A key is used for at most 2^61 blocks of the cipher (SP 800-38C, section 5.1); the core does "
            "not count."
        )
        return
    yield (
        "A packet has at most 2^32 - 2 blocks of data (SP 800-38D, section 5.2.1.1). Section 8 has the "
        "limits on what may be done under a key; the core does not count."
    )


def channel_sentences(core: Core) -> Iterator[str]:
    """What there is several times, where `core` has channels."""
    if core.channels:
        count = core.channel_count
        yield (
            f"The core has {count} channels, each with packets of its own and ports like these. What is said "
            "here of channel 0 holds for all: their ports begin with "
            f"{', '.join(f'`ch{k}_`' for k in range(count))}."
        )


def _passing_sentences(core: Core) -> Iterator[str]:
    """What the ports of a pipeline of `core` show where nothing leaves."""
    assert core.packet is not None
    p, n = core.ports, core.packet["ports"]
    if _in_loop(core) or core.packet.get("release") is not None or p.ready_in:
        return
    yield (
        f"While `{p.valid_out}` is 0, `{p.block_out}` shows what passes through, which at a packet's end is "
        f"the secret E(K, J0) that its tag is masked with; so does `{n['tag_out']}` while `{n['tag_valid']}` "
        "is 0. **Where somebody could read these ports who must not see that, AND them with their valid "
        "bits.**"
    )


def _release_sentences(core: Core) -> Iterator[str]:
    """When words of a decrypted packet leave."""
    assert core.packet is not None
    n, release = core.packet["ports"], core.packet.get("release")
    if release is None:
        yield (
            f"**Data of a decrypted packet leave before the verdict: do not use them before `{n['good']}`.**"
        )
        return
    words, most = release["words"], release["longest_packet_words"]
    yield (
        f"**Data of a decrypted packet leave after the verdict, and only where `{n['good']}` was 1.** They "
        f"wait in a buffer of {words} words of 16 bytes."
    )
    yield "Of a packet whose tag is wrong nothing leaves, and no port shows anything of it."
    yield (
        f"A packet that is decrypted has at most {most} words of data ({16 * most} bytes). Of a longer one "
        f"nothing leaves, `{n['good']}` is 0 whatever the tag is, and `{n['too_long']}` is 1 with it."
    )
    yield (
        "Data of a packet that is encrypted do not wait for the tag; packets of any length leave. Words of "
        "all packets leave in their order, at most one in a cycle."
    )
    yield (
        f"`{core.ports.reset}` makes the buffer empty; what was in it cannot be read any more, and stays in "
        f"the memory until it is overwritten. `{core.ports.zeroise}` overwrites all of it with zeros."
    )
    yield (
        "A new key can be taken while words of packets whose verdict was good still leave: "
        f"`{core.ports.busy}` is 1 until the last one has left."
    )


def _word_bytes(core: Core) -> int:
    """Bytes of a word."""
    return WORD_BYTES * core.lanes


def _in_loop(core: Core) -> bool:
    """Whether no word is taken between a packet's last one and its tag."""
    return core.packet is not None and "least_tag_latency_cycles" in core.packet


def packet_timing(core: Core) -> Iterator[str]:
    """Latencies and the rate of `core`."""
    assert core.packet is not None
    tag = core.packet["tag_latency_cycles"]
    if not _in_loop(core):
        first = "A result of a packet that is encrypted" if "release" in core.packet else "A result"
        yield f"{first} is offered {core.latency} cycles after its word is taken."
        yield f"The tag is there {tag} cycles after the packet's last word is taken."
        each = " in each channel" if core.channels else ""
        yield (
            "A word can be taken every cycle, but for one cycle after a packet's last word: "
            f"{8 * _word_bytes(core)} bits a cycle{each}."
        )
        yield "A packet of n words takes n + 1 cycles. Nothing else is lost between packets."
        return
    bits, each = core.bits_per_cycle / core.channel_count, " in each channel" if core.channels else ""
    rate = f"every {core.interval} cycles: {bits:.4g} bits a cycle{each}"
    if "longest_latency_cycles" in core.packet:
        longest, aad = core.packet["longest_latency_cycles"], _ccm_timing(core).aad_interval
        yield f"A result leaves {first_result(core)} to {longest} cycles after its word is taken."
        yield f"Where its word is a packet's first, it leaves {core.latency} cycles after it."
        yield f"A word of data can be taken {rate}. Words of additional data can be taken every {aad} cycles."
    else:
        yield (
            f"A result leaves {core.latency} cycles after its word is taken, or a few more: the word waits "
            "for the loop."
        )
        yield f"On average a word can be taken {rate}."
        yield "A packet's second word may be taken right behind the first."
    least = core.packet["least_tag_latency_cycles"]
    yield f"The tag is there {least} to {tag} cycles after the packet's last word is taken."
    yield "The next packet's first word can be taken in the cycle after it, at the latest."


def first_result(core: Core) -> int:
    """Cycles from a word, or its beat, to its result in the CCM of `core`, at least: its key stream is made
    before it comes.
    """
    return core.latency - _ccm_timing(core).latency + 1


def _ccm_timing(core: Core) -> CcmTiming:
    assert core.inner is not None
    return CcmTiming(core.inner["latency_cycles"], core.inner["slots"])


def _length_sentences(core: Core) -> Iterator[str]:
    """What is to be done with lengths, where the core takes them."""
    assert core.packet is not None
    n = core.packet["ports"]
    if "aad_bytes" not in n:
        return
    most = largest_data(core.packet["nonce_bytes"])
    yield ""
    yield (
        f"CCM has the lengths in its first block, so `{n['aad_bytes']}` and `{n['data_bytes']}` are read "
        "with the first word."
    )
    yield (
        f"They are the bytes of the packet's additional data, at most {LARGEST_AAD}, and of its data, at "
        f"most {most}."
    )
    yield "**They must be those of the words that come: the core does not count.**"
    yield (
        "The core puts the length in front of the additional data and fills blocks up with zeros; words "
        "come as they are."
    )


def _iv_sentences(core: Core) -> Iterator[str]:
    """What is to be done with an IV of another length than 96 bits, where the core takes any."""
    assert core.packet is not None
    n = core.packet["ports"]
    if "iv_word" not in n:
        return
    word, last = n["iv_word"], n["last_in"]
    yield ""
    yield (
        f"An IV of 96 bits is at `{core.ports.iv}`, with `{word}` = 0 in all words. Give no such IV in words."
    )
    yield (
        f"An IV of another length comes before its packet, in words with `{word}` = 1. Its last word "
        f"has `{last}` = 1."
    )
    yield (
        f"Only the last word may have fewer than 16 bytes, and `{n['keep_in']}` has ones for those "
        "that are there."
    )
    yield (
        "The packet's first word follows. It can be taken when the core has made J0 of the IV (SP "
        "800-38D, section 7.1)."
    )
    yield f"That is at most {core.packet['initial_block_cycles']} cycles after the IV's last word."


def packet_table(core: Core, worked: Worked) -> Iterator[str]:
    """The words of the worked packet `worked` at the ports of `core`: a table."""
    p = core.ports
    assert core.packet is not None
    n = core.packet["ports"]
    head = (p.block_in, n["keep_in"], n["aad"], n["last_in"])
    yield f"The packet of the section Bytes, encrypted (`{p.decrypt}` = 0), with its IV at `{p.iv}`:"
    yield ""
    yield f"| word | {' | '.join(f'`{name}`' for name in head)} | `{p.block_out}`, `{n['keep_out']}` |"
    yield "|--:|---|---|--:|--:|---|"
    size = _word_bytes(core)
    words = [(worked.aad, k, True) for k in range(0, len(worked.aad), size)]
    words += [(worked.block, k, False) for k in range(0, len(worked.block), size)]
    for number, (text, k, aad) in enumerate(words, 1):
        part = text[k : k + size]
        result = "" if aad else word_text(worked.result[k : k + size], size)
        kept = "" if aad else f", `{keep_text(part, size)}`"
        yield (
            f"| {number} | `{word_text(part, size)}` | `{keep_text(part, size)}` | {int(aad)} | "
            f"{int(number == len(words))} "
            f"| {f'`{result}`' if result else ''}{kept} |"
        )
    yield ""
    yield (
        f"Then `{n['tag_out']}` is `{word_text(worked.tag)}`. Bytes that are not there may have any "
        "value at the input."
    )
