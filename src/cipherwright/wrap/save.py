"""Writing a core to a folder: beside it first, then renamed, so that nothing half-written is left."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from ..errors import UserError
from ..tools import tool_version
from .core import Core
from .dress import files_digest
from .engine import Engine

__all__ = ["GENERATOR", "core_record", "save"]

GENERATOR = tool_version("cipherwright")
"""The version of the generator, which a record holds: another one may make other files of the same parameters."""


def core_record(core: Core | Engine) -> dict[str, Any]:
    """All of record.json: what the core says of itself, what was asked for and of which generator, and a digest of each file."""
    files = {name: files_digest({name: text}) for name, text in sorted(core.files.items())}
    return {**core.record(), "generator": GENERATOR, "given": dict(core.given), "files": files, "digest": files_digest(core.files)}


def save(core: Core | Engine, folder: Path, extra: dict[str, bytes] | None = None) -> None:
    """Write all files and record.json. Raises UserError where the folder exists or can't be made."""
    if folder.exists():
        raise UserError(f"the output {folder} exists; choose another folder or remove it first")
    parent = folder.resolve().parent
    if not parent.is_dir():
        raise UserError(f"the folder {folder.parent} for the output does not exist")
    record = core_record(core)
    try:
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=parent))
    except OSError as e:
        raise UserError(f"can't write to {folder.parent}: {e.strerror}") from None
    try:
        for name, text in core.files.items():
            (work / name).write_text(text)
        for name, data in (extra or {}).items():
            (work / name).write_bytes(data)
        (work / "record.json").write_text(json.dumps(record, indent=2) + "\n")
        work.chmod(0o755)
        work.rename(folder)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise
