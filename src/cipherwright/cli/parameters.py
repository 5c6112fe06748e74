"""From the fields of a class to the parameters of a command."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, fields
from inspect import Parameter, Signature
from typing import Annotated, Any, get_args, get_type_hints

__all__ = ["command"]


def command(run: Callable[[Any], None]) -> Callable[..., None]:
    """The function that Typer reads for the command `run`.

    run: takes one value of a frozen dataclass, the command line; its docstring is the help of the command.
    Each field of the class is a parameter of the result, with its name and default; its `Annotated` type says
    the rest. Fields have the order of the help.
    """
    [line] = (kind for name, kind in get_type_hints(run).items() if name != "return")
    kinds = {n: _without_type(k) for n, k in get_type_hints(line, include_extras=True).items()}

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


def _without_type(kind: Any) -> Any:
    """The `Annotated` type of a field; a flag takes no value, so its help shows no type of one."""
    base, *more = get_args(kind)
    if bool not in (base, *get_args(base)):
        return kind
    flag = copy(more[0])
    flag.metavar = ""
    return Annotated[base, flag]


def _default(of: Field[Any]) -> Any:
    """A field's default, as a signature has it."""
    if of.default_factory is not MISSING:
        return of.default_factory()
    return Parameter.empty if of.default is MISSING else of.default
