"""`make quick`: the tests that it chooses exist, and every room of the package has some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.quick import END_TO_END, QUICK, is_quick


def test_every_room_is_in_the_edit_loop(root: Path) -> None:
    """Pytest refuses names that it does not find, so a renamed test can't drop out in silence."""
    chosen = [test for tests in QUICK.values() for test in tests]
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *chosen],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-2000:] + found.stderr[-2000:]
    tests = found.stdout.split("\n\n")[0].splitlines()
    assert all(is_quick(test) for test in tests)
    rooms = {path.parent.name for path in (root / "src/cipherwright").glob("*/__init__.py")}
    for room in sorted(rooms):
        of_room = [t for t in tests if any(t.startswith(chosen) for chosen in QUICK.get(room, ()))]
        assert of_room, f"tests/quick.py names no test of {room}/"


def test_one_preset_is_built_and_proven() -> None:
    assert END_TO_END in QUICK["verify"]
    assert is_quick(END_TO_END)
    assert not is_quick(END_TO_END.replace("des-small", "aes128-fast"))
