"""The record of long measurements: used where nothing that decides them has changed, and only there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from cipherwright.verify import CoreFolder
from tests import proofs, recorded
from tests.induction import Ruled


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A record of one measurement, and what is measured in the test."""
    entry = {"decided_by": recorded.digest("text", "tool 1"), "found": {"luts": 5}}
    monkeypatch.setattr(recorded, "FOUND", {"a": entry})
    for name in (recorded.RENEWED, recorded.ANEW):
        monkeypatch.delenv(name, raising=False)
    return []


def test_the_record_is_used_for_the_same_text_alone(asked: list[str]) -> None:
    def found(name: str, *decides: str) -> object:
        return recorded.measured(name, decides, lambda: asked.append(name) or {"luts": 6})

    assert found("a", "text", "tool 1") == {"luts": 5}
    assert not asked
    for name, *decides in (("a", "text", "tool 2"), ("a", "texttool 1"), ("b", "text", "tool 1")):
        assert found(name, *decides) == {"luts": 6}
    assert asked == ["a", "a", "b"]


def test_what_fails_is_in_no_record(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> None:
        raise AssertionError("%Warning")

    monkeypatch.setenv(recorded.RENEWED, str(tmp_path))
    with pytest.raises(AssertionError, match="Warning"):
        recorded.measured("a", ("text", "tool 2"), fails)
    assert not list(tmp_path.iterdir())
    assert recorded.measured("a", ("text", "tool 1"), fails) == {"luts": 5}
    monkeypatch.setenv(recorded.ANEW, "1")
    assert recorded.measured("a", ("text", "tool 1"), lambda: (6, 7)) == [6, 7]
    (written,) = tmp_path.iterdir()
    assert json.loads(written.read_text()) == {
        "a": {"decided_by": recorded.digest("text", "tool 1"), "found": [6, 7]}
    }


def test_another_letter_or_file_is_another_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a source, of its name, of the target, the mapping, and of the code that maps."""
    seen = list[tuple[str, ...]]()
    monkeypatch.setattr(
        recorded, "measured", lambda name, decides, _: seen.append(tuple(decides)) or {"cells": {}}
    )
    (one := tmp_path / "one.v").write_text("module m; endmodule\n")
    (same := tmp_path / "same.v").write_text("module m; endmodule\n")
    (other := tmp_path / "other.v").write_text("module m; endmodule \n")
    for sources, *how in (
        ([one], "m", "xc7"),
        ([same], "m", "xc7"),
        ([other], "m", "xc7"),
        ([one, other], "m", "xc7"),
        ([one], "n", "xc7"),
        ([one], "m", "xcv"),
        ([one], "m", "xc7", "area"),
    ):
        recorded.mapped(sources, *how)
    monkeypatch.setattr(recorded, "room", lambda name: "another room")
    recorded.mapped([one], "m", "xc7")
    assert len(set(seen)) == len(seen) == 8


def test_other_checks_of_a_core_are_judged_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its text, its name, what is asked of it, how that is judged or the room of the checks changed."""
    seen = list[tuple[str, ...]]()
    monkeypatch.setattr(recorded, "measured", lambda name, decides, judge: seen.append(tuple(decides)))
    (tmp_path / "m.v").write_text("module m; endmodule\n")
    folder = CoreFolder(tmp_path, {"top": "m"})
    recorded.judged(folder, ["proof"], lambda: "right")
    recorded.judged(folder, ["reset"], lambda: "right")
    recorded.judged(folder, ["proof"], lambda: "wrong")
    (tmp_path / "m.v").write_text("module m; endmodule \n")
    recorded.judged(folder, ["proof"], lambda: "right")
    (tmp_path / "m.v").rename(tmp_path / "n.v")
    recorded.judged(folder, ["proof"], lambda: "right")
    monkeypatch.setattr(recorded, "room", lambda name: "another room")
    recorded.judged(folder, ["proof"], lambda: "right")
    assert len(set(seen)) == len(seen) == 6


def test_other_rules_are_asked_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the module, its rules, what is read before or after, or the rules that are looked at changed."""
    seen = list[tuple[str, ...]]()
    monkeypatch.setattr(
        proofs, "measured", lambda name, decides, _: seen.append((name, *decides)) or bool(decides)
    )
    one = Ruled("m", "module m; endmodule\n", "assert(a);\n", "verilog_defines -DA", "chparam -set B 1 m")
    changed = [
        replace(one, text="module m; wire c; endmodule\n"),
        replace(one, rules="assert(b);\n"),
        replace(one, before="verilog_defines -DB"),
        replace(one, after="chparam -set B 2 m"),
    ]
    for module in (one, one, *changed):
        assert proofs.breaks(module, tmp_path)
    assert proofs.breaks(one, tmp_path, "a")
    monkeypatch.setattr(proofs, "tool_version", lambda name: "another version")
    assert proofs.breaks(one, tmp_path)
    assert len(seen) == 8
    assert len({name for name, *_ in seen}) == len(set(seen)) == 7


def test_what_is_in_the_record() -> None:
    kinds = {name.split()[0] for name in json.loads(recorded.RECORD.read_text())}
    controls = {"proof", "rules", "run"}
    assert (
        kinds == {"bench", "cocotb", "diagram", "form", "lint", "map", "reset", "test", "verify"} | controls
    )


def test_docstrings_decide_nothing_and_code_does() -> None:
    text = 'X = 1\n"""What X is."""\n\n\ndef f() -> str:\n    """What f\n    gives."""\n    return """y"""\n'
    said = recorded.without_docstrings(text)
    assert said == 'X = 1\n\n\ndef f() -> str:\n    return """y"""\n'
    assert recorded.without_docstrings(text.replace("What f", "All that f")) == said
    assert recorded.without_docstrings(text.replace('"""y"""', '"""z"""')) != said
