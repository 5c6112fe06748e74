"""Each example is run; the demo on a smaller file and one seed."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path


def test_demo(root: Path) -> None:
    env = {
        **os.environ,
        "CIPHERWRIGHT": str(Path(sysconfig.get_path("scripts")) / "cipherwright"),
        "PYTHON": sys.executable,
        "DEMO_PRESET": "des-small",
        "DEMO_MIB": "0",
    }
    done = subprocess.run(
        ["sh", "examples/demo.sh"], cwd=root, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "the same as OpenSSL's" in done.stdout
    assert "and back again" in done.stdout
    assert "all equal to OpenSSL" in done.stdout
    assert "Critical path" in done.stdout


def test_every_example_has_a_test(root: Path) -> None:
    mentioned = Path(__file__).read_text() + (root / "examples" / "demo.sh").read_text()
    for path in (root / "examples").iterdir():
        assert path.name in mentioned, path.name


def test_a_cipher_outside_the_package(root: Path, tmp_path: Path) -> None:
    """examples/present.py, under eighty lines, is built by the command."""
    source = root / "examples" / "present.py"
    assert len(source.read_text().splitlines()) < 80
    command = [sys.executable, "-m", "cipherwright.cli", "build", str(source), "-o", str(tmp_path / "core")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "32 stages" in done.stderr
