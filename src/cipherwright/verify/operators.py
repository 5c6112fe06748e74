"""Operators of the mutation programme: small edits of one place of a Verilog module, as a slip of a hand
or of the generator would make.

An operator finds all places in a module where it can be applied. Each edit has a label, the net or
instance that it concerns, so that mutants have readable names that stay as long as the text does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

__all__ = ["CLOCKING", "OPERATORS", "Edit", "apply", "edits"]


@dataclass(frozen=True)
class Edit:
    """`text[start:end]` is replaced by `new`. `label`: the net or instance that it concerns; `inserted`
    stands before the module's last line in addition.
    """

    start: int
    end: int
    new: str
    label: str
    inserted: str = ""


def _plain(text: str) -> str:
    """The text with blanks for comments, attributes and what only proofs of hand-written files read, so
    that places stay.
    """

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    text = re.sub(r"(?s)`ifdef FORMAL.*?`endif", blank, text)
    return re.sub(r"//[^\n]*|/\*.*?\*/|\(\*.*?\*\)|@\(\*\)", blank, text)


_TARGET = re.compile(
    r"(?:\b(?:assign|wire|reg|localparam|integer)\b[^;=()]*?|(?<=[;)\n])\s*|\bbegin\s+|\belse\s+)"
    r"(?P<net>\b[a-z_A-Z]\w*(?:\[[^\]\n]*\])?)\s*<?=(?!=)|\b(?P<instance>u_\w+)\s*\("
)
_PIN = re.compile(r"\.(\w+)\(")


@lru_cache(16)
def _targets(text: str) -> tuple[list[int], list[str], list[int]]:
    """Where something is assigned or an instance begins, and its name, in a module; where the pins of
    instances are.
    """
    found = list(_TARGET.finditer(text))
    return (
        [m.end() for m in found],
        [m["net"] or m["instance"] for m in found],
        [m.start() for m in _PIN.finditer(text)],
    )


def _label(text: str, at: int) -> str:
    """What is assigned, or the instance and its pin, at a place."""
    ends, names, pins = _targets(text)
    k = bisect_right(ends, at + 1) - 1
    if k < 0:
        return "head"
    name = names[k]
    if name.startswith("u_"):
        p = bisect_right(pins, at) - 1
        if p >= 0 and pins[p] >= ends[k]:
            pin = _PIN.match(text, pins[p])
            name += f".{pin[1]}" if pin else ""
    return re.sub(r"\s+", "", name)


def _widths(text: str) -> dict[str, str]:
    """Declared nets and the text of their range ("" for one bit)."""
    found: dict[str, str] = {}
    for m in re.finditer(
        r"\b(?:reg|wire)\b\s*(?:signed\s*)?(\[[^\]]*\])?\s*((?:\w+\s*,\s*)*\w+)\s*(?=[;=),\n])", text
    ):
        for name in re.split(r"\s*,\s*", m[2]):
            found.setdefault(name, m[1] or "")
    return found


def _each(pattern: str, new: str | Callable[[re.Match[str]], str | None]) -> Callable[[str], Iterator[Edit]]:
    """An operator that replaces a match; the function may refuse one with None."""
    compiled = re.compile(pattern)

    def find(text: str) -> Iterator[Edit]:
        for m in compiled.finditer(text):
            made = m.expand(new) if isinstance(new, str) else new(m)
            if made is not None and made != m[0]:
                yield Edit(m.start(), m.end(), made, _label(text, m.start()))

    return find


def _flipped(digits: str, mask: int) -> str:
    return f"{int(digits, 16) ^ mask:0{len(digits)}x}"


def _table_name(text: str, at: int) -> str:
    """The LUT's instance or the constant's name; of an entry of a case, its address."""
    line = text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)]
    m = re.search(r"\b(u_\w+) \(|\b(\w+_LUT)\b|\d+'d(\d+): entry", line)
    return "table" if m is None else m[1] or m[2] or f"entry{m[3]}"


def _table_bit(text: str) -> Iterator[Edit]:
    """One bit of a lookup table: a LUT, a table in a constant, an entry of a case statement."""
    for m in re.finditer(
        (
            r"(?<=\.INIT\(16'h)[0-9a-f]{4}|(?<=_LUT = \d\d'h)[0-9a-f]+|(?<=_LUT = \d'h)[0-9a-f]+|(?<=: "
            r"entry = "
            r"\d'h)[0-9a-f]+"
        ),
        text,
    ):
        bit = 1 << (m.start() * 7 % min(4 * len(m[0]), 16))
        yield Edit(m.start(), m.end(), _flipped(m[0], bit), _table_name(text, m.start()))


def _table_x(text: str) -> Iterator[Edit]:
    """An entry of a lookup table that is x."""
    for m in re.finditer(
        r"16'h([0-9a-f]{4})(?=\))|(?<=_LUT = )16'h([0-9a-f]{4})|(?<=: entry = )4'h([0-9a-f])", text
    ):
        digits = m[1] or m[2] or m[3]
        bits = f"{int(digits, 16):0{4 * len(digits)}b}"
        at = m.start() % len(bits)
        yield Edit(
            m.start(), m.end(), f"{len(bits)}'b{bits[:at]}x{bits[at + 1 :]}", _table_name(text, m.start())
        )


_ASSIGN = re.compile(r"(?m)(?P<head>\b(?P<name>\w+)(?P<at>\[[^\]\n]*\])? <= )(?P<value>[^;]+);")


def _reset_missing(text: str) -> Iterator[Edit]:
    """A register that reset leaves as it is."""
    for m in re.finditer(r"(\w+(?:\[[^\]\n]*\])? <= )(?:rst_i|clear) \? [^:?]+ : ", text):
        yield Edit(m.start(), m.end(), m[1], _label(text, m.end()))
    for m in re.finditer(r"<= rst_i \|\|? ", text):
        yield Edit(m.start(), m.end(), "<= ", _label(text, m.end()))
    # The statements of a reset's branch.
    for branch in re.finditer(r"(?s)\bif \((?:rst_i|clear)\b[^\n]*\) begin\n(.*?)\n\s*end\b", text):
        for m in re.finditer(
            r"(?m)^\s*(\w+)(\[[^\]\n]*\])? <= [^;\n]+;\n?", text[branch.start(1) : branch.end(1)] + "\n"
        ):
            yield Edit(
                branch.start(1) + m.start(),
                branch.start(1) + m.end() - int(m[0].endswith("\n")),
                "",
                f"{m[1]}{m[2] or ''}",
            )
    for m in re.finditer(r"if \(rst_i \| ", text):
        yield Edit(m.start(), m.end(), "if (", _first_name(text, m.end()))


def _enable_missing(text: str) -> Iterator[Edit]:
    """A register that is loaded whenever it is not to be as well."""
    for m in re.finditer(
        r"(?<!else )\bif \((?!rst_i|clear)[^()]*(?:\([^()]*\)[^()]*)*\) (?=[\w{][\w\[\]:{}, -]* <= )", text
    ):
        yield Edit(m.start(), m.end(), "", _first_name(text, m.end()))


def _first_name(text: str, at: int) -> str:
    """The register that the next statement assigns."""
    m = re.compile(r"(\w+(?:\[[^\]\n]*\])?)\}? <= ").search(text, at)
    return re.sub(r"\s", "", m[1]) if m else "statement"


def _stuck(text: str) -> Iterator[Edit]:
    """A register that keeps its value."""
    for m in _ASSIGN.finditer(text):
        if not re.match(r"(?:rst_i \?|\d*'|0$|1$)", m["value"]):
            yield Edit(
                m.start("value"), m.end("value"), f"{m['name']}{m['at'] or ''}", f"{m['name']}{m['at'] or ''}"
            )


def _register_extra(text: str) -> Iterator[Edit]:
    """A value that arrives a cycle late: one register more before a register."""
    widths = _widths(text)
    if not re.search(r"\binput\s+wire\s+clk\b", text):
        return
    for m in re.finditer(r"\b(\w+) <= ((?:rst_i \? [^:?]+ : )?)(\w+);", text):
        if (
            widths.get(m[1]) == widths.get(m[3], "?")
            and m[1] != m[3]
            and not re.search(r"\bgenvar|\bgenerate", text)
        ):
            late = f"{m[3]}_late"
            more = f"    reg {widths[m[1]]} {late};\n    always @(posedge clk) {late} <= {m[3]};\n"
            yield Edit(m.start(3), m.end(3), late, m[1], more)


def _register_dropped(text: str) -> Iterator[Edit]:
    """A register that takes what the register before it takes, so a rank is missing."""
    takes = {
        m["name"]: m for m in _ASSIGN.finditer(text) if not m["at"] and not re.search(r"[{}]", m["value"])
    }
    for m in re.finditer(r"\b(\w+) <= ((?:rst_i \? [^:?]+ : )?)(\w+);", text):
        earlier = takes.get(m[3])
        if earlier is None or m[1] == m[3]:
            continue
        source = re.sub(r"^rst_i \? [^:?]+ : ", "", earlier["value"])
        if re.fullmatch(r"\w+", source) and source != m[3]:
            yield Edit(m.start(3), m.end(3), source, m[1])


def _sources_swapped(text: str) -> Iterator[Edit]:
    """Two registers of one width that take each other's values."""
    widths = _widths(text)
    found = list(re.finditer(r"\b(\w+) <= ((?:rst_i \? [^:?]+ : )?)(\w+);", text))
    for a, b in pairwise(found):
        if (
            widths.get(a[1]) == widths.get(b[1], "?") == widths.get(a[3], "?") == widths.get(b[3], "?")
            and a[3] != b[3]
            and b.start() - a.end() < 300
        ):
            between = text[a.end(3) : b.start(3)]
            yield Edit(a.start(3), b.end(3), f"{b[3]}{between}{a[3]}", f"{a[1]}+{b[1]}")


