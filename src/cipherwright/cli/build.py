"""cipherwright build"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..errors import UserError
from ..files import check_new
from .complete import complete_source
from .console import Sets, err, progress, warn

__all__ = ["build"]


def build(
    preset: Annotated[
        str, typer.Argument(metavar="PRESET|FILE.toml|FILE.py", autocompletion=complete_source)
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="New folder for the core.")],
    sets: Sets = [],  # noqa: B006 - Typer wants a list
    picture: Annotated[str, typer.Option(help="Draw the pipeline into the folder: svg or png.")] = "",
    extras: Annotated[
        str,
        typer.Option("--with", metavar="cocotb,model", help="A cocotb bench, a Verilator model, or both."),
    ] = "",
) -> None:
    """RTL, testbench, constraints, FuseSoC .core and record.json in a new folder."""
    from ..flow import generate
    from ..shell import BuiltEngine, save
    from ..shell.folder import check_extras
    from ..spec import load, named

    if picture not in ("", "svg", "png"):
        raise UserError(f"--picture is svg or png, not {picture}")
    check_new(out)
    with progress(f"building {preset}"):
        spec = load(preset, sets)
        if picture and spec.architecture == "engine":
            raise UserError("--picture draws a schedule's stages, and an engine has none")
        core = generate(spec, {"preset": preset, **dict(s.split("=", 1) for s in sets)})
        asked = tuple(extras.split(",")) if extras else ()
        check_extras(core, asked)
        core = replace(core, extras=asked)
        extra = {}
        if picture:
            from ..report.picture import draw

            assert not isinstance(core, BuiltEngine)
            extra[f"pipeline.{picture}"] = draw(core.schedule, core.top, picture)
        save(core, out, extra)
    warn(core.warnings)
    record = core.record()
    stages, useful = record["stages"], record.get("useful_stages", record["stages"])
    err.print(
        f"{out}: {core.top}, {stages} stage{'s' * (stages != 1)}, latency {core.latency}, "
        f"{core.flip_flops} flip-flops predicted"
    )
    plain = named(preset)
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
        err.print(
            f"{useful} stages reach the same planned period; the other {stages - useful} only pass values "
            f"on (--set stages={useful})"
        )
