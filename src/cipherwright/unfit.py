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


def told(e: ValidationError, options: Sequence[str], preset: Mapping[str, Any]) -> UserError:
    """The first thing that is wrong, of all that `e` holds, as one sentence. options: the names of all
    options that there are, for the nearest to a name that is none; preset: the values that a preset or file
    states, which the sentence mentions where the mistake is in them.
    """
    first = e.errors()[0]
    where = ".".join(str(p) for p in first["loc"])
    if first["type"] == "extra_forbidden":
        hint = nearest(where, options) or f"options are {', '.join(options)}"
        return UserError(f"there is no option {where}; {hint}")
    message = first["msg"].removeprefix("Value error, ")
    given = f" (given: {shortened(first['input'])})" if where and first["type"] != "missing" else ""
    error = first.get("ctx", {}).get("error")
    theirs = [n for n in (error.options if isinstance(error, Unfit) else [where]) if n in preset]
    asked = (
        "; the preset asks for " + ", ".join(f"{n} = {shortened(preset[n])}" for n in theirs)
        if theirs and len(theirs) < len(preset)
        else ""
    )
    return UserError((f"{where}: {message}{given}" if where else message) + asked)
