"""AXI-Stream in front of a pipeline's deep FIFO: a beat that is taken is accepted in the next cycle, proven
by induction for all times; so valid alone accepts it (SURE of cipherwright_deep_stream.sv).
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from cipherwright.flow import build
from cipherwright.shell import Core
from cipherwright.spec import load
from tests.conftest import IN_LIGHT
from tests.faults import Fault, Faults, drop, takes, use
from tests.proofs import Sees, sby
from tests.shell.control_rules import free_outputs, module_of
from tests.shell.test_formal import spoil

_AXI = ("interface=axi-stream", "fifo_depth=64")
VARIANTS = {
    "a key and a counter block": ("aes128-fast-ctr", *IN_LIGHT, "interface=axi-stream"),
    "words of two lanes": (
        *("aes128-fast-ctr", *IN_LIGHT, "lanes=2", "interface=axi-stream", "tdata_bits=0"),
    ),
    "a key": ("aes128-fast", *IN_LIGHT, *_AXI, "key=static", "key_expansion=unit"),
    "nothing that is held": ("aes128-fast-agile", *IN_LIGHT, *_AXI),
}

SCRIPT = """\
[options]
mode prove
depth 8

[engines]
smtbmc yices

[script]
read -formal -sv axi.v
read -formal -sv inside.v
prep -top axi_top

[files]
axi.v
inside.v
"""
"""A proof of the wrapper `axi_top` in `axi.v` around the module in `inside.v`."""

_INSIDE = """\
// The core inside, and its FIFO: anything that keeps these promises. Room that is announced is there in this
// cycle and in the next two; a ready core stays ready until a key or a counter block is offered to it, or
// everything is forgotten; it is not ready behind an offered key, nor behind a counter block that it took.
    (* anyseq *) wire f_room, f_ready;
    reg f_started = 1'b0;
    reg f_early_1 = 1'b0, f_early_2 = 1'b0, f_stays = 1'b0, f_waits = 1'b0;
    always @(posedge clk) begin
        f_started <= 1'b1;
        f_early_1 <= s_early_o & ~{clear};
        f_early_2 <= f_early_1 & ~{clear};
        f_stays <= f_ready & ~{clear}{offers};
        f_waits <= {waits};
    end
    assign s_ready_o = f_room & f_ready;
    always @(*) begin
        if (!f_started) assume (rst_i);
        if (s_early_o || f_early_1 || f_early_2) assume (f_room);
        if (f_stays) assume (f_ready);
        if (f_waits) assume (!f_ready);
        if ({always}) assume (f_ready);
        if (f_started && !rst_i) assert (!s_valid_i || s_ready_o);
    end
"""

_OFFER = """\
    // An offer stays until it is taken.
    reg f_{name} = 1'b0;
    always @(posedge clk) f_{name} <= {name}_valid_i & ~{name}_ready_o & ~rst_i;
    always @(*) if (f_{name}) assume ({name}_valid_i);
"""


@cache
def core_of(variant: str) -> Core:
    preset, *changes = VARIANTS[variant]
    return build(load(preset, changes))


def _folder(core: Core, folder: Path) -> Path:
    """The emitted wrapper, and the module inside it with its ports and _INSIDE; the wrapper's file."""
    text = core.files[f"{core.top}.v"]
    inside = module_of(text, f"{core.top}_buffered")
    head = inside[: inside.index(");") + 3]
    held = [n for n in ("zeroise_i", "key_valid_i", "iv_valid_i") if re.search(rf"\b{n}\b", head)]
    clear = f"(rst_i{' | zeroise_i' if 'zeroise_i' in held else ''})"
    offers = "".join(f" & ~{n}" for n in held if n != "zeroise_i")
    loads = [n.removesuffix("_valid_i") for n in held if n != "zeroise_i"]
    takes_it = {"key": "key_valid_i", "iv": "(iv_valid_i & iv_ready_o)"}
    waits = " | ".join(["1'b0", *(f"({takes_it[n]} & ~{clear})" for n in loads)])
    rules = _INSIDE.replace("{clear}", clear).replace("{offers}", offers).replace("{waits}", waits)
    rules = rules.replace("{always}", "1'b0" if loads else "1'b1")  # without a key it is always ready
    (folder / "inside.v").write_text(free_outputs(inside, "s_ready_o", rules))
    offered = "".join(_OFFER.replace("{name}", n) for n in loads)
    (folder / "axi.v").write_text(module_of(text, core.top).replace("endmodule\n", f"{offered}endmodule\n"))
    (folder / "axi.sby").write_text(SCRIPT.replace("axi_top", core.top))
    return folder / "axi.v"


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_beat_that_is_taken_is_accepted(variant: str, tmp_path: Path) -> None:
    core = core_of(variant)
    assert re.search(r"\.SURE\(1\)", core.files[f"{core.top}.v"])
    _folder(core, tmp_path)
    text = sby(tmp_path, "", "axi.sby")
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


FAULTS: tuple[Fault | Faults, ...] = (
    drop("open_q", "early"),
    drop("live_q", "ready_q"),
    use("valid_q", "zeroise_i", "1'b0"),
    drop("open_q", "live_q"),
    takes("hold_q", "key_valid_i"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_broken_promise_is_seen(fault: Fault | Faults, tmp_path: Path, sees: Sees) -> None:
    spoil(_folder(core_of("a key and a counter block"), tmp_path), fault)
    assert sees(tmp_path, "", "axi.sby")
