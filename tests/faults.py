"""Faults of Verilog by their meaning: a signal, and what is changed in what drives it.

A fault is found in a parse of the text (pyslang): the declaration, assignment or pin that drives the signal,
or the condition under which a statement assigns it. Layout, comments, and the order of lines do not matter.
A fault is a function from the right text to the wrong one. It raises `NoSuchFault` where the text does not
have the signal or the term, where several modules have it and none is named, and where nothing changes.

Signals: `name`; `name[index]`, where several parts of it are assigned; `instance.pin`, also a parameter's;
`module:name` where several modules have it, without the core's name. A `*` is for any letters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from pyslang import parsing, syntax

from cipherwright.rtl import modules_in

__all__ = [
    "Fault",
    "Faults",
    "NoSuchFault",
    "adds",
    "all_of",
    "always",
    "drop",
    "edge",
    "flip",
    "only",
    "starts",
    "takes",
    "unreset",
    "use",
    "when",
    "when_drop",
]

_RESETS = frozenset({"rst", "rst_i", "clear_i", "restart_i"})
"""Ports that clear a module."""
_EXPRESSIONS = (syntax.ExpressionSyntax, syntax.SelectorSyntax)


class NoSuchFault(ValueError):
    """The text has no place for the fault."""


@dataclass(frozen=True)
class _Where:
    """Where a statement is: the conditions of the `if`s around it, the nearest first; whether it is in the
    branch of one that is true in reset; the edges at which it is carried out; whether that is at power-up.
    `resets`: signals of the module that are 1 in reset.
    """

    resets: frozenset[str] = _RESETS
    conditions: tuple[Any, ...] = ()
    in_reset: bool = False
    event: Any = None
    initially: bool = False


@dataclass(frozen=True)
class _Driver:
    """What drives a signal, as nodes of the parse."""

    names: tuple[str, ...]
    target: Any
    value: Any
    statement: Any
    where: _Where

    @property
    def wire(self) -> bool:
        """Whether it drives a wire, and no register."""
        return self.where.event is None


@dataclass(frozen=True)
class _Edit:
    """`text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str


def plain(text: str) -> str:
    """Verilog without comments and needless blanks: equal for equal tokens.

    >>> plain("a &  b[3 : 0] // rest")
    'a&b[3:0]'
    """
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    return re.sub(r"(?<!\w) | (?!\w)", "", " ".join(text.split()))


def _children(node: Any) -> list[Any]:
    return [c for c in node if not isinstance(c, parsing.Token)]


def _span(node: Any) -> tuple[int, int]:
    return node.sourceRange.start.offset, node.sourceRange.end.offset


def _names(target: Any) -> tuple[str, ...]:
    """The signals of the left side of an assignment, with and without an index."""
    if isinstance(target, syntax.ConcatenationExpressionSyntax):
        return tuple(n for part in _children(target) for c in _children(part) or [part] for n in _names(c))
    whole = plain(str(target))
    return tuple(dict.fromkeys((whole, whole.split("[")[0])))


_ASSIGNMENTS = (syntax.SyntaxKind.AssignmentExpression, syntax.SyntaxKind.NonblockingAssignmentExpression)


def _operands(node: Any, signs: tuple[str, ...]) -> list[str]:
    """The operands of a chain of an operation."""
    if isinstance(node, syntax.ParenthesizedExpressionSyntax):
        return _operands(node.expression, signs)
    if isinstance(node, syntax.BinaryExpressionSyntax) and node.operatorToken.valueText in signs:
        return [*_operands(node.left, signs), *_operands(node.right, signs)]
    return [plain(str(node))]


def _one_in(node: Any, resets: frozenset[str]) -> bool:
    """Whether an expression is 1 where one of the signals is."""
    return bool(resets & set(_operands(node, ("|", "||"))))


def _resets(root: Any) -> frozenset[str]:
    """Signals that are 1 in reset: the port, and wires that are an OR with it."""
    found = _RESETS
    for driver in _drivers(root, _Where()):
        if driver.wire and _one_in(driver.value, found):
            found |= set(driver.names)
    return found


def _drivers(node: Any, where: _Where) -> Iterator[_Driver]:
    """All drivers in a parse."""
    if isinstance(node, syntax.DeclaratorSyntax) and node.initializer is not None:
        yield _Driver((node.name.valueText,), node, node.initializer.expr, node, where)
    elif isinstance(node, syntax.BinaryExpressionSyntax) and node.kind in _ASSIGNMENTS:
        yield _Driver(_names(node.left), node.left, node.right, node.parent, where)
    elif isinstance(node, syntax.HierarchyInstantiationSyntax):
        yield from _pins(node, where)
    elif isinstance(node, syntax.ConditionalStatementSyntax):
        yield from _branches(node, where)
    else:
        if isinstance(node, syntax.TimingControlStatementSyntax):
            where = replace(where, event=node.timingControl)
        where = replace(where, initially=where.initially or node.kind == syntax.SyntaxKind.InitialBlock)
        for child in _children(node):
            yield from _drivers(child, where)


def _branches(node: Any, where: _Where) -> Iterator[_Driver]:
    """Drivers in the branches of an `if`."""
    condition = node.predicate.conditions[0].expr
    in_reset = where.in_reset or _one_in(condition, where.resets)
    inside = replace(where, conditions=(condition, *where.conditions), in_reset=in_reset)
    yield from _drivers(node.statement, inside)
    if node.elseClause is not None:
        yield from _drivers(node.elseClause, where)


def _pins(node: Any, where: _Where) -> Iterator[_Driver]:
    """The pins and parameters of an instance."""
    parts = [p for i in node.instances for p in i.connections]
    parts += list(node.parameters.parameters) if node.parameters is not None else []
    name = node.instances[0].decl.name.valueText
    for part in parts:
        if not isinstance(part, parsing.Token) and hasattr(part, "name") and part.expr is not None:
            yield _Driver((f"{name}.{part.name.valueText}",), part, part.expr, part, where)


@lru_cache(maxsize=32)
def _parsed(text: str) -> tuple[Any, tuple[_Driver, ...]]:
    """The parse of a module, and all drivers in it. Faults of one core are found in the same few modules."""
    tree = syntax.SyntaxTree.fromText(text)
    return tree, tuple(_drivers(tree.root, _Where(_resets(tree.root))))


def _within(node: Any, term: str) -> Iterator[Any]:
    """Expressions equal to the term, the largest first."""
    if isinstance(node, _EXPRESSIONS) and plain(str(node)) == term:
        yield node
        return
    for child in _children(node):
        yield from _within(child, term)


def _with_items(text: str, items: str) -> str:
    """A module with more items at its head."""
    at = syntax.SyntaxTree.fromText(text).root.header.sourceRange.end.offset
    return f"{text[:at]}\n{items}{text[at:]}"


Change = Callable[[_Driver], list[_Edit]]


@dataclass(frozen=True)
class Fault:
    """A fault of what drives a signal. `kind`: one of the functions below; `term`: the expression that it is
    about; `new`: what is in its place.
    """

    kind: str
    signal: str
    term: str = ""
    new: str = ""

    def __str__(self) -> str:
        what = f"{self.new} for {self.term}" if self.term and self.new else self.term or self.new
        return f"{self.signal}: {self.kind} {what}".strip()

    def __call__(self, text: str) -> str:
        """The text with the fault."""
        return self._changed(text, lambda old, new: new)

    def chosen(self, text: str, condition: str) -> str:
        """The text that has the fault where the condition is 1: for faults of expressions."""
        if self.kind in ("unreset", "edge", "only", "adds"):
            raise NoSuchFault(f"{self} is not of an expression")
        return self._changed(text, lambda old, new: f"({condition} ? ({new}) : ({old}))")

    def _changed(self, text: str, write: Callable[[str, str], str]) -> str:
        named = re.match(r"(\w*):", self.signal)
        module, signal = (named[1], self.signal[named.end() :]) if named else ("", self.signal)
        base, found = re.split(r"[.\[*]", signal)[0], dict[str, str]()
        spans = modules_in(text)
        for name, (begin, end) in spans.items():
            inside = text[begin:end]
            if name.endswith(module) and re.search(rf"\b{base}", inside):
                changed = self._in_module(inside, plain(signal), write)
                found |= {name: changed} if changed != inside else {}
        if len(found) != 1:
            raise NoSuchFault(f"{self}: {', '.join(found) or 'no module'} of {len(spans)} can have it")
        [(name, changed)] = found.items()
        begin, end = spans[name]
        return text[:begin] + changed + text[end:]

    def _in_module(self, text: str, signal: str, write: Callable[[str, str], str]) -> str:
        if self.kind == "adds":
            return _with_items(text, self.new)
        (_, drivers), pattern = _parsed(text), signal.replace("[", "[[]")
        edits = {
            edit
            for driver in drivers
            if any(fnmatchcase(name, pattern) for name in driver.names)
            if driver.where.initially == (self.kind == "starts")
            for edit in _CHANGES[self.kind](self, driver)
        }
        for edit in sorted(edits, key=lambda e: -e.start):
            old = text[edit.start : edit.end]
            if plain(old) != plain(edit.new):
                text = text[: edit.start] + write(old, edit.new) + text[edit.end :]
        return text


def _replaced(places: list[Any], term: str, new: str) -> list[_Edit]:
    return [_Edit(*_span(n), new) for place in places for n in _within(place, plain(term))]


def _dropped(places: list[Any], term: str) -> list[_Edit]:
    """Of every operation of two operands, and of every choice, of which the term is one, the other alone."""
    found = []
    for node in places:
        rest = [s for s in _sides(node) if plain(str(s)) != plain(term)]
        if len(rest) == 1:
            found.append(_Edit(*_span(node), str(rest[0]).strip()))
        else:
            found += _dropped(_children(node), term)
    return found


def _sides(node: Any) -> list[Any]:
    of_two = (syntax.BinaryExpressionSyntax, syntax.ConditionalExpressionSyntax)
    return [node.left, node.right] if isinstance(node, of_two) else []


def _use(fault: Fault, driver: _Driver) -> list[_Edit]:
    return _replaced([driver.value, *_children(driver.target)], fault.term, fault.new)


def _drop(fault: Fault, driver: _Driver) -> list[_Edit]:
    return _dropped([driver.value], fault.term)


def _takes(fault: Fault, driver: _Driver) -> list[_Edit]:
    return [] if driver.where.in_reset else [_Edit(*_span(driver.value), fault.new)]


def _flip(fault: Fault, driver: _Driver) -> list[_Edit]:
    value = driver.value
    return [] if driver.where.in_reset else [_Edit(*_span(value), f"({str(value).strip()}) ^ {fault.new}")]


def _when(fault: Fault, driver: _Driver) -> list[_Edit]:
    return _replaced(list(driver.where.conditions), fault.term, fault.new)


def _when_drop(fault: Fault, driver: _Driver) -> list[_Edit]:
    return _dropped(list(driver.where.conditions), fault.term)


def _edge(fault: Fault, driver: _Driver) -> list[_Edit]:
    return _replaced([driver.where.event] if driver.where.event is not None else [], fault.term, fault.new)


def _only(fault: Fault, driver: _Driver) -> list[_Edit]:
    start, _ = _span(driver.statement)
    return [] if driver.wire or driver.where.in_reset else [_Edit(start, start, f"if ({fault.new}) ")]


def _always(fault: Fault, driver: _Driver) -> list[_Edit]:
    if driver.where.in_reset or not driver.where.conditions:
        return []
    return [_Edit(*_span(driver.where.conditions[0]), "1'b1")]


def _unreset(fault: Fault, driver: _Driver) -> list[_Edit]:
    value = driver.value
    if driver.where.in_reset and driver.statement.parent.kind == syntax.SyntaxKind.ConditionalStatement:
        return [_Edit(*_span(driver.where.conditions[0]), "1'b0")]  # so that what comes after `else` is done
    if driver.where.in_reset:
        return [_Edit(*_span(driver.statement), ";")]
    if isinstance(value, syntax.ConditionalExpressionSyntax):
        condition = value.predicate.conditions[0].expr
        return (
            [_Edit(*_span(value), str(value.right).strip())]
            if _one_in(condition, driver.where.resets)
            else []
        )
    return [e for name in driver.where.resets for e in _dropped([value], f"~{name}")]


_CHANGES: dict[str, Callable[[Fault, _Driver], list[_Edit]]] = {
    "use": _use,
    "drop": _drop,
    "takes": _takes,
    "starts": _takes,
    "flip": _flip,
    "when": _when,
    "when_drop": _when_drop,
    "edge": _edge,
    "only": _only,
    "always": _always,
    "unreset": _unreset,
}


def use(signal: str, term: str, new: str) -> Fault:
    """In what drives the signal, `new` in the place of the expression `term`, wherever it is.

    >>> use("q", "a", "c")("module m;\\n  assign q = b\\n    & a;\\nendmodule")
    'module m;\\n  assign q = b\\n    & c;\\nendmodule'
    """
    return Fault("use", signal, term, new)


def drop(signal: str, term: str) -> Fault:
    """What drives the signal, without an operand of an operation, or without one of a choice's two values.

    >>> drop("q", "~b")("module m;\\n  assign q = a & ~ b | c;\\nendmodule")
    'module m;\\n  assign q = a | c;\\nendmodule'
    """
    return Fault("drop", signal, term)


def takes(signal: str, new: str) -> Fault:
    """The signal takes another expression, as 1'b0 where it is stuck; not in the branch of a reset."""
    return Fault("takes", signal, "", new)


def starts(signal: str, value: str) -> Fault:
    """A register has another value at power-up, where an `initial` block gives it one."""
    return Fault("starts", signal, "", value)


def flip(signal: str, mask: str) -> Fault:
    """The bits of the mask, an expression, are inverted in what the signal takes."""
    return Fault("flip", signal, "", mask)


def adds(module: str, items: str) -> Fault:
    """A module has more declarations, for faults with registers of their own (`all_of`)."""
    return Fault("adds", f"{module}:", "", items)


def when(signal: str, term: str, new: str) -> Fault:
    """In the conditions under which the signal is assigned, `new` in the place of the expression `term`."""
    return Fault("when", signal, term, new)


def when_drop(signal: str, term: str) -> Fault:
    """The conditions under which the signal is assigned, without an operand."""
    return Fault("when_drop", signal, term)


def edge(signal: str, term: str, new: str) -> Fault:
    """The block that assigns the signal waits for an edge of `new` in the place of `term`."""
    return Fault("edge", signal, term, new)


def only(signal: str, condition: str) -> Fault:
    """The register takes what it takes only where a condition holds; in reset as before.

    >>> only("q", "go")("module m;\\n  always @(posedge clk) q <= d;\\nendmodule")
    'module m;\\n  always @(posedge clk) if (go) q <= d;\\nendmodule'
    """
    return Fault("only", signal, "", condition)


def always(signal: str) -> Fault:
    """The signal's nearest condition is always true: a register without its enable."""
    return Fault("always", signal)


def unreset(signal: str) -> Fault:
    """Reset does not touch the signal.

    >>> unreset("q")("module m;\\n  always @(posedge clk) q <= rst_i ? 1'b0 : d;\\nendmodule")
    'module m;\\n  always @(posedge clk) q <= d;\\nendmodule'
    """
    return Fault("unreset", signal)


@dataclass(frozen=True)
class Faults:
    """Several faults in one text."""

    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        return " and ".join(map(str, self.faults))

    def __call__(self, text: str) -> str:
        for fault in self.faults:
            text = fault(text)
        return text

    def chosen(self, text: str, condition: str) -> str:
        """The text that has the faults where the condition is 1."""
        for fault in self.faults:
            text = fault.chosen(text, condition)
        return text


def all_of(*faults: Fault) -> Faults:
    """Several faults in one text."""
    return Faults(faults)
