"""What `cipherwright verify` proves of a core, in sentences (docs/guide/verification.md has the
arguments).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...spec import Spec
from ..built_engine import BuiltEngine
from ..core import Core

__all__ = ["proven", "simulated"]


def proven(spec: Spec, core: Core | BuiltEngine) -> list[str]:
    """Sentences on what is proven of `core`, which was built by `spec`."""
    return list(core.notes.proven) if isinstance(core, BuiltEngine) else list(_of_core(spec, core))


def simulated(spec: Spec, core: Core | BuiltEngine) -> list[str]:
    """Sentences on what of `core`, which was built by `spec`, is compared with an independent implementation,
    and not proven.
    """
    return [] if isinstance(core, BuiltEngine) else list(_simulated(spec, core))


def _simulated(spec: Spec, core: Core) -> Iterator[str]:
    if spec.key_expansion == "unit" and spec.described.key_unit == "store":
        yield "That the steps of the key expansion in their order are the expansion."
    multiplier = core.packet.get("multiplier", {}) if core.packet else {}
    if "digit" in multiplier:
        yield "The mode, its multiplier included, against an independent library."
    elif multiplier:
        yield "Counters, and that a tag meets its packet, against an independent library."
    if core.channels and core.bus:
        yield "Each channel while registers of the others are accessed and words come to them at random."
    elif core.channels:
        yield "All channels at once, each against the core of a channel alone."
    if core.packet and "release" in core.packet:
        yield "A buffer of more than 16 words, with right and wrong tags about its depth."
    if core.unit or core.wide:
        what = "Units, tweaks and stealing" if core.unit else "Whole packets, and the cycles of every word"
        yield f"{what}, against an independent library."


def _of_core(spec: Spec, core: Core) -> Iterator[str]:
    if spec.architecture == "pipelined":
        yield "Every path from an input to an output has the same number of registers, so blocks never meet."
        yield "The logic between is equal to the cipher's description, for every key and every block."
    else:
        yield (
            "A block that is taken in any reachable state of the control comes out right "
            f"{_after(core)}, for every "
            "key, and whatever came before."
        )
    if spec.key_expansion == "unit" and spec.described.key_unit == "loop":
        yield (
            "The key-expansion unit makes the round keys of every key, and keeps them until the next "
            "key or reset."
        )
    if spec.key_expansion == "unit" and spec.described.key_unit == "store":
        yield "Every step of the key expansion is right."
    if core.in_registers:
        yield (
            "In every state of the commands that can be reached, a command is carried out in its order "
            "or told as "
            "rejected, and no block goes in while a result waits."
            if not core.stream
            else "In every state of the commands that can be reached, a word is started and taken once or "
            "told as rejected, and a result is taken only when the one before has been read."
        )
    yield from _of_mode(core)
    yield from _of_texts(core)
    if core.zeroise_cycles:
        yield (
            "After zeroising, no register and no memory depends on what was there before: that is "
            "checked with "
            "unknown values, with the request in 64 different cycles."
        )
    if core.ports.reset:
        yield "One cycle of reset leaves every register that a control output depends on in a known state."


def _of_mode(core: Core) -> Iterator[str]:
    """Sentences on a mode of whole packets or units."""
    if core.channels and core.bus:
        yield (
            "An access goes to the channel in whose window its address is and to no other, once, and what is "
            "read is that channel's: for all times. The generator's tests prove it with three."
        )
    elif core.channels and not core.keys_announced:
        yield (
            "A key goes to the channels that it is for and to no other, to each once, and is taken in the "
            "cycle after the last of them took it: for all times. The generator's tests prove it with three."
        )
    if core.packet and "release" in core.packet:
        yield (
            "No word of a decrypted packet leaves the buffer before a good verdict, and after it each leaves "
            "once and in its order, for all times; that is proven of a buffer of 16 words."
        )
    if core.packet and "aad_bytes" in core.packet["ports"]:
        yield (
            "Every block that goes into the loop is what SP 800-38C says: the chain of a packet has its own "
            "first block, additional data and plaintext, a number of the key stream is used once, and S_0 "
            "for the tag alone. Nothing of one packet gets into another: for all times, with any loop."
        )
    elif core.packet and "digit" in core.packet["multiplier"]:
        yield (
            "Every block, product, result and tag of GCM around the loop is of its own packet and no other: "
            "counter blocks, the hash by Horner's rule, lengths, verdict, for all times, with any loop; that "
            "is proven with fewer digits and places than here."
        )
    elif core.packet:
        yield "GHASH's multiplier multiplies in GCM's field, for all factors, in a fixed number of cycles."
        yield (
            "GHASH's control gives every word the power of its place in its packet, for all times; "
            "the multiplier is free in that."
        )


def _of_texts(core: Core) -> Iterator[str]:
    """Sentences on a mode of tags or of texts that keep their length."""
    if core.wide:
        yield (
            "The hash's multiplier multiplies in its field, for all words and keys, in a fixed number of "
            "cycles."
        )
        yield (
            "Every block that goes into the loop, every word that is hashed and every word that leaves is "
            "what HCTR2 says, of its own packet and no other, in its order and once: for all times, with any "
            "loop that takes a fixed number of cycles; that is proven with narrower words and fewer of them "
            "than here."
        )
    if core.mac:
        yield (
            "Every message's chain starts from zero, its last block alone has a subkey, K1 where it is "
            "whole and K2 where "
            "it is not, and nothing of one message gets into another: for all times, with any loop."
        )


def _after(core: Core) -> str:
    inner = core.inner["latency_cycles"] if core.inner else core.latency
    return f"{inner} cycles later (inside the shell)" if inner != core.latency else f"{inner} cycles later"