def _parts_swapped(text: str) -> Iterator[Edit]:
    """Two neighbours of a concatenation exchanged."""
    item = re.compile(r"(?<![\w\]'.])[a-zA-Z_]\w*(?:\[[\w+*:-]+\])?(?=\s*[,}])")
    for group in re.finditer(r"\{[^{}?]*\}", text):
        items = list(item.finditer(text, group.start(), group.end()))
        for a, b in pairwise(items):
            if a[0] != b[0] and not text[a.end() : b.start()].strip(", \n"):
                yield Edit(
                    a.start(), b.end(), b[0] + text[a.end() : b.start()] + a[0], _label(text, a.start())
                )


def _index(m: re.Match[str]) -> str | None:
    if m[3]:
        high, low = int(m[2]), int(m[3][1:])
        return f"{m[1]}[{high - 1}:{low - 1}]" if low else None
    return f"{m[1]}[{int(m[2]) - 1}]" if int(m[2]) else None


def _shifted(text: str) -> Iterator[Edit]:
    """Another bit, or a slice a bit lower."""
    for m in re.finditer(
        r"(?<![<'\w] )\b(?!reg|wire|parameter|localparam|input|output|integer|inout)"
        r"(\w+)\[(\d+)(:\d+)?\](?!\s*<=)",
        text,
    ):
        new = _index(m)
        if new is not None and not text[: m.start()].rstrip().endswith(
            ("reg", "wire", "parameter", "localparam", "initial")
        ):
            yield Edit(m.start(), m.end(), new, _label(text, m.start()))


