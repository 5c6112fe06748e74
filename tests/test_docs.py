"""Every `sh` and `python` block of the README and the guides runs; table and pictures are those of now."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer

from cipherwright.cipher import CATALOGUE
from cipherwright.cipher.modes import UNIT_MODES
from cipherwright.cli.run import UsageError, app
from cipherwright.errors import UserError
from cipherwright.flow import build
from cipherwright.report.picture import draw, stages_by_round
from cipherwright.sources import preset_names
from cipherwright.spec import MODES, Datapath, Engine, Loop, Pipeline, Spec, load

PAGES = [
    "README.md",
    "docs/guide/options.md",
    "docs/guide/verification.md",
    "docs/guide/command-line.md",
    "docs/guide/library.md",
    "docs/guide/buses.md",
    "docs/guide/modes.md",
    "docs/guide/boards.md",
    "docs/guide/cell-libraries.md",
    "docs/guide/protocol.md",
    "docs/guide/core-folder.md",
    "docs/guide/glossary.md",
    "docs/guide/choosing.md",
    "docs/guide/exploring.md",
    "docs/guide/adding-a-cipher.md",
    "docs/papers.md",
    "docs/decisions/README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_code_blocks_run(page: str, root: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", (root / page).read_text(), re.DOTALL | re.MULTILINE)
    env = {**os.environ, "PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"}
    for block in blocks:
        done = subprocess.run(
            ["sh", "-e", "-c", block], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


_COMMAND = re.compile(r"^ {4,}(cipherwright (?:[^\\\n]|\\\n|\\.)*)|`(cipherwright [^`\n]+)`", re.MULTILINE)


def _commands(text: str) -> list[list[str]]:
    """The commands of a page that are indented or within a sentence, which no test runs: their words, without
    the program's name. Words in capitals stand for something.
    """
    found = [a or b for a, b in _COMMAND.findall(text)]
    lines = (re.sub(r"\\\n\s*", "", command).split("#")[0] for command in found)
    return [words for words in (shlex.split(line)[1:] for line in lines) if words]


def _wrong(words: list[str]) -> str:
    """What is wrong with a command's options, or with those of its preset; nothing is run."""
    group: Any = typer.main.get_command(app)
    if words[0].startswith("-") or words[0].isupper():
        return ""
    command = group.commands.get(words[0])
    if command is None:
        return f"there is no command {words[0]}"
    if not words[1:]:
        return ""
    try:
        command.make_context(words[0], words[1:])
        preset = next((w for w in words[1:] if not w.startswith("-")), "")
        if preset in preset_names():
            load(preset, [w for at, w in enumerate(words) if words[at - 1] == "--set"])
    except UsageError as e:
        return "" if "does not exist" in str(e) else str(e)
    except UserError as e:
        return str(e)
    return ""


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_sentences_are_right(page: str, root: Path) -> None:
    wrong = {
        " ".join(words): said for words in _commands((root / page).read_text()) if (said := _wrong(words))
    }
    assert wrong == {}


def test_a_wrong_command_is_seen() -> None:
    text = "Do `cipherwright biuld des-small`:\n\n    cipherwright build des-small --sett stages=2\n"
    text += "    cipherwright build des-small --set stages=none \\\n        --set mode=cbb -o core  # none\n"
    found = [_wrong(words) for words in _commands(text)]
    assert found[0] == "there is no command biuld"
    assert "--sett" in found[1]
    assert "cbb" in found[2]


@pytest.mark.parametrize("page", ["README.md", "docs/guide/library.md", "docs/guide/exploring.md"])
def test_python_blocks_run(page: str, root: Path, tmp_path: Path) -> None:
    """The README's has six lines."""
    (block,) = re.findall(r"^```python\n(.*?)^```", (root / page).read_text(), re.DOTALL | re.MULTILINE)
    assert page != "README.md" or block.count("\n") == 6
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "page", [*PAGES, "docs/guide/integrating.md", *(f"docs/ciphers/{name}.md" for name in CATALOGUE)]
)
def test_named_files_exist(page: str, root: Path) -> None:
    for name in re.findall(
        r"\]\(([^)#]+)\)|`((?:src|docs|tests|benchmarks|golden|examples)/[\w./-]+)`",
        (root / page).read_text(),
    ):
        target = name[0] or name[1]
        if "NAME" in target:  # a recipe's placeholder
            continue
        assert (root / target).exists() or (root / page).parent.joinpath(target).exists(), target


