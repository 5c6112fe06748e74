"""Hand-written Verilog with an asynchronous reset: what each register gets in reset, found from the text.

A file is read as far as that needs: the blocks `always @(posedge clk)` as statements, and wires that reset
makes 0 or 1. A register that reset gives a constant gets it at once; everything else is as if rst_i were 0.

A module whose registers are cleared for other reasons, too, has a port `restart_i`, which is 1 in reset. With
an asynchronous reset it has `rst_i` beside it, and `restart_i` is for the other reasons alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .brackets import depths

__all__ = ["RESTART", "asynchronous_blocks"]

RESTART = "restart_i"
"""The port of a hand-written module that is 1 in reset, and at other times."""

_HEAD = re.compile(r"([ \t]*)always @\(posedge clk\)\s*")
_WIRE = re.compile(r"\bwire\s+(?:\[[^\]]*\]\s*)?(\w+)\s*=\s*([^;]+);")
_TARGET = re.compile(r"(\{[^}]*\}|\w+)(.*?)\s*<=\s*(.*)", re.DOTALL)
_REPEATED = re.compile(r"\{[^{}]*\{(.*)\}\}", re.DOTALL)
_NUMBER = r"(?:\d+(?:'[bdh][0-9a-f]+)?|[A-Z_]+(?:\[[^\]]*\])?)"
_CONSTANT = re.compile(rf"{_NUMBER}(?: \+ {_NUMBER})*|\{{\w+(?: [*+] \w+)?\{{1'b[01]\}}\}}")
_OPERATORS = ("?", "||", "&&", "|", "^", "&")
"""The one that binds least first."""
_SIGN = re.compile(r"\|\||&&|~[|&^]|[|&^?]")
_OPERAND = re.compile(r"[~!]rst_i &&? | &&? [~!]rst_i\b|\brst_i \|\|? ")
"""An operand that changes nothing where rst_i is 0."""
_CHOICE = re.compile(r"\brst_i \? [^:]+: *")
"""What comes before the value that a register gets where rst_i is 0."""


@dataclass
class _Levels:
    """Signals that reset makes `low`, and `high`, in one module."""

    low: set[str] = field(default_factory=set)
    high: set[str] = field(default_factory=lambda: {"rst_i"})

    def learn(self, text: str) -> None:
        """The wires of the module `text` whose value reset decides."""
        for name, value in _WIRE.findall(text):
            level = self.of(value)
            if level is not None:
                (self.high if level else self.low).add(name)

    def of(self, expression: str) -> bool | None:
        """What an expression of bits is in reset; None where reset does not decide that.

        >>> levels = _Levels()
        >>> levels.of("~rst_i & take"), levels.of("rst_i | clear"), levels.of("take")
        (False, True, None)
        """
        text = expression.strip()
        for operator in _OPERATORS:
            operands = _split(text, operator)
            if len(operands) > 1:
                settles = {"|": True, "&": False}.get(operator[0])
                found = [self.of(o) for o in operands]
                if settles is None or settles in found:
                    return settles
                return None if None in found else not settles
        return self._operand(text)

    def _operand(self, text: str) -> bool | None:
        if text.startswith("(") and _close(text, 0) == len(text) - 1:
            return self.of(text[1:-1])
        if text.startswith(("~", "!")):
            inner = self._operand(text[1:].strip())
            return None if inner is None else not inner
        repeated = _REPEATED.fullmatch(text)
        if repeated:
            return self.of(repeated[1])
        return True if text in self.high else False if text in self.low else None


def _close(text: str, start: int) -> int:
    """The place of the bracket that closes the one at `start`."""
    for k, depth in enumerate(depths(text[start:])):
        if not depth:
            return start + k
    raise ValueError(f"brackets do not match in {text[start : start + 40]!r}")


def _split(text: str, operator: str) -> list[str]:
    """The operands of an operator with two sides, outside of brackets."""
    parts, last, depth = list[str](), 0, list(depths(text))
    for found in _SIGN.finditer(text):
        if found[0] == operator and not depth[found.start()] and text[last : found.start()].strip():
            parts.append(text[last : found.start()])
            last = found.end()
    return [*parts, text[last:]]


@dataclass(frozen=True)
class _Assign:
    target: str
    part: str
    value: str
    notes: tuple[str, ...] = ()

    def text(self, indent: str) -> str:
        notes = "".join(f"{indent}{n}\n" for n in self.notes)
        return f"{notes}{indent}{self.target}{self.part} <= {self.value};\n"


@dataclass(frozen=True)
class _If:
    """`condition`: with its word, also that of a loop."""

    condition: str
    then: tuple[_Statement, ...]
    other: tuple[_Statement, ...] = ()
    notes: tuple[str, ...] = ()
    word: str = "if"

    @property
    def inside(self) -> tuple[_Statement, ...]:
        """The statements of both branches."""
        return (*self.then, *self.other)

    def text(self, indent: str) -> str:
        inside = "".join(s.text(f"{indent}    ") for s in self.then)
        notes = "".join(f"{indent}{n}\n" for n in self.notes)
        out = f"{notes}{indent}{self.word} ({self.condition}) begin\n{inside}{indent}end"
        match self.other:
            case ():
                return out + "\n"
            case (_If(word="if", notes=()) as choice,):
                return f"{out} else {choice.text(indent).lstrip()}"
        inside = "".join(s.text(f"{indent}    ") for s in self.other)
        return f"{out} else begin\n{inside}{indent}end\n"


@dataclass(frozen=True)
class _Case:
    """A choice by the value of `subject`. `items`: the labels as they are written, and what they choose."""

    subject: str
    items: tuple[tuple[str, tuple[_Statement, ...]], ...]
    notes: tuple[str, ...] = ()

    @property
    def inside(self) -> tuple[_Statement, ...]:
        """The statements of all items."""
        return tuple(s for _, statements in self.items for s in statements)

    def text(self, indent: str) -> str:
        notes = "".join(f"{indent}{n}\n" for n in self.notes)
        out = f"{notes}{indent}case ({self.subject})\n"
        for label, statements in self.items:
            inside = "".join(s.text(f"{indent}        ") for s in statements)
            out += f"{indent}    {label}: begin\n{inside}{indent}    end\n"
        return f"{out}{indent}endcase\n"


_Statement = _Assign | _If | _Case


class _Reader:
    """Reads statements of a block of registers."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at

    def _skip(self) -> tuple[str, ...]:
        """Over white space; the comments there."""
        notes = list[str]()
        while found := re.compile(r"\s+|//.*").match(self.text, self.at):
            self.at = found.end()
            notes += [found[0]] if found[0].startswith("//") else []
        return tuple(notes)

    def _word(self, word: str) -> bool:
        found = re.compile(rf"{word}\b").match(self.text, self.at)
        if found:
            self.at = found.end()
        return found is not None

    def _bracket(self) -> str:
        self._skip()
        end = _close(self.text, self.at)
        inside, self.at = self.text[self.at + 1 : end], end + 1
        return inside

    def statements(self) -> tuple[_Statement, ...]:
        """One statement, or those between begin and end."""
        notes = self._skip()
        if self._word("begin"):
            found = list[_Statement]()
            while True:
                rest = self._skip()
                if self._word("end"):
                    return tuple(found)
                found += self._one(rest)
        return self._one(notes)

    def _one(self, notes: tuple[str, ...]) -> tuple[_Statement, ...]:
        for word in ("if", "for"):
            if self._word(word):
                condition, then, other = self._bracket(), self.statements(), tuple[_Statement, ...]()
                here = self.at
                self._skip()
                if word == "if" and self._word("else"):
                    other = self.statements()
                else:
                    self.at = here
                return (_If(condition, then, other, notes, word),)
        if self._word("case"):
            return (_Case(self._bracket(), tuple(self._items()), notes),)
        end = self.text.index(";", self.at)
        found = _TARGET.fullmatch(self.text[self.at : end].strip())
        if not found:
            raise ValueError(f"{self.text[self.at : end].strip()!r} is no value of a register")
        self.at = end + 1
        return (_Assign(found[1], found[2], found[3], notes),)

    def _items(self) -> Iterator[tuple[str, tuple[_Statement, ...]]]:
        """The items of a case, up to its end."""
        self._skip()
        while not self._word("endcase"):
            end = self.text.index(":", self.at)
            label, self.at = self.text[self.at : end].strip(), end + 1
            yield label, self.statements()
            self._skip()


