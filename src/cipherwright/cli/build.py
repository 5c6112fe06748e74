"""cipherwright build"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import typer

from ..errors import UserError
from ..files import check_new
from .complete import complete_source
from .console import Sets, err, progress, warn

__all__ = ["build"]


@dataclass(frozen=True)
class BuildLine:
    """The command line of build."""

    preset: Annotated[str, typer.Argument(metavar="PRESET|FILE.toml|FILE.py", autocompletion=complete_source)]
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="New folder for the core.")]
    sets: Sets = field(default_factory=list)
    picture: Annotated[str, typer.Option(help="Draw the pipeline into the folder: svg or png.")] = ""
    extras: Annotated[
        str,
        typer.Option("--with", metavar="cocotb,model", help="A cocotb bench, a Verilator model, or both."),
    ] = ""


def build(line: BuildLine) -> None:
    """RTL, testbench, constraints, FuseSoC .core and record.json in a new folder."""
    from ..flow import generate
    from ..shell import BuiltEngine, save
    from ..shell.folder import check_extras
    from ..spec import load, named

    if line.picture not in ("", "svg", "png"):
        raise UserError(f"--picture is svg or png, not {line.picture}")
    check_new(line.out)
    with progress(f"building {line.preset}"):
        spec = load(line.preset, line.sets)
        if line.picture and spec.architecture == "engine":
            raise UserError("--picture draws a schedule's stages, and an engine has none")
        core = generate(spec, {"preset": line.preset, **dict(s.split("=", 1) for s in line.sets)})
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
        f"{line.out}: {core.top}, {stages} stage{'s' * (stages != 1)}, latency {core.latency}, "
        f"{core.flip_flops} flip-flops predicted"
    )
    plain = named(line.preset)
    if plain and not any(s.startswith("name=") for s in line.sets) and core.parameters["name"] != plain:
        err.print(
            (
                f"{core.top} is named after its options, which are not those of {plain}; --set "
                f"name=… "
                f"gives another name"
            ),
            highlight=False,
        )
    if useful < stages:
        err.print(
            f"{useful} stages reach the same planned period; the other {stages - useful} only pass values "
            f"on (--set stages={useful})"
        )
