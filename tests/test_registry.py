"""Ciphers from outside: registered, in a file, in an installed package; a core of one is verified with its
file alone, and no folder makes anything be imported.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import cipherwright as cw
from cipherwright import registry
from cipherwright.cipher import CATALOGUE, Kind
from cipherwright.cipher.word import Word, Words, concat
from cipherwright.cli import execute
from cipherwright.errors import CheckFailed, UserError
from cipherwright.rebuild import check_built
from cipherwright.registry import (
    cipher_from_file,
    find_cipher,
    known_ciphers,
    register,
    unregister,
)
from cipherwright.skeleton import write_skeleton
from cipherwright.verify import CoreFolder
from tests.verify.test_reference import Toy

KEY = "0123456789abcdef"


@pytest.fixture(autouse=True)
def no_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CIPHERWRIGHT_VECTORS", raising=False)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the cipher `mine` in mine.py, and a core of it."""
    monkeypatch.chdir(tmp_path)
    write_skeleton("mine", Path())
    assert execute(["build", "mine.py", "-o", "core"]) == 0
    unregister("mine")
    return tmp_path


def test_a_registered_cipher() -> None:
    cipher = cw.register(Toy())
    assert cw.register(cipher) is cipher
    assert cw.ciphers()["toy"] == "Toy"
    core = cw.build("toy", stages=4)
    assert (core.spec.block_bits, core.spec.key_bits, core.name) == (32, 64, "toy")
    block = bytes.fromhex("01234567")
    assert core.encrypt(KEY, block) == cipher.encrypt_block(bytes.fromhex(KEY), block)
    assert core.record["given"]["cipher_from"] == "tests.verify.test_reference.Toy"
    assert len(core.record["given"]["cipher_sha256"]) == 64
    assert "// Cipher:         described in tests.verify.test_reference.Toy" in core.files["toy.v"]
    assert cw.build(Toy, stages=4).record == core.record


class Other(Toy):
    pass


class Named(Toy):
    name = "To Y"


class Taken(Toy):
    name = "des"


class Keyword(Toy):
    name = "wire"


class Untitled(Toy):
    title = ""


class Odd(Toy):
    key_sizes = (63,)


class Abstract(cw.Cipher):
    pass


class Fails(Toy):
    name = "fails"

    def rounds(self, key_bits: int) -> int:
        return len(None)  # type: ignore[arg-type]


class Argument(Toy):
    def __init__(self, size: int) -> None:
        pass


class OneWay(Toy):
    name = "oneway"

    def end(self, state: Words) -> Word:
        return concat(*state)


class Anew(Toy):
    name = "anew"

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        first = super().steps(key_bits)
        return (*first[1:], replace(first[0], apply=lambda state, key: first[0].apply(state, key)))


class Answer(Toy):
    name = "answer"
    known_answers = ((KEY, "00000000", "00000000"),)


class Short(Toy):
    name = "short"
    known_answers = ((KEY, "00000000", "0000"),)


class Digits(Toy):
    name = "digits"
    known_answers = ((KEY, "00000000", "no digits"),)


class Pair(Toy):
    name = "pair"
    known_answers = ((KEY, "00000000"),)  # type: ignore[assignment]


class Text(Toy):
    name = "text"
    known_answers = KEY  # type: ignore[assignment]


class NoLoop(Toy):
    name = "noloop"

    def key_previous(self, constant: Word, state: Words) -> Words:
        raise NotImplementedError("no schedule by steps yet")


def test_a_fault_that_shows_in_a_loop_alone_is_a_sentence() -> None:
    assert cw.build(NoLoop, stages=2).latency == 2
    with pytest.raises(UserError, match=r"no schedule by steps yet \(test_registry.py, line \d+\)") as caught:
        cw.build(NoLoop, architecture="iterative", stages=1)
    assert isinstance(caught.value.__cause__, NotImplementedError)


