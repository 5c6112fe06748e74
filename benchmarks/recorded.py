"""All measurements of tests/recorded.py and all long checks (tests/long_checks.py), by the tests that ask for
them; writes recorded.json.

Usage: python benchmarks/recorded.py [--all] [TESTS...]

What the record has of the same texts and tools is kept; --all: it is measured anew, too. TESTS: files or
names of tests as pytest takes them; what other tests ask for stays as it is. Without any, all of them run,
and what no test asks for any more is left out. Where a test fails, nothing is written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from building import of_no_machine

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.recorded import ANEW, RECORD, RENEWED

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    tests = [a for a in sys.argv[1:] if a != "--all"]
    anew = {ANEW: "1"} if "--all" in sys.argv else {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n", "2", "-m", "recorded", *tests],
            cwd=ROOT,
            env={**os.environ, **anew, RENEWED: folder},
            check=True,
        )
        found: dict[str, object] = json.loads(RECORD.read_text()) if tests else {}
        for path in Path(folder).iterdir():
            found |= json.loads(of_no_machine(path.read_text()))
    RECORD.write_text(json.dumps(dict(sorted(found.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
