"""Ciphers from outside: registered, in a file, in an installed package; a core of one is verified with its
file alone, and no folder makes anything be imported.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import cipherwright as cw
from cipherwright import registry
from cipherwright.cipher import CATALOGUE, Kind, Standard
from cipherwright.cipher.contract import check_contract, check_tables
from cipherwright.cipher.word import Table, Word, Words, concat, lookup
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


def _mixed(state: Words, k: Word) -> Words:
    left, right = state
    return right, left ^ (right.rotl(3) & (~k ^ k.rotl(5))) ^ k


def _swapped(state: Words, k: Word) -> Words:
    return state[1], state[0]


class Complements(Toy):
    """What a round computes of its key alone is no linear map; a step between reads no key."""

    name = "complements"

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        swap, mix = Kind("swap", 1, _swapped, rounds=0), Kind("mix", 16, _mixed)
        return (mix, mix, swap, mix, mix)


def test_a_unit_for_rounds_that_compute_with_the_key_alone() -> None:
    """Of every word of the unit the bits that are read are held, and the core is the cipher."""
    for direction in ("encrypt", "decrypt", "both"):
        core = cw.build(Complements, stages=4, direction=direction, key="static", key_expansion="unit")
        assert all(verdict.passed for verdict in core.verify(blocks=50))


class Forward(Toy):
    name = "forward"

    def key_previous(self, constant: Word, state: Words) -> None:
        return None


def test_a_schedule_that_does_not_run_backwards() -> None:
    for direction in ("decrypt", "both"):
        with pytest.raises(UserError, match="Toy does not run backwards, so a pipeline with key_schedule"):
            cw.build(Forward, stages=4, direction=direction, key_schedule="stepped")
    assert cw.build(Forward, stages=4, direction="encrypt", key_schedule="stepped").latency == 4
    assert cw.build(Forward, stages=4, direction="both").latency == 4


class StageTable(Toy):
    """A table with the name of a module."""

    name = "stagetable"
    lookups = (Table("Stage1", 4, tuple(reversed(range(16)))),)

    def key_word(self, constant: Word, state: Words) -> Word:
        return state[0][63:48].each(4, lambda x: lookup(self.lookups[0], x))


class LineTable(StageTable):
    """A table with the name of a module that is printed beside those of the design."""

    name = "linetable"
    lookups = (Table("delay_valid_20", 4, tuple(reversed(range(16)))),)


def test_a_table_with_the_name_of_a_module() -> None:
    for changes in ({"stages": 3}, {"architecture": "iterative", "stages": 2}):
        with pytest.raises(UserError, match=r"two modules of the core are called \w+_stage1: a table"):
            cw.build(StageTable, **changes)
    assert cw.build(LineTable, stages=3).latency == 3
    with pytest.raises(UserError, match=r"two modules of the core are called \w+_delay_valid_20: a table"):
        cw.build(LineTable, stages=20)


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


S = Table("S", 4, tuple(range(16)))


class TwoTables(Toy):
    name = "twotables"
    lookups = (S, Table("S", 4, tuple(reversed(range(16)))))


class TwoRead(Toy):
    """Both are read, and one of them is listed."""

    name = "tworead"
    lookups = (S,)

    def key_word(self, constant: Word, state: Words) -> Word:
        other = Table("s", 4, tuple(reversed(range(16))))
        return state[0][63:48].each(4, lambda x: lookup(S, x) ^ lookup(other, x))


class SpacedTable(Toy):
    name = "spacedtable"
    lookups = (Table("S^-1 box", 1, (0, 1)),)


class PreviousWord(Toy):
    name = "previousword"

    def key_previous(self, constant: Word, state: Words) -> Words:
        return state[0].rotr(16)  # type: ignore[return-value]


class PreviousMore(Toy):
    name = "previousmore"

    def key_previous(self, constant: Word, state: Words) -> Words:
        return state[0].split(2)


class NextWord(Toy):
    name = "nextword"

    def key_next(self, constant: Word, state: Words) -> Words:
        return state[0].rotl(16)  # type: ignore[return-value]


class RoundWord(Toy):
    name = "roundword"

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return (Kind("mix", 16, _word_of),) * 4  # type: ignore[arg-type]


def _word_of(state: Words, key: Word) -> Word:
    return state[0] ^ key


class KeyWordTuple(Toy):
    name = "keywordtuple"

    def key_word(self, constant: Word, state: Words) -> Word:
        return state  # type: ignore[return-value]


class EndNothing(Toy):
    name = "endnothing"

    def end(self, state: Words) -> Word:
        return None  # type: ignore[return-value]


class EndShort(Toy):
    name = "endshort"

    def end(self, state: Words) -> Word:
        return state[0]


class BeginTwice(Toy):
    """A word of the state is read by nothing."""

    name = "begintwice"

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return (Kind("flip", 16, _flip),) * 4

    def begin(self, block: Word) -> Words:
        return block, block

    def end(self, state: Words) -> Word:
        return state[0]


def _flip(state: Words, key: Word) -> Words:
    return (state[0] ^ concat(key, key),)


class NumberInState(Toy):
    name = "numberinstate"

    def key_begin(self, key: Word) -> Words:
        return key, 0  # type: ignore[return-value]


class Constants(Toy):
    control_width = 4
    constants: tuple[int, ...] = ()

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        return self.constants


class FewConstants(Constants):
    name = "fewconstants"
    constants = (1, 2)


class ManyConstants(Constants):
    name = "manyconstants"
    constants = (1, 2, 3, 4, 5)


class LastConstant(Constants):
    """The last one may be missing, but not where the key word is read after its step."""

    name = "lastconstant"
    constants = (1, 2, 3)
    key_after = True


class WideConstant(Constants):
    name = "wideconstant"
    constants = (1, 2, 16, 4)


class NoSteps(Toy):
    name = "nosteps"

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return ()


class TextSteps(Toy):
    name = "textsteps"

    def steps(self, key_bits: int) -> tuple[Any, ...]:
        return (*super().steps(key_bits), "round")


class TextWidth(Toy):
    name = "textwidth"

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return tuple(replace(kind, key_bits=cast(int, "16")) for kind in super().steps(key_bits))


class HalfControl(Toy):
    name = "halfcontrol"
    control_width = cast(int, 4.0)


class JoinsNumber(Toy):
    name = "joinsnumber"

    def end(self, state: Words) -> Word:
        return concat(state[0], cast(Word, 1))


class WideKind(Toy):
    name = "widekind"

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return tuple(replace(kind, key_bits=24) for kind in super().steps(key_bits))


class Asks(Toy):
    name = "asks"

    def key_next(self, constant: Word, state: Words) -> Words:
        return state if constant == 5 else super().key_next(constant, state)


class Compares(Toy):
    name = "compares"

    def key_next(self, constant: Word, state: Words) -> Words:
        return state if constant == state[0] else super().key_next(constant, state)


@pytest.mark.parametrize(
    ("cipher", "sentence"),
    [
        (TwoTables, "two tables are called S"),
        (TwoRead, "two tables are called s and S, which is one name in hardware"),
        (SpacedTable, "a table's name is of letters, digits and underscores, not 'S^-1 box'"),
        (PreviousWord, "key_previous gives a Word, not a tuple of words (test_registry.py, line N)"),
        (
            PreviousMore,
            "key_previous gives 2 words of 32 and 32 bits, key_begin gives 1 word of 64 bits "
            "(test_registry.py, line N)",
        ),
        (NextWord, "key_next gives a Word, not a tuple of words (test_registry.py, line N)"),
        (RoundWord, "the step mix gives a Word, not a tuple of words (test_registry.py, line N)"),
        (KeyWordTuple, "key_word gives a tuple, not a Word (test_registry.py, line N)"),
        (EndNothing, "end gives nothing, not a Word (test_registry.py, line N)"),
        (EndShort, "end gives 16 bits, the block has 32 (test_registry.py, line N)"),
        (
            BeginTwice,
            "the step flip gives 1 word of 32 bits, begin gives 2 words of 32 and 32 bits "
            "(test_registry.py, line N)",
        ),
        (NumberInState, "key_begin gives an int in its tuple of words (test_registry.py, line N)"),
        (
            FewConstants,
            "key_constants gives 2 constants with a key of 64 bits, and the key schedule has 4 steps",
        ),
        (
            ManyConstants,
            "key_constants gives 5 constants with a key of 64 bits, and the key schedule has 4 steps",
        ),
        (
            LastConstant,
            "key_constants gives 3 constants with a key of 64 bits, and the key schedule has 4 steps",
        ),
        (WideConstant, "the constant 0x10 does not fit into control_width, which is 4"),
        (NoSteps, "steps gives no steps (test_registry.py, line N)"),
        (TextSteps, "steps gives a str among its Kinds (test_registry.py, line N)"),
        (TextWidth, "key_bits of the Kind round is a number of bits, not '16'"),
        (HalfControl, "control_width is a number of bits, not 4.0"),
        (
            JoinsNumber,
            "TypeError: concat joins words, not 1: w.const(bits, number) is one (test_registry.py, line N)",
        ),
        (WideKind, "the Kind round has key_bits = 24, its key word 16 bits"),
        (
            Asks,
            "TypeError: a word is no condition of Python, it has no value while hardware is described: "
            "choose(bit, one, zero) takes one word or the other (test_registry.py, line N)",
        ),
        (
            Compares,
            "TypeError: words are not compared by == and !=, they have no value while hardware is described: "
            "~(a ^ b) is 1 in each bit in which a and b are equal (test_registry.py, line N)",
        ),
    ],
    ids=lambda x: x.__name__ if isinstance(x, type) else "",
)
def test_what_a_function_gives_is_told_when_it_is_loaded(cipher: type[cw.Cipher], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        register(cipher)
    told = re.sub(r"line \d+", "line N", str(caught.value))
    where = f"the cipher {cipher.name} of tests.test_registry.{cipher.__name__}"
    assert told == f"{where} fails with a key of 64 bits: {sentence}"


@pytest.mark.parametrize("constants", [(), (1, 2, 3), (1, 2, 3, 15)])
def test_constants_that_may_be(constants: tuple[int, ...]) -> None:
    cipher = type("Fit", (Constants,), {"name": "fit", "constants": constants})()
    assert isinstance(cipher, Constants)
    assert register(cipher).step_constants(64) == constants + (0,) * (4 - len(constants))
    unregister("fit")


@pytest.mark.parametrize("cipher", CATALOGUE.values(), ids=lambda c: c.name)
def test_the_package_s_ciphers_keep_the_contract(cipher: Standard) -> None:
    for bits in cipher.key_sizes:
        check_contract(cipher, bits)
    check_tables((name, width, entries) for name, (width, entries) in cipher.tables().items())


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


def test_the_readme_names_the_cipher_s_file(desk: Path) -> None:
    """Its commands are those that take the folder; those of a cipher of the package are short."""
    for text, folder in (
        ((desk / "core" / "README.md").read_text(), "DIR --cipher FILE.py"),
        (cw.build("des-small", mode="cbc").files["README.md"], "DIR"),
    ):
        commands = re.findall(r"`cipherwright (verify|implement) ([^`]*)`", text)
        assert commands == [("verify", folder), ("implement", folder), ("verify", folder)]
        assert ("FILE.py is the description of the cipher" in text) == ("FILE.py" in folder)


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
