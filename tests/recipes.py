"""What the recipes of CONTRIBUTING.md say, and a copy of the repository in which one is followed.

Text is inserted at places of the syntax tree, so that a recipe is followed wherever the lines move.
"""

from __future__ import annotations

import ast
import fnmatch
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "Copy",
    "above",
    "differences",
    "in_class",
    "in_import",
    "in_table",
    "named_files",
    "pristine",
    "recipes",
]

_ROOMS = ("src/cipherwright", "docs", "tests", "benchmarks", "tools")
_FILES = ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "mkdocs.yml", "pyproject.toml")
_HOME = "src/cipherwright/"


def recipes(page: str) -> dict[str, str]:
    """Heading of each recipe of CONTRIBUTING.md, whose text is `page` -> what stands below it."""
    _, *parts = re.split(r"(?m)^## (.+)\n", page)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def named_files(recipe: str, name: str) -> list[str]:
    """The files that the paragraph `Files:` of a recipe names, from the root of the repository. name: what
    stands for NAME. One that ends with / is a folder.
    """
    (said,) = re.findall(r"(?ms)^Files(?: \([^)]*\))?: (.*?)(?:\n\n|\Z)", recipe)
    paths = (path.replace("NAME", name) for path in re.findall(r"`([^`]+)`", said))
    outside = ("src/", "docs/", "tests/", "benchmarks/", "mkdocs.yml")
    return [path if path.startswith(outside) else f"{_HOME}{path}" for path in paths]


def differences(named: Collection[str], touched: Collection[str], there: Collection[str]) -> list[str]:
    """How the files that a recipe names differ from those that following it has `touched`, a sentence each.
    there: all files of the repository; a name with * is each of them that fits.
    """
    wanted = {p for n in named for p in (fnmatch.filter(there, n) if "*" in n else [n])}
    folders = tuple(p for p in wanted if p.endswith("/"))
    files = wanted.difference(folders)
    unnamed = (p for p in touched if p not in files and not p.startswith(folders))
    unused = [p for p in files if p not in touched]
    unused += [f for f in folders if not any(p.startswith(f) for p in touched)]
    return [
        *(f"the recipe does not name {p}" for p in sorted(unnamed)),
        *(f"the recipe names {p}, which stays as it is" for p in sorted(unused)),
    ]


