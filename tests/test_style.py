"""No file is excused from the limits of complexity and of a line's length; faults are put into Verilog by
their meaning.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

LIMITS = ("PLR0912", "PLR0913", "E501")
"""At most 7 branches and 7 arguments in a function, and 110 columns in a line."""


def test_no_function_is_excused(root: Path) -> None:
    """Neither a list in pyproject.toml nor a comment lets a longer function or line pass."""
    assert "per-file-ignores" not in (root / "pyproject.toml").read_text()
    limits = ["--config=lint.pylint.max-branches=7", "--config=lint.pylint.max-args=7"]
    rules = [
        "--isolated",
        "--line-length=110",
        f"--select={','.join(LIMITS)}",
        "--output-format=concise",
        "--ignore-noqa",
    ]
    rooms = ["src", "tests", "examples", "benchmarks", "tools"]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", *limits, *rules, *rooms],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def long_lines(text: str) -> list[int]:
    """Numbers of lines over 110 columns, also such as ruff lets pass: those that end in a pragma or have no
    blank.
    """
    return [n for n, line in enumerate(text.splitlines(), 1) if len(line) > 110]


def test_no_line_is_long(root: Path) -> None:
    rooms = ("src", "tests", "examples", "benchmarks", "tools")
    files = [p for room in rooms for p in (root / room).rglob("*.py")]
    assert len(files) > 300
    assert {str(p.relative_to(root)): n for p in files if (n := long_lines(p.read_text()))} == {}
    assert long_lines("x\n" + 111 * "x" + "  # type: ignore[misc]\n") == [2]


VERILOG = re.compile(r"<=|\b(assign|wire|reg|posedge)\b|\w+_q\d*\b|\d+'[bdh][0-9a-f]|~\w|\w+_[io]\b")
"""What only a text of Verilog has."""

NO_FAULTS = {
    "tests/rtl/test_wrapper.py": "a module of the test's own",
    "tests/shell/test_cmac.py": "a port for the number of the fault",
    "tests/shell/test_folder.py": "documents beside the Verilog",
    "tests/shell/test_formal.py": "rules to be proven",
    "tests/shell/test_gcm.py": "a name in a record",
    "tests/shell/test_gcm_levels.py": "black boxes",
    "tests/shell/test_ghash.py": "a port for the number of the fault",
    "tests/shell/test_header.py": "comments and names of modules",
    "tests/shell/test_together.py": "testbenches",
    "tests/shell/test_xts.py": "a name in a record",
    "tests/test_cli.py": "a blank, which a digest sees",
    "tests/test_docs.py": "figures in a guide",
    "tests/test_verible.py": "a module of the test's own",
    "tests/verify/test_asynchronous.py": "what reads a reset",
    "tests/verify/test_copies.py": "a module of the test's own",
    "tests/verify/test_hierarchy.py": "a module of the test's own",
    "tests/verify/test_netlist.py": "a module of the test's own",
}
"""Files that change a text by what it says, and put no fault into emitted Verilog -> what they change."""


def changed_by_text(source: str) -> list[str]:
    """Calls of `replace` and `re.sub` in a module that look for Verilog, or for a text out of a table."""
    calls = (n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call))
    found = []
    for call in calls:
        if not isinstance(call.func, ast.Attribute) or not call.args:
            continue
        of = ast.unparse(call.func.value)
        table = isinstance(call.args[0], ast.Name | ast.Starred | ast.Subscript)
        verilog = isinstance(call.args[0], ast.Constant) and VERILOG.search(str(call.args[0].value))
        replaces = (call.func.attr == "replace" and of != "dataclasses") or (
            of == "re" and "sub" in call.func.attr
        )
        if replaces and (table or verilog):
            found.append(ast.unparse(call))
    return found


def test_no_fault_is_a_line_of_text(root: Path) -> None:
    """They are those of tests/faults.py; the files listed above change a text, but put no fault into it."""
    files = sorted((root / "tests").rglob("*.py"))
    found = {str(p.relative_to(root)): changed_by_text(p.read_text()) for p in files}
    assert {name for name, calls in found.items() if calls} == set(NO_FAULTS)


def test_a_line_of_text_is_seen() -> None:
    for call in ('t.replace("busy_q1 <= busy;", "")', "t.replace(*fault)", "re.sub(old, new, text)"):
        assert changed_by_text(f"def change(t):\n    return {call}\n")
    assert not changed_by_text('t.replace("-", "_")\ndataclasses.replace(box, rows=3)\n')


NEEDS_AN_EXTRA = {"sbox_search"}
"""Scripts that import a library of an optional part, `search`, which the tests do not install."""


def test_scripts_of_benchmarks_find_what_they_import(root: Path) -> None:
    """They run for hours, so no test runs them; a name that the package no longer has is seen here."""
    scripts = sorted(p.stem for p in (root / "benchmarks").glob("*.py") if p.stem not in NEEDS_AN_EXTRA)
    assert len(scripts) > 20
    text = "\n".join(f"import {name}" for name in scripts)
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=root / "benchmarks", check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