def _number(m: re.Match[str]) -> str | None:
    width, value = int(m[1]), int(m[3], {"d": 10, "b": 2, "h": 16}[m[2]])
    if width == 1:
        return None
    more = (value + 1) % (1 << width)
    return f"{width}'{m[2]}" + {"d": f"{more}", "b": f"{more:0{len(m[3])}b}", "h": f"{more:x}"}[m[2]]


def _constant(text: str) -> Iterator[Edit]:
    """A number that is one more. Tables are the operators' above."""
    for m in re.finditer(r"(?<!INIT\()\b(\d+)'([dbh])([0-9a-f]+)\b(?=\s*[;:)&|?,}+-]|\s*$)", text):
        if re.search(r"_LUT = $|entry = $", text[max(0, m.start() - 9) : m.start()]) or re.match(
            r"\s*: entry", text[m.end() :]
        ):
            continue
        new = _number(m)
        if new is not None:
            yield Edit(m.start(), m.end(), new, _label(text, m.start()))


def _condition(text: str) -> Iterator[Edit]:
    """The wrong branch of a choice."""
    for m in re.finditer(r"(?<=[=(:{,] )(?<![=!]= )([a-zA-Z_]\w*(?:\[\w+\])?)(?= \? )(?<!rst_i)", text):
        yield Edit(m.start(), m.end(), f"!{m[1]}", _label(text, m.start()))
    for m in re.finditer(
        r"\bif \((?!rst_i|clear)(\w+|[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)(?! begin : )", text
    ):
        if not re.search(
            r"generate", text[max(0, m.start() - 4000) : m.start()].rsplit("endgenerate", 1)[-1]
        ):
            yield Edit(m.start(1), m.end(1), f"!({m[1]})", _first_name(text, m.end()))


