"""A self-checking testbench of a core of XTS: units whose results the reference model computed.

The units are those of IEEE 1619-2007, annex B, vectors 2 and 15 to 18, and others of more lengths under the
same keys. For AES-128 the results of the former are the published ones (`tests/cipher/test_xts.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...cipher.xts import BLOCK_BYTES, halves, number_after, xts
from ...rtl import Bench, Component
from ...spec import Pipeline, Spec
from ..message_testbench import control_is_known, key_offered
from ..short_words import keep_of, word_text, words_of
from ..slot_control import LOAD_SLOT
from .ports import MORE
from .timing import KEEP

__all__ = ["KnownUnit", "known_units", "testbench"]

_LENGTHS = (16, 17, 18, 19, 20, 32, 47, 80)


@dataclass(frozen=True)
class KnownUnit:
    """A unit and what becomes of it. key: K1 and K2; number: of the unit, 16 bytes, the least significant
    first; text: what is taken; result: what leaves, in the order of the standard; decrypt: the direction.
    """

    key: bytes
    number: bytes
    text: bytes
    result: bytes
    decrypt: bool = False

    @property
    def words(self) -> list[bytes]:
        """What is taken, word by word."""
        return words_of(self.text)

    @property
    def results(self) -> tuple[list[bytes], list[bytes]]:
        """What leaves in order, and the block that leaves late: the last whole one of a unit with a short
        word.
        """
        found = words_of(self.result)
        return (found, []) if len(found[-1]) == BLOCK_BYTES else ([*found[:-2], found[-1]], [found[-2]])


def known_units(spec: Spec) -> list[KnownUnit]:
    """Units under two keys for a core of `spec`; where the core decrypts, each is decrypted as well."""
    size, cipher, found = spec.key_bits // 8, spec.described, list[KnownUnit]()
    falling = bytes(0xFF - k for k in range(size)) + bytes(0xBF - k for k in range(size))
    text = bytes(range(max(_LENGTHS)))
    messages = [(falling, bytes.fromhex("9a78563412"), text[:n]) for n in _LENGTHS]
    messages.append((b"\x11" * size + b"\x22" * size, b"\x33" * 5, b"\x44" * 32))
    if isinstance(spec, Pipeline) and spec.unit_numbers == "counted":
        start = (b"\xfe" + b"\xff" * 8).ljust(BLOCK_BYTES, b"\0")
        numbers = [number_after(start, k) for k in range(4)]
        messages += [(messages[-1][0], n, text[: 77 + k]) for k, n in enumerate(numbers)]
    for key, number, data in messages:
        first, second = (
            lambda block, back, half=half: cipher.encrypt_block(half, block, back) for half in halves(key)
        )
        number = number.ljust(BLOCK_BYTES, b"\0")
        made = xts(first, second, number, data)
        found.append(KnownUnit(key, number, data, made))
        if spec.direction == "both":
            found.append(KnownUnit(key, number, made, data, True))
    return found


def _runs(units: Sequence[KnownUnit], counted: bool) -> list[list[KnownUnit]]:
    """Units that are announced together: each alone, or with those behind it that have the next numbers."""
    runs = [[units[0]]]
    for unit in units[1:]:
        before = runs[-1][-1]
        if counted and unit.key == before.key and unit.number == number_after(before.number, 1):
            runs[-1].append(unit)
        else:
            runs.append([unit])
    return runs


class UnitTiming(Protocol):
    """What a testbench knows of a core's timing: cycles from a unit's last word, where that is whole, to its
    result, at least and at most, and from a short word to the late result of its unit, at most.
    """

    @property
    def latency(self) -> int: ...
    @property
    def longest(self) -> int: ...
    @property
    def late_latency(self) -> int: ...


def testbench(component: Component, spec: Spec, timing: UnitTiming) -> Bench:
    """The testbench of the core `component` of `spec`, with its cycles `timing`. It prints PASS or the first
    mismatch.

    Numbers and words are offered as soon as they are taken, and where two keys are resident, each key into
    the other slot. Results must come in the promised order, the first after the promised number of cycles,
    and after a reset no control output may be unknown.
    """
    units = known_units(spec)
    named = {pin.name for pin in component.pins}
    counted, slotted, held = MORE.name in named, LOAD_SLOT.name in named, "key_valid_i" in named
    runs = _runs(units, counted)
    words = [(u, k, w) for u in units for k, w in enumerate(u.words)]
    results = [(u, k, r) for u in units for k, r in enumerate(u.results[0])]
    late = [r for u in units for r in u.results[1]]
    pins = {pin.name: pin.name[:-2] for pin in component.pins if pin.name.endswith(("_i", "_o"))}
    signals = pins | {"clk": "clk", "rst_i": "rst", "valid_o": "valid_out", "block_o": "block_out"}
    signals |= {"keep_o": "keep_out", "last_o": "last_out"}
    both = spec.direction == "both"
    key_bits = spec.given_key_bits
    return Bench(
        component.name,
        f"Testbench of {component.name}: {len(units)} units with known answers of the reference model. "
        "Prints PASS or "
        "what went wrong.",
        component.pins,
        signals,
        {},
        (
            f"reg [{key_bits - 1}:0] keys[0:{(len(words) if held else len(runs)) - 1}];",
            f"reg [127:0] blocks[0:{len(words) - 1}], numbers[0:{len(runs) - 1}];",
            *([f"reg [31:0] mores[0:{len(runs) - 1}];"] if counted else []),
            f"reg [{KEEP - 1}:0] keeps[0:{len(words) - 1}];",
            f"reg [2:0] kinds[0:{len(words) - 1}]; // the first word under a key, last, decryption",
            f"integer under[0:{len(runs) - 1}]; // keys that were taken before the unit",
            f"reg [127:0] results[0:{len(results) - 1}], lates[0:{len(late) - 1}];",
            f"reg [{KEEP}:0] kept[0:{len(results) - 1}]; // last, bytes",
            "integer cycle = 0, sent = 0, told = 0, taken = 0, started = 0, done = 0, behind = 0;",
        ),
        "\n".join(
            (
                *_announcements(runs, counted, 0 if held else key_bits),
                *_tables(words, results, late, key_bits if held else 0),
                _RUN.format(
                    known=control_is_known(
                        "valid_out", "ready", "unit_ready", *(["key_ready"] if held else []), "busy"
                    ),
                    key=(_TURN if slotted else "") + (key_offered(2, " taken = taken + 1;") if held else ""),
                    words=len(words),
                    runs=len(runs),
                    more=_announced(counted, slotted, held),
                    results=len(results),
                    late=len(late),
                    cycles=40 * (timing.late_latency + 400) + 8 * len(words),
                    rest=2 * timing.late_latency,
                    late_or_early=_not_in_time(timing),
                    way="decrypt = kinds[sent][0];" if both else "",
                ),
            )
        ),
    )


_TURN = "            if (kinds[sent][2]) load_slot = ~load_slot;\n"
"""Each key goes into the other slot of two; the first into slot 1."""

_UNDER = "key_slot = under[told][0];"
"""The slot of the key of the unit that is announced."""

_OF_UNIT = "key = keys[told];"
"""The key that comes with the number of a unit."""


def _announced(counted: bool, slotted: bool, held: bool) -> str:
    """What is put at the ports beside a number."""
    said = ["unit_more = mores[told];"] if counted else [_UNDER] if slotted else []
    return " ".join([*said, *([] if held else [_OF_UNIT])])


def _not_in_time(timing: UnitTiming) -> str:
    """The expression that is 1 where the first result does not come as promised."""
    took = "cycle + 1 - started"
    if timing.longest == timing.latency:
        return f"{took} != {timing.latency}"
    return f"({took} < {timing.latency} || {took} > {timing.longest})"


_Word = tuple[KnownUnit, int, bytes]
"""A unit, the word's number in it, and the word."""


