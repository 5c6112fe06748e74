"""The wheel and the sdist are the whole product: installed outside the clone, in an environment of its own,
the wheel lists all presets, builds and verifies.

No network is used: the build backend is that of this environment, and what the package depends on is there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from cipherwright import __version__
from cipherwright.spec import preset_names
from tests.conftest import ROOT

WHEEL = f"cipherwright-{__version__}-py3-none-any.whl"
SDIST = f"cipherwright-{__version__}.tar.gz"
NOT_PACKAGED = {"__pycache__"}
AROUND = (".ci", "benchmarks", "docs", "examples", "golden", "tests", "tools")
"""Folders of the clone beside `src`: an sdist has them whole, so that its tests run."""
PYTHONS = (Path(sys.prefix), *(p.parent for p in sorted(ROOT.glob(".venv-3.*/.ready"))))
"""Environments that have what the wheel depends on: this one, and those that `make setup` made for other
versions of Python where these are installed.
"""


@dataclass(frozen=True)
class Installed:
    """An environment that has the wheel: run(arguments…) runs a command of it in a folder outside the clone;
    `env`: the variables of its shell.
    """

    bin: Path
    desk: Path
    env: Mapping[str, str]

    def __call__(self, *args: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(self.bin / args[0]), *args[1:]],
            cwd=self.desk,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done


def _build(source: Path, out: Path) -> None:
    """The wheel and the sdist of a source tree, by the backend that pyproject.toml names."""
    for hook in ("build_wheel", "build_sdist"):
        code = f"import sys; from setuptools import build_meta as b; b.{hook}(sys.argv[1])"
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code, str(out)],
            cwd=source,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def built_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist, built from a copy, so that the clone stays clean."""
    home = tmp_path_factory.mktemp("packages")
    source = home / "clone"
    source.mkdir()
    for path in (ROOT / name for name in _at_the_top()):
        shutil.copy(path, source)
    for name in (*AROUND, "src"):
        unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(ROOT / name, source / name, ignore=unwanted)
    _build(source, home)
    return home


def _at_the_top() -> set[str]:
    """Files at the top of the clone that are its own: those of Git, and of a run of a test, are not."""
    return {
        p.name
        for p in ROOT.iterdir()
        if p.is_file() and p.name not in (".git", ".gitignore", "results.xml", ".coverage")
    }


def _files(folder: Path) -> set[str]:
    """All files in a folder of the clone, by their paths in the folder above it."""
    return {
        p.relative_to(folder.parent).as_posix()
        for p in folder.rglob("*")
        if p.is_file() and not NOT_PACKAGED & set(p.parts)
    }


def test_nothing_is_missing(built_packages: Path) -> None:
    files = _files(ROOT / "src" / "cipherwright")
    assert f"cipherwright/data/presets/{preset_names()[0]}.toml" in files
    with zipfile.ZipFile(built_packages / WHEEL) as wheel:
        assert files <= set(wheel.namelist())
    with tarfile.open(built_packages / SDIST) as sdist:
        inside = {m.name.partition("/")[2] for m in sdist.getmembers()}
    assert {f"src/{name}" for name in files} <= inside
    around = set[str]().union(*(_files(ROOT / name) for name in AROUND))
    assert "tests/conftest.py" in around
    assert {*around, *_at_the_top(), "PKG-INFO"} <= inside


def test_the_sdist_makes_the_same_wheel(built_packages: Path, tmp_path: Path) -> None:
    with tarfile.open(built_packages / SDIST) as sdist:
        sdist.extractall(tmp_path, filter="data")
    _build(tmp_path / SDIST.removesuffix(".tar.gz"), tmp_path)
    with zipfile.ZipFile(built_packages / WHEEL) as ours, zipfile.ZipFile(tmp_path / WHEEL) as theirs:
        assert {i.filename: i.CRC for i in ours.infolist()} == {i.filename: i.CRC for i in theirs.infolist()}


