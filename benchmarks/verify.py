"""All checks of presets as they stand, for those whose proof is too slow for every run of the tests.

Usage: python benchmarks/verify.py [PRESET ...]     (none: those that the tests run in a quicker form; about 20 minutes)
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from cipherwright.pipeline import build, key_parts
from cipherwright.spec import load
from cipherwright.verify import CoreFolder, verify_core
from cipherwright.wrap import save

SLOW = ("aes128-fast-both", "aes128-fast-ctr", "aes128-fast-decrypt", "mars-fast", "mars-small")


def main() -> None:
    failed = False
    for preset in sys.argv[1:] or SLOW:
        spec = load(preset)
        core = build(spec, {"preset": preset})
        with tempfile.TemporaryDirectory() as d:
            save(core, Path(d) / "core")
            verdicts = verify_core(CoreFolder.open(Path(d) / "core"), core.plain, 4000, 1, lambda text: print(f"  {text}", file=sys.stderr, flush=True), key_parts(spec))
        for v in verdicts:
            print(preset, "passed" if v.passed else "FAILED", v.check, "-", v.detail, flush=True)
            failed |= not v.passed
    sys.exit(failed)


if __name__ == "__main__":
    main()
