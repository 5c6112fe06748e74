"""Templates (`templates/`, Jinja2) filled with a core's facts, and text that is safe in them."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from ...tools import printable

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["code", "filled", "plain"]


@cache
def _environment() -> Environment:
    from jinja2 import (  # imported here: most commands fill nothing
        Environment,
        FunctionLoader,
        StrictUndefined,
    )

    folder = resources.files(__package__) / "templates"
    return Environment(
        loader=FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )


def filled(template: str, **facts: object) -> str:
    """The template of the name `template` with `facts`. Raises jinja2.UndefinedError where the template takes
    one that is missing.
    """
    return _environment().get_template(template).render(**facts)


def plain(text: str) -> str:
    """`text`, a user's, in Markdown: no character of it is markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|!~&])", r"\\\1", printable(text))


def code(text: str) -> str:
    """`text` as it may be between backticks in a table of Markdown."""
    return printable(text).replace("`", "'").replace("|", "\\|")
