"""All checks of presets as they stand, for those whose proof is too slow for every run of the tests.

Usage: python benchmarks/verify.py [--proof] [PRESET ...]

Without names: those that the tests run in a quicker form. --proof: the proof alone, which spares compiling
a simulation; of an engine all checks run.
"""

from __future__ import annotations

import sys
import time

from building import core_of

from cipherwright.engine import key_parts
from cipherwright.rebuild import verify_folder
from cipherwright.shell import Core
from cipherwright.spec import load
from cipherwright.verify import prove_core

SLOW = (
    "aes-gcm-small",
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


def main() -> None:
    failed, alone = False, "--proof" in sys.argv
    for preset in [a for a in sys.argv[1:] if a != "--proof"] or SLOW:
        spec = load(preset)
        with core_of(preset, spec.target) as (core, folder, _):
            if alone and isinstance(core, Core):
                began = time.monotonic()
                print(
                    (
                        f"{preset}: {prove_core(folder, core.plain, key_parts(spec))} "
                        f"({time.monotonic() - began:.0f} s)"
                    ),
                    flush=True,
                )
                continue
            verdicts = verify_folder(
                folder, None, 1, lambda text, fraction=None: print(f"  {text}", file=sys.stderr, flush=True)
            )
        for v in verdicts:
            print(preset, "passed" if v.passed else "FAILED", v.check, "-", v.detail, flush=True)
            failed |= not v.passed
    sys.exit(failed)


if __name__ == "__main__":
    main()
