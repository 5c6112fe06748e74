"""`cipherwright new` writes a cipher that builds, passes its test and is verified; it overwrites nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from cipherwright.cli import execute
from tests.conftest import ROOT


def test_it_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its test passes under pytest, the commands of its page run, and its types are right."""
    monkeypatch.chdir(tmp_path)
    assert execute(["new", "kuznyechik"]) == 0
    names = {"kuznyechik.py", "test_kuznyechik.py", "kuznyechik.md"}
    assert {p.name for p in tmp_path.iterdir()} == names
    assert "class Kuznyechik(Standard)" in (tmp_path / "kuznyechik.py").read_text()
    for name in names:
        assert "toy" not in (tmp_path / name).read_text().lower()
    (block,) = re.findall(r"^```sh\n(.*?)^```", (tmp_path / "kuznyechik.md").read_text(), re.DOTALL | re.M)
    env = {**os.environ, "PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-e", "-c", block], env=env, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    assert 'verdicts["known answers"].status == "ok"' in (tmp_path / "test_kuznyechik.py").read_text()
    cached = ("--cache-dir", str(ROOT / ".mypy_cache"))  # `make style` has read the package
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *cached, "--strict", "kuznyechik.py", "test_kuznyechik.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_a_loop_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import cipherwright as cw

    monkeypatch.chdir(tmp_path)
    assert execute(["new", "looped", "-o", str(tmp_path)]) == 0
    core = cw.build("looped.py", architecture="iterative", stages=1)
    assert core.spec.title == "Looped with keys of 64 bits"  # true of every architecture
    assert core.encrypt("0123456789abcdef", bytes(8)).hex() == "7aa9523b5316b819"
    assert core.decrypt("0123456789abcdef", bytes.fromhex("7aa9523b5316b819")) == bytes(8)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("des", "the name des is taken"),
        ("class", "class is a keyword of Python"),
        ("wire", "wire is a keyword of Verilog"),
        ("signal", "signal is a keyword of VHDL"),
        ("random", "Python has a module of this name"),
        ("numpy", "Python has a module of this name"),
        ("My-Cipher", "a cipher's name is of small letters a-z and digits"),
        ("../mine", "a cipher's name is of small letters a-z and digits"),
        ("", "a cipher's name is of small letters a-z and digits"),
        ("x" * 100, "a name has at most 64 characters"),
        ("there", "the file there.md exists; nothing is overwritten"),
        ("dangling", "the file test_dangling.py exists; nothing is overwritten"),
    ],
)
def test_names_that_can_not_be(
    name: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.md").write_text("mine")
    (tmp_path / "test_dangling.py").symlink_to("nowhere")
    assert execute(["new", name]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
    assert {p.name for p in tmp_path.iterdir()} == {"there.md", "test_dangling.py"}


def test_nothing_is_left_where_a_file_can_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cipherwright import files, skeleton

    def full(path: Path, data: bytes) -> None:
        if path.suffix == ".md":
            raise OSError(28, "No space left on device", str(path))
        files.write_whole(path, data)

    monkeypatch.setattr(skeleton, "write_whole", full)
    assert execute(["new", "mine", "-o", str(tmp_path)]) == 2
    assert not list(tmp_path.iterdir())
    assert execute(["new", "mine", "-o", str(tmp_path / "nowhere")]) == 2
    assert "there is no folder" in capsys.readouterr().err
