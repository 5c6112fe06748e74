"""cipherwright verify"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..errors import CheckFailed
from .console import CipherFile, Json, out, print_json, progress, register_file

__all__ = ["verify"]


@dataclass(frozen=True)
class VerifyLine:
    """The command line of verify."""

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a built core.")]
    as_json: Json = False
    blocks: Annotated[
        int | None,
        typer.Option(
            help="Random blocks that are compared with an independent library (default: 100,000; with an "
            "engine 4,000).",
            min=1,
        ),
    ] = None
    monte: Annotated[
        int, typer.Option(help="Keys, one after the other, of each chain of the Monte Carlo test.", min=1)
    ] = 1
    cipher: CipherFile = None
    all_sizes: Annotated[
        bool,
        typer.Option(
            "--all-sizes",
            help="Prove an engine for all sizes of blocks and keys, which takes minutes, not only for "
            "those of its record.",
        ),
    ] = False


def verify(line: VerifyLine) -> None:
    """Check a core: known answers, simulation, proof. The exit status is 1 where a check fails."""
    from ..rebuild import verify_folder
    from ..report import print_verdicts
    from ..verify import CoreFolder

    core = CoreFolder.open(line.folder)
    register_file(line.cipher)
    with progress("verifying") as tell:
        verdicts = verify_folder(core, line.blocks, line.monte, tell, line.all_sizes)
    passed = all(v.passed for v in verdicts)
    if line.as_json:
        print_json({"core": core.record["top"], "passed": passed, "checks": [v.as_json() for v in verdicts]})
    else:
        print_verdicts(out, verdicts)
    if not passed:
        raise CheckFailed("; ".join(f"{v.check}: {v.detail}" for v in verdicts if not v.passed))
