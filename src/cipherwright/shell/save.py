"""Writing a core to a folder: beside it first, then renamed, so that nothing half-written is left."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..files import new_folder
from .built_engine import BuiltEngine
from .core import Core
from .digests import files_digest
from .folder import folder_files
from .header import GENERATOR

__all__ = ["all_files", "core_record", "save"]


def all_files(core: Core | BuiltEngine) -> dict[str, str]:
    """Texts by file name of `core`, those of the folder but record.json."""
    return {**core.files, **folder_files(core)}


def core_record(core: Core | BuiltEngine, texts: Mapping[str, str]) -> dict[str, Any]:
    """All of record.json of `core`: what the core says of itself, what was asked for and of which generator,
    and a digest of each of its files, whose `texts` are those of `all_files`.
    """
    files = {name: files_digest({name: text}) for name, text in sorted(texts.items())}
    return {
        **core.record(),
        "port_list": [
            {"name": p.name, "direction": "output" if p.out else "input", "bits": p.width, "meaning": p.text}
            for p in core.component.pins
        ],
        **({"extras": list(core.extras)} if core.extras else {}),
        "generator": GENERATOR,
        "given": dict(core.given),
        "files": files,
        "digest": files_digest(texts),
    }


def save(core: Core | BuiltEngine, folder: Path, extra: dict[str, bytes] | None = None) -> None:
    """Write all files of `core` and record.json into the new folder `folder`; extra: further files by name,
    which the record does not list. Raises UserError where the folder exists or can't be written; nothing is
    left then.
    """
    texts = all_files(core)
    record = core_record(core, texts)
    with new_folder(folder) as work:
        for name, text in texts.items():
            (work / name).write_text(text, encoding="utf-8")
        for name, data in (extra or {}).items():
            (work / name).write_bytes(data)
        (work / "record.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