def test_every_decision_is_in_the_index(root: Path) -> None:
    pages = {p.name for p in (root / "docs/decisions").glob("[0-9]*.md")}
    listed = re.findall(r"\]\((\d{4}-[^)]+\.md)\)", (root / "docs/decisions/README.md").read_text())
    assert sorted(listed) == sorted(pages)


def test_every_recipe_names_its_test(root: Path) -> None:
    recipes = (root / "CONTRIBUTING.md").read_text().split("\n## ")[1:]
    assert len(recipes) >= 9
    for recipe in recipes:
        assert "`tests/" in recipe, recipe.splitlines()[0]


def test_glossary_is_whole_and_linked(root: Path) -> None:
    """Every word has its meaning and a place; words are defined once."""
    rows = re.findall(
        r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", (root / "docs/guide/glossary.md").read_text(), re.M
    )
    words = [word for word, _, _ in rows if word not in ("word", "---")]
    assert len(words) == len(set(words)) > 20
    assert all(meaning.endswith(".") and where.strip() for word, meaning, where in rows if word != "word")
    assert "docs/guide/glossary.md" in (root / "ARCHITECTURE.md").read_text()


def test_status_table_is_of_now(root: Path) -> None:
    done = subprocess.run([sys.executable, str(root / "benchmarks" / "status.py"), "--check"], check=False)
    assert done.returncode == 0, "run: python benchmarks/status.py"


def test_reference_of_options_is_of_now(root: Path) -> None:
    done = subprocess.run([sys.executable, str(root / "benchmarks" / "options.py"), "--check"], check=False)
    assert done.returncode == 0, "run: python benchmarks/options.py"


@pytest.mark.parametrize("kind", [Pipeline, Loop, Engine])
def test_every_option_is_documented(kind: type[Spec]) -> None:
    free = {"name", "title", "source", "cipher", "block_bits", "target"}
    for name, field in kind.model_fields.items():
        extra = field.json_schema_extra
        if name != "architecture":
            assert field.description, name
            assert isinstance(extra, dict), name
            assert extra["cost"] or name in free, name
            number = field.annotation in (int, float, int | None, float | None)
            assert extra["unit"] or not number or name == "placer_weight", name


Records = Mapping[str, list[dict[str, Any]]]

_SENTENCE = re.compile(r"(?<=[.:;)])\s+(?=[A-Z0-9`])|\n\s*\n|\n(?=[|#-])")
_FIGURE = re.compile(r"(\d[\d,]*(?:\.\d+)?) (?:MHz|LUT4|flip-flops)")
_OTHERWISE = re.compile(r"asked for|predicted|, mapped|=|around `|^\|")
"""Of what was wanted, of another core than the preset's, or a row of a table that a script makes."""


def _other_figures(text: str, records: Records) -> Iterator[str]:
    """What a page says of the clock and the size of a preset that none of its records says."""
    for sentence in _SENTENCE.split(text):
        named = [name for name in re.findall(r"`([\w-]+)`", sentence) if name in records]
        if not named or _OTHERWISE.search(sentence):
            continue
        measured = [
            float(value)
            for name in named
            for r in records[name]
            for value in (r["fmax_mhz"], *(r["fmax_by_seed"] or {}).values(), r["luts"], r["ffs"])
            if value is not None
        ]
        for figure in _FIGURE.findall(sentence):
            digits = len(figure.partition(".")[2])
            said = float(figure.replace(",", ""))
            if not any(abs(said - value) <= 0.5001 * 10**-digits for value in measured):
                yield f"{figure} of {', '.join(named)}"


