"""A self-checking testbench of a core of HCTR2: packets whose results the reference model computed.

The first packet of AES-128 is the first of those in Linux (crypto/testmgr.h, aes_hctr2_tv_template), so its
result is a published one (`tests/cipher/test_hctr2.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...cipher.hctr2 import hctr2
from ...rtl import Bench, Component
from ...spec import Spec
from ..message_testbench import control_is_known, key_offered
from ..short_words import keep_of, word_text
from .ports import WIDE_PORTS
from .timing import WideTiming

__all__ = ["KnownWide", "known_wide_packets", "testbench", "wide_words"]

_KEY = bytes.fromhex("e115663c8dc63affef41d747a2cc8aba")
_TWEAK = bytes.fromhex("c3be2acbb53986f191ad6cf4de7445635c7ad5cc8b76ef0ecf2c606937fd0796")
_TEXT = bytes.fromhex("6575aed3e2bc435cb31ad805c3d05629")


@dataclass(frozen=True)
class KnownWide:
    """A packet and what becomes of it. key, tweak: its own; text: what is taken; result: what leaves, empty
    where the packet is refused; decrypt: the direction.
    """

    key: bytes
    tweak: bytes
    text: bytes
    result: bytes
    decrypt: bool = False


def wide_words(tweak: bytes, text: bytes, size: int) -> list[tuple[bytes, bool]]:
    """The words of a packet of a `tweak` and a `text`, of at most `size` bytes, in order: each with whether
    it is of the tweak.

    >>> wide_words(b"abc", b"de", 2)
    [(b'ab', True), (b'c', True), (b'de', False)]
    """
    found = [(tweak[k : k + size], True) for k in range(0, len(tweak), size)]
    return found + [(text[k : k + size], False) for k in range(0, len(text), size)]


def known_wide_packets(spec: Spec) -> list[KnownWide]:
    """Packets under two keys for a core of `spec`: a text of a block, one of two, and one that ends within a
    block, each encrypted and decrypted; the last packet has a text shorter than a block.
    """
    key_size, block, cipher = spec.key_bits // 8, spec.block_bits // 8, spec.described
    found = list[KnownWide]()
    body = (_TEXT * 8)[: 3 * block + 5]
    for key in ((_KEY * 3)[:key_size], bytes(range(key_size))):

        def crypt(word: int, decrypt: bool, key: bytes = key) -> int:
            done = cipher.encrypt_block(key, word.to_bytes(block, "little"), decrypt)
            return int.from_bytes(done, "little")

        for tweak, text in (
            (_TWEAK, body[:block]),
            (b"", body[: 2 * block]),
            (_TWEAK[:5], body),
        ):
            made = hctr2(crypt, spec.block_bits, tweak, text)
            found.append(KnownWide(key, tweak, text, made))
            found.append(KnownWide(key, tweak, made, text, True))
    return [*found, KnownWide(found[-1].key, _TWEAK, body[: block - 1], b"")]


def testbench(component: Component, spec: Spec, timing: WideTiming) -> Bench:
    """The testbench of the core `component` of `spec`, with its cycles `timing`. It prints PASS or the first
    mismatch. Words are offered as soon as they are taken; a result is taken in two of three cycles. Results
    must come in order, the first of a packet after exactly the promised cycles, and after a reset no control
    output may be unknown.
    """
    known, size = known_wide_packets(spec), spec.block_bits // 8
    words = [(p, *w) for p in known for w in wide_words(p.tweak, p.text, size)]
    results = [(p, w) for p in known for w, _ in wide_words(b"", p.result, size) or [(b"", False)]]
    pins = {pin.name: pin.name[:-2] for pin in component.pins if pin.name.endswith(("_i", "_o"))}
    signals = pins | {"clk": "clk", "rst_i": "rst", "valid_o": "valid_out", "block_o": "block_out"}
    signals |= {"keep_o": "keep_out", "last_o": "last_out", "ready_i": "take"}
    ready = WIDE_PORTS.ready_out[:-2]
    most = max(timing.latency(2, len(p.text) // size + 1) + 2 * len(p.text) for p in known)
    return Bench(
        component.name,
        f"Testbench of {component.name}: {len(known)} packets with known answers of the reference model. "
        "Prints PASS or what went wrong.",
        component.pins,
        signals,
        {},
        (
            f"reg [{spec.key_bits - 1}:0] keys[0:{len(words) - 1}];",
            f"reg [{8 * size - 1}:0] blocks[0:{len(words) - 1}], results[0:{len(results) - 1}];",
            f"reg [{size - 1}:0] keeps[0:{len(words) - 1}];",
            f"reg [3:0] kinds[0:{len(words) - 1}]; // decryption, the first word under a key, last, tweak",
            f"reg [{size + 1}:0] kept[0:{len(results) - 1}]; // refused, last, bytes",
            f"integer latencies[0:{len(known) - 1}], finished[0:{len(known) - 1}];",
            "integer cycle = 0, sent = 0, ended = 0, done = 0, begun = 0, told = 0;",
        ),
        "\n".join(
            (
                *_tables(known, words, results, spec, timing),
                _RUN.format(
                    known=control_is_known("valid_out", ready, "key_ready", "busy"),
                    key=key_offered(2),
                    words=len(words),
                    results=len(results),
                    cycles=len(known) * (most + 400) + 4000,
                    rest=2 * most,
                    ready=ready,
                ),
            )
        ),
    )


def _tables(
    known: Sequence[KnownWide],
    words: Sequence[tuple[KnownWide, bytes, bool]],
    results: Sequence[tuple[KnownWide, bytes]],
    spec: Spec,
    timing: WideTiming,
) -> Iterable[str]:
    """The contents of the tables."""
    size, key, packet = spec.block_bits // 8, b"", None
    yield "    initial begin"
    for n, (p, data, tweak) in enumerate(words):
        last = n + 1 == len(words) or words[n + 1][0] is not p
        kind = p.decrypt << 3 | (p.key != key) << 2 | last << 1 | tweak
        key = p.key
        yield f"        keys[{n}] = {spec.key_bits}'h{p.key.hex()}; kinds[{n}] = 4'd{kind};"
        keep = f"{size}'h{keep_of(len(data), size):x}"
        yield f"        blocks[{n}] = {word_text(data, size)}; keeps[{n}] = {keep};"
    for n, (p, data) in enumerate(results):
        last = n + 1 == len(results) or results[n + 1][0] is not p
        shown = (not p.result) << size + 1 | last << size | keep_of(len(data), size)
        yield f"        results[{n}] = {word_text(data, size)}; kept[{n}] = {size + 2}'h{shown:x};"
    for n, packet in enumerate(known):
        tweaks = -(-len(packet.tweak) // size)
        right = timing.latency(tweaks, -(-len(packet.text) // size)) if packet.result else timing.refused
        yield f"        latencies[{n}] = {right};"
    yield "    end"


_RUN = """\
{known}
    initial begin
        take = 0;
        @(negedge clk);
        rst = 0;
        while (sent < {words} && cycle < {cycles}) begin
{key}
            valid = 1; block = blocks[sent]; keep = keeps[sent];
            decrypt = kinds[sent][3]; last = kinds[sent][1]; aad = kinds[sent][0];
            #1 if ({ready}) begin
                if (last) begin finished[ended] = cycle; ended = ended + 1; end
                sent = sent + 1;
            end
            @(negedge clk);
            valid = 0;
        end
        repeat ({rest}) @(negedge clk);
        $display("FAIL: %0d of {results} words came out", done);
        `FAILED;
    end
    always @(negedge clk) begin
        cycle <= cycle + 1;
        take <= cycle % 3 != 0;
        if (valid_out && begun == told && !rst) begin
            if (cycle + 1 - finished[told] != latencies[told]) begin
                $display("FAIL: packet %0d took %0d cycles", told, cycle + 1 - finished[told]);
                `FAILED;
            end
            begun <= begun + 1;
        end
    end
    always @(posedge clk) if (valid_out && take && !rst) begin
        if (block_out !== results[done] || {{error, last_out, keep_out}} !== kept[done]) begin
            $display("FAIL: word %0d is %h", done, block_out);
            `FAILED;
        end
        if (last_out) told <= told + 1;
        if (done == {results} - 1) begin
            $display("PASS");
            $finish;
        end
        done <= done + 1;
    end
"""