def _targets(statements: Iterable[_Statement]) -> Iterator[str]:
    for s in statements:
        if isinstance(s, _Assign):
            yield s.target
        else:
            yield from _targets(s.inside)


def _in_reset(
    statements: Sequence[_Statement], levels: _Levels, later: set[str]
) -> tuple[list[_Statement], set[str]]:
    """What registers get in reset that is constant, and the registers that may get something else there. Of
    several statements the last one holds. `later`: the registers that statements after these give a constant;
    those that these give one are added.
    """
    found, left_open = list[_Statement](), set[str]()
    for s in reversed(statements):
        if isinstance(s, _Assign):
            inside, others = _given(s, levels, later)
        elif isinstance(s, _If) and s.word == "for":
            again, others = _in_reset(s.then, levels, set(later))
            inside = [_If(s.condition, tuple(again), word=s.word)] if again else []
        elif isinstance(s, _If) and (level := levels.of(s.condition)) is not None:
            inside, others = _in_reset(s.then if level else s.other, levels, later)
        else:
            inside, others = [], set(_targets([s])) - later
        found[:0] = inside
        left_open |= others
    return found, left_open


def _given(s: _Assign, levels: _Levels, later: set[str]) -> tuple[list[_Statement], set[str]]:
    """As `_in_reset`, of one value of a register."""
    if s.target in later:
        return [], set()
    value = _constant(s.value, levels)
    if not value:
        return [], {s.target}
    later |= set() if s.part else {s.target}
    return [_Assign(s.target, s.part, value)], set()


