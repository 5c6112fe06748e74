"""The cache of compiled simulations: only what this user made, unchanged, is ever loaded; several
processes share it; it does not grow for ever.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cipherwright import cache
from cipherwright.cache import cache_dir, cached, load_library, prune
from cipherwright.errors import UserError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CIPHERWRIGHT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Maker:
    """Makes an entry and counts how often."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, folder: Path) -> None:
        self.made += 1
        (folder / "model.so").write_bytes(b"library")
        (folder / "ports.json").write_text("[]")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "changed": lambda e: (e / "model.so").write_bytes(b"Library"),
    "missing": lambda e: (e / "ports.json").unlink(),
    "more": lambda e: (e / "more.so").write_bytes(b""),
    "link": lambda e: ((e / "model.so").rename(e.parent / "moved"), (e / "model.so").symlink_to("../moved")),
    "writable file": lambda e: (e / "model.so").chmod(0o666),
    "writable folder": lambda e: e.chmod(0o777),
    "manifest gone": lambda e: (e / "MANIFEST").unlink(),
    "manifest empty": lambda e: (e / "MANIFEST").write_text("{}"),
    "manifest damaged": lambda e: (e / "MANIFEST").write_text("["),
    "a file": lambda e: (e.rename(e.parent / "away"), e.write_text("x")),
    "dangling": lambda e: (e.rename(e.parent / "away"), e.symlink_to("nowhere")),
}


def test_made_once(home: Path) -> None:
    maker = Maker()
    assert cached("entry", maker) == cached("entry", maker) == home / "entry"
    assert maker.made == 1
    assert home.stat().st_mode & 0o777 == 0o700
    assert {p.name for p in home.iterdir()} == {"entry", "lock"}


@pytest.mark.parametrize("kind", DAMAGE)
def test_what_was_changed_is_made_again(kind: str, home: Path) -> None:
    maker = Maker()
    DAMAGE[kind](cached("entry", maker))
    assert (cached("entry", maker) / "model.so").read_bytes() == b"library"
    assert maker.made == 2
    assert cached("entry", maker) == home / "entry"
    assert maker.made == 2
    assert not [p for p in home.iterdir() if p.name.startswith("part-")]


def test_a_maker_that_fails_leaves_nothing(home: Path) -> None:
    def fail(folder: Path) -> None:
        (folder / "half").write_bytes(b"")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached("entry", fail)
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [
        (
            lambda p: p.write_text(""),
            "can't use the cache folder .*: File exists; name another one in CIPHERWRIGHT_CACHE",
        ),
        (lambda p: p.symlink_to("nowhere/else"), "can't use the cache folder"),
        (
            lambda p: (p.mkdir(), p.chmod(0o777)),
            "others may write to the cache folder .*; chmod go-w it, or name another one",
        ),
        (lambda p: (p.mkdir(), p.chmod(0o775)), "others may write to the cache folder"),
    ],
)
def test_folders_that_can_not_be_trusted(
    prepare: Callable[[Path], object], sentence: str, home: Path
) -> None:
    prepare(home)
    with pytest.raises(UserError, match=sentence):
        cache_dir()


def test_the_folder_of_another_user(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache_dir()
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    with pytest.raises(UserError, match="belongs to another user"):
        cache_dir()


def test_a_folder_that_can_not_be_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERWRIGHT_CACHE", "/proc/self/cache")
    with pytest.raises(UserError, match="can't use the cache folder /proc/self/cache"):
        cache_dir()
    monkeypatch.setenv("CIPHERWRIGHT_CACHE", str(home))
    cached("entry", Maker())
    real = Path.mkdir

    def full(self: Path, *args: object, **more: object) -> None:
        if self.name.startswith("part-"):
            raise OSError(28, "No space left on device")
        real(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "mkdir", full)
    cached("entry", Maker())  # what is there is used
    with pytest.raises(UserError, match=r"can't write to the cache folder .*: No space left on device"):
        cached("other", Maker())


def test_what_is_no_library_is_told(home: Path) -> None:
    with pytest.raises(UserError, match=r"can't load .*model\.so"):
        load_library(cached("entry", Maker()) / "model.so")


def test_old_entries_go(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def age(name: str, days: float) -> None:
        then = time.time() - days * 86400
        os.utime(home / name, (then, then))

    for name in ("old", "older", "new", "used"):
        cached(name, Maker())
    for name, days in (("old", 31), ("older", 300), ("new", 1), ("used", 29)):
        age(name, days)
    cached("used", Maker())
    (home / "part-left-over").mkdir()
    age("part-left-over", 2)
    (home / "sim-of-an-old-version").mkdir()
    age("sim-of-an-old-version", 40)
    assert set(prune(home)) == {"old", "older", "part-left-over", "sim-of-an-old-version"}
    monkeypatch.setattr(cache, "LARGEST_BYTES", 100)
    cached("newest", Maker())  # prunes as well
    assert {p.name for p in home.iterdir()} == {"used", "newest", "lock"}, (
        "what was used in the last hour stays, whatever the size"
    )


def test_many_at_once(home: Path) -> None:
    """Processes make and use the same entries while others damage them; nobody sees half an entry. Who
    damages one may come while another process exchanges it: then its file is not there.
    """
    program = (
        "import contextlib, sys; from cipherwright.cache import cached\n"
        "def make(f): (f / 'a').write_bytes(b'x' * 100000); (f / 'b').write_bytes(b'y')\n"
        "for i in range(60):\n"
        "    e = cached(f'entry{i % 3}', make)\n"
        "    with contextlib.suppress(FileNotFoundError):\n"
        "        assert len((e / 'a').read_bytes()) == 100000\n"
        "        if i % 7 == int(sys.argv[1]): (e / 'b').chmod(0o666)\n"
    )
    with ThreadPoolExecutor(4) as pool:
        done = list(
            pool.map(
                lambda n: subprocess.run(
                    [sys.executable, "-c", program, str(n)], capture_output=True, text=True, check=False
                ),
                range(4),
            )
        )
    assert [d.returncode for d in done] == [0] * 4, [d.stderr[-500:] for d in done]
    assert {p.name for p in home.iterdir()} == {"entry0", "entry1", "entry2", "lock"}


def test_versions_are_in_the_key(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cipherwright.verify import simulate

    asked: list[str] = []

    def only_name(name: str, make: object) -> Path:
        asked.append(name)
        raise UserError("enough")

    monkeypatch.setattr(simulate, "cached", only_name)
    (tmp_path / "x.v").write_text("module x; endmodule")
    versions = {"g++": "1", "verilator_bin": "2"}
    monkeypatch.setattr(simulate, "find", lambda name: name)
    monkeypatch.setattr(simulate, "version_of", lambda program: versions[program])
    for changed in ({}, {"g++": "3"}, {"verilator_bin": "4"}):
        versions.update(changed)
        with pytest.raises(UserError, match="enough"):
            simulate.compile_simulation([tmp_path / "x.v"], "x")
    assert len(set(asked)) == 3
