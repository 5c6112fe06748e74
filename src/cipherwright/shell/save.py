"""Writing a core to a folder: beside it first, then renamed, so that nothing half-written is left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..files import new_folder
from .built_engine import BuiltEngine
from .core import Core
from .dress import files_digest
from .header import GENERATOR

__all__ = ["core_record", "save"]


def core_record(core: Core | BuiltEngine) -> dict[str, Any]:
    """All of record.json: what the core says of itself, what was asked for and of which generator, and a
    digest of each file.
    """
    files = {name: files_digest({name: text}) for name, text in sorted(core.files.items())}
    return {
        **core.record(),
        "generator": GENERATOR,
        "given": dict(core.given),
        "files": files,
        "digest": files_digest(core.files),
    }


def save(core: Core | BuiltEngine, folder: Path, extra: dict[str, bytes] | None = None) -> None:
    """Write all files and record.json. Raises UserError where the folder exists or can't be written;
    nothing is left then.
    """
    record = core_record(core)
    with new_folder(folder) as work:
        for name, text in core.files.items():
            (work / name).write_text(text, encoding="utf-8")
        for name, data in (extra or {}).items():
            (work / name).write_bytes(data)
        (work / "record.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
