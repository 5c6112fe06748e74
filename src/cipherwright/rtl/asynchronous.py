"""Modules whose reset is asynchronous: `rst_i` clears their registers at once, not at the clock.

One rule: the registers that a synchronous reset gives a value get that value, and no others; and nothing
else reads `rst_i`. So a pulse between two edges leaves what a synchronous reset at the edge before leaves,
and all that is proven of the one holds of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..errors import UserError
from .brackets import depths
from .hand_written import asynchronous_blocks
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
    left = _NO_READER.sub("", _RESET_BLOCK.sub("", found))
    _check_readers(name, map(str.strip, left.splitlines()))
    return found


_RESET_BLOCK = re.compile(r"always @\(posedge clk or posedge rst_i\)\s+(?:begin\s+)?if \(rst_i\)")
_NO_READER = re.compile(r"//.*|input +wire +rst_i\b|\.rst_i\(rst_i\)")
"""What names rst_i and does not read it: comments, the port itself, and a link that hands it on."""


def _check_readers(name: str, texts: Iterable[str]) -> None:
    """Raise UserError where one of the `texts`, of the module or file `name`, reads rst_i."""
    if wrong := next((text for text in texts if re.search(r"\brst_i\b", text)), None):
        raise UserError(f"reset = async: {name} reads rst_i in {wrong!r}, at the clock")


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
    items = tuple(part for item in w.items for part in _split(item))
    found = replace(w, items=items)
    _check(found)
    return found


def _split(item: WrapperItem) -> Sequence[WrapperItem]:
    """A block of registers as two: those that keep going in reset, and those that are reset. A copy that
    takes 0 in reset as one that is cleared.
    """
    if isinstance(item, Cell) and item.module == "cipherwright_copy":
        return (_copied(item),)
    if not isinstance(item, Clocked):
        return (item,)
    reset, free, bound = dict(item.reset), list[Step | Note](), list[Step | Note]()
    notes = list[Step | Note]()
    for step in item.steps:
        if isinstance(step, Note):
            notes.append(step)
            continue
        value, rest = _lifted(step)
        if value:
            reset[step.target] = value
        own = bound if step.target.partition("[")[0] in reset or value else free
        own += [*notes, rest]
        notes = []
    blocks = [Clocked(tuple(free))] if free else []
    return (*blocks, *([Clocked(tuple(bound), tuple(reset.items()), True)] if bound else []))


def _copied(copy: Cell) -> Cell:
    """A registered copy, cleared where what it takes is 0 in reset."""
    value, rest = _lifted(Step("q", copy.links["d"]))
    if value != "1'b0":
        return copy
    links = {**copy.links, "rst_i": "rst_i", "d": rest.value}
    return replace(copy, module="cipherwright_copy_reset", links=links)


def _lifted(step: Step) -> tuple[str, Step]:
    """The value that a step gives its register in reset ("" where its text says none), and the step without
    it.
    """
    for form, said in _FORMS:
        found = form.fullmatch(step.value)
        if found and not step.enable and _whole(found[2], _LOOSER.get(said or "", "")):
            return said or found[1], replace(step, value=found[2])
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


def _read(w: Wrapper) -> Iterable[str]:
    """Every expression but the links that hand the reset on."""
    for item in w.items:
        if isinstance(item, Let | Drive):
            yield item.value
        elif isinstance(item, Cell):
            yield from (value for port, value in item.links.items() if (port, value) != ("rst_i", "rst_i"))
        elif isinstance(item, Clocked):
            for step in item.steps:
                yield from (step.target, step.value, step.enable) if isinstance(step, Step) else ()
