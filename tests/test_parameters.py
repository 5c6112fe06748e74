"""The fields of a class are the parameters of a command."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Annotated

import typer
from typer.testing import CliRunner

from cipherwright.cli.parameters import command


@dataclass(frozen=True)
class Line:
    """A command line."""

    what: Annotated[str, typer.Argument(metavar="WHAT")]
    count: Annotated[int, typer.Option(help="How many.", min=1)] = 1
    sets: Annotated[list[str], typer.Option("--set")] = field(default_factory=list)


def show(line: Line) -> None:
    """What is given."""
    typer.echo(repr(line))


def test_fields_are_parameters() -> None:
    parameters = inspect.signature(command(show)).parameters
    assert list(parameters) == ["what", "count", "sets"]
    assert [p.default for p in parameters.values()] == [inspect.Parameter.empty, 1, []]
    assert command(show).__doc__ == "What is given."


def test_a_line_is_read_into_its_class() -> None:
    app = typer.Typer()
    app.command()(command(show))
    asked = CliRunner().invoke(app, ["x", "--set", "a=1", "--set", "b=2"])
    assert asked.output.strip() == repr(Line("x", 1, ["a=1", "b=2"]))
    assert CliRunner().invoke(app, ["x", "--count", "0"]).exit_code == 2
    assert CliRunner().invoke(app, []).exit_code == 2
