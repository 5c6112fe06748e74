"""Galois/Counter Mode around a pipeline of any cipher with blocks of 128 bits (NIST SP 800-38D), for IVs of
96 bits.

A slot is a cycle. Every word of a packet takes one slot, and the packet's end one more, in which the cipher
makes E(K, J0) while GHASH takes the block of lengths. A slot goes through the cipher as a counter block; the
word itself and what it means go beside it through delays of the same length. Behind the cipher, byte masks
choose what is hashed (the word, its sum with the key stream, or nothing) and what leaves. In the packet's
last slot the word is the expected tag in decryption, and zero in encryption. So the same sum with E(K, J0) and
with GHASH is the tag of a packet that was encrypted, and zero for one whose tag is right.

After a key was expanded, slots of the same pipeline give H = E(K, 0) to the GHASH unit (ghash.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..arch import FieldMultiplier, field_multiplier
from ..errors import UserError
from ..graph import Graph, GraphBuilder
from ..rtl import (
    Cell,
    Clocked,
    ClockReset,
    Design,
    Drive,
    Handshake,
    Held,
    Let,
    LowerOptions,
    Note,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    lower,
)
from ..schedule import DelayModel, Io, schedule
from .control import Control, core_control
from .ghash import GhashTiming, ghash_unit
from .keys import KeyUnit, keyed_top, pipeline_part

__all__ = ["TAG_BITS", "GcmModules", "GcmTiming", "gcm_modules"]

TAG_BITS = (128, 120, 112, 104, 96, 64, 32)
"""Lengths of a tag (SP 800-38D, section 5.2.1.2)."""

_KEEP = 16
_FRONT = 2
"""Registers in front of the cipher."""

_VERDICT = 4
"""Lookup tables in a row, each with its register, from a difference of 128 bits to the verdict."""

_META = ("data", "end", "setup", "first", "last", "aad", "decrypt", "hash_key")
"""What goes with a slot, one bit each: a word of data; the packet's last slot; the first slot of making
powers; the packet's first word and its last; the word is additional data; the packet is decrypted; the slot is
E(K, 0).
"""

_RESET = ("data", "end", "setup")
"""Those from which a control output can be reached."""


@dataclass(frozen=True)
class GcmTiming:
    """Cycles of a core. cipher: from a counter block to its value; ghash: of the GHASH unit."""

    cipher: int
    ghash: GhashTiming

    @property
    def early(self) -> int:
        """Cycles by which what goes with a slot is there before its value leaves the cipher."""
        return self.ghash.flags_lead + 2

    @property
    def latency(self) -> int:
        """Cycles from accepting a word to its result."""
        return _FRONT + self.cipher + 1

    @property
    def tag_latency(self) -> int:
        """Cycles from accepting a packet's last word to its tag and verdict."""
        return _FRONT + 1 + self.cipher + 2 + self.ghash.sum_latency + 1 + _VERDICT

    @property
    def setup_cycles(self) -> int:
        """Cycles in which the powers of a new hash key are made, at most."""
        loop = self.ghash.loop
        return _FRONT + self.cipher + (loop + 2) ** 2 + 8


@dataclass(frozen=True)
class GcmModules:
    """What is around the pipeline `TOP_core`: its key unit's control, delays, GHASH, the mode, the control of
    keys and the top, in the order of use.

    keyed: the pipeline with its key unit; beside: the delays.
    """

    timing: GcmTiming
    keyed: Wrapper
    multiplier: FieldMultiplier
    beside: Design
    ghash: Wrapper
    mode: Wrapper
    control: Control
    top: Wrapper

    @property
    def wrappers(self) -> tuple[Wrapper, ...]:
        return (self.keyed, self.ghash, self.mode, *self.control.modules, self.top)


