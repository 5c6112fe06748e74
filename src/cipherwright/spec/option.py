"""How an option is stated: its value, its meaning, its unit, what it costs, and what it needs of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import Field

__all__ = ["Needs", "Serves", "needs", "option", "serves"]


def option(
    default: Any, meaning: str, *, unit: str = "", cost: str = "", default_is: str = "", **limits: Any
) -> Any:
    """A field of pydantic that the reference page can print.

    default: `...` where the user has to give a value; meaning: what the option says, in whole sentences.
    unit: of a number; cost: what a value other than the default costs or saves.
    default_is: what the default stands for, where the value does not tell.
    limits: bounds as `pydantic.Field` takes them (ge, le, gt).
    """
    extra: dict[str, Any] = {"unit": unit, "cost": cost, "default_is": default_is}
    return Field(default, description=meaning, json_schema_extra=extra, **limits)


@dataclass(frozen=True)
class Needs:
    """Values of other options that an option goes with only. It is part of the option's annotation.

    when: the option's values that have the need (empty: all but its default); others: each other option,
    with the values that it may have; because: why, for the message.
    """

    when: tuple[object, ...]
    others: Mapping[str, tuple[object, ...]]
    because: str = ""

    def concerns(self, value: object, default: object) -> bool:
        """Whether `value` has the need: it is one of `when`, or, where that is empty, it is not the option's
        `default`.
        """
        return value in self.when if self.when else value != default


def needs(when: tuple[object, ...] = (), because: str = "", **others: tuple[object, ...]) -> Needs:
    """`Needs` with the other options as arguments: each of `others` is an option by its name, with the values
    that it may have. `when` and `because` are those of `Needs`.

    >>> needs(mode=("ctr",)).others
    {'mode': ('ctr',)}
    """
    return Needs(when, others, because)


@dataclass(frozen=True)
class Serves:
    """Values of other options with which an option does something; with others it is taken and does nothing,
    which is told. It is part of the option's annotation.

    others: each other option, with these values.
    """

    others: Mapping[str, tuple[object, ...]]


def serves(**others: tuple[object, ...]) -> Serves:
    """`Serves` with the other options as arguments: each of `others` is an option by its name, with the
    values with which this one does something.

    >>> serves(sbox=("tower",)).others
    {'sbox': ('tower',)}
    """
    return Serves(others)