def _constant(value: str, levels: _Levels) -> str:
    """What a register gets in reset, "" where that is no constant."""
    condition, *rest = _split(value, "?")
    if rest and levels.of(condition) is not None:
        chosen = rest[0].split(":", 1)[not levels.of(condition)].strip()
        return chosen if _CONSTANT.fullmatch(chosen) else ""
    if _CONSTANT.fullmatch(value.strip()):
        return value.strip()
    level = levels.of(value)
    # A word of zeros or ones; the width is that of the register.
    return "" if level is None else "1'b1" if level else "0" if "{" in value else "1'b0"


def _running(statements: Iterable[_Statement], of: set[str]) -> Iterator[_Statement]:
    """What the registers `of` get where rst_i is 0."""
    for s in statements:
        if isinstance(s, _Assign):
            if s.target in of:
                yield _Assign(s.target, s.part, _without_reset(s.value), s.notes)
            continue
        if isinstance(s, _Case):
            items = tuple((label, tuple(_running(inside, of))) for label, inside in s.items)
            if any(inside for _, inside in items):
                yield _Case(s.subject, items, s.notes)
            continue
        then, other = tuple(_running(s.then, of)), tuple(_running(s.other, of))
        if s.condition.strip() == "rst_i":
            yield from other
        elif then or other:
            condition = _without_reset(s.condition)
            yield (
                _If(condition, then, other, s.notes, s.word)
                if then
                else _If(f"!({condition})", other, (), s.notes, s.word)
            )


def _without_reset(text: str) -> str:
    """An expression, or a text of several, where rst_i is 0."""
    return _CHOICE.sub("", _OPERAND.sub("", text))


def asynchronous_blocks(text: str) -> str:
    """The hand-written module `text` with its registers in blocks of which `rst_i` is the asynchronous reset,
    and everything else as where `rst_i` is 0. Raises ValueError where a register that reset gives a constant
    may get something else in the same block, or where a statement is of another kind.

    >>> print(asynchronous_blocks("always @(posedge clk) q <= ~rst_i & d;"))
    always @(posedge clk or posedge rst_i) begin
        if (rst_i) begin
            q <= 1'b0;
        end else begin
            q <= d;
        end
    end
    """
    levels, out, at = _Levels(), "", 0
    if re.search(rf"input +wire +{RESTART}\b", text):
        levels.high.add(RESTART)
    levels.learn(text)
    for head in _HEAD.finditer(text):
        reader = _Reader(text, head.end())
        block = reader.statements()
        out += _OPERAND.sub("", text[at : head.start()])
        said = text[head.start() : reader.at]
        reset, left_open = _in_reset(block, levels, set())
        if both := sorted(left_open.intersection(_targets(reset))):
            raise ValueError(f"{', '.join(both)} is reset in one of two statements")
        if _is_apart(block, reset):
            out += said.replace("posedge clk", "posedge clk or posedge rst_i", 1)
        else:
            out += _block(block, reset, head[1], levels) or said
        at = reader.at
    return out + _OPERAND.sub("", text[at:])


def _is_apart(block: Sequence[_Statement], reset: Sequence[_Statement]) -> bool:
    """Whether a block is a choice by rst_i that gives each of its registers a constant: its text can stay."""
    alone = len(block) == 1 and isinstance(block[0], _If) and block[0].condition == "rst_i"
    return alone and set(_targets(block)) == set(_targets(reset))


def _block(block: Sequence[_Statement], reset: Sequence[_Statement], indent: str, levels: _Levels) -> str:
    """A block as one of registers with a reset and one of registers without; "" where none has one."""
    cleared = set(_targets(reset))
    if not cleared:
        return ""
    _check_choices(block, cleared)
    inner = f"{indent}    "
    free = "".join(s.text(inner) for s in _running(block, set(_targets(block)) - cleared))
    out = [f"{indent}always @(posedge clk) begin\n{free}{indent}end"] if free else []
    first = "".join(s.text(f"{inner}    ") for s in reset)
    bound = "".join(s.text(f"{inner}    ") for s in _running(block, cleared))
    out.append(
        f"{indent}always @(posedge clk or posedge rst_i) begin\n{inner}if (rst_i) begin\n{first}"
        f"{inner}end else begin\n{bound}{inner}end\n{indent}end"
    )
    return "\n".join(out)


def _check_choices(statements: Iterable[_Statement], cleared: set[str]) -> None:
    """Raise ValueError where a register that reset gives no constant gets another value in reset."""
    for s in statements:
        if not isinstance(s, _Assign):
            _check_choices(s.inside, cleared)
        elif s.target not in cleared and _CHOICE.search(s.value):
            raise ValueError(f"{s.target} gets in reset what is no constant")
