"""A self-checking testbench of a core of GCM: packets whose results the reference model computed.

The messages are those of the test cases in McGrew and Viega, The Galois/Counter Mode of Operation (GCM),
appendix B: those with IVs of 96 bits, and of a core that takes them the others, too. For AES the results are
the published ones (`tests/shell/test_gcm.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from textwrap import indent

from ...cipher.gcm import gcm
from ...rtl import Bench, Component
from ...spec import Datapath, Spec
from ..message_testbench import control_is_known, key_offered
from ..release import TOO_LONG, Release
from ..short_words import keep_of, word_text
from .ports import ANY_IV, GCM_PORTS, IV_BITS, IV_WORD, KEY_SLOT
from .timing import KEEP

__all__ = ["KnownPacket", "Times", "known_packets", "testbench"]

_SHORT = 32
"""Words of a packet of the testbench and of those before it, at most."""

_KEY = bytes.fromhex("feffe9928665731c6d6a8f9467308308")
_IV = bytes.fromhex("cafebabefacedbaddecaf888")
_SHORT_IV = _IV[:8]
_LONG_IV = bytes.fromhex(
    "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728c3c0c95156809539fcf0e2429a6b5254"
    "16aedbf5a0de6a57a637b39b"
)
_AAD = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
_TEXT = bytes.fromhex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
)


@dataclass(frozen=True)
class Times:
    """Cycles from accepting a word to its result, and from accepting a packet's last word to its tag: the
    fewest and the most.
    """

    word: tuple[int, int]
    tag: tuple[int, int]

    @classmethod
    def exact(cls, word: int, tag: int) -> Times:
        """Always as many: `word` and `tag` cycles."""
        return cls((word, word), (tag, tag))

    def behind(self, release: Release, interval: int) -> Times:
        """Those at the port of a core with the buffer `release`, where packets are as short as the
        testbench's. interval: cycles from one word to the next.
        """
        if not release.waits:
            return self
        fewest, most = (cycles + release.tag_latency for cycles in self.tag)
        latest = most + release.settle + (interval + 1) * _SHORT
        return Times((self.word[0] + release.latency, latest), (fewest, most))


@dataclass(frozen=True)
class KnownPacket:
    """A packet and what becomes of it. key, iv, aad: its own; text: what is taken; result: what leaves; `tag`
    is the whole tag, which a packet for decryption brings; decrypt: the direction; good: that tag is the
    right one.
    """

    key: bytes
    iv: bytes
    aad: bytes
    text: bytes
    result: bytes
    tag: bytes
    decrypt: bool = False
    good: bool = False

    def words(self, iv_bits: int = IV_BITS, size: int = KEEP) -> list[KnownWord]:
        """Its words of at most `size` bytes, first those of an IV that has not the `iv_bits` of the port.
        Without additional data and data there is an empty word.
        """
        iv = self.iv if 8 * len(self.iv) != iv_bits else b""
        found = [KnownWord(self, iv[k : k + size], iv=True) for k in range(0, len(iv), size)]
        body = [KnownWord(self, self.aad[k : k + size], aad=True) for k in range(0, len(self.aad), size)]
        spans = range(0, len(self.text), size)
        body += [KnownWord(self, self.text[k : k + size], self.result[k : k + size]) for k in spans]
        for part in (found, body):
            part[-1:] = [replace(w, last=True) for w in part[-1:]]
        return found + (body or [KnownWord(self, b"", last=True)])


@dataclass(frozen=True)
class KnownWord:
    """A word that is taken: its packet, its bytes (`data`), those of its `result`, whether it is additional
    data (`aad`) or of an IV (`iv`), and whether the packet or the IV ends with it (`last`).
    """

    packet: KnownPacket
    data: bytes
    result: bytes = b""
    aad: bool = False
    iv: bool = False
    last: bool = False


def known_packets(spec: Spec) -> list[KnownPacket]:
    """Packets under two keys for a core of `spec`: the published ones encrypted, and decrypted with the right
    tag; the last again with a wrong tag.
    """
    assert isinstance(spec, Datapath)
    size, cipher = spec.key_bits // 8, spec.described
    zero, other = bytes(size), (_KEY * 3)[:size]
    messages = (
        (zero, bytes(12), b"", b""),
        (zero, bytes(12), b"", bytes(16)),
        (other, _IV, b"", _TEXT),
        (other, _IV, _AAD, _TEXT[:60]),
        *((other, iv, _AAD, _TEXT[:60]) for iv in (_SHORT_IV, _LONG_IV) if spec.iv_bits == ANY_IV),
    )
    found = list[KnownPacket]()
    for key, iv, aad, text in messages:

        def crypt(word: int, key: bytes = key) -> int:
            return int.from_bytes(cipher.encrypt_block(key, word.to_bytes(16, "big")), "big")

        made = gcm(crypt, iv, aad, text)
        found.append(KnownPacket(key, iv, aad, text, made.data, made.tag))
        found.append(KnownPacket(key, iv, aad, made.data, text, made.tag, True, True))
    wrong = bytes([found[-1].tag[0] ^ 1, *found[-1].tag[1:]])
    last = found[-1]
    return [*found, KnownPacket(last.key, last.iv, last.aad, last.text, last.result, wrong, True, False)]


_AFTER = 64
"""Cycles behind the last verdict in which words that were refused must not leave."""


@dataclass(frozen=True)
class _Takes:
    """What a core takes with a word: IVs of any length, bits of its port for an IV, bits of the port for the
    length of the data (0: it takes no lengths), the slot of its key, and bytes of a word. waits: words of a
    decrypted packet leave after its verdict; announced: every packet's key is.
    """

    any_iv: bool
    iv_bits: int
    length_bits: int
    slots: bool
    waits: bool
    bytes: int
    announced: bool = False

    @classmethod
    def of(cls, component: Component) -> _Takes:
        """By the ports."""
        widths = {pin.name: pin.width for pin in component.pins}
        lengths = widths.get("data_bytes_i", 0)
        slots, waits = KEY_SLOT.name in widths, TOO_LONG.name in widths
        iv = widths[GCM_PORTS.iv]
        return cls(IV_WORD.name in widths, iv, lengths, slots, waits, widths["keep_i"])

    def shows(self, word: KnownWord) -> bool:
        """Whether a word's result leaves."""
        refused = word.packet.decrypt and not word.packet.good
        return bool(word.result) and not (self.waits and refused)

    @property
    def with_word(self) -> str:
        """What sets the ports that not every core has, to those of the word that is sent next."""
        if self.length_bits:
            return " aad_bytes = aad_sizes[sent]; data_bytes = data_sizes[sent];"
        if self.slots:
            return " key_slot = load_slot;"
        return " iv_word = kinds[sent][4];" if self.any_iv else ""

    @property
    def with_key(self) -> str:
        """What offers a key until it is taken: of two slots, each into the other one."""
        if self.announced:
            return _ANNOUNCED
        turn = "            if (kinds[sent][3]) load_slot = ~load_slot;\n"
        return (turn if self.slots else "") + key_offered(3)


