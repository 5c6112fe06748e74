"""Modules whose reset is asynchronous: `rst_i` clears their registers at once, not at the clock.

One rule: the registers that a synchronous reset gives a value get that value, and no others; and nothing
else reads `rst_i`. So a pulse between two edges leaves what a synchronous reset at the edge before leaves,
and all that is proven of the one holds of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..errors import UserError
from .brackets import depths
from .hand_written import RESTART, asynchronous_blocks
from .module import Design, Module
from .wrapper import Cell, Clocked, Drive, Let, Note, Step, Wrapper, WrapperItem

__all__ = ["asynchronous_design", "asynchronous_reset", "asynchronous_text", "asynchronous_wrapper"]

_FORMS = (
    (re.compile(r"rst_i \? (\S+) : (.*)"), None),
    (re.compile(r"rst_i \| ()(.*)"), "1'b1"),
    (re.compile(r"~rst_i & ()(.*)"), "1'b0"),
    (re.compile(r"()(.*) & ~rst_i"), "1'b0"),
)
"""Values with a synchronous reset: what the register takes in reset, or else the rest; and the value in reset
where the form says it.
"""

_CHOICE = re.compile(r"(.*) & ~rst_i \? (.*) : (\d+'[bdh][0-9a-f]+)")
"""A value with a condition, which reset makes false, and the constant without."""

_LOOSER = {"1'b1": "?", "1'b0": "?|^"}
"""Operators that bind less than the one of a form with this value in reset."""


def asynchronous_design(design: Design) -> Design:
    """The same `design` with an asynchronous reset."""
    return Design(tuple(replace(m, asynchronous=True) for m in design.modules))


def asynchronous_reset(m: Module | Wrapper) -> Module | Wrapper:
    """The module `m`, of either kind, with an asynchronous reset. Raises UserError as `asynchronous_wrapper`
    does.
    """
    return asynchronous_wrapper(m) if isinstance(m, Wrapper) else asynchronous_design(Design((m,))).top


def asynchronous_text(text: str, name: str) -> str:
    """The hand-written Verilog `text` of the file `name` with an asynchronous reset (hand_written.py). Raises
    UserError where a register is reset in one of several statements that give it a value, or where rst_i is
    read otherwise than to reset registers.

    >>> print(asynchronous_text("always @(posedge clk) if (rst_i) q <= 0; else q <= d;", "m.sv"))
    always @(posedge clk or posedge rst_i) if (rst_i) q <= 0; else q <= d;
    """
    try:
        found = "".join(asynchronous_blocks(m) for m in re.split(r"(?<=\bendmodule\n)", text))
    except ValueError as e:
        raise UserError(f"reset = async: {name}: {e}") from e
    found = _RESTARTED.sub(rf"\1rst_i,\n\1{RESTART}", found)
    found = _RESTARTS.sub(lambda m: f"{m[1]}.rst_i(rst_i),\n{m[1]}.{RESTART}({_at_clock(m[2])})", found)
    left = _NO_READER.sub("", _RESET_BLOCK.sub("", found))
    _check_readers(name, map(str.strip, left.splitlines()))
    return found


_RESTARTED = re.compile(rf"^( *input +wire +){RESTART}\b", re.M)
_RESTARTS = re.compile(rf"^( *)\.{RESTART}\((.*?)\)", re.M)
"""The port that clears a module at the clock, which gets `rst_i` beside it, and a link to it."""


def _at_clock(signal: str) -> str:
    """What clears a module at the clock where `signal` did, which was 1 in reset."""
    return "1'b0" if signal == "rst_i" else signal


_RESET_BLOCK = re.compile(r"always @\(posedge clk or posedge rst_i\)\s+(?:begin\s+)?if \(rst_i\)")
_NO_READER = re.compile(r"//.*|input +wire +rst_i\b|\.rst_i\(rst_i\)")
"""What names rst_i and does not read it: comments, the port itself, and a link that hands it on."""


def _check_readers(name: str, texts: Iterable[str], signal: str = "rst_i", how: str = "at the clock") -> None:
    """Raise UserError where one of the `texts`, of the module or file `name`, reads `signal`; `how`: what is
    wrong with that.
    """
    if wrong := next((text for text in texts if re.search(rf"\b{signal}\b", text)), None):
        raise UserError(f"reset = async: {name} reads {signal} in {wrong!r}, {how}")


def asynchronous_wrapper(w: Wrapper) -> Wrapper:
    """The module `w` with an asynchronous reset. Raises UserError where something of it reads rst_i other
    than to reset a register, or where only some registers of a block are reset.

    >>> from .ports import ClockReset, Held, Pin
    >>> q = Held((Pin("d"), Pin("q", out=True, register=True)))
    >>> made = Wrapper("m", (), (ClockReset(), q), (Clocked((Step("q", "rst_i | d"),)),))
    >>> (block,) = asynchronous_wrapper(made).items
    >>> block.steps, block.reset, block.asynchronous
    ((Step(target='q', value='d', enable=''),), (('q', "1'b1"),), True)
    """
    named = ((i.name, _WITH_RESET.match(i.value)) for i in w.items if isinstance(i, Let))
    highs = {name: known[1] for name, known in named if known}
    items = tuple(part for item in w.items for part in _split(item, highs))
    found = replace(w, items=items)
    _check(found)
    for name in highs:
        _check_readers(w.name, _read(found, free=True), name, "which is 1 in reset")
    return found


_WITH_RESET = re.compile(r"rst_i(?: \| (.*))?$")
"""A name for the reset, or for the reset and what else does the same."""


def _split(item: WrapperItem, highs: Mapping[str, str | None]) -> Sequence[WrapperItem]:
    """A block of registers as two: those that keep going in reset, and those that are reset. A copy that
    takes 0 in reset as one that is cleared. `highs`: names for the reset and for something else, if anything,
    which is what they are for from now on.
    """
    if isinstance(item, Let) and item.name in highs:
        return (replace(item, value=highs[item.name] or "1'b0"),)
    if isinstance(item, Cell):
        return (_reset_apart(item) if item.module != "cipherwright_copy" else _copied(item),)
    if not isinstance(item, Clocked):
        return (item,)
    reset, free, bound = dict(item.reset), list[Step | Note](), list[Step | Note]()
    notes = list[Step | Note]()
    for step in item.steps:
        if isinstance(step, Note):
            notes.append(step)
            continue
        value, rest = _lifted(step, highs)
        if value:
            reset[step.target] = value
        own = bound if step.target.partition("[")[0] in reset or value else free
        own += [*notes, rest]
        notes = []
    blocks = [Clocked(tuple(free))] if free else []
    return (*blocks, *([Clocked(tuple(bound), tuple(reset.items()), True)] if bound else []))


def _copied(copy: Cell) -> Cell:
    """A registered copy, cleared where what it takes is 0 in reset."""
    value, rest = _lifted(Step("q", copy.links["d"]), {})
    if value != "1'b0":
        return copy
    links = {**copy.links, "rst_i": "rst_i", "d": rest.value}
    return replace(copy, module="cipherwright_copy_reset", links=links)


def _reset_apart(cell: Cell) -> Cell:
    """A module that has a port RESTART has the reset beside it."""
    if RESTART not in cell.links:
        return cell
    return replace(cell, links={"rst_i": "rst_i", **cell.links, RESTART: _at_clock(cell.links[RESTART])})


def _lifted(step: Step, highs: Iterable[str]) -> tuple[str, Step]:
    """The value that a step gives its register in reset ("" where its text says none), and the step without
    it; where one of the names `highs` says the value, the step as it is.
    """
    if step.enable:
        return "", step
    for form, said in _FORMS:
        found = form.fullmatch(step.value)
        if found and _whole(found[2], _LOOSER.get(said or "", "")):
            return said or found[1], replace(step, value=found[2])
    found = _CHOICE.fullmatch(step.value)
    if found and _whole(found[1], "?|^") and "?" not in found[2]:
        return found[3], replace(step, value=f"{found[1]} ? {found[2]} : {found[3]}")
    for name in highs:
        if name in step.value:
            value, _ = _lifted(replace(step, value=re.sub(rf"\b{name}\b", "rst_i", step.value)), ())
            if value:
                return value, step
    return "", step


def _whole(text: str, looser: str) -> bool:
    """Whether an expression stays whole beside an operator: none of the characters `looser` is outside of
    parentheses.
    """
    return all(d > 0 or (d == 0 and c not in looser) for c, d in zip(text, depths(text), strict=True))


def _check(w: Wrapper) -> None:
    """Raise UserError where rst_i is read other than as a reset, or registers are reset only in part."""
    _check_readers(w.name, _read(w))
    for item in w.items:
        if isinstance(item, Clocked) and item.asynchronous:
            targets = {s.target.partition("[")[0] for s in item.steps if isinstance(s, Step)}
            if targets != {name for name, _ in item.reset}:
                raise UserError(f"reset = async: {w.name} has registers that are reset only in part")


def _read(w: Wrapper, free: bool = False) -> Iterator[str]:
    """Every expression but the links that hand the reset on. `free`: and but those of registers that are
    reset, and links to ports RESTART.
    """
    for item in w.items:
        match item:
            case Let() | Drive():
                yield item.value
            case Cell():
                handed = (("rst_i", "rst_i"), *([(RESTART, item.links.get(RESTART))] if free else []))
                yield from (value for port, value in item.links.items() if (port, value) not in handed)
            case Clocked() if not (free and item.asynchronous):
                for step in item.steps:
                    yield from (step.target, step.value, step.enable) if isinstance(step, Step) else ()
