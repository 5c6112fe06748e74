"""What a long check that is recorded as a whole test depends on: tests/long_checks.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cipherwright.errors import UserError
from cipherwright.verify import CoreFolder
from tests import long_checks, recorded

MODULE = "from tests.helper import WANTED\n\n\ndef test_it(built):\n    assert built('a')\n"


class Tried:
    """A test of a module in `folder` that asks for `cores`, whose texts are there, and counts its runs."""

    def __init__(self, folder: Path, cores: tuple[str, ...]) -> None:
        self.folder, self.cores, self.runs, self.wrong = folder, cores, 0, False
        self.params: dict[str, Any] = {"size": 1}
        self.gone = False
        self.module = folder / "test_it.py"
        self.module.write_text(MODULE)
        for name in ("a", "b"):
            (folder / name).mkdir()
            (folder / name / "m.v").write_text(f"module {name}; endmodule\n")

    def built(self, *variant: str) -> tuple[None, CoreFolder]:
        if self.gone:
            raise UserError("there is no such core")
        long_checks.ASKED.append(variant)
        return None, CoreFolder(self.folder / variant[0], {"top": variant[0]})

    @property
    def item(self) -> Any:
        def test_it(built: Callable[..., Any]) -> None:
            self.runs += 1
            for core in self.cores:
                built(core)
            assert not self.wrong, "a fault"

        given = {"built": self.built}
        nodeid = "tests/test_it.py::test_it"
        of_test = {"obj": test_it, "funcargs": given, "fixturenames": ["built", "bench"]}
        of_test["callspec"] = SimpleNamespace(params=self.params)
        return SimpleNamespace(name="test_it", nodeid=nodeid, path=self.module, **of_test)

    def run(self, entry: dict[str, Any] | None) -> bool:
        """Whether the test runs, and does not fail."""
        before = self.runs
        self.decides()
        long_checks.run(self.item, entry)
        return self.runs > before

    def decides(self) -> tuple[str, ...]:
        """What decides it as the files are now."""
        long_checks.decides.cache_clear()
        long_checks.modules_read.cache_clear()
        return long_checks.decides(self.module)

    def entry(self, renewed: Path) -> dict[str, Any]:
        """What is written for a new record."""
        (path,) = renewed.iterdir()
        (found,) = json.loads(path.read_text()).values()
        return dict(found)


@pytest.fixture
def renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for a new record; nothing is measured anew because of the run that this test is in."""
    folder = tmp_path / "renewed"
    folder.mkdir()
    monkeypatch.setenv(recorded.RENEWED, str(folder))
    monkeypatch.delenv(recorded.ANEW, raising=False)
    yield folder


@pytest.fixture
def tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tried:
    monkeypatch.setattr(long_checks, "ROOT", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "helper.py").write_text("WANTED = 1\n")
    return Tried(tmp_path, ("a",))


def test_what_passed_runs_once(tried: Tried, renewed: Path) -> None:
    assert tried.run(None)
    entry = tried.entry(renewed)
    assert entry["found"]["cores"] == [["a"]]
    assert not tried.run(entry)
    assert tried.entry(renewed) == entry


def test_what_fails_is_not_recorded(tried: Tried, renewed: Path) -> None:
    tried.wrong = True
    with pytest.raises(AssertionError, match="a fault"):
        tried.run(None)
    assert not list(renewed.iterdir())


def test_what_decides_it(tried: Tried, renewed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried.run(None)
    entry = tried.entry(renewed)
    for path, text in (
        (tried.folder / "a" / "m.v", "module a; wire x; endmodule\n"),
        (tried.module, MODULE.replace("'a'", "'b'")),
        (tried.folder / "tests" / "helper.py", "WANTED = 2\n"),
    ):
        before = path.read_text()
        path.write_text(text)
        assert tried.run(entry), path
        path.write_text(before)
        assert not tried.run(entry)
    (tried.folder / "b" / "m.v").write_text("module b; wire x; endmodule\n")
    assert not tried.run(entry), "a core that it does not ask for"
    tried.params = {"size": 2}
    assert tried.run(entry)
    tried.params = {"size": 1}
    assert not tried.run(entry)
    monkeypatch.setattr(recorded, "room", lambda name: "another room")
    assert tried.run(entry)


def test_a_core_that_is_gone(tried: Tried, renewed: Path) -> None:
    """The test runs, and says so itself."""
    assert tried.run(None)
    tried.gone = True
    with pytest.raises(UserError, match="no such core"):
        tried.run(tried.entry(renewed))
    assert tried.runs == 2


def test_more_published_answers(
    tried: Tried, renewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were not there when it was recorded are compared; where they are missing, they were."""
    monkeypatch.delenv("CIPHERWRIGHT_VECTORS", raising=False)
    assert tried.run(None)
    without = tried.entry(renewed)
    more = tmp_path / "vectors"
    more.mkdir()
    (more / "aes.jsonl").write_text("{}\n")
    monkeypatch.setenv("CIPHERWRIGHT_VECTORS", str(more))
    assert tried.run(without)
    entry = tried.entry(renewed)
    assert not tried.run(entry)
    monkeypatch.delenv("CIPHERWRIGHT_VECTORS")
    assert not tried.run(entry)


def test_anew(tried: Tried, renewed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tried.run(None)
    monkeypatch.setenv(recorded.ANEW, "1")
    assert tried.run(tried.entry(renewed))


def test_cores_of_fixtures_count(tried: Tried, renewed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those of the test: a fixture of another module, or another one of this module, does not count."""
    taken = {("tests/test_it.py", "bench"): [("b",)]}
    taken |= {("tests/test_other.py", "bench"): [("c",)], ("tests/test_it.py", "other"): [("d",)]}
    monkeypatch.setattr(long_checks, "TAKEN", taken)
    assert tried.run(None)
    entry = tried.entry(renewed)
    assert entry["found"]["cores"] == [["a"], ["b"]]
    (tried.folder / "b" / "m.v").write_text("module b; wire x; endmodule\n")
    assert tried.run(entry)


def test_a_mark_without_a_core_is_refused(tried: Tried, renewed: Path) -> None:
    tried.cores = ()
    with pytest.raises(AssertionError, match="takes no core from `built`"):
        tried.run(None)


def test_rooms_that_a_module_names(tried: Tried) -> None:
    """A module that names the room of engines is decided by it, and by what that imports."""
    before = tried.decides()
    tried.module.write_text(f"from cipherwright.engine import key_parts\n{MODULE}")
    after = tried.decides()
    for room in ("engine", "target"):
        assert recorded.room(room) in after
        assert recorded.room(room) not in before
    assert {recorded.room(name) for name in (*recorded.JUDGES, "shell", "spec", "rtl")} <= {*before}


def test_modules_that_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the form of the import; of the harness, the light cipher alone."""
    monkeypatch.setattr(long_checks, "ROOT", tmp_path)
    folder = tmp_path / "tests" / "shell"
    folder.mkdir(parents=True)
    texts = {
        "shell/test_it.py": "import tests.one\nfrom tests import conftest, two\nfrom .three import X\n",
        "one.py": "from tests.shell import three\n",
        "two.py": "import json\n",
        "shell/three.py": "from ..four import Y\n",
        "four.py": "",
        "five.py": "",
        "light.py": "",
        "conftest.py": "from tests import five\nfrom tests.light import LIGHT\n",
    }
    for name, text in texts.items():
        (tmp_path / "tests" / name).write_text(text)
    read = long_checks.modules_read(folder / "test_it.py")
    assert {p.name for p in read} == {Path(name).name for name in texts} - {"five.py"}