def gcm_modules(
    top: str, unit: KeyUnit, key_bits: int, stages: int, model: DelayModel, tag_bits: int = 128
) -> GcmModules:
    """The modules that make a pipeline of `stages`, with its key unit, a core of GCM with the name `top`.
    Raises UserError where the pipeline is too short, or there are no tags of `tag_bits` bits.
    """
    multiplier = field_multiplier(f"{top}_multiplier", model)
    timing = GcmTiming(stages, GhashTiming(multiplier.stages))
    if stages < timing.early:
        raise UserError(f"mode gcm needs a pipeline of at least {timing.early} stages, not {stages}")
    if tag_bits not in TAG_BITS:
        raise UserError(f"GCM has tags of {', '.join(map(str, TAG_BITS))} bits, not of {tag_bits}")
    names = tuple(f"{top}_{part}" for part in ("ecb", "beside", "ghash"))
    key = (Pin("key_valid_i"), Pin("key_i", key_bits), Pin("key_ready_o", out=True))
    control = core_control(
        f"{top}_control",
        f"{top}_gcm",
        (*key, *_PACKET, *_RESULTS),
        128,
        timing.tag_latency + 1,
        max(unit.flush, timing.tag_latency),
        unit.cycles + timing.setup_cycles,
        True,
        True,
    )
    return GcmModules(
        timing,
        keyed_top(names[0], pipeline_part(f"{top}_core", unit, 128), unit),
        multiplier,
        _delays(names[1], timing, model),
        ghash_unit(names[2], f"{top}_multiplier", timing.ghash),
        _layer(f"{top}_gcm", names, key_bits, timing, tag_bits),
        control,
        _top(top, key_bits),
    )


def _top(name: str, key_bits: int) -> Wrapper:
    """The core: a key that is offered within a packet waits for the packet's end."""
    held = (Pin("busy_o", out=True), *_RESULTS)
    links = {p.name: p.name for p in (*_PACKET, *held, Pin("key_i"), Pin("key_ready_o"), Pin("zeroise_i"))}
    for n in ("clk", "rst_i", "valid_i", "block_i", "ready_o", "valid_o", "block_o"):
        links[n] = n
    return Wrapper(
        name,
        ("A key that is offered within a packet is taken after the packet's end.",),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Stream("valid_i", (*_PACKET, Pin("block_i", 128)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
            Held((Pin("zeroise_i"), *held)),
        ),
        (
            Reg(("taken_q", "last_q", "inside_q")),
            Clocked(
                (
                    Step("taken_q", "valid_i & ready_o & ~zeroise_i"),
                    Step("last_q", "last_i"),
                    Step("inside_q", "~zeroise_i & (taken_q ? ~last_q : inside_q)"),
                ),
                (("taken_q", "1'b0"), ("last_q", "1'b0"), ("inside_q", "1'b0")),
            ),
            Cell(f"{name}_control", "u_core", {**links, "key_valid_i": "key_valid_i & ~inside_q"}),
        ),
    )


def _delay_graph() -> Graph:
    b = GraphBuilder("beside")
    b.output("block_late", b.input("block", 128))
    b.output("keep_late", b.input("keep", _KEEP))
    for name in _META:
        b.output(f"{name}_late", b.input(name, 1))
    return b.build()


def _delays(name: str, timing: GcmTiming, model: DelayModel) -> Design:
    """The module `name` in which a slot's word and its meaning wait while the cipher works."""
    soon = timing.cipher - timing.early
    leave = tuple((f"{n}_late", soon) for n in ("keep", *_META))
    s = schedule(_delay_graph(), model, timing.cipher, None, Io(leave=leave))
    return lower(s, name, LowerOptions(control=tuple(f"{n}_late" for n in _RESET)))


def _counter(name: str, start: int, step: str, clear: str) -> tuple[WrapperItem, ...]:
    """A counter of 32 bits as registers `name`_0 to `name`_7 of four bits each, one lookup table deep: it is
    `start` (at most 2) after `clear`, and goes up in a cycle in which `step` is 1.

    A piece moves when all below are 15, which is known from before: the lowest is told by registers that
    follow it one and two values ahead, and what the others are has more than ten cycles to arrive, since the
    lowest has to come round.
    """
    low, moves = f"{name}_0", f"{clear} | {step}"
    steps = [
        Step(low, f"{clear} ? 4'd{start} : {_next(low)}", moves),
        Step(f"{name}_at_14", f"~{clear} & ({low} == 4'd13)", moves),
    ]
    for j in range(1, 8):
        piece, below = f"{name}_{j}", f" & {name}_full[{j - 2}]" if j > 1 else ""
        steps += [
            Step(f"{name}_near[{j - 1}]", f"~{clear} & {name}_at_14{below}", moves),
            Step(piece, f"{clear} ? 4'd0 : {_next(piece)}", f"{clear} | ({step} & {name}_near[{j - 1}])"),
        ]
        if j < 7:
            steps += [
                Step(f"{name}_ones[{j - 1}]", f"&{piece}"),
                Step(f"{name}_full[{j - 1}]", f"{name}_ones[{j - 1}]{below}"),
            ]
    return (
        Reg(tuple(f"{name}_{j}" for j in range(8)), 4),
        Reg((f"{name}_at_14",)),
        Reg((f"{name}_near",), 7),
        Reg((f"{name}_ones", f"{name}_full"), 6),
        Clocked(tuple(steps)),
        Let(name, f"{{{', '.join(f'{name}_{j}' for j in reversed(range(8)))}}}", 32),
    )


def _next(piece: str) -> str:
    """Four bits plus one."""
    p = [f"{piece}[{k}]" for k in range(4)]
    return f"{{{p[3]} ^ ({p[2]} & {p[1]} & {p[0]}), {p[2]} ^ ({p[1]} & {p[0]}), {p[1]} ^ {p[0]}, ~{p[0]}}}"


_PACKET = (
    Pin("keep_i", _KEEP, with_block=True),
    Pin("last_i", with_block=True),
    Pin("aad_i", with_block=True),
    Pin("decrypt_i", with_block=True),
    Pin("iv_i", 96, with_block=True),
    Pin("tag_i", 128, with_block=True),
)
_RESULTS = (
    Pin("keep_o", _KEEP, True),
    Pin("last_o", out=True),
    Pin("tag_valid_o", out=True),
    Pin("tag_o", 128, True),
    Pin("good_o", out=True),
)


def _layer(name: str, parts: Sequence[str], key_bits: int, timing: GcmTiming, tag_bits: int = 128) -> Wrapper:
    """The mode around a pipeline with its key unit. parts: the modules of the pipeline, of the delays and of
    GHASH.
    """
    cipher, delay, ghash = parts
    return Wrapper(
        name,
        (
            "Galois/Counter Mode, a word a cycle and one cycle more for each packet.",
            "A packet's first word brings its IV, its last the expected tag.",
        ),
        (
            ClockReset(),
            Handshake("key_valid_i", Pin("key_i", key_bits), "key_ready_o"),
            Held((Pin("drop_i"), Pin("wipe_i"), Pin("fill_i"))),
            Stream("valid_i", (*_PACKET, Pin("block_i", 128)), "ready_o"),
            Stream("valid_o", (Pin("block_o", 128, True),), out=True),
            Held(_RESULTS),
        ),
        (
            *_key(timing),
            *_words(),
            *_counter("count", 2, "data_1", "fresh"),
            *_cipher_input(cipher, delay, timing.ghash.loop),
            *_line(timing),
            *_lengths(timing.early),
            *_masks(timing, ghash),
            *_tags(timing, tag_bits),
        ),
    )


def _key(timing: GcmTiming) -> tuple[WrapperItem, ...]:
    """Powers of the hash key are made after a key is expanded."""
    length = timing.ghash.loop + 1
    held = "expanded & ~pending & ~filling"
    return (
        Note("A key is complete when the powers of its hash key are there."),
        Wire(("expanded", "filled")),
        Reg(("pending", "filling", "armed")),
        Reg(("setup",), length, "The slots that give one, H, and H again."),
        Let("starts", "pending & expanded & ~wipe_i & ~key_valid_i"),
        Drive("key_ready_o", held),
        Clocked(
            (
                Step("pending", "key_valid_i | wipe_i | (pending & ~starts)"),
                Step("filling", "starts | (filling & ~(armed & filled))"),
                Step("armed", "~starts & (armed | setup_late)"),
                Step("setup", f"{{setup[{length - 2}:0], starts}}"),
            ),
            (("pending", "1'b0"), ("filling", "1'b0"), ("armed", "1'b0"), ("setup", f"{length}'d0")),
        ),
    )


def _words() -> tuple[WrapperItem, ...]:
    """The word that was taken, and the slot after a packet's last."""
    return (
        Note("Words as they are taken. The slot after a packet's last word is the packet's end."),
        Reg(("start_q", "word_1", "end_1", "first_1", "last_1", "aad_1", "decrypt_1", "data_1")),
        Reg(("keep_1",), _KEEP),
        Reg(("block_1", "tag_1"), 128),
        Reg(("iv_1",), 96),
        Drive("ready_o", "~end_0"),
        Reg(("end_0",)),
        Let("take_iv", "(valid_i & start_q) | fill_i | pending"),
        Clocked(
            (
                Step("start_q", "drop_i | (valid_i ? last_i : start_q)"),
                Step("end_0", "valid_i & last_i & ~drop_i"),
                Step("end_1", "end_0 & ~drop_i"),
                Step("word_1", "valid_i"),
                Step("data_1", "valid_i & ~aad_i & keep_i[15]"),
            ),
            (("start_q", "1'b1"), *((q, "1'b0") for q in ("end_0", "end_1", "word_1", "data_1"))),
        ),
        Clocked(
            (
                Step("first_1", "valid_i & start_q"),
                Step("last_1", "last_i"),
                Step("aad_1", "aad_i"),
                Step("decrypt_1", "decrypt_i", "~end_0"),
                Step("keep_1", "keep_i"),
                Step("block_1", "block_i"),
                Step("iv_1", "iv_i & {96{~pending}}", "take_iv"),
                Step("tag_1", "tag_i & {128{decrypt_i}}", "~end_0"),
            )
        ),
    )


def _cipher_input(cipher: str, delay: str, loop: int) -> tuple[WrapperItem, ...]:
    """Counter blocks, and what waits beside the cipher."""
    late = {f"{n}_late_o": f"{n}_late" for n in ("keep", *_META)}
    given = {f"{n}_i": f"{n}_2" for n in ("keep", *_META)}
    clocked = {"clk": "clk", "rst_i": "rst_i"}
    return (
        Note("Counter blocks: the IV and a number, which is 1 in the packet's end; zero for the hash key."),
        Let("fresh", "end_1 | pending | filling"),
        Reg(("chain",), 128),
        Reg(("block_2",), 128),
        Reg(("keep_2",), _KEEP),
        Reg(tuple(f"{n}_2" for n in _META)),
        Wire(("stream", "block_late"), 128),
        Wire(("keep_late",), _KEEP),
        Wire(("stream_valid",), lint="a slot's meaning is told by what waits beside the cipher."),
        Wire(tuple(f"{n}_late" for n in _META)),
        Clocked(
            (
                Step("chain", "{iv_1, count & {32{~fresh}}} | {127'd0, end_1}"),
                Step("block_2", "end_1 ? tag_1 : block_1"),
                Step("keep_2", f"keep_1 & {{{_KEEP}{{word_1}}}}"),
                Step("first_2", f"first_1 | setup[0] | setup[{loop}]"),
                Step("last_2", "last_1"),
                Step("aad_2", "aad_1"),
                Step("decrypt_2", "decrypt_1"),
                Step("hash_key_2", f"setup[1] | setup[{loop}]"),
            )
        ),
        Clocked(
            (Step("data_2", "data_1"), Step("end_2", "end_1"), Step("setup_2", "setup[0]")),
            tuple((f"{n}_2", "1'b0") for n in ("data", "end", "setup")),
        ),
        Cell(
            cipher,
            "u_cipher",
            {
                **clocked,
                "key_valid_i": "key_valid_i",
                "key_i": "key_i",
                "key_ready_o": "expanded",
                "wipe_i": "wipe_i",
                "valid_i": "1'b1",
                "block_i": "chain",
                "valid_o": "stream_valid",
                "block_o": "stream",
            },
        ),
        Cell(
            delay,
            "u_beside",
            {**clocked, "block_i": "block_2", **given, "block_late_o": "block_late", **late},
        ),
    )


def _line(timing: GcmTiming) -> tuple[WrapperItem, ...]:
    """What a slot means, from before its value leaves the cipher until its tag is there: `name_k` is k cycles
    after `name_late`.
    """
    value = timing.early
    tag = value + timing.ghash.loop + 3 + _VERDICT
    lengths = {"keep": value - 1, "aad": value - 1, "hash_key": value - 1, "decrypt": tag, "last": value}
    lengths |= {"first": 3, "data": value, "end": tag, "setup": value}
    registers, plain, cleared = list[WrapperItem](), list[Step](), list[Step]()
    for n, length in lengths.items():
        width = _KEEP if n == "keep" else 1
        registers.append(Reg(tuple(f"{n}_l{k}" for k in range(1, length + 1)), width))
        steps = [Step(f"{n}_l{k}", f"{n}_l{k - 1}" if k > 1 else f"{n}_late") for k in range(1, length + 1)]
        (cleared if n in _RESET else plain).extend(steps)
    zero = tuple((s.target, "1'b0") for s in cleared)
    return (
        Note("What slots mean, while their values are computed and hashed."),
        *registers,
        Clocked(tuple(plain)),
        Clocked(tuple(cleared), zero),
    )


def _lengths(value: int) -> tuple[WrapperItem, ...]:
    """The block of lengths, in bits: words of 16 bytes are counted, and the bytes of a shorter one added."""
    before, first = f"keep_l{value - 1}", f"keep_l{value - 2}"
    # How many of the bytes are there, from the left: a bit of that number is a sum of ranges.
    ranges = {3: [(8, 16)], 2: [(4, 8), (12, 16)], 1: [(k, k + 2) for k in range(2, 16, 4)]}
    ranges[0] = [(k, k + 1) for k in range(1, 16, 2)]
    near = [(bit, pair) for bit, spans in ranges.items() for pair in _pairs(spans)]
    steps = [
        Step(f"bytes_near[{n}]", " | ".join(f"({first}[{16 - a}] & ~{first}[{16 - b}])" for a, b in pair))
        for n, (_, pair) in enumerate(near)
    ]
    for bit in ranges:
        terms = [f"bytes_near[{n}]" for n, (of, _) in enumerate(near) if of == bit]
        steps.append(Step(f"bytes[{bit}]", " | ".join(terms)))
    steps += [
        Step("aad_word", f"{before}[15] & aad_l{value - 1}"),
        Step("full_aad", f"{before}[0] & aad_l{value - 1}"),
        Step("full_data", f"{before}[0] & ~aad_l{value - 1}"),
        Step("aad_bytes", "bytes & {4{~fresh_lengths}}", "fresh_lengths | aad_word"),
        Step("data_bytes", "bytes & {4{~fresh_lengths}}", f"fresh_lengths | data_l{value}"),
    ]
    lengths = "{25'd0, aads, aad_bytes, 3'd0, 25'd0, datas, data_bytes, 3'd0}"
    return (
        Note("Lengths of additional data and of data."),
        Let("fresh_lengths", f"end_l{value} | filling"),
        Reg(("bytes_near",), len(near)),
        Reg(("bytes", "aad_bytes", "data_bytes"), 4),
        Reg(("aad_word", "full_aad", "full_data")),
        Clocked(tuple(steps)),
        *_counter("aads", 0, "full_aad", "fresh_lengths"),
        *_counter("datas", 0, "full_data", "fresh_lengths"),
        Let("lengths", lengths, 128, "the highest bit is the field's one."),
        Reg(("one_q",)),
        Reg(("lengths_q",), 127),
        Clocked(
            (
                Step("lengths_q", f"lengths[126:0] & {{127{{end_l{value}}}}}"),
                Step("one_q", f"setup_l{value}"),
            )
        ),
    )


def _pairs(spans: Sequence[tuple[int, int]]) -> list[Sequence[tuple[int, int]]]:
    return [spans[k : k + 2] for k in range(0, len(spans), 2)]


def _bytes(mask: str) -> str:
    """A mask of bytes over 128 bits."""
    return f"{{{', '.join(f'{{8{{{mask}[{k}]}}}}' for k in reversed(range(_KEEP)))}}}"


def _masks(timing: GcmTiming, ghash: str) -> tuple[WrapperItem, ...]:
    """What is hashed, and what leaves."""
    before = timing.early - 1
    flags = {
        "first_i": "first_h",
        "block_i": "block_h",
        "last_i": "last_h",
        "setup_i": "setup_l4",
    }
    return (
        Note("What is hashed: a word, its sum with the key stream, the lengths, or the hash key."),
        Reg(("first_h", "block_h", "last_h", "enciphered")),
        Reg(("hashed_sum", "hashed_word", "shown"), _KEEP),
        Reg(("hashed", "x"), 128),
        Reg(("result_0",), 128),
        Wire(("sum",), 128),
        Clocked(
            (
                Step("first_h", "first_l3"),
                Step("block_h", "keep_l3[15] | end_l3 | filling"),
                Step("last_h", "end_l3 | (first_l3 & filling)"),
                Step("enciphered", f"~aad_l{before - 1} & ~decrypt_l{before - 1}"),
                Step(
                    "hashed_sum",
                    f"(keep_l{before} & {{{_KEEP}{{enciphered}}}}) | {{{_KEEP}{{hash_key_l{before}}}}}",
                ),
                Step("hashed_word", f"keep_l{before}"),
                Step("shown", f"keep_l{before} | {{{_KEEP}{{end_l{before}}}}}"),
                Step("hashed", f"(stream & {_bytes('hashed_sum')}) ^ (block_late & {_bytes('hashed_word')})"),
                Step("result_0", f"(stream ^ block_late) & {_bytes('shown')}"),
                Step("x", "hashed ^ {one_q, lengths_q}"),
            )
        ),
        Cell(
            ghash,
            "u_ghash",
            {"clk": "clk", "rst_i": "rst_i", **flags, "x_i": "x", "sum_o": "sum", "filled_o": "filled"},
        ),
    )


def _tags(timing: GcmTiming, tag_bits: int) -> tuple[WrapperItem, ...]:
    """Results, tags and verdicts."""
    value, wait = timing.early, timing.ghash.loop + 2
    tag = value + timing.ghash.loop + 3 + _VERDICT
    top = f"[127:{128 - tag_bits}]"
    sizes = [tag_bits]
    while len(sizes) <= _VERDICT - 1:
        sizes.append(-(-sizes[-1] // 4))
    any_steps = []
    for level, (wide, size) in enumerate(pairwise(sizes)):
        source = f"difference_0{top}" if level == 0 else f"differs_{level}"
        low = 128 - tag_bits if level == 0 else 0
        name = source.split("[")[0]
        any_steps += [
            Step(
                f"differs_{level + 1}[{k}]",
                f"|{name}[{low + min(4 * k + 3, wide - 1)}:{low + 4 * k}]",
            )
            for k in range(size)
        ]
    return (
        Note("Results; and at the packet's end the tag, or whether the expected tag differs."),
        Reg(("data_v", "tag_v", "good_q")),
        Reg(tuple(f"result_{k}" for k in range(1, wait + 1)), 128),
        Reg(tuple(f"difference_{k}" for k in range(_VERDICT)), 128),
        *(Reg((f"differs_{level}",), size, vector=True) for level, size in enumerate(sizes) if level),
        Reg(("keep_q",), _KEEP),
        Reg(("last_q",)),
        Reg(("tag_q",), 128),
        Clocked(
            (
                *(Step(f"result_{k}", f"result_{k - 1}") for k in range(1, wait + 1)),
                Step("difference_0", f"sum ^ result_{wait}"),
                *(Step(f"difference_{k}", f"difference_{k - 1}") for k in range(1, _VERDICT)),
                *any_steps,
                Step("tag_q", f"difference_{_VERDICT - 1} & {{128{{~decrypt_l{tag}}}}}"),
                Step("good_q", f"~(|differs_{_VERDICT - 1}) & decrypt_l{tag}"),
                Step("keep_q", "shown"),
                Step("last_q", f"last_l{value}"),
            )
        ),
        Clocked(
            (Step("data_v", f"data_l{value}"), Step("tag_v", f"end_l{tag}")),
            (("data_v", "1'b0"), ("tag_v", "1'b0")),
        ),
        Drive("valid_o", "data_v"),
        Drive("block_o", "result_0"),
        Drive("keep_o", "keep_q"),
        Drive("last_o", "last_q"),
        Drive("tag_valid_o", "tag_v & ~drop_i"),
        Drive("tag_o", "tag_q" if tag_bits == 128 else f"{{tag_q{top}, {128 - tag_bits}'d0}}"),
        Drive("good_o", "good_q"),
    )
