"""Options that do not fit, as one sentence for the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from .errors import UserError, nearest
from .sources import shortened

__all__ = ["Unfit", "told"]


class Unfit(ValueError):
    """Options that do not go together: `message` says why, and `options` are the names of those that it
    speaks of.
    """

    def __init__(self, message: str, *options: str) -> None:
        super().__init__(message)
        self.options = options


_KINDS = {
    "int_": "a whole number",
    "float_": "a number",
    "finite_": "a finite number",
    "bool_": "true or false",
    "string_": "a text",
    "tuple_": "a list",
    "greater_than_equal": "at least {ge}",
    "greater_than": "above {gt}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
}
"""How a type of pydantic's errors begins -> what the value is to be, with the limits that the error names."""


def told(
    e: ValidationError, options: Sequence[str], preset: Mapping[str, Any], whose: str = "the preset"
) -> UserError:
    """The first thing that is wrong, of all that `e` holds, as one sentence. options: the names of all
    options that there are, for the nearest to a name that is none; preset: the values that a preset or file
    states, which the sentence mentions where the mistake is in them; whose: what states them, as the sentence
    calls it.
    """
    first = e.errors()[0]
    name, *items = map(str, first["loc"]) if first["loc"] else ("",)
    where = (
        f"item {int(items[0]) + 1} of {name}" if items and items[0].isdigit() else ".".join([name, *items])
    )
    if first["type"] == "extra_forbidden":
        hint = nearest(where, options) or "`cipherwright list --options` shows all"
        return UserError(f"there is no option {where}; {hint}")
    error = first.get("ctx", {}).get("error")
    theirs = [n for n in (error.options if isinstance(error, Unfit) else [name]) if n in preset]
    asked = (
        f"; {whose} asks for " + ", ".join(f"{n} = {shortened(preset[n])}" for n in theirs)
        if theirs and len(theirs) < len(preset)
        else ""
    )
    return UserError(_sentence(first, where) + asked)


def _sentence(error: Any, where: str) -> str:
    """What an error says of the option `where` ("": of several)."""
    if error["type"] == "missing":
        return f"{where} is not given; `cipherwright list --options` says what it is"
    given, limits = shortened(error["input"]), error.get("ctx", {})
    form = next((text for kind, text in _KINDS.items() if error["type"].startswith(kind)), "")
    if not form:
        message = error["msg"].removeprefix("Value error, ")
        return f"{where}: {message} (given: {given})" if where else message
    wanted = form.format(**{name: _limit(limit) for name, limit in limits.items()})
    hint = nearest(str(error["input"]), str(limits.get("expected", "")).split("'")[1::2])
    return f"{where} is {wanted}, not {given}{'; ' if hint else ''}{hint}"


def _limit(limit: object) -> str:
    """A limit as text: 0.0 is 0, and names have no quotes."""
    return f"{limit:g}" if isinstance(limit, float) else str(limit).replace("'", "")