_INSTANCE = re.compile(r"(?ms)^    \w+ (?:#\([^;]*?\) )?(u_\w+) \(([^;]*)\);")
_NET_PIN = re.compile(r"\.(\w+)\((\w+(?:\[\d+\])?)\)")


def _inputs(text: str) -> Iterator[list[tuple[str, re.Match[str]]]]:
    """Of every instance, its pins with one net each, outputs and clocks apart; with the instance's name."""
    for m in _INSTANCE.finditer(text):
        pins = [
            p
            for p in _NET_PIN.finditer(text, m.start(2), m.end(2))
            if not p[1].endswith("_o") and p[1] not in ("q", "y", "clk")
        ]
        yield [(m[1], p) for p in pins]


def _pins_swapped(text: str) -> Iterator[Edit]:
    """Two pins of an instance, each with one net of the same width, exchanged."""
    widths = _widths(text)
    for pins in _inputs(text):
        for (name, a), (_, b) in pairwise(pins):
            if a[2] != b[2] and widths.get(a[2]) == widths.get(b[2], "?"):
                yield Edit(
                    a.start(2), b.end(2), b[2] + text[a.end(2) : b.start(2)] + a[2], f"{name}.{a[1]}+{b[1]}"
                )


def _pin_tied(text: str) -> Iterator[Edit]:
    """A pin of one bit that is 0 for ever."""
    widths = _widths(text)
    for pins in _inputs(text):
        for name, p in pins:
            if widths.get(p[2]) == "" or "[" in p[2]:
                yield Edit(p.start(2), p.end(2), "1'b0", f"{name}.{p[1]}")


_PLAIN_REGISTER = re.compile(r"(?m)^\s*(\w+) <= (?:rst_i \? ([^:?]+) : )?([a-zA-Z_]\w*);\n")


def _gated_clock(text: str) -> Iterator[Edit]:
    """Registers whose clock stops while an input is 0."""
    gate = re.search(r"\binput\s+wire\s+(?!clk\b)(\w+)", text)
    for m in re.finditer(r"always @\(posedge clk\)", text) if gate else ():
        name = _first_name(text, m.end())
        new = f"wire gated_clock = clk & {gate[1] if gate else ''};\n    always @(posedge gated_clock)"
        yield Edit(m.start(), m.end(), new, name)


def _falling_edge(text: str) -> Iterator[Edit]:
    """Registers that follow the other edge of the clock."""
    for m in re.finditer(r"posedge(?= clk\))", text):
        yield Edit(m.start(), m.end(), "negedge", _first_name(text, m.end()))