_ANNOUNCED = """\
            if (kinds[sent][3]) begin
                key = keys[sent]; key_valid = 1;
                #1 while (!key_ready) begin @(negedge clk); #1; end
                @(negedge clk); key_valid = 0; key = 0; kinds[sent][3] = 0;
            end"""
"""What announces a packet's key: it is taken in the cycle in which it can be."""


def testbench(
    component: Component,
    spec: Spec,
    times: Times,
    tag_bits: int = 128,
    packets: Sequence[KnownPacket] = (),
    announced: bool = False,
) -> Bench:
    """The testbench of the core `component` of `spec`. It prints PASS or the first mismatch. Words are
    offered as soon as they are taken; results and tags must come in order, each after a promised number of
    cycles (`times`), and after a reset no control output may be unknown. tag_bits: of the tag that are shown;
    packets: other ones than GCM's published; announced: every packet's key is.
    """
    packets = packets or known_packets(spec)
    takes = replace(_Takes.of(component), announced=announced)
    words = [w for p in packets for w in p.words(takes.iv_bits, takes.bytes)]
    results = [w for w in words if takes.shows(w)]
    pins = {pin.name: pin.name[:-2] for pin in component.pins if pin.name.endswith(("_i", "_o"))}
    finish = _FINISH.format(results=len(results))
    signals = pins | {"clk": "clk", "rst_i": "rst", "valid_o": "valid_out", "block_o": "block_out"}
    signals |= {"keep_o": "keep_out", "last_o": "last_out", "tag_o": "tag_out"}
    ready = GCM_PORTS.ready_out[:-2]
    shown = f"keep[{takes.bytes - 1}] && !aad{' && !iv_word' * takes.any_iv}"
    return Bench(
        component.name,
        f"Testbench of {component.name}: {len(packets)} packets with known answers of the reference "
        "model. Prints "
        f"PASS or what went wrong.",
        component.pins,
        signals,
        {},
        _variables(spec.key_bits, len(words), len(results), len(packets), takes),
        "\n".join(
            (
                *_tables(packets, words, results, spec.key_bits, tag_bits, takes),
                _RUN.format(
                    known=control_is_known("valid_out", "tag_valid", ready, "key_ready", "busy"),
                    key=takes.with_key,
                    words=len(words),
                    results=len(results),
                    packets=len(packets),
                    cycles=40 * (times.tag[1] + 400) + 8 * len(words),
                    rest=2 * times.tag[1] + takes.waits * _AFTER,
                    late=_outside("cycle + 1 - started[done]", *times.word),
                    tag_late=_outside("cycle + 1 - finished[told]", *times.tag),
                    ready=ready,
                    iv_word=takes.with_word,
                    no_iv=" && !iv_word" if takes.any_iv else "",
                    shows="shows[sent]" if takes.waits else shown,
                    long=" || too_long" if takes.waits else "",
                    finish=f"over <= cycle + {_AFTER};" if takes.waits else indent(finish, 12 * " ").lstrip(),
                    over=f"\n{8 * ' '}if (over != 0 && cycle == over) {indent(finish, 8 * ' ').lstrip()}"
                    if takes.waits
                    else "",
                ),
            )
        ),
    )