def _announcements(runs: Sequence[Sequence[KnownUnit]], counted: bool, key_bits: int = 0) -> Iterable[str]:
    """The contents of the tables of what is announced. key_bits: of the key that comes with a number (0: no
    key does).
    """
    keys = list(dict.fromkeys(run[0].key for run in runs))
    yield "    initial begin"
    for n, run in enumerate(runs):
        under = 0 if key_bits else keys.index(run[0].key) + 1
        yield f"        numbers[{n}] = {word_text(run[0].number)}; under[{n}] = {under};"
        if key_bits:
            yield f"        keys[{n}] = {key_bits}'h{run[0].key.hex()};"
        if counted:
            yield f"        mores[{n}] = {len(run) - 1};"
    yield "    end"


def _tables(
    words: Sequence[_Word],
    results: Sequence[_Word],
    late: Sequence[bytes],
    key_bits: int,
) -> Iterable[str]:
    """The contents of the tables of words. key_bits: of their keys (0: these come with unit numbers)."""
    yield "    initial begin"
    before = b""
    for n, (u, k, data) in enumerate(words):
        kind = (u.key != before) << 2 | (k == len(u.words) - 1) << 1 | u.decrypt
        before = u.key
        key = f"keys[{n}] = {key_bits}'h{u.key.hex()}; " if key_bits else ""
        yield f"        {key}kinds[{n}] = 3'd{kind};"
        yield f"        blocks[{n}] = {word_text(data)}; keeps[{n}] = {KEEP}'h{keep_of(len(data)):x};"
    for n, (u, k, data) in enumerate(results):
        last = k == len(u.results[0]) - 1
        yield (
            f"        results[{n}] = {word_text(data)}; kept[{n}] = "
            f"{KEEP + 1}'h{last << KEEP | keep_of(len(data)):x};"
        )
    for n, data in enumerate(late):
        yield f"        lates[{n}] = {word_text(data)};"
    yield "    end"