def _own_block(text: str, block: str) -> Iterator[Edit]:
    """Registers with a block of their own, made of `block` with {q}, {d}, {edge} and {reset}."""
    widths = _widths(text)
    for m in _PLAIN_REGISTER.finditer(text) if re.search(r"\brst_i\b", text) else ():
        if m[1] in widths and m[1] != m[3] and len(re.findall(rf"\b{m[1]}\b[^;\n]* <= ", text)) == 1:
            reset = m[2] or "0"
            yield Edit(m.start(), m.end(), "", m[1], block.format(q=m[1], d=m[3], reset=reset))


def _async_reset(text: str) -> Iterator[Edit]:
    """A register with an asynchronous clear."""
    return _own_block(
        text, "    always @(posedge clk or posedge rst_i) if (rst_i) {q} <= {reset}; else {q} <= {d};\n"
    )


def _latch(text: str) -> Iterator[Edit]:
    """A latch in a register's place."""
    return _own_block(text, "    always @(clk or {d}) if (clk) {q} = {d};\n")


def _line_length(more: int) -> Callable[[str], Iterator[Edit]]:
    """An operator that makes a delay line a cycle longer, or shorter."""

    def find(text: str) -> Iterator[Edit]:
        for m in re.finditer(r"_delay_\w+ #\([^;]*?\.(?:DEPTH|WORDS)\((\d+)\)\) (u_\w+)", text):
            yield Edit(m.start(1), m.end(1), str(int(m[1]) + more), m[2])

    return find


OPERATORS: Mapping[str, Callable[[str], Iterator[Edit]]] = {
    "table-bit": _table_bit,
    "table-x": _table_x,
    "xor-to-or": _each(r" \^ ", " | "),
    "and-to-or": _each(r"(?<!&) & (?!&)| && ", lambda m: " || " if "&&" in m[0] else " | "),
    "or-to-and": _each(r" \|\|? ", lambda m: " && " if "||" in m[0] else " & "),
    "not-dropped": _each(r"[~!](?=[\w(])", ""),
    "equal-inverted": _each(r" (==|!=) ", lambda m: " != " if m[1] == "==" else " == "),
    "plus-to-minus": _each(r" \+ (?=[\w{(])(?!1\) )", " - "),  # not of a loop that would never end
    "constant": _constant,
    "condition": _condition,
    "index": _shifted,
    "parts-swapped": _parts_swapped,
    "pins-swapped": _pins_swapped,
    "pin-tied": _pin_tied,
    "reset-missing": _reset_missing,
    "enable-missing": _enable_missing,
    "stuck": _stuck,
    "register-extra": _register_extra,
    "register-dropped": _register_dropped,
    "sources-swapped": _sources_swapped,
    "gated-clock": _gated_clock,
    "falling-edge": _falling_edge,
    "async-reset": _async_reset,
    "latch": _latch,
    "delay-longer": _line_length(1),
    "delay-shorter": _line_length(-1),
}
"""Name -> the places of a module's text (comments blanked) where it can be applied."""

CLOCKING = ("gated-clock", "falling-edge", "async-reset", "latch")
"""Operators that only what reads the netlist strictly can see."""


def edits(module: str, operator: str) -> list[Edit]:
    """All places in `module`, the text of a Verilog module, where `operator` (a key of OPERATORS) can be
    applied, each with a label of its own.

    >>> text = "assign y = a ^ b;"
    >>> [apply(text, e) for e in edits(text, "xor-to-or")]
    ['assign y = a | b;']
    """
    plain = _plain(module)
    found = []
    count: dict[str, int] = {}
    for e in sorted(OPERATORS[operator](plain), key=lambda e: (e.start, e.end)):
        count[e.label] = count.get(e.label, 0) + 1
        label = e.label if count[e.label] == 1 else f"{e.label}-{count[e.label]}"
        found.append(Edit(e.start, e.end, e.new, label, e.inserted))
    return found


def apply(module: str, edit: Edit) -> str:
    """The text `module` with one of its edits, `edit`."""
    text = module[: edit.start] + edit.new + module[edit.end :]
    if edit.inserted:
        at = text.rstrip().rindex("\n") + 1
        text = text[:at] + edit.inserted + text[at:]
    return text
