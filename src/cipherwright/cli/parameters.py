"""From the fields of a class to the parameters of a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from inspect import Parameter, Signature
from typing import Any, get_type_hints

__all__ = ["command"]


def command(run: Callable[[Any], None]) -> Callable[..., None]:
    """The function that Typer reads for the command `run`.

    run: takes one value of a frozen dataclass, the command line; its docstring is the help of the command.
    Each field of the class is a parameter of the result, with its name and default; its `Annotated` type says
    the rest. Fields have the order of the help.
    """
    [line] = (kind for name, kind in get_type_hints(run).items() if name != "return")
    kinds = get_type_hints(line, include_extras=True)

    def called(**values: Any) -> None:
        run(line(**values))

    called.__signature__ = Signature(  # type: ignore[attr-defined]  # what Typer reads
        [
            Parameter(f.name, Parameter.KEYWORD_ONLY, default=_default(f), annotation=kinds[f.name])
            for f in fields(line)
        ]
    )
    called.__annotations__ = kinds
    called.__doc__ = run.__doc__
    return called


def _default(of: Field[Any]) -> Any:
    """A field's default, as a signature has it."""
    if of.default_factory is not MISSING:
        return of.default_factory()
    return Parameter.empty if of.default is MISSING else of.default
