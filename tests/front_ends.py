"""What every emitted core's text must be, for strict front ends and in a design with other cores. `python
-m tests.front_ends` checks all presets.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from pyslang import Bag, DiagnosticEngine, DiagnosticSeverity, SourceManager, ast, syntax

from cipherwright.flow import generate
from cipherwright.shell import BuiltEngine, Core
from cipherwright.spec import load, preset_names
from cipherwright.tools import find, run
from cipherwright.verify import CoreFolder

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_MODULE = re.compile(r"\bmodule\s+(\w+)")
_TWICE = re.compile(r"DuplicateDefinition|Redefinition")
_LINT = re.compile(r"//\s*verilator\s+lint_(on|off)\s+(\w+)")


def verilog(files: Mapping[str, str]) -> dict[str, str]:
    """The files of Verilog among a core's."""
    return {name: text for name, text in files.items() if name.endswith((".v", ".sv"))}


def modules(text: str) -> list[str]:
    """Names of the modules that a text declares."""
    return _MODULE.findall(_COMMENT.sub("", text))


def slang(files: Mapping[str, str]) -> list[str]:
    """What slang calls an error, and names declared twice, in files of one design, each a compilation unit
    of its own.
    """
    sources, design = SourceManager(), ast.Compilation(Bag())
    for name, text in verilog(files).items():
        design.addSyntaxTree(syntax.SyntaxTree.fromText(text, sources, name, name))
    engine = DiagnosticEngine(sources)
    errors = (DiagnosticSeverity.Error, DiagnosticSeverity.Fatal)
    found = [
        d
        for d in design.getAllDiagnostics()
        if engine.getSeverity(d.code, d.location) in errors or _TWICE.search(str(d.code))
    ]
    return DiagnosticEngine.reportAll(sources, found).splitlines() if found else []


def text_faults(
    top: str, files: Mapping[str, str], others: Iterator[str] | tuple[str, ...] = ()
) -> list[str]:
    """What is wrong with the texts of the core `top`, which may stand in a design with the cores `others`."""
    texts = verilog(files)
    longer = tuple(o for o in others if o.startswith(f"{top}_"))
    return [
        *(f"{name} is not ASCII" for name, text in files.items() if not text.isascii()),
        *(
            f"{name} does not begin with its licence"
            for name, text in files.items()
            if _SPDX not in text[:60] and not name.endswith(".md")
        ),
        *_module_faults(top, texts, longer),
        *(f"{name}: {fault}" for name, text in texts.items() for fault in _directive_faults(text)),
        *(f"{name}: {fault}" for name, text in texts.items() for fault in _long_lines(text)),
    ]


_SPDX = "SPDX-License-Identifier: Apache-2.0\n"


def _module_faults(top: str, texts: Mapping[str, str], longer: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with the names of modules; `longer`: names of other cores that begin with this one's."""
    seen = dict[str, str]()
    for name, module in ((name, m) for name, text in texts.items() for m in modules(text)):
        if module != top and not module.startswith(f"{top}_"):
            yield f"{name}: the module {module} does not begin with {top}"
        if any(module == o or module.startswith(f"{o}_") for o in longer):
            yield f"{name}: the module {module} may be one of another core's"
        if module in seen:
            yield f"{name}: the module {module} is in {seen[module]} as well"
        seen[module] = name


def _long_lines(text: str) -> Iterator[str]:
    """The lines of a Verilog text with over 100 columns, but for a number that takes as many."""
    for line in text.splitlines():
        if len(line) > 100 and not re.fullmatch(r"\s*\w+\[\d+\] = \d+'h\w+;", line):
            yield f"{len(line)} columns: {line}"


def _directive_faults(text: str) -> Iterator[str]:
    """What is wrong with lint comments and the time scale of a Verilog text."""
    off = list[str]()
    for state, warning in _LINT.findall(text):
        off = [*off, warning] if state == "off" else [w for w in off if w != warning]
    yield from (f"lint {warning} is not switched on again" for warning in off)
    scales = re.findall(r"^`timescale .*$", text, re.M)
    if scales != ["`timescale 1ns / 1ps"] or text.index("`timescale") > text.index("\nmodule "):
        yield "it has another time scale"


def core_faults(core: Core | BuiltEngine) -> list[str]:
    """What is wrong with the texts of a core, beside all presets."""
    presets = tuple(p.replace("-", "_") for p in preset_names())
    return text_faults(core.top, core.files, presets) + slang(core.files)


LINT = ("--lint-only", "-Wall", "--timing")
"""What Verilator is asked for."""

LANGUAGES = ("-g2005", "-g2005-sv")
"""Verilog for Icarus, and what it reads where there are files of SystemVerilog."""


def lint(top: str, sources: Sequence[Path], *waived: str) -> None:
    """Verilator warns of nothing but what is `waived` in the module `top` and those below it."""
    root = Path(find("verilator_bin")).resolve().parent.parent
    waivers = (f"-Wno-{warning}" for warning in waived)
    done = run(
        "verilator_bin",
        [*LINT, *waivers, "--top-module", top, *map(str, sources)],
        check=False,
        env={"VERILATOR_ROOT": str(root)},
    )
    assert done.returncode == 0, done.stdout
    assert "%Warning" not in done.stdout, done.stdout


def run_testbench(sources: Sequence[Path], work: Path) -> str:
    """What a testbench among the sources says in Icarus Verilog. Files are made in `work`."""
    language = LANGUAGES[any(s.suffix == ".sv" for s in sources)]
    run("iverilog", [language, "-o", str(work / "tb"), *map(str, sources)])
    return run("vvp", ["-n", str(work / "tb")]).stdout.strip()


def lint_and_run(top: str, folder: CoreFolder, work: Path) -> str:
    """The last word of a core's own testbench, which has no warning, nor has the core."""
    sources = [*folder.sources, folder.path / f"{top}_tb.v"]
    lint(f"{top}_tb", sources)
    return run_testbench(sources, work).split()[-1]


def _preset(name: str) -> list[str]:
    return [f"{name}: {fault}" for fault in core_faults(generate(load(name), {"preset": name}))]


if __name__ == "__main__":
    with ProcessPoolExecutor() as pool:
        found = [fault for faults in pool.map(_preset, preset_names()) for fault in faults]
    sys.exit("\n".join(found) or None)