@pytest.fixture
def records(root: Path) -> Records:
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted((root / "benchmarks" / "records").glob("*@*.json")):
        record = json.loads(path.read_text())
        if "fmax_by_seed" in record:
            found.setdefault(path.name.partition("@")[0], []).append(record)
    return found


def _pages(root: Path) -> list[Path]:
    return [
        root / "README.md",
        *(root / "docs" / "guide").glob("*.md"),
        *(root / "docs" / "ciphers").glob("*.md"),
    ]


def test_figures_of_presets_are_those_of_the_records(root: Path, records: Records) -> None:
    wrong = {path.name: list(_other_figures(path.read_text(), records)) for path in _pages(root)}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_a_figure_that_no_record_has_is_seen(root: Path, records: Records) -> None:
    text = (root / "docs" / "guide" / "modes.md").read_text()
    record = records["aes128-xts"][0]
    for figure in (
        f"{record['fmax_mhz']:.1f} MHz",
        f"{record['luts']:,} LUT4",
        f"{record['ffs']:,} flip-flops",
    ):
        changed = text.replace(figure, f"9{figure}")
        assert changed != text
        assert list(_other_figures(changed, records))


def test_picture(root: Path) -> None:
    core = build(load("des-xilinx-16"))
    picture = draw(core.schedule, core.top, "svg")
    assert picture == draw(core.schedule, core.top, "svg")
    text = picture.decode()
    assert text.count("<path") > 34
    assert (root / "docs" / "pipeline.svg").read_text().count("<path") == text.count("<path")
    assert draw(core.schedule, core.top, "png").startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("preset", "stages", "numbers"),
    [("des-xilinx-16", 16, ["-1", *map(str, range(1, 17))]), ("aes-tiny", 2, ["1", "2"])],
)
def test_a_picture_numbers_stages_as_the_record_does(preset: str, stages: int, numbers: list[str]) -> None:
    """A rank of registers in front of the block, such as that of an early key, has a negative number."""
    core = build(load(preset))
    assert core.record()["stages"] == stages
    text = draw(core.schedule, core.top, "svg").decode()
    shown = re.findall(r"<!-- (-?\d+)  ", text)
    assert shown[: len(numbers)] == numbers
    assert f"datapath of {stages} stages" in text
    assert ("before the block comes" in text) == ("-1" in numbers)


def test_a_long_pipeline_is_drawn_by_round() -> None:
    """des-fast: every stage is in one row, rows are in the order of the rounds, and each has its box."""
    core = build(load("des-fast"))
    rows = stages_by_round(core.schedule)
    stages = [k for _, group in rows for k in group]
    assert stages == list(range(core.schedule.io.first, core.schedule.stages))
    names = [name for name, _ in rows]
    assert len(names) == len(set(names)) < 20
    assert [n for n in names if n.startswith("round ")] == [f"round {k}" for k in range(1, 17)]
    text = draw(core.schedule, core.top, "svg").decode()
    assert text == draw(core.schedule, core.top, "svg").decode()
    assert text.count("#8a8a8a") == len(stages)


def test_readme_is_one_screen(root: Path) -> None:
    assert len((root / "README.md").read_text().splitlines()) <= 70


_BASE = {
    "P": ("architecture=pipelined", "stages=40"),
    "L": ("architecture=iterative", "stages=1"),
}
_HELD = ("key=static", "key_expansion=unit")
_COLUMNS: dict[str, tuple[tuple[str, ...], ...]] = {
    "architecture": ((),),
    "one way": (("direction=encrypt",), ("direction=decrypt",)),
    "both ways in one core": (("direction=both",),),
    "a key with each": (("key=agile",), (*_HELD, "key_slots=2", "packet_keys=announced")),
    "a key that is held": (("key=agile",), _HELD),
    "two keys": ((*_HELD, "key_slots=2"),),
    "AXI-Stream": (("interface=axi-stream",), (*_HELD, "interface=axi-stream")),
    "registers beside it": (
        ("interface=axi-stream", "control=apb"),
        (*_HELD, "interface=axi-stream", "control=apb"),
    ),
    "registers alone": (("interface=registers", "control=apb"),),
}
"""Columns of the table of modes: each has options, some of which have to be taken."""