@pytest.mark.parametrize(
    ("cipher", "sentence"),
    [
        (
            Other,
            r"the name toy is taken by Toy \(tests.verify.test_reference.Toy\); give the cipher another name",
        ),
        (Taken, r"the name des is taken by DES \(FIPS 46-3\)"),
        (Named, "'To Y' can't name a cipher: a cipher's name is of small letters a-z and digits"),
        (Keyword, "'wire' can't name a cipher: wire is a keyword of Verilog"),
        (Untitled, "the cipher Untitled does not state its title, a text"),
        (Odd, "the cipher toy has blocks and keys of whole bytes, not of 63 bits"),
        (Abstract, "the cipher Abstract lacks crypt, encrypt_block, rounds, tables"),
        (Argument, "can't make the cipher Argument without arguments: TypeError"),
        (Fails, r"fails with a key of 64 bits: TypeError: object of type .* \(test_registry.py, line \d+\)"),
        (Anew, "has other kinds of steps at every call of steps"),
        (Answer, "its known answer is 00000000"),
        (Short, "is no known answer of short: key, block and encrypted block, in hexadecimal"),
        (Digits, "is no known answer of digits"),
        (Pair, "is no known answer of pair"),
        (Text, "known_answers of text is no tuple"),
        (OneWay, "does not decrypt what it encrypted with a key of 64 bits"),
        (7, "a cipher is an object or a class of cipherwright.cipher.Standard, not 7"),
    ],
)
def test_what_is_no_cipher_is_refused(cipher: type[cw.Cipher], sentence: str) -> None:
    register(Toy())
    before = dict(CATALOGUE)
    with pytest.raises(UserError, match=sentence):
        register(cipher)
    assert before == CATALOGUE


def test_a_class_may_be_registered_again() -> None:
    first = register(Toy)
    assert register(Toy) is not first


FILES = {
    "EMPTY.py": ("", "EMPTY.py defines no cipher, not one"),
    "SYNTAX.py": ("def f(:\n", "SYNTAX.py, line 1 is no Python"),
    "RAISES.py": ("\nraise ValueError('no')\n", "RAISES.py can't be run: ValueError: no (RAISES.py, line 2)"),
    "EXITS.py": ("import sys\nsys.exit(0)\n", "EXITS.py can't be run: SystemExit: 0"),
    "IMPORTS.py": ("import there_is_no_such_module\n", "IMPORTS.py can't be run: ModuleNotFoundError"),
    "BINARY.py": ("\0", "BINARY.py"),
    "TWO.py": (
        "from tests.verify.test_reference import Toy\nclass A(Toy): pass\nclass B(Toy): name = 'b'\n",
        "TWO.py defines several ciphers (A, B), not one",
    ),
    "SPEC.py": (
        "from tests.verify.test_reference import Toy\nA = Toy()\nSPEC = 3\n",
        "SPEC in SPEC.py is no dict of options by name",
    ),
    "OTHER.py": (
        "from tests.verify.test_reference import Toy\nA = Toy()\nSPEC = {'cipher': 'des'}\n",
        "SPEC in OTHER.py asks for another cipher than toy",
    ),
    "OPTION.py": (
        "from tests.verify.test_reference import Toy\nA = Toy()\nSPEC = {'stagse': 4}\n",
        "there is no option stagse; did you mean stages?",
    ),
}