def _outside(cycles: str, fewest: int, most: int) -> str:
    """The condition that a number of cycles is not a promised one."""
    return f"{cycles} != {most}" if fewest == most else f"{cycles} < {fewest} || {cycles} > {most}"


def _variables(key_bits: int, words: int, results: int, packets: int, takes: _Takes) -> tuple[str, ...]:
    """Tables of words that are offered, of results and of tags, and what counts them."""
    any_iv, length, size = takes.any_iv, takes.length_bits, takes.bytes
    wide = f"[{8 * size - 1}:0]"
    tables = (
        [f"reg [127:0] blocks[0:{words - 1}], tags[0:{words - 1}];"]
        if size == KEEP
        else [f"reg {wide} blocks[0:{words - 1}];", f"reg [127:0] tags[0:{words - 1}];"]
    )
    shown = f"results[0:{results - 1}]"
    if size > KEEP:
        tables += [f"reg {wide} {shown};"]
    beside = f"{shown}, " if size == KEEP else ""
    sizes = (f"reg [31:0] aad_sizes[0:{words - 1}];", f"reg [{length - 1}:0] data_sizes[0:{words - 1}];")
    return (
        f"reg [{key_bits - 1}:0] keys[0:{words - 1}];",
        *tables,
        f"reg [{takes.iv_bits - 1}:0] ivs[0:{words - 1}];",
        *(sizes if length else ()),
        f"reg [{size - 1}:0] keeps[0:{words - 1}];",
        f"reg [{3 + any_iv}:0] kinds[0:{words - 1}]; // {'of an IV, ' * any_iv}the first word under a "
        "key, last, "
        "additional data, decryption",
        f"reg [127:0] {beside}tag_results[0:{packets - 1}];",
        f"reg [{size}:0] kept[0:{results - 1}]; // last, bytes",
        f"reg goods[0:{packets - 1}];",
        *([f"reg shows[0:{words - 1}];", "integer over = 0;"] if takes.waits else []),
        "integer cycle = 0, sent = 0, begun = 0, ended = 0, done = 0, told = 0;",
        f"integer started[0:{results - 1}], finished[0:{packets - 1}];",
    )


