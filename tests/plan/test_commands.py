"""`cipherwright explore` and `cipherwright build --goal`, as a user calls them."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from cipherwright import UserError, explore
from cipherwright.cli import execute
from cipherwright.rebuild import check_built
from cipherwright.verify import CoreFolder

LOOPS = ["--set", "direction=encrypt", "--set", "architecture=iterative", "--set", "key=agile"]
ONE = [*LOOPS, "--set", "rounds_per_cycle=1", "--set", "sbox=lut4_pool"]


class Page(HTMLParser):
    """The links of a page and its texts; tags that are not closed are counted."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links = list[str]()
        self.texts = list[str]()
        self.open = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open += tag not in ("meta", "br")
        self.links += [str(v) for k, v in attrs if k == "href" and tag == "a"]

    def handle_endtag(self, tag: str) -> None:
        self.open -= 1

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("explored") / "cores"
    two = [*LOOPS, "--set", "rounds_per_cycle=2"]
    assert execute(["explore", "des", *two, "--goal", "area", "--min-gbps", "2", "-o", str(out)]) == 0
    return out


def record_of(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / "explore.json").read_text())
    return record


def test_a_folder_has_a_page_and_every_core(folder: Path) -> None:
    points = record_of(folder)["points"]
    names = {"index.html", "cores.svg", "explore.json", *(f"{n}.toml" for n in range(1, len(points) + 1))}
    assert {p.name for p in folder.iterdir()} == names
    page = Page((folder / "index.html").read_text())
    assert page.open == 0
    assert page.links == [f"{n}.toml" for n in range(1, len(points) + 1)]
    assert "Cores of DES on Lattice ECP5 LFE5U-85F, speed grade 8" in page.texts
    shown = " ".join(page.texts)
    assert all(
        f"{p['planned']['gbps']:,.2f}" in shown and f"{p['planned']['ffs']:,}" in shown for p in points
    )
    assert (folder / "cores.svg").read_text().count("<g id=") > len(points)


def test_a_name_and_a_python_file(tmp_path: Path) -> None:
    """A name that is fixed is in each file; a cipher in a Python file has none, and its page says how."""
    one = [*LOOPS, "--set", "rounds_per_cycle=1", "--clock", "200"]
    assert execute(["explore", "des", *one, "--set", "name=mine", "-o", str(tmp_path / "named")]) == 0
    assert execute(["build", str(tmp_path / "named" / "1.toml"), "-o", str(tmp_path / "core")]) == 0
    assert (tmp_path / "core" / "mine.v").exists()
    file = str(Path(__file__).parents[2] / "examples" / "present.py")
    assert execute(["explore", file, *one, "-o", str(tmp_path / "own")]) == 0
    assert {p.name for p in (tmp_path / "own").iterdir()} == {"index.html", "cores.svg", "explore.json"}
    page = Page((tmp_path / "own" / "index.html").read_text())
    assert not page.links
    assert any("--set OPTION" in text for text in page.texts)


def test_limits_that_nothing_keeps_come_after_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["explore", "des", *LOOPS, "--set", "rounds_per_cycle=1", "--max-luts", "10", "--json"]
    assert execute(args) == 2
    said = capsys.readouterr()
    assert json.loads(said.out)["best"] is None
    assert "the nearest has 367 lookup tables, not 10: direction=encrypt" in said.err


def test_a_core_of_the_folder_is_built(folder: Path, tmp_path: Path) -> None:
    points = record_of(folder)["points"]
    number = len(points)
    assert execute(["build", str(folder / f"{number}.toml"), "-o", str(tmp_path / "core")]) == 0
    record = json.loads((tmp_path / "core" / "record.json").read_text())
    assert record["predicted"]["ffs"] == points[-1]["planned"]["ffs"]
    assert record["latency_cycles"] == points[-1]["planned"]["latency_cycles"]
    assert record["top"] == f"des_{number}"


