"""A core folder is trusted only where it is, byte for byte, what the generator makes of its record:
generation is deterministic.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .arch import describe
from .engine import ENGINES, key_parts
from .errors import CheckFailed, UserError
from .flow import generate
from .progress import Tell, quiet
from .registry import check_origin
from .shell import GENERATOR, all_files, core_record, files_digest
from .spec import Datapath, Spec, parse
from .verify import CoreFolder, Verdict, extra_vectors, verify_core

__all__ = ["check_built", "requested", "verify_folder"]

_BLOCKS, _ENGINE_BLOCKS = 100_000, 4000
_PUBLISHED = 8
"""Published Monte Carlo chains of each kind that `verify` follows."""


def _plain_text(value: Any) -> bool:
    """Whether every text in a record's value is one line of printable characters, as only such text may
    reach generated files.
    """
    if isinstance(value, str):
        return value.isprintable()
    if isinstance(value, Mapping):
        return all(isinstance(k, str) and k.isprintable() and _plain_text(v) for k, v in value.items())
    return all(map(_plain_text, value)) if isinstance(value, list | tuple) else True


def requested(folder: CoreFolder) -> tuple[Spec, dict[str, str]]:
    """What the record of `folder` says was asked for: the spec, and the preset with its changes as the user
    wrote them. Raises UserError where another version of the generator wrote it, where what it says is not
    plain text, and where the cipher came from outside the package and is not the one that is registered
    (`registry.check_origin`).
    """
    record = folder.record
    if record.get("generator") != GENERATOR:
        raise UserError(
            f"{folder.path} was built by another version of Cipherwright ({record.get('generator')}, this "
            f"is {GENERATOR}); build it again"
        )
    given, parameters = record.get("given", {}), record["parameters"]
    if "preset" not in given or not _plain_text(given) or not _plain_text(parameters):
        raise UserError(
            f"{folder.path / 'record.json'} is damaged (what was asked for is no plain text): build the "
            f"core again"
        )
    check_origin(str(parameters["cipher"]), given, folder.path)
    return parse(parameters), given


def check_built(folder: CoreFolder) -> str:
    """Compare the record and all files of `folder` with those that the generator makes of the record's
    parameters; returns a sentence that says what was compared. Nothing of the folder is compiled or run.

    Raises CheckFailed with the file or the keys of the record that differ, UserError where the record is
    damaged or of another version of the generator.
    """
    spec, given = requested(folder)
    core = replace(generate(spec, given), extras=tuple(folder.record.get("extras", ())))
    texts = all_files(core)
    listed = folder.record["files"]
    if sorted(listed) != sorted(texts):
        raise CheckFailed("record.json does not list the files that its parameters give")
    for name, text in sorted(texts.items()):
        path = folder.path / name
        if not path.is_file():
            raise CheckFailed(f"the file {name} of the core is missing")
        found = path.read_bytes()
        if found == text.encode():
            continue
        if listed[name] != files_digest({name: found.decode(errors="replace")}):
            raise CheckFailed(f"the file {name} was changed after it was built")
        raise CheckFailed(
            f"the file {name} and its digest were changed: it is not what the generator makes of the "
            f"record's parameters"
        )
    expected = json.loads(json.dumps(core_record(core, texts)))
    wrong = sorted(k for k in {*expected, *folder.record} if expected.get(k) != folder.record.get(k))
    if wrong:
        raise CheckFailed(f"record.json was changed after it was built: {', '.join(wrong)}")
    return f"{len(texts)} files and the record as the generator makes them"


def verify_folder(
    folder: CoreFolder,
    blocks: int | None = None,
    monte: int = 1,
    tell: Tell = quiet,
    all_sizes: bool = False,
    as_built: bool = True,
) -> list[Verdict]:
    """Every check of the core in `folder`: a verdict for each, which says what was done.

    blocks: random blocks (None: 100,000 of a core, 4,000 of an engine, which is run cycle by cycle); monte:
    keys of the Monte Carlo test, of a core only; tell: called with what is being done; all_sizes: an engine
    is proven for all its sizes, not for the record's alone. Where the folder is not what the generator makes
    of its record, that is the only verdict: nothing of the folder is compiled or run. as_built = False
    compares the files with the record's digests alone, for cores that are broken on purpose to try the other
    checks.
    """
    tell("files")
    try:
        found = check_built(folder) if as_built else folder.check_files()
    except CheckFailed as e:
        return [Verdict("files", False, str(e))]
    spec = parse(folder.record["parameters"])
    for _ in extra_vectors(spec.cipher):
        break  # a malformed file is told before anything is compiled
    if isinstance(spec, Datapath):
        verdicts = verify_core(
            folder, describe(spec), blocks or _BLOCKS, monte, tell, key_parts(spec), _PUBLISHED
        )
    else:
        verdicts = ENGINES[spec.cipher].verify(folder, blocks or _ENGINE_BLOCKS, tell, all_sizes)
    return [Verdict("files", True, found), *verdicts[1:]]
