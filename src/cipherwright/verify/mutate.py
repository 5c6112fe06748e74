"""Faults put into emitted Verilog, to show that each check sees them."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

__all__ = ["MUTATIONS", "mutate", "next_value", "reset_to", "without_reset"]


def _flip_table_bit(text: str) -> str:
    """One bit of one lookup table: a LUT's truth table, or a table entry of a case statement."""
    for pattern in (
        r"(\.INIT\(16'h)([0-9a-f]{4})",
        r"(_LUT = \d+'h)([0-9a-f]+)",
        r"(\d'd\d+: entry = \d'h)([0-9a-f])",
    ):
        found = list(re.finditer(pattern, text))
        if found:
            m = found[len(found) // 2]
            value = int(m[2], 16) ^ 1
            return text[: m.start(2)] + f"{value:0{len(m[2])}x}" + text[m.end(2) :]
    raise ValueError("the text has no lookup table")


def _drop_register(text: str) -> str:
    """A register that takes its value from one rank earlier than it should."""
    chains = list(re.finditer(r"\b(r_\w+)_q(\d+) <= (\1)_q(\d+);", text))
    chains += re.finditer(r"\b((?!valid|rst)\w+?)_q(\d+) <= (\1)_q(\d+);", text)
    for m in chains:
        earlier = f"{m[3]}_q{int(m[4]) - 1}"
        source = earlier if re.search(rf"\breg [^;]*\b{earlier}\b", text) else m[3]
        return text[: m.start()] + f"{m[1]}_q{m[2]} <= {source};" + text[m.end() :]
    # A loop: a data register that keeps its value.
    m2 = re.search(r"(state1_\w+_q\d+) <= \w+;", text)
    if m2:
        return text.replace(m2[0], f"{m2[1]} <= {m2[1]};", 1)
    raise ValueError("the text has no delayed register")


def _wrong_sum(text: str) -> str:
    """An XOR in the logic that became an OR."""
    found = [m.start() for m in re.finditer(r" \^ ", text)]
    if not found:
        raise ValueError("the text has no XOR")
    at = found[len(found) // 2]
    return text[:at] + " | " + text[at + 3 :]


def _swap_key_words(text: str) -> str:
    """The two choices of a round key exchanged at one stage."""
    found = re.findall(r"\.(\w*key\w*)\((\{[^()]*\})\)", text, re.DOTALL)
    for (_, first), (_, second) in pairwise(found):
        if first != second and first.count(",") and text.count(first) >= 1:
            return text.replace(first, "\0", 1).replace(second, first, 1).replace("\0", second, 1)
    raise ValueError("the text has no key words")


def _invert_valid(text: str) -> str:
    """A valid bit that says the opposite at one rank."""
    m = re.search(r"(valid_q\d+ <= )(rst_i \? 1'd0 : )?(valid_\w+);", text) or re.search(
        r"(assign valid_o = )()(\w+);", text
    )
    if m is None:
        raise ValueError("the text has no valid bit")
    return text[: m.start(3)] + "~" + text[m.start(3) :]


def next_value(text: str, register: str, change: Callable[[str], str]) -> str:
    """The text in which a register takes `change` of the expression that it takes, wherever that is assigned.
    Raises ValueError where the text assigns nothing to it.

    >>> next_value("q  <= a &\\n    b;", "q", lambda taken: f"~({taken})")
    'q <= ~(a &\\n    b);'
    """
    changed, count = re.subn(
        rf"\b{register}\s*<=\s*([^;]*);", lambda m: f"{register} <= {change(m[1])};", text
    )
    if not count:
        raise ValueError(f"the text has no register {register}")
    return changed


def _cleared(taken: str) -> tuple[str, str]:
    """What a register takes in reset, and otherwise. Raises ValueError where reset does not clear it."""
    found = re.fullmatch(r"rst_i\s*\?\s*([^:]*?)\s*:\s*(.*)", taken, re.DOTALL)
    if found is None:
        raise ValueError(f"reset does not clear what takes {taken}")
    return found[1], found[2]


def without_reset(text: str, register: str) -> str:
    """The text in which reset leaves a register as it is.

    >>> without_reset("q <= rst_i ? 1'd0 : d;", "q")
    'q <= d;'
    """
    return next_value(text, register, lambda taken: _cleared(taken)[1])


def reset_to(text: str, register: str, value: int) -> str:
    """The text in which a register has another value after reset.

    >>> reset_to("q <= rst_i ? 5'd0 : d;", "q", 3)
    "q <= rst_i ? 5'd3 : d;"
    """

    def changed(taken: str) -> str:
        cleared, usual = _cleared(taken)
        width = cleared.partition("'")[0]
        return f"rst_i ? {width}'d{value} : {usual}"

    return next_value(text, register, changed)


MUTATIONS = {
    "table": _flip_table_bit,
    "register": _drop_register,
    "key": _swap_key_words,
    "valid": _invert_valid,
    "sum": _wrong_sum,
}


def mutate(text: str, kind: str) -> str:
    """The text with one fault of the kind (a key of MUTATIONS)."""
    out = MUTATIONS[kind](text)
    if out == text:
        raise AssertionError(f"the mutation {kind} changed nothing")
    return out
