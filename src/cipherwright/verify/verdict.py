"""A folder that `build` made, and what checks say of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import CheckFailed, NotChecked, UserError
from ..progress import Tell
from ..shell import files_digest
from .record import read_record

__all__ = ["CoreFolder", "Verdict", "attempts"]


@dataclass(frozen=True)
class Verdict:
    """One check: its name (`check`), whether it held (`passed`), what was done or found. `checked`: False
    where there was nothing to check with, which is no failure, and no success either; `detail` says why.

    >>> Verdict("known answers", True, "9 of 9").status
    'ok'
    >>> Verdict("independent library", True, "it is not installed", checked=False).status
    'not checked'
    """

    check: str
    passed: bool
    detail: str
    checked: bool = True

    @property
    def status(self) -> str:
        """ok, failed or not checked."""
        return "not checked" if not self.checked else "ok" if self.passed else "failed"

    def as_json(self) -> dict[str, str | bool]:
        """What `verify --json` says of it: `passed` is False only where the check failed."""
        return {"check": self.check, "passed": self.passed, "status": self.status, "detail": self.detail}


@dataclass(frozen=True)
class CoreFolder:
    """A folder that `build` made, at `path`: its `record`, which `CoreRecord` has checked, and its Verilog
    sources.
    """

    path: Path
    record: Mapping[str, Any]

    @staticmethod
    def open(path: Path) -> CoreFolder:
        """The core folder at `path`. Raises UserError where it is none, or where its record is damaged (see
        `CoreRecord`).
        """
        record = path / "record.json"
        if not record.is_file():
            raise UserError(f"{path} is no core folder: it has no record.json (cipherwright build makes one)")
        return CoreFolder(path, read_record(record))

    @property
    def sources(self) -> list[Path]:
        """RTL files; the testbench is not one."""
        found = [
            self.path / n
            for n in self.record["files"]
            if n.endswith((".v", ".sv")) and not n.endswith("_tb.v")
        ]
        for p in found:
            if not p.is_file():
                raise CheckFailed(f"the file {p.name} of the core is missing")
        return sorted(found, key=lambda p: p.suffix)

    @property
    def register_map(self) -> str:
        """The map of the core's registers, in SystemRDL."""
        return (Path(self.path) / f"{self.record['top']}.rdl").read_text()

    def check_files(self) -> str:
        """The files are as they were built, and their modules have names of this core alone. Raises
        CheckFailed with the name of one that is not.
        """
        texts = {}
        for name in self.record["files"]:
            p = self.path / name
            if not p.is_file():
                raise CheckFailed(f"the file {name} of the core is missing")
            texts[name] = p.read_text(errors="replace")
        for name, text in texts.items():
            if files_digest({name: text}) != self.record["files"][name]:
                raise CheckFailed(f"the file {name} was changed after it was built")
        top = self.record["top"]
        for name in (p.name for p in self.sources):
            for module in re.findall(r"(?m)^\s*module (\w+)", texts[name]):
                if module != top and not module.startswith(f"{top}_"):
                    raise CheckFailed(
                        f"the module {module} in {name} does not begin with the name of the core, {top}: "
                        f"another core may have one of this name"
                    )
        return f"{len(texts)} files as built"


Attempt = Callable[[str, Callable[[], str]], bool]


def attempts(tell: Tell, steps: int) -> tuple[list[Verdict], Attempt]:
    """A list that grows to about `steps` verdicts, and the function that runs a check and adds its verdict:
    False where it failed. `tell` gets each check's name and the part that is done.
    """
    verdicts: list[Verdict] = []

    def attempt(name: str, check: Callable[[], str]) -> bool:
        done = len(verdicts)
        tell(f"{name} (check {done + 1} of {max(steps, done + 1)})", min(done / steps, 1.0))
        try:
            verdicts.append(Verdict(name, True, check()))
        except NotChecked as e:
            verdicts.append(Verdict(name, True, str(e), False))
        except (CheckFailed, RuntimeError) as e:
            verdicts.append(Verdict(name, False, str(e)))
        return verdicts[-1].passed

    return verdicts, attempt