@pytest.mark.parametrize("name", [*FILES, "NONE.py", "FOLDER.py"])
def test_files_that_describe_no_cipher(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FOLDER.py").mkdir()
    text, sentence = FILES.get(name, (None, f"there is no file {name}"))
    if text is not None:
        (tmp_path / name).write_text(text)
    assert execute(["build", name, "-o", "OUT"]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
    assert not (tmp_path / "OUT").exists()
    assert not (tmp_path / "__pycache__").exists()


def test_a_file_may_import_what_is_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine_tables.py").write_text("STAGES = 2\n")
    (tmp_path / "my_cipher.py").write_text(
        "from mine_tables import STAGES\nfrom tests.verify.test_reference import Toy as Base\n"
        "class Toy(Base):\n    name = 'beside'\nSPEC = {'stages': STAGES, 'name': 'a-name'}\n"
    )
    cw.build("des-small")  # what every build imports is there
    path, modules = list(sys.path), set(sys.modules)
    core = cw.build(tmp_path / "my_cipher.py")
    assert (core.latency, core.name, core.spec.cipher) == (2, "a-name", "beside")
    assert sys.path == path
    assert set(sys.modules) - modules == {"mine_tables", "cipherwright_cipher_file_my_cipher"}
    assert {p.name for p in tmp_path.iterdir()} == {"mine_tables.py", "my_cipher.py"}
    del sys.modules["mine_tables"]


def test_verify_takes_the_cipher_s_file(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert execute(["verify", "core"]) == 2
    told = capsys.readouterr().err
    assert "core is a core of the cipher mine, which came from mine.py (SHA-256" in told
    assert "give the file that describes it with --cipher FILE.py" in told
    assert execute(["verify", "core", "--cipher", "mine.py", "--blocks", "100", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["passed"] is True
    (desk / "IN").write_bytes(bytes(8))
    assert execute(["encrypt", "core", "--cipher", "mine.py", "--key", KEY, "IN", "OUT"]) == 0
    assert (desk / "OUT").read_bytes().hex() == "7aa9523b5316b819"
    assert execute(["decrypt", "mine.py", "--key", KEY, "OUT", "BACK"]) == 0
    assert (desk / "BACK").read_bytes() == bytes(8)


@pytest.mark.parametrize("command", ["verify", "implement", "encrypt"])
def test_no_folder_makes_anything_be_imported(
    command: str, desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The record names a file that is there, in the folder and beside it; it is not run."""
    text = (desk / "mine.py").read_text() + "\nPath = __import__('pathlib').Path\nPath('MARK').touch()\n"
    for folder in (desk, desk / "core"):
        (folder / "mine.py").write_text(text)
    (desk / "IN").write_bytes(bytes(8))
    more = ["--key", KEY, "IN", "OUT"] if command == "encrypt" else []
    assert execute([command, "core", *more]) == 2
    assert "give the file that describes it with --cipher FILE.py" in capsys.readouterr().err
    assert not (desk / "MARK").exists()


def test_another_file_than_the_core_s_is_seen(desk: Path) -> None:
    folder = CoreFolder.open(desk / "core")
    other = (desk / "mine.py").read_text().replace("ROTATION = 7", "ROTATION = 9")
    (desk / "mine.py").write_text(other.replace("known_answers", "answers_of_before"))
    cipher_from_file(desk / "mine.py")
    with pytest.raises(UserError, match=r"was built from another description of mine .*build it again"):
        check_built(folder)


def test_a_record_that_hides_its_origin_is_seen(desk: Path) -> None:
    shutil.copytree(desk / "core", desk / "other")
    record = json.loads((desk / "other" / "record.json").read_text())
    del record["given"]["cipher_from"], record["given"]["cipher_sha256"]
    (desk / "other" / "record.json").write_text(json.dumps(record))
    cipher_from_file(desk / "mine.py")
    assert check_built(CoreFolder.open(desk / "core"))
    with pytest.raises((UserError, CheckFailed)):
        check_built(CoreFolder.open(desk / "other"))


def _package(home: Path, name: str, value: str) -> None:
    """A package that is installed in a folder, with an entry point."""
    (home / "their_cipher.py").write_text(
        "from tests.verify.test_reference import Toy\nclass Theirs(Toy):\n    name = 'theirs'\n"
    )
    info = home / "their_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{name} = {value}\n")


def test_an_installed_cipher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _package(tmp_path, "theirs", "their_cipher:Theirs")
    monkeypatch.syspath_prepend(str(tmp_path))
    core = cw.build("theirs", stages=4)
    assert core.record["given"]["cipher_from"] == "their-package: their_cipher:Theirs"
    assert "theirs" in cw.ciphers()
    unregister("theirs")
    assert check_built(CoreFolder.open(core.write(tmp_path / "core")))
    monkeypatch.delitem(sys.modules, "their_cipher")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("wrongname", "their_cipher:Theirs", "promises the cipher wrongname and gives theirs"),
        ("theirs", "their_cipher:Nothing", "can't load the cipher theirs of the package their-package"),
        ("theirs", "no_such_module:Nothing", "can't load the cipher theirs of the package their-package"),
        ("theirs", "their_cipher:__name__", "a cipher is an object or a class"),
    ],
)
def test_installed_ciphers_that_are_wrong(
    name: str, value: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _package(tmp_path, name, value)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_cipher("des") is CATALOGUE["des"]
    find: list[Callable[[], object]] = [lambda: find_cipher(name), known_ciphers, lambda: cw.build(name)]
    for call in find:
        with pytest.raises(UserError, match=sentence):
            call()
    sys.modules.pop("their_cipher", None)