def _taken(mode: str, base: str, column: str) -> bool:
    """Whether a core of AES in a mode, in a pipeline (P) or a loop (L), is taken with the options of a
    column, in either direction or in both.
    """
    for changes in _COLUMNS[column]:
        ways = ("encrypt", "decrypt", "both") if not any("direction" in c for c in changes) else ("",)
        for way in ways:
            said = [f"direction={way}"] if way else []
            try:
                spec = load("aes", ["key_bits=128", f"mode={mode}", *_BASE[base], *changes, *said])
            except UserError:
                continue
            assert isinstance(spec, Datapath)
            if column not in ("a key with each", "a key that is held"):
                return True
            if _holds(spec) == (column == "a key that is held"):
                return True
    return False


def _holds(spec: Datapath) -> bool:
    """Whether the core holds its key, and none comes with each block, unit or packet. A loop of XTS does, as
    any of packets or tags.
    """
    if isinstance(spec, Pipeline) and spec.packet_keys == "announced":
        return False
    return spec.holds_key or (isinstance(spec, Loop) and spec.mode in UNIT_MODES)


def test_a_loop_of_units_holds_its_key() -> None:
    for changes, key in (
        (["mode=xts"], "key_valid_i"),
        (["mode=cmac", "direction=encrypt"], "key_valid_i"),
        (["mode=cbc"], ""),
    ):
        spec = load("aes-tiny", [*changes, "stages=1"])
        assert isinstance(spec, Loop)
        assert build(spec).ports.key_valid == key
        assert _holds(spec) == bool(key)


def _table_of_modes(page: str) -> Iterator[tuple[str, str, str]]:
    """Mode, column and cell of the table."""
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    start = next(k for k, line in enumerate(lines) if line.startswith("| mode | architecture |"))
    _, *columns = (cell.strip() for cell in lines[start].strip("|").split("|"))
    for line in lines[start + 1 : start + 1 + len(MODES)]:
        mode, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        yield from ((mode.strip("`"), column, cell) for column, cell in zip(columns, cells, strict=True))


def test_the_table_of_modes_is_what_build_takes(root: Path) -> None:
    rows = list(_table_of_modes((root / "docs/guide/choosing.md").read_text()))
    assert {mode for mode, _, _ in rows} == set(MODES)
    assert {column for _, column, _ in rows} == set(_COLUMNS)
    wrong = {
        (mode, column): now
        for mode, column, cell in rows
        if cell != (now := " ".join(b for b in _BASE if _taken(mode, b, column)) or "–")
    }
    assert wrong == {}


def test_the_first_core_says_its_mode(root: Path) -> None:
    """The page that begins from nothing says in which mode its core is, and how to choose another."""
    page = (root / "docs/guide/integrating.md").read_text()
    words = shlex.split(re.findall(r"^cipherwright (build .*)$", page, re.M)[0])
    spec = load(words[1], [w for at, w in enumerate(words) if words[at - 1] == "--set"])
    assert f"in {spec.mode.upper()} mode" in page
    assert "`--set mode=`" in page


_INSTALL = re.compile(r"^pip install (.*)$", re.MULTILINE)


def _not_pinned(text: str, pinned: list[str]) -> list[str]:
    """The packages in lines of a page that install some which are not in `pinned`, name and version."""
    words = [word for line in _INSTALL.findall(text) for word in line.split()]
    return [word for word in words if word not in pinned and not word.endswith(".whl")]


def test_pages_install_the_pinned_packages(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    pinned = project["optional-dependencies"]["test"]
    pages = {p.name: p.read_text() for p in (root / "docs/guide").glob("*.md")}
    assert {name for name, text in pages.items() if _INSTALL.search(text)} == {
        "integrating.md",
        "core-folder.md",
    }
    assert {name: found for name, text in pages.items() if (found := _not_pinned(text, pinned))} == {}
    assert _not_pinned("pip install cocotb==2.0.0 fusesoc\n", pinned) == ["cocotb==2.0.0", "fusesoc"]
