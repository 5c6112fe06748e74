"""A generated core is compared with the description before it is saved; a description that does not fit is
refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cipherwright.cipher import CATALOGUE
from cipherwright.cipher.des import Des
from cipherwright.cipher.word import Word, Words
from cipherwright.errors import UserError
from cipherwright.flow import generate
from cipherwright.rtl import Assign, Design, DesignModel, Register, from_lanes, lower, to_lanes
from cipherwright.schedule import schedule
from cipherwright.spec import load


class ScheduleThatMustRunFirst(Des):
    """A key schedule that says that its last state is the one after its first step, which it is not."""

    name = "runfirst"

    def key_end(self, key: Word) -> Words:
        return self.key_next(key.const(1, 0), self.key_begin(key))


class NotItsOwnInverse(Des):
    """A final permutation that is not the inverse of the first one."""

    name = "notinverse"

    def end(self, state: Words) -> Word:
        return super().end(state).bits((0, *range(63, 0, -1)))


@pytest.fixture(autouse=True)
def trial_ciphers(monkeypatch: pytest.MonkeyPatch) -> None:
    for cipher in (ScheduleThatMustRunFirst(), NotItsOwnInverse()):
        monkeypatch.setitem(CATALOGUE, cipher.name, cipher)


def test_a_loop_that_can_not_be_derived_is_refused() -> None:
    with pytest.raises(
        UserError,
        match=r"no right core can be made of .*: its loop differs from the description in decryption",
    ):
        generate(load("des-small", ["cipher=runfirst"]))
    assert generate(load("des-small", ["cipher=runfirst", "direction=encrypt"])).flip_flops > 0
    assert (
        generate(load("des-xilinx-48", ["cipher=runfirst", "interface=plain", "key_lead=0"])).flip_flops > 0
    )


def test_a_description_that_does_not_undo_itself_is_refused() -> None:
    with pytest.raises(UserError, match="does not undo itself"):
        generate(load("des-fast", ["cipher=notinverse"]))


def _crossed(design: Design) -> Design:
    """Two bits of the first wide register of the top exchanged."""
    items = list(design.top.items)
    at = next(i for i, r in enumerate(items) if isinstance(r, Register) and len(set(r.data)) > 1)
    r = items[at]
    assert isinstance(r, Register)
    items[at] = replace(r, data=(r.data[1], r.data[0], *r.data[2:]))
    return Design((*design.modules[:-1], replace(design.top, items=tuple(items))))


def _inverted(design: Design) -> Design:
    """A sum in a stage that became an AND, or a lookup table that says the opposite."""
    for k, m in enumerate(design.modules):
        for j, a in enumerate(m.items):
            if isinstance(a, Assign) and a.op in ("xor", "lut", "lut4", "add"):
                wrong = (
                    replace(a, op="and", attr=None)
                    if a.op in ("xor", "add")
                    else replace(a, attr=a.attr ^ (1 << (1 << len(a.operands))) - 1)
                )
                changed = replace(m, items=(*m.items[:j], wrong, *m.items[j + 1 :]))
                return Design((*design.modules[:k], changed, *design.modules[k + 1 :]))
    raise AssertionError("the design has no logic")


@pytest.mark.parametrize("fault", [_crossed, _inverted])
@pytest.mark.parametrize(
    "preset", ["des-fast", "des-small", "khazad-small", "misty1-fast", "aes-tiny", "aes128-fast"]
)
def test_a_fault_of_the_lowering_is_seen(preset: str, fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("arch.stages", "shell.unit"):
        monkeypatch.setattr(f"cipherwright.{module}.lower", lambda *args: fault(lower(*args)))
    changes = (
        ["sbox=boyar_peralta", "fuse_linear=false", "stages=12", "linear_depth=0"]
        if preset == "aes128-fast"
        else []
    )
    with pytest.raises(UserError, match="no right core can be made of"):
        generate(load(preset, changes))


def test_the_model_of_a_design_computes_a_sum() -> None:
    from cipherwright.graph import GraphBuilder
    from cipherwright.schedule import UNIT

    b = GraphBuilder("sum")
    x, y = b.input("x", 9), b.input("y", 9)
    b.output("s", b.add(b.xor(x, y), b.select(x, range(8, -1, -1))))
    design = lower(schedule(b.build(), UNIT, stages=2), "sum")
    xs, ys = [0, 1, 300, 511], [511, 1, 17, 256]
    out = DesignModel(design, 4).run({"x_i": to_lanes(xs, 9), "y_i": to_lanes(ys, 9)})
    assert from_lanes(out["s_o"], 4) == [((x ^ y) + x) % 512 for x, y in zip(xs, ys, strict=True)]


def test_stages_without_use_are_told() -> None:
    core = generate(load("des-fast", ["stages=90"]))
    assert core.record()["useful_stages"] == 81
    assert generate(load("des-fast")).record()["useful_stages"] == 81
