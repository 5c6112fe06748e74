"""The options as they are stated, for the reference page and for `cipherwright list --options`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

from ..sources import shown_value
from .core import LISTED, Spec, architectures_of, option_names
from .datapath import Datapath
from .engine import Engine
from .loop import Loop
from .option import Needs
from .pipeline import Pipeline

__all__ = ["SECTIONS", "Stated", "stated"]

SECTIONS: dict[str, type[Spec]] = {
    "Every core": Spec,
    "Pipelines and loops": Datapath,
    "Pipelines (`architecture = pipelined`)": Pipeline,
    "Loops (`architecture = iterative`)": Loop,
    "Engines (`architecture = engine`)": Engine,
}
"""What every core has, what two architectures have, and each of them: title -> the class whose own options
are stated there.
"""

_WORDS = {bool: ("true", "false"), str: "text", int: "whole number", float: "number"}


@dataclass(frozen=True)
class Stated:
    """An option. section: its title in `SECTIONS`; architectures: those that have it; values: what it may be,
    as text; default: "" where it is empty or has to be given (`required`); unit: of a number; meaning: whole
    sentences; cost: what another value costs; needs: what it needs of other options, a sentence each.
    """

    name: str
    section: str
    architectures: tuple[str, ...]
    values: str
    default: str
    required: bool
    unit: str
    meaning: str
    cost: str
    needs: tuple[str, ...]


def stated(code: Callable[[str], str] = str) -> list[Stated]:
    """All options, section by section and in order. code: how a value or the text `NAME = VALUE` is marked.

    >>> next(o for o in stated() if o.name == "lanes").values
    'whole number, 1 to 16'
    """
    return [
        _stated(name, title, kind.model_fields[name], code)
        for title, kind in SECTIONS.items()
        for name in option_names()
        if name in kind.__annotations__ and kind.model_fields[name].description
    ]


def _stated(name: str, section: str, field: FieldInfo, code: Callable[[str], str]) -> Stated:
    extra: Any = field.json_schema_extra
    plain = "" if field.is_required() or field.default == "" else _value(field.default, code)
    return Stated(
        name,
        section,
        architectures_of(name),
        _values(name, field, code),
        str(extra["default_is"]) or plain,
        field.is_required(),
        extra["unit"],
        str(field.description),
        extra["cost"],
        tuple(_need(m, code) for m in field.metadata if isinstance(m, Needs)),
    )


def _value(value: object, code: Callable[[str], str]) -> str:
    """A value as a user writes it."""
    return "" if value == () else code("none" if value is None else str(shown_value(value)))


def _values(name: str, field: FieldInfo, code: Callable[[str], str]) -> str:
    """What an option may be: its kind, or all values, or its bounds."""
    if name in LISTED:
        if name == "cipher":
            return f"by {code('cipherwright list')}"
        return ", ".join(_value(v, code) for v in LISTED[name][1])
    parts = get_args(field.annotation)
    if get_origin(field.annotation) in (Union, UnionType) and not _optional(field.annotation):
        named = [x for part in parts for x in get_args(part)]
        return ", ".join(_value(v, code) for v in ("true", "false", *named))  # a switch with more values
    kind = parts[0] if _optional(field.annotation) else field.annotation
    if get_origin(kind) is Literal:
        return ", ".join(_value(v, code) for v in get_args(kind))
    words = _WORDS.get(kind, "list of names") if isinstance(kind, type) else "list of names"
    return (words if isinstance(words, str) else ", ".join(map(code, words))) + _bounds(field)


def _optional(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, UnionType) and type(None) in get_args(annotation)


def _bounds(field: FieldInfo) -> str:
    """The bounds of a number, as text."""
    low = next((m.ge for m in field.metadata if isinstance(m, Ge)), None)
    above = next((m.gt for m in field.metadata if isinstance(m, Gt)), None)
    high = next((m.le for m in field.metadata if isinstance(m, Le)), None)
    if low is not None and high is not None:
        return f", {low} to {high}"
    return f", at least {low}" if low is not None else f", above {above}" if above is not None else ""


def _need(wanted: Needs, code: Callable[[str], str]) -> str:
    """What an option needs, as a sentence."""
    others = ", ".join(
        code(f"{n} = {' or '.join(map(shown_value, values))}") for n, values in wanted.others.items()
    )
    when = " or ".join(_value(v, code) for v in wanted.when)
    return f"{when} needs {others}." if when else f"Needs {others}."
