"""The rules of the control around a held key (shell/sv/cipherwright_control_rules.svh), put into the control
of an emitted core.
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from cipherwright.shell import Core
from tests.faults import Fault, Faults, all_of, drop, unreset, use

__all__ = ["FAULTS", "SCRIPT", "control_of", "free_outputs", "module_of", "with_rules"]

SCRIPT = "control.sby"
_SV = Path(str(resources.files("cipherwright.shell"))) / "sv"
_RULES = "cipherwright_control_rules.svh"


def module_of(text: str, name: str) -> str:
    """The text of a module of a core."""
    found = re.search(rf"(?s)^(\(\* keep_hierarchy[^\n]*\n)?module {name} \(.*?^endmodule\n", text, re.M)
    assert found, name
    return found[0]


def free_outputs(module: str, but: str = "", rules: str = "") -> str:
    """A module with the ports of another whose outputs are free; `but` one, which `rules` drive."""
    head = module[: module.index(");") + 3]
    free = "".join(
        f"    (* anyseq *) wire {width}f_{name};\n    assign {name} = f_{name};\n"
        for width, name in re.findall(r"output wire (\[\d+:0\] )?(\w+)", head)
        if name != but
    )
    return f"{head}{free}{rules}endmodule\n"


def _constants(control: str, latency: int) -> str:
    """The constants that the rules name, from the control's own text and the core's latency."""
    feedback = re.search(r"\{time_q\[\d+:0\], time_q\[(\d+)\] \^ time_q\[(\d+)\]\}", control)
    assert feedback
    high, tap = map(int, feedback.groups())
    goal = sum(int(v) << int(low) for low, v in re.findall(r"time_q\[\d+:(\d+)\] == \d+'d(\d+)", control))
    values = [1]
    while values[-1] != goal:
        v = values[-1]
        values.append((v << 1 | (v >> high ^ v >> tap) & 1) & (2 << high) - 1)
        assert len(values) < 2 << high, "no value of the time ends it"
    phases = re.search(r"reg  \[(\d+):0\] phase_q", control)
    assert phases
    late = "kick_q" in control
    rows = "".join(f"            {k}: f_time = {v};\n" for k, v in enumerate(values))
    return (
        f"    localparam integer F_FLIGHT = {latency + 1}, F_STEPS = {len(values) - 1};\n"
        f"    localparam integer F_PHASES = {int(phases[1]) + 1}, F_LATE = {int(late)};\n"
        f"    wire f_kick = {'kick_q' if late else 'start_q'};\n"
        f"    wire f_drop = {'drop_q' if late else 'zero_q'};\n"
        f"    function automatic [{high}:0] f_time(input [15:0] k);\n        case (k)\n{rows}"
        "            default: f_time = 0;\n        endcase\n    endfunction\n"
    )


_SHALLOW = """\
    always @(*)
        if (f_started) begin
            if (calm_q) assert (rest_q && !zero_q);
            if (still_q && calm_q)
                assert (!open_q && !start_q && !expand_q && f_age > F_FLIGHT);
            if (offer_q) assert (!made_q);
        end
"""
"""Rules of the registers that a shallow control has besides."""


def control_of(core: Core) -> str:
    """The name of the module that decides when the core takes a block and when a key."""
    text = core.files[f"{core.top}.v"]
    found = re.search(r"module (\w+)", text[text.index("// What decides when the core takes a block") :])
    assert found
    return found[1]


def with_rules(core: Core, folder: Path) -> Path:
    """The control of a core with its rules inside, around any core, and the script that proves it, in the
    folder; the file to be spoiled.
    """
    text, name = core.files[f"{core.top}.v"], control_of(core)
    control = module_of(text, name)
    flight = core.packet["tag_latency_cycles"] if core.packet else core.latency
    flight = core.unit["late_latency_cycles"] if core.unit else flight
    flight = core.mac["longest_latency_cycles"] if core.mac else flight
    inner = re.search(r"(\w+) u_inner \(", control)
    assert inner
    parts = [free_outputs(module_of(text, inner[1]))]
    parts += [module_of(text, cell) for cell in re.findall(rf"({name}_\w+) u_(?:start|drop) \(", control)]
    rules = _constants(control, flight) + (_SV / _RULES).read_text()
    rules += _SHALLOW if "calm_q" in control else ""
    file = folder / "control.v"
    file.write_text(control.replace("endmodule\n", f"{rules}endmodule\n") + "".join(parts))
    (folder / SCRIPT).write_text(
        "[options]\nmode prove\ndepth 1\n\n[engines]\nsmtbmc yices\n\n[script]\nread -formal -sv control.v\n"
        f"prep -top {name}\nsetattr -mod -unset keep_hierarchy *\nmemory_map -rom-only\n\n"
        "[files]\ncontrol.v\n"
    )
    return file


FAULTS: list[Fault | Faults] = [
    use("open_q", "held_q", "(held_q | expand_q)"),
    use("rest_q", "~start_q & (rest_q | done_q)", "1'b1"),
    drop("open_q", "~zeroise_i"),
    drop("offer_q", "quiet_q"),
    all_of(drop("offer_q", "~open_q"), drop("quiet_q", "~open_q")),
    drop("offer_q", "~offer_q"),
    drop("rest_q", "~start_q"),
    use("held_q", "(expand_q & complete & ~zero_q)", "expand_q"),
    drop("held_q", "~zero_q"),
    drop("held_q", "~zeroise_i"),
    use("held_q", "(held_q & ~take)", "held_q"),
    drop("valid_o", "~zero_q"),
    drop("busy_o", "start_q"),
    drop("busy_o", "expand_q"),
    use("done_q", "(&match_q)", "match_q[0]"),
    drop("time_q", "5'd1"),
    drop("quiet_q", "~start_q"),
    drop("quiet_q", "~expand_q"),
    use("settled_q", "~zeroise_i & ~advance_q & (phase_q[0] | complete)", "1'b1"),
    drop("advance_q", "~start_q"),
    drop("phase_q", "3'd1"),
    use("zero_q", "2", "1"),
    use("ready_o", "open_q", "held_q"),
    use("q", "(advance & last)", "advance"),
    drop("quiet_q", "~zeroise_i"),
    *(unreset(f"{name}_q") for name in ("open", "held", "expand", "zero")),
    unreset("rest_q"),
]
"""Faults of the control of a pipeline behind a counter. The rules hold without the
resets of offer_q, quiet_q, advance_q and settled_q; the check `reset` (verify/reset.py) sees those.
"""
