"""A core's files of Verilog, and its options as a record holds them."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..errors import UserError
from ..rtl import named_twice
from ..spec import Spec
from .header import commented, module_name, origin_lines
from .written import own_names

__all__ = ["core_files", "spec_parameters"]

_LINT = re.compile(r"^\s*// verilator lint_(on|off) (\w+)$", re.M)

_MODULE = re.compile(r"^module (\w+)", re.M)

_COLUMNS = 100
"""Columns of a line of Verilog at most."""

_COLUMN = re.compile(r" {2,}(?=\S)")
"""What is before a column of a table, or of the lines of a paragraph that hang."""

_ASSIGNMENTS = re.compile(r"(\w+\[\d+\] = [\w']+;( |$))+")
"""Assignments of numbers to words of memories."""

_BENCH_LINT = """\
// Lint: a testbench gives what it drives a value at the start, and not every core shows or takes all that \
it could.
// verilator lint_off PROCASSINIT
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off PINCONNECTEMPTY
"""

_AT_ONCE = re.compile(r"@\(posedge \w+ or posedge \w+\)")
"""A register with a reset that acts at once."""

_BENCH_LINT_AT_ONCE = """\
// A reset that acts at once is read at the clock by the testbench.
// verilator lint_off SYNCASYNCNET
"""

_BENCH_FATAL = "CIPHERWRIGHT_FATAL"
"""A macro with which a testbench that fails ends the simulator with an error."""
_BENCH_END = f"""\
// A run that fails ends with $finish; where {_BENCH_FATAL} is defined, with $fatal of SystemVerilog, so \
that the simulator's exit status tells.
`ifdef {_BENCH_FATAL}
`define FAILED $fatal(0)
`else
`define FAILED $finish
`endif
"""


def spec_parameters(spec: Spec) -> dict[str, object]:
    """The options of `spec`, by name, as a record holds them."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in spec.options().items()}


def core_files(
    name: str, header: Sequence[str], text: str, bench: str, control: Mapping[str, str]
) -> dict[str, str]:
    """All Verilog of the core `name`, by file name: its own (`text`) behind the lines of a `header`,
    hand-written `control`, by file name, and the testbench `bench`. Every module bears the core's name
    (`own_names`), and every file has the same time scale. Lines have 100 columns at most. Raises
    UserError where two modules have one name, or a port has the name of the core: in VHDL it would hide it.
    """
    top, origin = module_name(name), commented(origin_lines(name))
    files = {
        own_names(file, top): f"{origin}//\n{_scaled(own_names(written, top))}"
        for file, written in control.items()
    }
    # The core and the modules that it alone uses are in one file.
    lint = "// verilator lint_{} DECLFILENAME\n"
    files[f"{top}.v"] = commented(header) + _scaled(
        lint.format("off") + own_names(text, top) + lint.format("on")
    )
    _check_names(files.values())
    _check_ports(files[f"{top}.v"], top)
    at_once = _BENCH_LINT_AT_ONCE if any(map(_AT_ONCE.search, files.values())) else ""
    files[f"{top}_tb.v"] = f"{origin}//\n{_scaled(_BENCH_LINT + at_once + _BENCH_END + bench)}`undef FAILED\n"
    return {file: _in_columns(each) for file, each in files.items()}


def _check_names(texts: Iterable[str]) -> None:
    """Raise UserError where the `texts` declare two modules of one name."""
    for module, times in Counter(name for text in texts for name in _MODULE.findall(text)).items():
        if times > 1:
            raise named_twice(module)


def _check_ports(text: str, top: str) -> None:
    """Raise UserError where a port in `text` is called `top`, as its module."""
    if re.search(rf"^\s+(?:input|output)\s+wire\s+(?:\[[^]]*\]\s*)?{top},?$", text, re.M):
        raise UserError(f"{top} is a port of this core, which can't have the same name: choose another name")


def _in_columns(text: str) -> str:
    """`text` in lines of 100 columns at most: a longer line of comment goes on below where its last column
    begins, a comment behind code comes before it, a line of several assignments becomes a line for each, and
    another one goes on indented. A line with a string or a directive stays.
    """
    return "\n".join(part for line in text.split("\n") for part in _wrapped(line))


def _wrapped(line: str) -> list[str]:
    if len(line) <= _COLUMNS:
        return [line]
    code = line.lstrip()
    indent = line[: len(line) - len(code)]
    if code.startswith("//"):
        place = max([len(indent) + 3, *(m.end() for m in _COLUMN.finditer(line, len(indent) + 2))])
        return _lines(line[:place], line[place:], f"{indent}//".ljust(place))
    if '"' in code or "`" in code:
        return [line]
    code, mark, said = code.partition("//")
    if mark:
        return [*_wrapped(f"{indent}//{said}"), *_wrapped(f"{indent}{code.rstrip()}")]
    if _ASSIGNMENTS.fullmatch(code):
        return [f"{indent}{each};" for each in code.rstrip(";").split("; ")]
    return _lines(indent, code, f"{indent}    ")


def _lines(begin: str, text: str, hanging: str) -> list[str]:
    """`text` behind `begin`, and all but the first line of it behind `hanging`."""
    return textwrap.wrap(
        text,
        _COLUMNS,
        initial_indent=begin,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _scaled(text: str) -> str:
    """Verilog with a time scale, and with lint that is switched off switched on again at the end at the
    latest.
    """
    off = [warning for state, warning in _LINT.findall(text) if state == "off"]
    on = [warning for state, warning in _LINT.findall(text) if state == "on"]
    left = [w for k, w in enumerate(off) if off[: k + 1].count(w) > on.count(w)]
    return f"`timescale 1ns / 1ps\n{text}" + "".join(
        f"// verilator lint_on {w}\n" for w in dict.fromkeys(left)
    )