_RUN = """\
{known}
    initial begin
        @(negedge clk);
        while (told < {runs}) begin
            if (taken >= under[told]) begin
                unit_valid = 1; unit = numbers[told]; {more}
                #1 if (unit_ready) told = told + 1;
            end
            @(negedge clk);
            unit_valid = 0;
        end
    end
    initial begin
        @(negedge clk);
        rst = 0;
        while (sent < {words} && cycle < {cycles}) begin
{key}
            valid = 1; block = blocks[sent]; keep = keeps[sent]; last = kinds[sent][1]; {way}
            #1 if (ready) begin
                if (sent == 0) started = cycle;
                sent = sent + 1;
            end
            @(negedge clk);
            valid = 0;
        end
        repeat ({rest}) @(negedge clk);
        $display("FAIL: %0d of {results} words came out, and %0d of {late} late ones", done, behind);
        `FAILED;
    end
    always @(negedge clk) begin
        cycle <= cycle + 1;
        if (valid_out && !rst && late) begin
            if (behind == {late} || block_out !== lates[behind] || {{last_out, keep_out}} !== 17'h0ffff) begin
                $display("FAIL: late word %0d is %h", behind, block_out);
                `FAILED;
            end
            behind <= behind + 1;
        end
        if (valid_out && !rst && !late) begin
            if (done == {results} || block_out !== results[done] || {{last_out, keep_out}} !== kept[done]) \
begin
                $display("FAIL: word %0d is %h", done, block_out);
                `FAILED;
            end
            if (done == 0 && {late_or_early}) begin
                $display("FAIL: the first word took %0d cycles", cycle + 1 - started);
                `FAILED;
            end
            done <= done + 1;
        end
        if (done == {results} && behind == {late}) begin
            $display("PASS");
            $finish;
        end
    end
"""