def test_a_goal_is_built_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ["--goal", "area", "--min-gbps", "2"]
    assert execute(["build", "des", *LOOPS, *wanted, "-o", str(tmp_path / "core")]) == 0
    said = capsys.readouterr().err
    found = re.search(r"chosen for area: ([\d.]+) Gb/s at 303 MHz as planned, about 636 lookup tables", said)
    assert found and float(found[1]) >= 2
    core = CoreFolder.open(tmp_path / "core")
    assert core.record["parameters"]["rounds_per_cycle"] == 2
    check_built(core)  # the record has all options: it is built again without a search
    sets = re.findall(r"--set (\S+)", said)
    assert execute(["build", "des", *(a for s in sets for a in ("--set", s)), "-o", str(tmp_path / "b")]) == 0
    text = (tmp_path / "core" / f"{core.record['top']}.v").read_text()
    assert text == (tmp_path / "b" / f"{core.record['top']}.v").read_text()


def test_json_names_the_best(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    one = [*LOOPS, "--set", "rounds_per_cycle=1"]
    assert execute(["explore", "des", *one, "--goal", "latency", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    times = [p["planned"]["latency_ns"] for p in record["points"]]
    assert record["best"] == times.index(min(times)) + 1
    assert record["goal"] == "latency"
    assert record_of(folder)["limits"] == {"min_gbps": 2.0}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["build", "des-small", "--goal", "area"], "des-small is a core that is chosen already"),
        (["build", "des", *LOOPS, "--goal", "fast"], "a goal is throughput, area, latency or efficiency"),
        (["build", "des", *ONE, "--goal", "area", "--min-gbps", "900"], "no core keeps these limits"),
        (["explore", "des", *LOOPS, "--max-luts", "0"], "max_luts is over 0"),
        (["explore", "des", *LOOPS, "--map", "--place", "1"], "--place maps as well"),
        (["explore", "des", *LOOPS, "--scheduler", "nowhere"], "there is no Dask scheduler at nowhere"),
        (["explore", "des", *LOOPS, "--scheduler", "x", "--workers", "2"], "give one of --workers"),
    ],
)
def test_mistakes_are_one_sentence(
    args: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert execute([*args, "-o", str(out)]) == 2
    said = capsys.readouterr().err.strip().splitlines()
    assert message in said[-1]
    assert said[-1].startswith("cipherwright: ")
    assert not out.exists()


def test_the_library_writes_the_same_folder(folder: Path, tmp_path: Path) -> None:
    fixed = {"direction": "encrypt", "architecture": "iterative", "key": "agile", "rounds_per_cycle": 2}
    cores = explore("des", goal="area", min_gbps=2, **fixed)
    cores.write(tmp_path / "cores")
    for path in folder.iterdir():
        assert (tmp_path / "cores" / path.name).read_bytes() == path.read_bytes(), path.name
    assert cores.record == record_of(folder)
    assert cores.build().record["parameters"]["rounds_per_cycle"] == 2
    assert len(repr(cores)) < 300
    assert cores._repr_html_().count("<tr>") == len(cores.points) + 1


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"measure": "all"}, 'measure is "map", "place" or ""'),
        ({"workers": 0}, "workers is a whole number of at least 1"),
        ({"min_gbps": "two"}, "min_gbps is a number, not 'two'"),
        ({"colour": "red"}, "there is no option colour"),
    ],
)
def test_mistakes_in_python(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        explore("des", direction="encrypt", **asked)
    cores = explore("des", direction="encrypt", architecture="iterative", rounds_per_cycle=1, key="agile")
    with pytest.raises(UserError, match="colour is none of goal, clock_mhz"):
        cores.best(colour="red")
    with pytest.raises(UserError, match="the clock is asked for in explore"):
        cores.best(clock_mhz=50)


@pytest.mark.parametrize("point", [0, "area"])
def test_only_a_point_of_the_list_is_built(point: Any) -> None:
    cores = explore("des", direction="encrypt", architecture="iterative", rounds_per_cycle=1, key="agile")
    with pytest.raises(UserError, match=f"a core of the list is one of its points, not {point!r}"):
        cores.build(point)
