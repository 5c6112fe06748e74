"""The mutation programme (benchmarks/mutation.py): its record is whole and of this text, and a part of it
is run afresh.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutants import ARGUMENTS, SUBJECTS, Subject
from benchmarks.mutation import RECORD, Core, Discarded, digest_of, judge, judged, mutants_of, read_record
from cipherwright.rtl import modules_in
from cipherwright.verify.operators import CLOCKING, OPERATORS, apply, edits

FAMILIES = sorted({s.family for s in SUBJECTS})

TARGETED = {
    "all-resets",
    "by-hand",
    "credits",
    "digest",
    "direction",
    "key-while-busy",
    "later-blocks",
    "later-keys",
    "names",
    "ring",
    "zeroise",
}
"""Kinds of faults that are written by hand."""


@cache
def record() -> dict[str, dict[str, Any]]:
    return read_record()


def test_the_record_is_whole() -> None:
    """At least 300 mutants, of all families and kinds; each is seen by a check, or an argument says why it
    is no fault.
    """
    assert len(record()) >= 300
    assert judged(record()) == []
    assert ARGUMENTS.keys() <= record().keys()
    assert {r["family"] for r in record().values()} == set(FAMILIES)
    assert {r["operator"] for r in record().values()} == set(OPERATORS) | TARGETED
    assert all(r["killed_by"] or len(ARGUMENTS[name]) > 20 for name, r in record().items())


def test_totals_of_the_record_are_its_rows() -> None:
    text = json.loads(RECORD.read_text())
    for family in FAMILIES:
        assert text["by_family"][family] == Counter(
            r["killed_by"] or "none" for r in record().values() if r["family"] == family
        )
    assert text["survivors"] == sorted(ARGUMENTS)


def test_the_guide_has_the_records_figures(root: Path) -> None:
    text = (root / "docs" / "guide" / "verification.md").read_text()
    found = re.search(r"([\d,]+) mutants in (\d+) families; ([\d,]+) are seen, (\d+) are equivalent", text)
    assert found, "the guide does not say how many mutants there are"
    assert [int(x.replace(",", "")) for x in found.groups()] == [
        len(record()),
        len(FAMILIES),
        len(record()) - len(ARGUMENTS),
        len(ARGUMENTS),
    ]


def _chosen(family: str) -> tuple[Subject, str]:
    """A mutant that is seen and takes little time: one of the quickest of its family, by its digest."""
    rows = {n: r for n, r in record().items() if r["family"] == family and r["killed_by"]}
    least = min(r["seconds"] for r in rows.values())
    name = min(
        (n for n, r in rows.items() if r["seconds"] <= 1.5 * least),
        key=lambda n: hashlib.sha256(n.encode()).hexdigest(),
    )
    return next(s for s in SUBJECTS if name.startswith(f"{s.name}/{s.family}/")), name


@pytest.mark.parametrize("family", FAMILIES)
def test_a_part_afresh(family: str, tmp_path: Path) -> None:
    """One mutant of every family is what it was when the record was made, and is seen by the same check.
    Where the text has changed since: python benchmarks/mutation.py.
    """
    subject, name = _chosen(family)
    core = Core(subject, tmp_path)
    mutant = next(m for m in mutants_of(core, subject) if m.name == name)
    assert digest_of(core, mutant) == record()[name]["digest"], (
        "the record is of another text: python benchmarks/mutation.py"
    )
    assert judge(core, mutant, tmp_path).killer == record()[name]["killed_by"]


def test_the_record_is_of_this_text(tmp_path: Path) -> None:
    """All mutants of a loop with a stream and of a mode are those of the record."""
    for subject in SUBJECTS:
        if (subject.name, subject.family) not in {
            ("des-small", "loop"),
            ("stream", "stream"),
            ("chain", "chain"),
        }:
            continue
        home = tmp_path / subject.name
        home.mkdir()
        core = Core(subject, home)
        for m in mutants_of(core, subject):
            if m.name in record():
                assert digest_of(core, m) == record()[m.name]["digest"], (
                    f"{m.name}: python benchmarks/mutation.py"
                )


def test_a_core_without_a_fault_passes(tmp_path: Path) -> None:
    """The checks that see the mutants pass where nothing is wrong: a comment more is no fault."""
    subject = SUBJECTS[0]
    core = Core(subject, tmp_path)
    same = next(m for m in mutants_of(core, subject) if m.name.endswith("digest/comment"))
    kept = type(same)("same", subject, "none", same.file, same.change, subject.checks)
    assert judge(core, kept, tmp_path).killer == ""
    with pytest.raises(Discarded, match="does not change"):
        digest_of(core, type(same)("none", subject, "none", same.file, str, subject.checks))


MODULE = """\
module m (
    input  wire clk,
    input  wire rst_i,
    input  wire [3:0] d,  // the ^ of a comment is no place
    output reg  [3:0] q
);
    reg [3:0] x_q1;
    reg [3:0] x_q2;
    wire [3:0] y = d[1] ? x_q1 ^ d : {d[0], d[3:1]};
    always @(posedge clk) begin
        x_q1 <= rst_i ? 4'd0 : y;
        x_q2 <= x_q1;
        if (d[0]) q <= x_q2 + 4'd1;
    end
endmodule
"""

EDITS = {
    "xor-to-or": ("y", "x_q1 | d"),
    "condition": ("y", "!d[1] ?"),
    "index": ("y", "d[0] ? x_q1"),
    "parts-swapped": ("y", "{d[3:1], d[0]}"),
    "reset-missing": ("x_q1", "x_q1 <= y;"),
    "enable-missing": ("q", "        q <= x_q2"),
    "stuck": ("x_q2", "x_q2 <= x_q2;"),
    "register-dropped": ("x_q2", "x_q2 <= y;"),
    "register-extra": ("x_q2", "x_q2 <= x_q1_late;"),
    "plus-to-minus": ("q", "x_q2 - 4'd1"),
    "constant": ("q", "x_q2 + 4'd2"),
    "gated-clock": ("x_q1", "posedge gated_clock"),
    "falling-edge": ("x_q1", "negedge clk"),
    "async-reset": ("x_q2", "or posedge rst_i) if (rst_i) x_q2 <= 0;"),
    "latch": ("x_q2", "if (clk) x_q2 = x_q1;"),
}


@pytest.mark.parametrize("operator", EDITS)
def test_operators(operator: str) -> None:
    label, text = EDITS[operator]
    assert set(modules_in(MODULE)) == {"m"}
    made = [apply(MODULE, e) for e in edits(MODULE, operator) if e.label == label]
    assert any(text in m for m in made)
    assert all(m != MODULE for m in made)


def test_operators_leave_comments_alone() -> None:
    assert len(edits(MODULE, "xor-to-or")) == 1
    assert set(CLOCKING) < set(OPERATORS)
