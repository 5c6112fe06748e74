"""What the mode's module of XTS in a pipeline promises its control, for all times: a unit number is announced
only where there is room for it, and neither a number nor a key is taken in the cycle behind one in which
everything is forgotten. The rules of the control assume the announcements
(shell/sv/cipherwright_xts_turns_rules.svh). The modules inside may do anything here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright.rtl import modules_in
from tests.conftest import AGILE_XTS, LIGHT_XTS, Built
from tests.faults import Fault, drop
from tests.induction import Ruled

BODY = ";\n    wire inside = 1'b0;\nendmodule\n"
"""Of a module whose outputs may have any value: one without contents would be a black box."""

COUNTED = "unit_numbers=counted"
VARIANTS = {
    "a key": (LIGHT_XTS, ("keyed", "may_q")),
    "a key whose halves are not compared": ((*LIGHT_XTS, "distinct_halves=false"), ("keyed", "may_q")),
    "runs": ((*LIGHT_XTS, COUNTED), ("keyed", "may_q", "run_q")),
    "two keys": ((*LIGHT_XTS, "key_slots=2"), ("keyed", "may_q", "words_q")),
    "keys of units": (AGILE_XTS, ("may_q",)),
    "keys of runs": ((*AGILE_XTS, COUNTED), ("may_q",)),
}
"""A variant of the core, and registers by which something is taken."""


def ruled(made: Built, taking: tuple[str, ...], fault: Fault | None = None) -> Ruled:
    """The module of a core with its rules, and with a fault; `taking`: registers by which something is
    taken.
    """
    core, _ = made
    text, top = core.files[f"{core.top}.v"], f"{core.top}_xts"
    text = fault(text) if fault else text
    module = {name: text[begin:end] for name, (begin, end) in modules_in(text).items()}
    inside = set(re.findall(rf"\b{core.top}_\w+", module[top])) - {top}
    headers = [re.split(r"(?<=\));", module[name], maxsplit=1)[0] + BODY for name in inside]
    rules = "\n".join(f"        assert (~(f_drop & (|{name})));" for name in taking)
    return Ruled(top, "".join([*sorted(headers), module[top]]), RULES.replace("TAKING", rules))


RULES = """
    reg f_started = 1'b0, f_drop;
    always @(posedge clk) begin
        f_started <= 1'b1;
        f_drop <= drop_i;
    end
    always @(*) if (f_started) begin
        assert (~(f_drop & announce));
        assert (room_0 | ~announce);
TAKING
    end
"""
"""The statement, to be put into the module."""


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_the_control_assumes(variant: str, built: Callable[..., Built], tmp_path: Path) -> None:
    changes, taking = VARIANTS[variant]
    assert ruled(built(*changes), taking).broken(tmp_path, least=2 + len(taking)) == []


@pytest.mark.parametrize(
    ("variant", "name"), [(variant, name) for variant, (_, taking) in VARIANTS.items() for name in taking]
)
def test_what_is_taken_while_everything_is_forgotten_is_seen(
    variant: str, name: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    changes, taking = VARIANTS[variant]
    assert ruled(built(*changes), taking, drop(f"xts:{name}", "~drop_i")).broken(tmp_path)


def test_an_announcement_without_room_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    assert ruled(built(*LIGHT_XTS), (), drop("xts:announce", "room_0")).broken(tmp_path)
