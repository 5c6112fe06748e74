"""Writing a core to a folder: beside it first, then renamed, so that nothing half-written is left."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from ..errors import UserError
from .core import Core
from .dress import files_digest
from .engine import Engine

__all__ = ["save"]


def save(core: Core | Engine, folder: Path, extra: dict[str, bytes] | None = None) -> None:
    """Write all files and record.json. Raises UserError where the folder exists or can't be made."""
    if folder.exists():
        raise UserError(f"the output {folder} exists; choose another folder or remove it first")
    parent = folder.resolve().parent
    if not parent.is_dir():
        raise UserError(f"the folder {folder.parent} for the output does not exist")
    record = core.record()
    record["files"] = {name: files_digest({name: text}) for name, text in sorted(core.files.items())}
    record["digest"] = files_digest(core.files)
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
