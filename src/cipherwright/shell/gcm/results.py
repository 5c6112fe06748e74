"""Behind the cipher: the block of lengths, what is hashed and what leaves, tags and verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from ...rtl import Cell, Clocked, Drive, Let, Note, Reg, Step, Wire, WrapperItem, each_byte
from ..copies import copies, spread
from .counter import counter_items
from .timing import KEEP, OF_IV, OF_SLOT, VERDICT, GcmTiming

__all__ = ["length_items", "mask_items", "tag_items"]


_LENGTH = 36
"""Bits of a length in bytes: 2^32 words of 16 bytes."""


def length_items(timing: GcmTiming, any_iv: bool) -> tuple[WrapperItem, ...]:
    """The block of lengths, in bits (SP 800-38D, section 7.1, step 5): whole words are counted, and the bytes
    of a shorter one added. timing: of the core; any_iv: it takes IVs of any length, whose lengths are counted
    as data. Where two keys are resident no hash key is hashed.
    """
    value, key_slots, size = timing.early, timing.key_slots, timing.word_bytes
    rest = (size - 1).bit_length()
    words = _LENGTH - rest
    before, first = f"keep_l{value - 2}", f"keep_l{value - 3}"
    ends = f"end_l{value - 2} | " + ("making_late" if key_slots == 1 else "making")
    aad = f"aad_l{value - 2}"
    data = f"({before}[{size - 1}] & ~{aad})" if any_iv else f"data_l{value - 2}"
    # How many of the bytes are there, from the left: a bit of that number is a sum of ranges.
    spans = {bit: range(1 << bit, size, 2 << bit) for bit in reversed(range(rest))}
    ranges = {bit: [(k, k + (1 << bit)) for k in found] for bit, found in spans.items()}
    near = [(bit, pair) for bit, spans in ranges.items() for pair in _pairs(spans)]
    steps = [
        Step(f"bytes_near[{n}]", " | ".join(f"({first}[{size - a}] & ~{first}[{size - b}])" for a, b in pair))
        for n, (_, pair) in enumerate(near)
    ]
    for bit in ranges:
        terms = [f"bytes_near[{n}]" for n, (of, _) in enumerate(near) if of == bit]
        steps.append(Step(f"bytes[{bit}]", " | ".join(terms)))
    steps += [
        Step("fresh_lengths", ends),
        Step("full_aad", f"{before}[0] & {aad}"),
        Step("full_data", f"{before}[0] & ~{aad}"),
        Step("aads_move", f"({before}[0] & {aad}) | {ends}"),
        Step("datas_move", f"({before}[0] & ~{aad}) | {ends}"),
        Step("aad_takes", f"({before}[{size - 1}] & {aad}) | {ends}"),
        Step("data_takes", f"{data} | {ends}"),
        Step("aad_bytes", f"bytes & ~{{{rest}{{fresh_lengths}}}}", "aad_takes"),
        Step("data_bytes", f"bytes & ~{{{rest}{{fresh_data[0]}}}}", "data_takes"),
        *([Step("making_late", "making")] if key_slots == 1 else []),
        Step("aad_rest", "aad_bytes"),
        Step("data_rest", "data_bytes"),
    ]
    return (
        Note("Lengths of additional data and of data."),
        Reg(("bytes_near",), len(near)),
        Reg(("bytes", "aad_bytes", "data_bytes", "aad_rest", "data_rest"), rest),
        Reg(("fresh_lengths", "full_aad", "full_data", "aads_move", "datas_move", "aad_takes", "data_takes")),
        Clocked(tuple(steps)),
        *counter_items("aads", 0, "full_aad", "fresh_lengths", "aads_move", bits=words),
        *copies("fresh_data", ends, 1),
        *counter_items("datas", 0, "full_data", "fresh_data[0]", "datas_move", bits=words),
        *copies("aad_shown", f"end_l{value - 1}", _LENGTH),
        *copies("data_shown", f"end_l{value - 1}", _LENGTH),
        *([Reg(("one_q", "making_late"))] if key_slots == 1 else []),
        Reg(("aad_length", "data_length"), _LENGTH),
        Clocked(
            (
                Step("aad_length", f"{{aads, aad_rest}} & {spread('aad_shown', _LENGTH)}"),
                Step("data_length", f"{{datas, data_rest}} & {spread('data_shown', _LENGTH)}"),
                *([Step("one_q", f"setup_l{value}")] if key_slots == 1 else []),
            )
        ),
        Let(
            "lengths",
            ("{one_q, 24'd0" if key_slots == 1 else "{25'd0")
            + ", aad_length, 3'd0, 25'd0, data_length, 3'd0}",
            128,
        ),
    )


def _pairs(spans: Sequence[tuple[int, int]]) -> list[Sequence[tuple[int, int]]]:
    return [spans[k : k + 2] for k in range(0, len(spans), 2)]


def mask_items(timing: GcmTiming, ghash: str, tag_bits: int, any_iv: bool) -> tuple[WrapperItem, ...]:
    """What is hashed, by the module `ghash`, and what leaves. timing: of the core; tag_bits: of the tag that
    are shown; any_iv: it takes IVs of any length.
    """
    before, lanes, size = timing.early - 1, timing.lanes, timing.word_bytes
    # In a packet's end the first block leaves, as a tag; in the others bytes are shown that are hashed.
    first = "" if lanes == 1 else f"[{size - 1}:{size - KEEP}]"
    shown = f"keep_l{before}{first} | {{{KEEP}{{end_l{before}}}}}"
    every = "shown" if lanes == 1 else "all_shown"
    of_sum = f"(keep_l{before} & {{{size}{{enciphered}}}})"
    reset = {"rst_i": "rst_i"} if timing.key_slots == 1 else {}
    links = {**reset, "first_i": "first_h", "block_i": "block_h", "last_i": "last_h"}
    if timing.key_slots > 1:
        # While there is no key, every slot is a packet's end, and nothing is fed back.
        begins, block, last = "first_l3 | making", "keep_l3[15] | end_l3", "end_l3 | making"
        links |= {"slot_i": f"{OF_SLOT}_l{before + 2}", "address_i": "power_address", "power_i": "power"}
        links |= {"write_i": "load_bank & {2{power_write}}"}
    else:
        block = "keep_l3[15] | end_l3 | filling" if lanes == 1 else _present(lanes)
        begins, last = "first_l3", "end_l3 | (first_l3 & filling)"
        of_sum += f" | {{{size}{{hash_key_l{before}}}}}"
        links |= {"setup_i": "setup_l4"}
    filled = {"filled_o": "filled"} if timing.key_slots == 1 else {}
    others = ", one_q, 127'd0" * (lanes - 1)
    of_stream, of_word = each_byte("hashed_sum", size), each_byte("hashed_word", size)
    return (
        Note("What is hashed: a word, its sum with the key stream, the lengths, or the hash key."),
        *_flags(lanes, size),
        Reg(("hashed", "x"), 128 * lanes),
        Reg(("result_0",), 128 * lanes),
        Wire(("sum",), 128 if any_iv else tag_bits),
        Clocked(
            (
                Step("first_h", begins),
                Step(_told(lanes), block),
                Step("last_h", last),
                Step("enciphered", f"~aad_l{before - 1} & ~decrypt_l{before - 1}"),
                Step("hashed_sum", of_sum),
                Step("hashed_word", f"keep_l{before}"),
                Step("shown", f"({shown}) & ~{{{KEEP}{{{OF_IV}_l{before}}}}}" if any_iv else shown),
                Step("hashed", f"(stream & {of_stream}) ^ (block_late & {of_word})"),
                Step("result_0", f"(stream ^ block_late) & {each_byte(every, size)}"),
                Step("x", "hashed ^ lengths" if lanes == 1 else f"hashed ^ {{lengths{others}}}"),
            )
        ),
        Cell(
            ghash,
            "u_ghash",
            {"clk": "clk", **links, "x_i": "x", "sum_o": "sum", **filled},
        ),
    )


def _flags(lanes: int, size: int) -> tuple[WrapperItem, ...]:
    """Registers for what GHASH is told of a slot, and for masks of bytes."""
    if lanes == 1:
        return (
            Reg(("first_h", "block_h", "last_h", "enciphered")),
            Reg(("hashed_sum", "hashed_word", "shown"), KEEP),
        )
    between = (f"keep_l4[{KEEP * (lanes - lane) - 1}]" for lane in reversed(range(1, lanes - 1)))
    all_lanes = Let("block_h", f"{{outer_h[1], {', '.join(between)}, outer_h[0]}}", lanes)
    return (
        Reg(("first_h", "last_h", "enciphered")),
        Reg((_told(lanes),), 2),
        *([all_lanes] if lanes > 2 else []),
        Reg(("hashed_sum", "hashed_word"), size),
        Reg(("shown",), KEEP),
        Let("all_shown", f"{{shown, hashed_word[{size - KEEP - 1}:0]}}", size),
    )


def _told(lanes: int) -> str:
    """The register of which of `lanes` lanes have a block: of more than two that of the first and the last
    lane. What the others would be told is what the line of present bytes has a cycle later.
    """
    return "block_h" if lanes <= 2 else "outer_h"


def _present(lanes: int) -> str:
    """Whether the last and the first of several lanes have a block; that of lengths is in the first. While
    powers are made the last lane alone says so, so that every lane counts one.
    """
    return f"{{keep_l3[{KEEP - 1}] | filling, keep_l3[{KEEP * lanes - 1}] | end_l3}}"


def tag_items(timing: GcmTiming, tag_bits: int, any_iv: bool, holds: bool = False) -> tuple[WrapperItem, ...]:
    """Results, tags and verdicts. timing: of the core. The tag is the first `tag_bits` bits of the sum. The
    whole sum of an IV is J0, where `any_iv` says that IVs of any length are taken. holds: it is told of a
    word that its packet is decrypted.
    """
    value, wait = timing.early, timing.ghash.sum_latency + 1
    width = 128 * timing.lanes
    tag = value + timing.tag_lead
    sum_bits = 128 if any_iv else tag_bits
    cut = sum_bits - tag_bits
    sizes, compare = _any_steps(tag_bits, cut)
    result = f"{{result_{wait}, {cut}'d0}}" if cut else f"result_{wait}"
    end = f"end_l{tag} & ~{OF_IV}_l{tag}" if any_iv else f"end_l{tag}"
    final = f"difference_{VERDICT - 1}" + (f"[{sum_bits - 1}:{cut}]" if cut else "")
    return (
        Note("Results; and at the packet's end the tag, or whether the expected tag differs."),
        Reg(("data_v", "tag_v", "good_q")),
        Reg(tuple(f"result_{k}" for k in range(1, wait + 1)), tag_bits),
        Reg(tuple(f"difference_{k}" for k in range(VERDICT)), sum_bits),
        *(Reg((f"differs_{level}",), size, vector=True) for level, size in enumerate(sizes, 1)),
        Reg(("keep_q",), timing.word_bytes),
        Reg(("last_q",)),
        Reg(("tag_q",), tag_bits),
        *copies("judged", f"decrypt_l{tag - 1}", tag_bits),
        Clocked(
            (
                Step(
                    "result_1",
                    "result_0" if tag_bits == width else f"result_0[{width - 1}:{width - tag_bits}]",
                ),
                *(Step(f"result_{k}", f"result_{k - 1}") for k in range(2, wait + 1)),
                Step("difference_0", f"sum ^ {result}"),
                *(Step(f"difference_{k}", f"difference_{k - 1}") for k in range(1, VERDICT)),
                *compare,
                Step("tag_q", f"{final} & ~{spread('judged', tag_bits)}"),
                Step("good_q", f"~(|differs_{VERDICT - 1}) & decrypt_l{tag}"),
                Step("keep_q", "shown" if timing.lanes == 1 else "all_shown"),
                Step("last_q", f"last_l{value}"),
            )
        ),
        Clocked(
            (Step("data_v", f"data_l{value}"), Step("tag_v", end)),
            (("data_v", "1'b0"), ("tag_v", "1'b0")),
        ),
        Drive("valid_o", "data_v"),
        Drive("block_o", "result_0"),
        Drive("keep_o", "keep_q"),
        Drive("last_o", "last_q"),
        *([Drive("hold_o", f"decrypt_l{value + 1}")] if holds else []),
        Drive("tag_valid_o", "tag_v & ~drop_i"),
        Drive("tag_o", "tag_q" if tag_bits == 128 else f"{{tag_q, {128 - tag_bits}'d0}}"),
        Drive("good_o", "good_q"),
    )


def _any_steps(tag_bits: int, low: int) -> tuple[list[int], list[Step]]:
    """Bits of the registers `differs_1` and so on, each of which tells whether one of four bits of the one
    before is 1, and their steps. The first reads `difference_0` from its
    bit `low` on.
    """
    sizes, steps = list[int](), list[Step]()
    source, wide = "difference_0", tag_bits
    for level in range(1, VERDICT):
        size = -(-wide // 4)
        steps += [
            Step(f"differs_{level}[{k}]", f"|{source}[{min(4 * k + 3, wide - 1) + low}:{4 * k + low}]")
            for k in range(size)
        ]
        sizes.append(size)
        source, wide, low = f"differs_{level}", size, 0
    return sizes, steps