def _path(python: Path, kind: str) -> str:
    """A folder of an interpreter's installation, as `sysconfig` names it."""
    code = f"import sysconfig; print(sysconfig.get_path({kind!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _installed(packages: Path, depends: Path, home: Path) -> Installed:
    """A new environment `home` that has the wheel of `packages`, and of the environment `depends` its Python
    and the packages that the wheel needs.
    """
    desk, bin_ = home.with_name(f"{home.name}-desk"), home / "bin"
    desk.mkdir()
    base = depends / "bin" / "python"
    subprocess.run([base, "-m", "venv", "--without-pip", str(home)], check=True)
    inside = _path(bin_ / "python", "purelib")
    # Folders of a .pth file come after the environment's own; their own .pth files, that of an editable
    # install among them, are not read.
    (Path(inside) / "dependencies.pth").write_text(f"{_path(base, 'purelib')}\n")
    env = {
        **{k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "CIPHERWRIGHT_VECTORS")},
        "PATH": f"{bin_}:{_path(base, 'scripts')}:{os.environ['PATH']}",
    }
    pip = [sys.executable, "-m", "pip", "--python", str(bin_ / "python"), "install", "--quiet"]
    subprocess.run(
        [*pip, "--no-deps", "--no-index", "--disable-pip-version-check", str(packages / WHEEL)],
        check=True,
        env=env,
    )

    run = Installed(bin_, desk, env)
    where = run("python", "-c", "import cipherwright.cli as c; print(c.__file__)").stdout
    assert where.startswith(inside), "the wheel's copy, not the clone's"
    return run


@pytest.fixture(scope="module")
def installed(built_packages: Path) -> Installed:
    """The wheel in an environment of this Python."""
    return _installed(built_packages, PYTHONS[0], built_packages / "environment")


@pytest.fixture(scope="module", params=PYTHONS, ids=["this Python", *(p.name for p in PYTHONS[1:])])
def everywhere(request: pytest.FixtureRequest, built_packages: Path) -> Installed:
    """The wheel in an environment of every Python at hand."""
    depends: Path = request.param
    if depends == PYTHONS[0]:
        found: Installed = request.getfixturevalue("installed")
        return found
    return _installed(built_packages, depends, built_packages / depends.name.lstrip("."))


def test_the_installed_wheel_lists_everything(everywhere: Installed) -> None:
    listed = json.loads(everywhere("cipherwright", "list", "--json").stdout)
    assert [p["name"] for p in listed["presets"]] == preset_names()
    assert everywhere("cipherwright", "--version").stdout == f"cipherwright {__version__}\n"


def test_the_installed_wheel_builds_and_verifies(everywhere: Installed, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('cipher = "des"\nkey_bits = 64\nstages = 16\ndirection = "encrypt"\n')
    for source, name in (("des-small", "small"), (str(tmp_path / "mine.toml"), "mine")):
        out = str(tmp_path / name)
        everywhere("cipherwright", "build", source, "-o", out)
        checks = json.loads(everywhere("cipherwright", "verify", out, "--blocks", "200", "--json").stdout)
        assert checks["passed"] is True
        status = {c["check"]: c["status"] for c in checks["checks"]}
        assert status["known answers"] == "ok", "the repository's vectors are in the wheel"


def test_a_strangers_path(installed: Installed, built_packages: Path, tmp_path: Path) -> None:
    """Every command of docs/guide/integrating.md after the installation, in a folder outside the clone."""
    page = (ROOT / "docs/guide/integrating.md").read_text()
    assert len(re.findall(r"^```console\n(.*?)^```", page, re.S | re.M)) == 1
    commands = [
        c
        for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", page, re.S | re.M)
        for c in block.splitlines()
    ]
    assert len(commands) == 7, "as the README says"
    assert commands[1].startswith("pip install cipherwright-*.whl"), "the fixture does this"
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(commands[2:])],
        cwd=tmp_path,
        env={**installed.env, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "TESTS=10 PASS=10 FAIL=0" in said
    assert "V e r i l a t i o n   R e p o r t" in said, "lint ran"
    assert "\nPASS\n" in said, "the testbench ran"


def test_the_installed_wheel_has_the_skeleton(installed: Installed, tmp_path: Path) -> None:
    installed("cipherwright", "new", "mine", "-o", str(tmp_path))
    code = f"import cipherwright as cw; print(cw.build({str(tmp_path / 'mine.py')!r}))"
    assert "<cipherwright.Core mine: mine, 64-bit key" in installed("python", "-c", code).stdout
