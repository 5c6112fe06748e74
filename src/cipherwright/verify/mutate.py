"""Faults put into emitted Verilog, to show that each check sees them."""

from __future__ import annotations

import re
from itertools import pairwise

__all__ = ["MUTATIONS", "mutate"]


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


MUTATIONS = {
    "table": _flip_table_bit,
    "register": _drop_register,
    "key": _swap_key_words,
    "valid": _invert_valid,
    "sum": _wrong_sum,
}


def mutate(text: str, kind: str) -> str:
    """The Verilog `text` of a core with one fault of this `kind`, a key of MUTATIONS. Raises ValueError where
    the text has no place for it, AssertionError where it changed nothing.
    """
    out = MUTATIONS[kind](text)
    if out == text:
        raise AssertionError(f"the mutation {kind} changed nothing")
    return out
