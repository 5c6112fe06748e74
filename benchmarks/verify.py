"""All checks of presets and of variants that are too slow for every run of the tests.

Usage: python benchmarks/verify.py [--proof] [PRESET ...]
       python benchmarks/verify.py --recorded [--all] ["PRESET CHANGE ..." ...]

Without names: those that the tests run in a quicker form. --proof: the proof alone, which spares compiling
a simulation; of an engine all checks run.

--recorded: the variants of which the committed record `checked.json` holds the verdicts; those whose emitted
text is another than the recorded one, --all: every one. CIPHERWRIGHT_VECTORS names a folder of published
vectors, without which some variants have no published messages. The tests hold every text against the record.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from building import VECTORS, core_of, of_no_machine

sys.path.insert(0, str(Path(__file__).parent.parent))

from cipherwright.engine import key_parts
from cipherwright.rebuild import verify_folder
from cipherwright.shell import Core, rtl_digest
from cipherwright.spec import load
from cipherwright.verify import CoreFolder, Verdict, prove_core
from tests.long_variants import ALL_LENGTHS, RECORDED

SLOW = (
    "aes-gcm-small",
    "aes128-xts-small",
    "aes128-ctr-lanes",
    "aes128-fast-agile",
    "aes128-fast-both",
    "aes128-fast-ctr",
    "aes128-fast-decrypt",
    "aes256-fast",
    "rijndael256-fast",
    "mars-fast",
    "mars-small",
    "rijndael-ucla",
)

RECORD = Path(__file__).parent / "checked.json"
"""Of every variant of tests/long_variants.py: the digest of its emitted text, and what each check said."""

_NAMES = tuple(map(" ".join, RECORDED))

_LONG = frozenset(map(" ".join, ALL_LENGTHS))

_SOME, _OF_EVERY_LENGTH = 2000, 6020
"""Random blocks, and those of packets of every length: 20 words each on average."""


def _tell(text: str, fraction: float | None = None) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def _printed(name: str, verdicts: list[Verdict]) -> bool:
    """Whether all passed."""
    for v in verdicts:
        print(name, "passed" if v.passed else "FAILED", v.check, "-", v.detail, flush=True)
    return all(v.passed for v in verdicts)


def _proof(core: Core, folder: CoreFolder, preset: str) -> None:
    began = time.monotonic()
    said = prove_core(folder, core.plain, key_parts(load(preset)))
    print(f"{preset}: {said} ({time.monotonic() - began:.0f} s)", flush=True)


def run_recorded(variants: list[str], every: bool) -> bool:
    """Renew the record; whether all passed. What is no variant of `RECORDED` any more goes."""
    record: dict[str, Any] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    record = {name: record[name] for name in _NAMES if name in record}
    good = True
    for name in variants or _NAMES:
        preset, *changes = name.split()
        with core_of(preset, load(preset).target, changes) as (core, folder, _):
            digest = rtl_digest(core.files)
            if not every and record.get(name, {}).get("rtl_digest") == digest:
                continue
            verdicts = verify_folder(folder, _OF_EVERY_LENGTH if name in _LONG else _SOME, 1, _tell)
        passed = _printed(name, verdicts)
        good &= passed
        record.pop(name, None)
        if passed:
            record[name] = {
                "rtl_digest": digest,
                "checks": {
                    v.check: {"status": v.status, "detail": of_no_machine(v.detail)} for v in verdicts
                },
            }
        RECORD.write_text(json.dumps(dict(sorted(record.items())), indent=1) + "\n")
    return good


def main() -> None:
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--recorded" in sys.argv:
        if not os.environ.get(VECTORS):
            sys.exit(f"set {VECTORS}: some variants have published messages only there")
        sys.exit(not run_recorded(names, "--all" in sys.argv))
    good = True
    for preset in names or SLOW:
        with core_of(preset, load(preset).target) as (core, folder, _):
            if "--proof" in sys.argv and isinstance(core, Core):
                _proof(core, folder, preset)
                continue
            good &= _printed(preset, verify_folder(folder, None, 1, _tell))
    sys.exit(not good)


if __name__ == "__main__":
    main()
