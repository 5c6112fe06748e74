"""connect(): tops from parts; each mismatch of width, driver or timing is refused by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cipherwright.rtl import (
    ClockReset,
    Drive,
    Group,
    Held,
    Let,
    Part,
    Pin,
    Placed,
    Rate,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
    connect,
    print_wrapper,
)
from cipherwright.rtl.widths import bits_of, expression_width


def stage(name: str, width: int, latency: int = 2, ready: bool = False) -> Part:
    """A word in, a word out, under a held key."""
    groups: tuple[Group, ...] = (
        ClockReset(reset=""),
        Stream("valid_i", (Pin("word_i", width),), "ready_o" if ready else ""),
        Held((Pin("key_i", 8),)),
        Stream("valid_o", (Pin("word_o", width, True),), out=True),
    )
    return Part(name, groups, Rate(latency))


PORTS: tuple[Group, ...] = (
    ClockReset(reset=""),
    Stream("valid_i", (Pin("word_i", 16), Pin("kind_i", 8))),
    Held((Pin("key_i", 8),)),
    Stream("valid_o", (Pin("word_o", 16, True), Pin("kind_o", 8, True)), out=True),
)

LINKS = {"clk": "clk", "valid_i": "valid_i", "key_i": "key_i"}
HIGH = Placed(stage("half", 8), "u_high", LINKS | {"word_i": "word_i[15:8]", "word_o": "word_o[15:8]"})
LOW = Placed(
    stage("half", 8),
    "u_low",
    LINKS | {"word_i": "word_i[7:0]", "valid_o": "valid_o", "word_o": "word_o[7:0]"},
)
ITEMS: tuple[WrapperItem | Placed, ...] = (HIGH, LOW, Drive("kind_o", "kind_i"))


def linked(placed: Placed, **links: str) -> Placed:
    return replace(placed, links={**placed.links, **links})


def pair(*items: WrapperItem | Placed, order: tuple[str, ...] = ()) -> Wrapper:
    return connect("pair", ("Two halves.",), PORTS, items, order)


def test_a_top_of_two_lanes() -> None:
    text = print_wrapper(pair(*ITEMS))
    assert "half u_high (" in text
    assert ".word_i(word_i[15:8])" in text
    assert text.count("half u_") == 2
    names = [pin.name for pin in pair(*ITEMS).pins]
    assert names == ["clk", "valid_i", "word_i", "kind_i", "key_i", "valid_o", "word_o", "kind_o"]
    assert [pin.name for pin in pair(*ITEMS, order=tuple(reversed(names))).pins] == names[::-1]


SLOW = replace(LOW, part=stage("slow", 8, 3))
REFUSING = replace(LOW, part=stage("loop", 8, ready=True))
SHOWN = linked(HIGH, word_o="high")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ((linked(HIGH, other_i="key_i"), LOW), r"u_high \(half\) has no port other_i"),
        ((linked(HIGH, word_i="word_i"), LOW), "u_high.word_i has 8 bits, but word_i has 16"),
        ((linked(HIGH, word_i="{word_i[15:9], 2'd0}"), LOW), "u_high.word_i has 8 bits, but .* has 9"),
        ((linked(HIGH, key_i=""), LOW), "the input key_i of u_high is open"),
        ((replace(HIGH, links={"clk": "clk"}), LOW), "the input valid_i of u_high is open"),
        ((linked(HIGH, word_o="word_o[8:1]"), LOW), r"word_o\[7\] is driven by u_high.word_o and by u_low"),
        ((HIGH, LOW, Drive("word_o[0]", "key_i[0]")), r"word_o\[0\] is driven by u_low.word_o and by an ass"),
        ((LOW,), r"nothing drives word_o\[8\]"),
        ((linked(HIGH, key_i="kind_i"), LOW), "u_high.key_i is held, but kind_i changes with every word"),
        (
            (Wire(("high",), 8), SHOWN, linked(LOW, key_i="high"), Drive("word_o[15:8]", "high")),
            "u_low.key_i is held, but high changes",
        ),
        ((HIGH, SLOW), r"u_high and u_low take the same words, but one has a latency of 2 .* of 3 "),
        ((HIGH, REFUSING), "u_low may refuse a word, and nothing reads its ready_o"),
        (
            (Wire(("ready",)), HIGH, linked(REFUSING, ready_o="ready")),
            "u_low may refuse a word, and nothing reads its ready_o",
        ),
    ],
)
def test_what_does_not_fit(items: tuple[WrapperItem | Placed, ...], message: str) -> None:
    with pytest.raises(ValueError, match=f"^pair: .*{message}"):
        pair(*items, Drive("kind_o", "kind_i"))


def test_a_ready_that_is_read() -> None:
    gate = (Wire(("ready",)), Let("taken", "valid_i & ready"))
    high = linked(HIGH, valid_i="taken")
    assert pair(*gate, high, linked(REFUSING, ready_o="ready", valid_i="taken"), ITEMS[2])


def test_an_order_names_all_ports() -> None:
    with pytest.raises(ValueError, match="the order of ports names clk"):
        pair(*ITEMS, order=("valid_i", "word_i", "kind_i", "key_i", "valid_o", "word_o", "kind_o"))


WIDTHS = {"a": 8, "b": 8, "bit": 1}


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("a", 8),
        ("a[3]", 1),
        ("a[6:2]", 5),
        ("128'hff", 128),
        ("{a, b[1:0], 3'd5}", 13),
        ("~a & (b | 8'd1) ^ a", 8),
        ("~bit", 1),
        ("bit ? a : {b[7:1], bit}", 8),
        ("{2{a[3:0]}} + b", 8),
        ("bit & a >= b", 1),
        ("|a", 1),
    ],
)
def test_widths(text: str, width: int) -> None:
    assert expression_width(text, WIDTHS) == width


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("c", "c is not declared"),
        ("a[8]", "a has 8 bits"),
        ("a[0:3]", "a has 8 bits"),
        ("a & bit", "operands of 8 and 1 bits"),
        ("a + bit", "operands of 8 and 1 bits"),
        ("a ? a : b", "a choice by 8 bits"),
        ("bit ? a : bit", "operands of 8 and 1 bits"),
        ("a * b", "no expression of"),
        ("a b", "the end is expected before b"),
        ("(a", r"\) is expected before the end"),
        ("{a", "} is expected before the end"),
        ("a &", "name is expected before the end"),
    ],
)
def test_what_has_no_width(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        expression_width(text, WIDTHS)


def test_bits_that_are_driven() -> None:
    assert bits_of("{bit, a[2:1], b[0]}", WIDTHS) == [("bit", 0), ("a", 2), ("a", 1), ("b", 0)]
    assert bits_of("a", WIDTHS) == [("a", k) for k in range(7, -1, -1)]