def _tables(
    packets: Sequence[KnownPacket],
    words: Sequence[KnownWord],
    results: Sequence[KnownWord],
    key_bits: int,
    tag_bits: int,
    takes: _Takes,
) -> Iterable[str]:
    """The contents of the tables."""
    yield "    initial begin"
    before, any_iv, bits, size = b"", takes.any_iv, takes.iv_bits, takes.bytes
    packet: KnownPacket | None = None
    for n, w in enumerate(words):
        p = w.packet
        keyed = p is not packet if takes.announced else p.key != before
        kind = w.iv << 4 | keyed << 3 | w.last << 2 | w.aad << 1 | p.decrypt
        before, packet = p.key, p
        iv = p.iv if 8 * len(p.iv) == bits else bytes(bits // 8)
        yield f"        keys[{n}] = {key_bits}'h{p.key.hex()}; kinds[{n}] = {4 + any_iv}'d{kind};"
        yield f"        blocks[{n}] = {word_text(w.data, size)}; {_kept(n, w, size)}"
        yield f"        ivs[{n}] = {bits}'h{iv.hex()}; tags[{n}] = {word_text(p.tag)};"
        if length := takes.length_bits:
            sizes = f"aad_sizes[{n}] = 32'd{len(p.aad)}; data_sizes[{n}] = {length}'d{len(p.text)};"
            yield f"        {sizes}"
        if takes.waits:
            yield f"        shows[{n}] = 1'b{int(takes.shows(w))};"
    for n, w in enumerate(results):
        kept = w.last << size | keep_of(len(w.data), size)
        yield f"        results[{n}] = {word_text(w.result, size)}; kept[{n}] = {size + 1}'h{kept:x};"
    shown = ((1 << tag_bits) - 1) << (128 - tag_bits)
    for n, p in enumerate(packets):
        tag = 0 if p.decrypt else int.from_bytes(p.tag, "big") & shown
        yield f"        tag_results[{n}] = 128'h{tag:x}; goods[{n}] = 1'b{int(p.good)};"
    yield "    end"


_FINISH = """\
begin
    if (done == {results}) $display("PASS"); else $display("FAIL: %0d words came out", done);
    $finish;
end"""


def _kept(n: int, word: KnownWord, size: int) -> str:
    """The bytes of word n that are there, in its table."""
    return f"keeps[{n}] = {size}'h{keep_of(len(word.data), size):x};"


_RUN = """\
{known}
    initial begin
        @(negedge clk);
        rst = 0;
        while (sent < {words} && cycle < {cycles}) begin
{key}
            valid = 1; block = blocks[sent]; keep = keeps[sent]; iv = ivs[sent]; tag = tags[sent];
            last = kinds[sent][2]; aad = kinds[sent][1]; decrypt = kinds[sent][0];{iv_word}
            #1 if ({ready}) begin
                if ({shows}) begin started[begun] = cycle; begun = begun + 1; end
                if (last{no_iv}) begin finished[ended] = cycle; ended = ended + 1; end
                sent = sent + 1;
            end
            @(negedge clk);
            valid = 0;
        end
        repeat ({rest}) @(negedge clk);
        $display("FAIL: %0d of {packets} tags came out", told);
        `FAILED;
    end
    always @(negedge clk) begin
        cycle <= cycle + 1;{over}
        if (valid_out && !rst) begin
            if (done == {results} || block_out !== results[done] || {{last_out, keep_out}} !== kept[done]) \
begin
                $display("FAIL: word %0d is %h", done, block_out);
                `FAILED;
            end
            if ({late}) begin
                $display("FAIL: word %0d took %0d cycles", done, cycle + 1 - started[done]);
                `FAILED;
            end
            done <= done + 1;
        end
        if (tag_valid && !rst) begin
            if (tag_out !== tag_results[told] || good !== goods[told]{long}) begin
                $display("FAIL: tag %0d is %h, verdict %b", told, tag_out, good);
                `FAILED;
            end
            if ({tag_late}) begin
                $display("FAIL: tag %0d took %0d cycles", told, cycle + 1 - finished[told]);
                `FAILED;
            end
            if (told == {packets} - 1) {finish}
            told <= told + 1;
        end
    end
"""
