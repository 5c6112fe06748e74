"""A self-checking testbench of a core of CMAC: messages whose tags the reference model computed.

The messages are the first 0, 16, 20, 40 and 64 bytes of the one of NIST SP 800-38B, appendix D, which are
empty, of whole blocks, and with a partial last block. For AES-128 under the first key the tags are those of
the standard's examples and of RFC 4493, section 4 (`tests/cipher/test_cmac.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...cipher.cmac import cmac, mac_words
from ...rtl import Bench, Component
from ...spec import Spec
from ..message_testbench import control_is_known, key_offered
from ..short_words import keep_of, word_text
from .modules import CmacTiming
from .ports import MAC_PORTS

__all__ = ["KnownMessage", "known_messages", "testbench"]

_KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
_TEXT = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
_LENGTHS = (0, 16, 20, 40, 64)


@dataclass(frozen=True)
class KnownMessage:
    """A message under a key, and its whole tag."""

    key: bytes
    message: bytes
    tag: bytes


def known_messages(spec: Spec) -> list[KnownMessage]:
    """Messages under two keys, one after another, with their tags by the reference of the cipher of
    `spec`.
    """
    size, cipher, found = spec.key_bits // 8, spec.described, list[KnownMessage]()
    block = spec.block_bits // 8
    for key in ((_KEY * 3)[:size], bytes(range(size))):

        def crypt(word: int, key: bytes = key) -> int:
            return int.from_bytes(cipher.encrypt_block(key, word.to_bytes(block, "big")), "big")

        texts = [_TEXT[:n] for n in _LENGTHS]
        found += [KnownMessage(key, text, cmac(crypt, spec.block_bits, text)) for text in texts]
    return found


def testbench(component: Component, spec: Spec, timing: CmacTiming, tag_bits: int) -> Bench:
    """The testbench of the core `component` of `spec`, with its cycles `timing` and the `tag_bits` that are
    shown. It prints PASS or the first mismatch. Words are offered as soon as they are taken; tags must come
    in order, each after at most the promised number of cycles, and after a reset no control output may be
    unknown.
    """
    known, size = known_messages(spec), spec.block_bits
    words = [(m, k, w) for m in known for k, w in enumerate(mac_words(m.message, size))]
    pins = {pin.name: pin.name[:-2] for pin in component.pins if pin.name.endswith(("_i", "_o"))}
    signals = pins | {"clk": "clk", "rst_i": "rst"}
    ready = MAC_PORTS.ready_out[:-2]
    return Bench(
        component.name,
        f"Testbench of {component.name}: {len(known)} messages with known tags of the reference model. "
        "Prints PASS or "
        "what went wrong.",
        component.pins,
        signals,
        {},
        (
            f"reg [{spec.key_bits - 1}:0] keys[0:{len(words) - 1}];",
            f"reg [{size - 1}:0] blocks[0:{len(words) - 1}], tags[0:{len(known) - 1}];",
            f"reg [{size // 8 - 1}:0] keeps[0:{len(words) - 1}];",
            f"reg [1:0] kinds[0:{len(words) - 1}]; // the first word under a key, last",
            "integer cycle = 0, sent = 0, ended = 0, told = 0;",
            f"integer finished[0:{len(known) - 1}];",
        ),
        "\n".join(
            (
                *_tables(known, words, spec, tag_bits),
                _RUN.format(
                    known=control_is_known("tag_valid", ready, "key_ready", "busy"),
                    key=key_offered(1),
                    words=len(words),
                    messages=len(known),
                    cycles=(len(words) + 8) * (2 * timing.interval + 4) + 4000,
                    rest=2 * timing.longest,
                    latency=timing.latency,
                    longest=timing.longest,
                    ready=ready,
                ),
            )
        ),
    )


def _tables(
    known: Sequence[KnownMessage], words: Sequence[tuple[KnownMessage, int, bytes]], spec: Spec, tag_bits: int
) -> Iterable[str]:
    """The contents of the tables."""
    size = spec.block_bits // 8
    yield "    initial begin"
    before = b""
    for n, (m, k, data) in enumerate(words):
        last = k == len(mac_words(m.message, spec.block_bits)) - 1
        kind, before = (m.key != before) << 1 | last, m.key
        yield f"        keys[{n}] = {spec.key_bits}'h{m.key.hex()}; kinds[{n}] = 2'd{kind};"
        yield (
            f"        blocks[{n}] = {word_text(data, size)}; keeps[{n}] = "
            f"{size}'h{keep_of(len(data), size):x};"
        )
    shown = ((1 << tag_bits) - 1) << (spec.block_bits - tag_bits)
    for n, m in enumerate(known):
        tag = int.from_bytes(m.tag, "big") & shown
        yield f"        tags[{n}] = {spec.block_bits}'h{tag:x};"
    yield "    end"


_RUN = """\
{known}
    initial begin
        @(negedge clk);
        rst = 0;
        while (sent < {words} && cycle < {cycles}) begin
{key}
            valid = 1; block = blocks[sent]; keep = keeps[sent]; last = kinds[sent][0];
            #1 if ({ready}) begin
                if (last) begin finished[ended] = cycle; ended = ended + 1; end
                sent = sent + 1;
            end
            @(negedge clk);
            valid = 0;
        end
        repeat ({rest}) @(negedge clk);
        $display("FAIL: %0d of {messages} tags came out", told);
        `FAILED;
    end
    always @(negedge clk) begin
        cycle <= cycle + 1;
        if (tag_valid && !rst) begin
            if (tag !== tags[told]) begin
                $display("FAIL: tag %0d is %h", told, tag);
                `FAILED;
            end
            if (cycle + 1 - finished[told] < {latency} || cycle + 1 - finished[told] > {longest}) begin
                $display("FAIL: tag %0d took %0d cycles", told, cycle + 1 - finished[told]);
                `FAILED;
            end
            if (told == {messages} - 1) begin
                $display("PASS");
                $finish;
            end
            told <= told + 1;
        end
    end
"""
