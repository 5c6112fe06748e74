"""Components: every port has a description, groups and declaration agree, flip-flops are counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cipherwright.rtl import (
    Bus,
    Cell,
    Clocked,
    ClockReset,
    Component,
    Drive,
    Group,
    Handshake,
    Held,
    Instance,
    Memory,
    Module,
    Order,
    Pin,
    Port,
    Rate,
    Reg,
    Register,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrittenModule,
    described,
)

PAYLOAD = Pin("data_i", 8, meaning="a byte")
RESULT = Pin("data_o", 8, True, meaning="the byte before")
GROUPS: tuple[Group, ...] = (
    ClockReset(reset=""),
    Stream("valid_i", (PAYLOAD,), what="a byte"),
    Stream("valid_o", (RESULT,), out=True, what="a byte"),
)


def delay(groups: tuple[Group, ...] = GROUPS) -> Wrapper:
    """A byte and its valid bit, a cycle later."""
    return Wrapper(
        "delay",
        (),
        groups,
        (
            Reg(("valid_q",)),
            Reg(("data_q",), 8),
            Clocked((Step("valid_q", "valid_i"), Step("data_q", "data_i"))),
            Drive("valid_o", "valid_q"),
            Drive("data_o", "data_q"),
        ),
    )


def test_groups_say_what_their_ports_are() -> None:
    component = Component((delay(),), GROUPS, Rate(1))
    assert [pin.text for pin in component.pins] == [
        "clock: everything happens at its rising edge",
        "a byte is offered, and is taken",
        "a byte",
        "a byte is offered in this cycle alone",
        "the byte before",
    ]
    assert component.name == "delay"
    assert component.clock == GROUPS[0]
    assert (component.inputs, component.outputs) == ((GROUPS[1],), (GROUPS[2],))


@pytest.mark.parametrize(
    "group",
    [
        Held((Pin("state_o", out=True),)),
        Stream("valid_i", (PAYLOAD,)),
        Stream("valid_i", (Pin("data_i", 8),), what="a byte"),
        Handshake("valid_i", Pin("key_i", 8, meaning="a key"), "ready_o"),
        Memory(((Pin("address_o", 4, True, meaning="an address"), Pin("word_i", 8)),)),
        Bus(*(Pin(name, meaning="a pin") for name in "abcde"), Pin("f")),
    ],
    ids=lambda group: type(group).__name__,
)
def test_a_port_without_description_is_refused(group: Group) -> None:
    with pytest.raises(ValueError, match="no description of port"):
        described((group,))


def test_a_port_stands_once() -> None:
    with pytest.raises(ValueError, match="port data_i stands twice"):
        described((GROUPS[1], Held((PAYLOAD,))))


@pytest.mark.parametrize(
    "pin",
    [
        replace(PAYLOAD, name="other_i"),
        replace(PAYLOAD, width=9),
        replace(PAYLOAD, out=True),
        replace(PAYLOAD, order=Order.LEFT_TO_RIGHT),
    ],
)
def test_groups_and_declaration_agree(pin: Pin) -> None:
    groups = (GROUPS[0], Stream("valid_i", (pin,), what="a byte"), GROUPS[2])
    with pytest.raises(ValueError, match=rf"differ in .*{pin.name}"):
        Component((delay(),), groups, Rate(1))


def test_flip_flops_are_counted_in_all_instances() -> None:
    logic = Module(
        "logic",
        (Port("input", "clk", 1), Port("input", "a", 4), Port("output", "q", 4)),
        (Register("q", 1, tuple(("a", k) for k in range(4))),),
    )
    pair = Module(
        "pair",
        (Port("input", "a", 4),),
        tuple(Instance("logic", f"u_{k}", (), (("q", f"q{k}", 4),)) for k in range(2)),
    )
    written = WrittenModule("written", (), 100)
    own = delay()
    cells = (
        Cell("pair", "u_pair", {"a": "4'd0"}),
        Cell("written", "u_written", {}),
        Cell("logic", "u_logic", {"clk": "clk", "a": "4'd0"}),
    )
    top = replace(own, name="top", items=(*own.items, *cells))
    assert Component((logic, pair, written, top), GROUPS, Rate(1)).flip_flops == 9 + 2 * 4 + 100 + 4
    device = replace(logic, device=True)
    assert Component((device, pair, written, top), GROUPS, Rate(1)).flip_flops == 9 + 100


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ({"a": "data_i", "y": "made"}, "u_inner.a has 4 bits, but data_i has 8"),
        ({"a": "4'd0", "y": "made", "b": "clk"}, r"u_inner \(inner\) has no port b"),
        ({"y": "made"}, "the input a of u_inner is open"),
        ({"a": "4'd0", "y": "data_o[3:0]"}, r"data_o\[3\] is driven by u_inner.y and by an assignment"),
    ],
)
def test_instances_fit_their_modules(links: dict[str, str], message: str) -> None:
    """Every instance in a component is compared with the module that it is of."""
    inner = Module("inner", (Port("input", "a", 4), Port("output", "y", 4)), ())
    own = delay()
    top = replace(own, items=(*own.items, Wire(("made",), 4), Cell("inner", "u_inner", links)))
    with pytest.raises(ValueError, match=message):
        Component((inner, top), GROUPS, Rate(1))


@pytest.mark.parametrize("numbers", [(-1, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_a_rate_is_possible(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no rate"):
        Rate(*numbers)