@dataclass(frozen=True)
class Copy:
    """A copy in the folder `here` of the files at `home`, in which `recipe`, a text, is followed; `name`
    stands for its NAME.
    """

    home: Path
    here: Path
    recipe: str
    name: str

    @staticmethod
    def make(home: Path, here: Path, recipe: str, name: str) -> Copy:
        """A new one, of the `pristine` copy at `home`."""
        shutil.copytree(home, here)
        return Copy(home, here, recipe, name)

    def add(self, path: str, text: str) -> None:
        """A new file."""
        place = self.here / path
        assert not place.exists(), path
        place.parent.mkdir(exist_ok=True, parents=True)
        place.write_text(text, encoding="utf-8")

    def change(self, path: str, how: Callable[[str], str]) -> None:
        """A file with the text that `how` makes of its own."""
        place = self.here / path
        before = place.read_text(encoding="utf-8")
        after = how(before)
        assert after != before, path
        place.write_text(after, encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        """Every file's bytes, by its path."""
        return _read(self.here)

    def touched(self) -> set[str]:
        """Files that are not as in the repository, or not there."""
        before, after = _read(self.home), self.files()
        return {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}

    def run(self, script: str, tests: Iterable[str] = ()) -> str:
        """What `script`, Python with the copy's package, prints in a process of its own; then the `tests`
        run under pytest, by their names. They and those that the script imports are of files that the recipe
        names. A test that takes no fixture is called by the script: starting pytest takes seconds.
        """
        chosen = list(tests)
        called = [m.replace(".", "/") + ".py" for m in re.findall(r"from (tests\.[\w.]+) import", script)]
        named = {file.replace("NAME", self.name) for file in re.findall(r"`(tests/[^`]+)`", self.recipe)}
        for test in (*called, *chosen):
            assert test.partition("::")[0] in named, f"the recipe does not name {test}"
        return _run(self.here, f"{script}\n{_PYTEST.format(tests=chosen) if chosen else ''}")


def pristine(root: Path, here: Path) -> None:
    """In the new folder `here` the files of the repository at `root`. A process writes the compiled Python of
    what most recipes use, which copies take along.
    """
    unwanted = shutil.ignore_patterns("__pycache__", ".*")
    for room in _ROOMS:
        shutil.copytree(root / room, here / room, ignore=unwanted)
    for file in _FILES:
        shutil.copy2(root / file, here / file)
    _run(here, 'ask("list")' + _PYTEST.format(tests=["--collect-only", "tests/test_cli.py"]))


def _run(here: Path, script: str) -> str:
    env = {k: v for k, v in os.environ.items() if k not in _UNSET}
    env["PYTHONPATH"] = os.pathsep.join(str(here / p) for p in ("src", "benchmarks", "."))
    done = subprocess.run(
        [sys.executable, "-c", _BEGIN + script],
        cwd=here,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


_UNSET = (
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONPYCACHEPREFIX",
    "PYTEST_ADDOPTS",
    "PYTEST_XDIST_WORKER",
    "PYTEST_CURRENT_TEST",
)

_BEGIN = """\
import sys
from pathlib import Path
import cipherwright
assert Path(cipherwright.__file__).is_relative_to(Path.cwd())
def ask(*words, status=0):
    from cipherwright.cli import execute
    assert execute(words) == status, words
def written(script, *words):
    import importlib
    sys.argv = [script, *words]
    return importlib.import_module(script).main()
"""
"""`ask` is the command line, `written` a script of benchmarks/."""

_PYTEST = """
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *{tests!r}]))
"""


def _read(home: Path) -> dict[str, bytes]:
    found = [p for room in _ROOMS for p in (home / room).rglob("*") if p.is_file()]
    found += [home / file for file in _FILES]
    paths = ((p, str(p.relative_to(home))) for p in found)
    return {name: p.read_bytes() for p, name in paths if "__pycache__" not in name and "/." not in name}


def _inserted(text: str, line: int, column: int, new: str) -> str:
    """The text with `new` at a place as a syntax tree counts it: lines from 1, columns in bytes from 0."""
    lines = text.encode().splitlines(keepends=True)
    lines[line - 1 : line] = [lines[line - 1][:column], new.encode(), lines[line - 1][column:]]
    return b"".join(lines).decode()


def _value(text: str, table: str) -> ast.expr:
    """What the name `table` is set to in a Python text, where that is the first time."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value and _sets(node, table):
            return node.value
    raise AssertionError(f"no table {table}")


def in_table(table: str, row: str) -> Callable[[str], str]:
    """Python -> the same with `row` in front of the last one that has a key of its own in the dictionary,
    list or tuple called `table`; in a text of words, with the word `row` as the last.
    """

    def how(text: str) -> str:
        found = _value(text, table)
        if isinstance(found, ast.Constant):
            assert found.end_lineno and found.end_col_offset
            return _inserted(text, found.end_lineno, found.end_col_offset - 3, f"    {row}\n")
        rows = found.generators[0].iter if isinstance(found, ast.DictComp) else found
        assert isinstance(rows, ast.Dict | ast.List | ast.Tuple), table
        last = [k for k in (rows.keys if isinstance(rows, ast.Dict) else rows.elts) if k][-1]
        return _inserted(text, last.lineno, last.col_offset, f"{row}, ")

    return how


def above(name: str, block: str) -> Callable[[str], str]:
    """Python -> the same with `block` above the statement of the module that sets or defines `name`."""

    def how(text: str) -> str:
        for node in ast.parse(text).body:
            if isinstance(node, ast.AnnAssign | ast.Assign) and _sets(node, name):
                return _inserted(text, node.lineno, 0, f"{block}\n\n")
        raise AssertionError(f"no statement of {name}")

    return how


def _sets(node: ast.AnnAssign | ast.Assign, name: str) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(t, ast.Name) and t.id == name for t in targets)


def in_import(line: str) -> Callable[[str], str]:
    """Python -> the same with the import `line` behind its imports."""

    def how(text: str) -> str:
        last = [n for n in ast.parse(text).body if isinstance(n, ast.ImportFrom | ast.Import)][-1]
        assert last.end_lineno and last.end_col_offset
        return _inserted(text, last.end_lineno, last.end_col_offset, f"\n{line}")

    return how


def in_class(name: str, field: str) -> Callable[[str], str]:
    """Python -> the same with `field`, indented lines, behind the fields of the class `name`."""

    def how(text: str) -> str:
        (found,) = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ClassDef) and n.name == name)
        last = [n for n in found.body if isinstance(n, ast.AnnAssign)][-1]
        assert last.end_lineno and last.end_col_offset
        return _inserted(text, last.end_lineno, last.end_col_offset, f"\n{field}")

    return how
