"""What README.md says of a core that takes whole data units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core import Core
from ..short_words import keep_text, word_text, words_of
from ..xts import PACE
from .example import Worked

__all__ = ["broken_units", "unit_sentences", "unit_table", "unit_timing", "units_ahead"]


def unit_sentences(core: Core) -> Iterator[str]:
    """The protocol of data units at the ports of `core`."""
    p = core.ports
    assert core.unit is not None
    n = core.unit["ports"]
    yield "A unit is a number of words. Its number is announced before its first word."
    yield f"A number is taken in a cycle in which `{n['unit_valid']}` and `{n['unit_ready']}` are both 1."
    if "unit_more" in n:
        yield f"`{n['unit_more']}` says how many units follow with the next numbers; 0 is for one unit alone."
        yield "The core counts: byte 0 of a number is its least significant byte."
        yield "The number 2^128 - 1 is followed by 0."
        yield f"A run has a number every {PACE} cycles at most."
        yield f"So units of {PACE - 1} words and more follow each other without a pause."
        yield "The next run can be announced when all numbers of the one before are given out."
        yield f"`{n['unit_ready']}` is 0 until then."
    if "key_slot" in n:
        yield f"`{n['key_slot']}` says under which of the two resident keys the unit goes."
        yield "It is read in the cycle before the number is taken: offer both until then."
    yield "Numbers are used in the order in which they are announced, one for each unit."
    yield _ahead(core, core.unit)
    yield f"A word is taken in a cycle in which `{p.valid_in}` and `{p.ready_out}` are both 1."
    yield (
        f"Never wait for `{p.ready_out}` or `{n['unit_ready']}` before the valid input is 1; keep the "
        "word until it is taken."
    )
    yield "Ready outputs depend on registers only."
    yield (
        f"`{n['keep_in']}` has ones for the bytes that are there, from the left; only a unit's last "
        "word may be short, and no word is empty."
    )
    yield "The first word of a unit is always whole: a unit has at least 16 bytes."
    if p.decrypt:
        yield f"`{p.decrypt}` stays for all words of a unit."
    yield ""
    yield f"Every result leaves in the one cycle in which `{p.valid_out}` is 1. Nothing holds it back."
    yield "Results leave in the order of the words, with one exception."
    yield (
        "Of a unit with a short last word, the short result leaves in the place of the last whole "
        f"one, with `{n['last_out']}` = 1."
    )
    yield f"The last whole result leaves later, with `{n['late']}` = 1, while results of other units go on."
    yield "Such late results leave in the order of their units. Bytes that are not there are 0."
    yield ""
    yield from _keys(core)
    yield "A unit has at most 2^20 blocks (SP 800-38E, section 4); the core does not count."
    yield ""
    yield from broken_units(f"`{p.zeroise}`")


def broken_units(zeroise: str) -> Iterator[str]:
    """What comes of units that break rules, at ports or behind AXI-Stream. zeroise: how the core is made to
    forget.
    """
    yield (
        "The core does not check these rules. What leaves for a unit that breaks one means nothing, and "
        f"units behind it may be wrong, too: give it a reset or {zeroise} then."
    )


def _keys(core: Core) -> Iterator[str]:
    """What the two halves of a key are for, and when a key is taken."""
    p = core.ports
    assert core.unit is not None
    n = core.unit["ports"]
    yield "A key is K1 for the data and then K2 for the unit numbers."
    if not p.key_valid:
        yield "The core does not compare K1 and K2. They must differ."
        return
    if core.parameters["distinct_halves"]:
        yield f"For a unit under a key whose halves are equal, `{n['unit_ready']}` stays 0."
    else:
        yield "The core does not compare K1 and K2. They must differ (option `distinct_halves`)."
    if "key_slot" in n:
        yield "A key that is offered is taken after all units that were announced under its slot."
    else:
        yield (
            f"A key that is offered is taken after all units that were announced; `{n['unit_ready']}` is "
            "0 meanwhile."
        )


def unit_table(core: Core, worked: Worked) -> Iterator[str]:
    """The words of the worked unit `worked` at the ports of `core`: a table."""
    p = core.ports
    assert core.unit is not None
    n = core.unit["ports"]
    yield f"The unit of the section Bytes, encrypted, with `{word_text(worked.iv)}` at `{n['unit']}`:"
    yield ""
    yield f"| word | `{p.block_in}` | `{n['keep_in']}` | `{n['last_in']}` |"
    yield "|--:|---|---|--:|"
    words = words_of(worked.block)
    for number, word in enumerate(words, 1):
        yield f"| {number} | `{word_text(word)}` | `{keep_text(word)}` | {int(number == len(words))} |"
    yield ""
    yield f"| result | `{p.block_out}` | `{n['keep_out']}` | `{n['last_out']}` | `{n['late']}` |"
    yield "|--:|---|---|--:|--:|"
    *_, whole, short = words_of(worked.result)
    yield f"| 1 | `{word_text(short)}` | `{keep_text(short)}` | 1 | 0 |"
    yield f"| 2 | `{word_text(whole)}` | `{keep_text(whole)}` | 0 | 1 |"
    yield ""
    yield "Bytes that are not there may have any value at the input."


def unit_timing(core: Core) -> Iterator[str]:
    """Latencies and rates of `core`."""
    assert core.unit is not None
    if _in_a_loop(core):
        yield from _loop_timing(core, core.unit)
        return
    yield (
        f"A result is offered {core.latency} cycles after its word is taken, where the next word "
        "comes at once."
    )
    yield (
        "A unit's last word needs no next one. The result of any other word leaves only after the word "
        "behind it has come."
    )
    yield (
        f"A late result is offered at most {core.unit['late_latency_cycles']} cycles after its unit's "
        "short word is taken."
    )
    yield f"A unit's first word can be taken about {core.latency} cycles after its number."
    yield "A word can be taken every cycle, but for one cycle for each unit: 128 bits a cycle."
    yield (
        f"A unit of n words takes n + 1 cycles, where numbers are announced {units_ahead(core.unit)} and "
        f"units have {_no_shorter(core, core.unit)} words or more. Words of shorter units wait for tweaks."
    )


def units_ahead(unit: Mapping[str, Any]) -> str:
    """How far numbers may be announced ahead in a core whose facts are `unit`."""
    tweaks = int(unit["tweaks"])
    return f"{tweaks} unit{'s' * (tweaks != 1)} ahead"


def _ahead(core: Core, unit: Mapping[str, Any]) -> str:
    """How far numbers are announced ahead."""
    begin = "Announce them as soon as the core takes them"
    if _in_a_loop(core):
        return f"{begin}: one unit ahead, while the one before goes on."
    return (
        f"{begin}: up to {units_ahead(unit)}. Then words of units of {_no_shorter(core, unit)} words and "
        "more never wait for a tweak."
    )


def _no_shorter(core: Core, unit: Mapping[str, Any]) -> int:
    """The fewest words of units that follow each other without a pause: a tweak is there two cycles later
    after its number than a result after its word.
    """
    return -(-(core.latency + 2) // int(unit["tweaks"]))


def _in_a_loop(core: Core) -> bool:
    """Whether words wait for a place of a loop."""
    return core.interval > 1


def _loop_timing(core: Core, unit: Mapping[str, Any]) -> Iterator[str]:
    """The same around a loop."""
    assert core.inner is not None
    cipher, places = core.inner["latency_cycles"], core.slots
    yield (
        f"A result is offered {core.latency - 1} cycles after the word behind its own is taken. That of a "
        f"unit's last word comes {core.latency} to {unit['longest_latency_cycles']} cycles after its own."
    )
    yield "The result of any other word than a unit's last leaves only after the word behind it has come."
    yield (
        f"A late result is offered {unit['least_late_latency_cycles']} to {unit['late_latency_cycles']} "
        "cycles after its unit's short word is taken."
    )
    yield f"The loop has {places} place{'s' * (places > 1)}, and a block takes {cipher} cycles."
    yield f"So {places} word{'s' * (places > 1)} can be taken in {cipher} cycles, but for one of each unit."
    yield (
        f"Where bytes are stolen, no word is taken for about {cipher} cycles: the next unit waits for the "
        "late block."
    )
