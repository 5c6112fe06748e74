"""cipherwright build"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UserError
from ..files import check_new
from ..wording import counted
from .console import Sets, Source, err, progress, warn
from .goal import GoalLine, goal_of

if TYPE_CHECKING:
    from ..plan import Goal

__all__ = ["build"]


@dataclass(frozen=True)
class _CoreLine:
    """Its part that says which core."""

    preset: Source
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="New folder for the core.")]
    sets: Sets = field(default_factory=list)
    picture: Annotated[
        str, typer.Option(metavar="svg|png", help="Draw the stages into the folder, as svg or png.")
    ] = ""
    extras: Annotated[
        str,
        typer.Option(
            "--with", metavar="cocotb,model", help="Add a cocotb bench, a Verilator model, or both."
        ),
    ] = ""


@dataclass(frozen=True)
class BuildLine(GoalLine, _CoreLine):
    """The command line of build."""


def build(line: BuildLine) -> None:
    """Write a core to a new folder: Verilog, testbench, README, constraints, packages and record.json."""
    from ..flow import generate
    from ..shell import BuiltEngine, save
    from ..shell.folder import check_extras
    from ..spec import load, named

    if line.picture not in ("", "svg", "png"):
        raise UserError(f"--picture is svg or png, not {line.picture}")
    check_new(line.out)
    source = line.preset
    goal, sets = goal_of(line), list(line.sets)
    if line.goal or line.clock or goal.limited:
        source, sets = _chosen(line, goal)
    with progress(f"building {line.preset}"):
        spec = load(source, sets)
        if line.picture and spec.architecture == "engine":
            raise UserError("--picture draws a schedule's stages, and an engine has none")
        core = generate(spec, {"preset": source, **dict(s.split("=", 1) for s in sets)})
        asked = tuple(line.extras.split(",")) if line.extras else ()
        check_extras(core, asked)
        core = replace(core, extras=asked)
        extra = {}
        if line.picture:
            from ..report.picture import draw

            assert not isinstance(core, BuiltEngine)
            extra[f"pipeline.{line.picture}"] = draw(core.schedule, core.top, line.picture)
        save(core, line.out, extra)
    warn(core.warnings)
    record = core.record()
    stages, useful = record["stages"], record.get("useful_stages", record["stages"])
    err.print(
        f"{line.out}: {core.top}, {counted(stages, 'stage')}, latency {core.latency}, "
        f"{core.flip_flops} flip-flops predicted"
    )
    plain = named(source)
    if plain and not any(s.startswith("name=") for s in sets) and core.parameters["name"] != plain:
        err.print(
            (
                f"{core.top} is named after its options, which are not those of {plain}; --set "
                f"name=… "
                f"gives another name"
            ),
            highlight=False,
        )
    if useful < stages:
        idle = stages - useful
        err.print(
            f"{useful} stage{'s' * (useful != 1)} reach{'es' * (useful == 1)} the same planned period; "
            f"{'one more only passes' if idle == 1 else f'the other {idle} only pass'} values on "
            f"(--set stages={useful})"
        )


def _chosen(line: BuildLine, goal: Goal) -> tuple[str, list[str]]:
    """The cipher, and the options of the core that is the best for what is wanted. It is told."""
    from ..plan import Question, choose, option_text
    from ..sources import read_changes
    from ..spec import named

    question = Question.of(line.preset, read_changes(line.sets), goal)
    with progress(f"searching for a core of {line.preset}") as tell:
        point = choose(question, None, tell)
    sets = [f"{name}={option_text(value)}" for name, value in point.options.items()]
    if own := named(line.preset):
        sets = [f"name={own}", *(text for text in sets if not text.startswith("name="))]
    f = point.figures
    luts = "" if f.luts is None else f", about {f.luts:,} lookup tables"
    err.print(
        f"chosen for {goal.best}: {f.gbps:g} Gb/s at {f.mhz:g} MHz as planned{luts}, {f.ffs:,} flip-flops, "
        f"{f.latency_ns:g} ns: {' '.join(f'--set {text}' for text in sets)}"
    )
    return question.source, sets
