"""The library: its examples run, its answers are those of the command line, and mistakes are sentences."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cipherwright as cw
from cipherwright import library
from cipherwright.cipher import CATALOGUE
from cipherwright.rebuild import check_built
from cipherwright.verify import CoreFolder, oracle_bulk
from tests.conftest import Built

KEY = "133457799bbcdff1"
EXAMPLES = [e for m in (cw, library) for e in doctest.DocTestFinder().find(m) if e.examples]


@pytest.fixture(scope="module")
def small() -> cw.Core:
    return cw.build("des-small")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_examples_run(example: doctest.DocTest) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said: list[str] = []
    runner.run(example, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_public_names_are_documented() -> None:
    assert set(cw.__all__) == set(dir(cw))
    for name in cw.__all__:
        assert getattr(cw, name).__doc__, name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = cw.nothing  # type: ignore[attr-defined]


def test_no_module_has_the_name_of_a_function() -> None:
    """Importing such a module would put it in the function's place."""
    inside = Path(cw.__file__).parent
    assert not {p.stem for p in inside.iterdir()} & set(cw.__all__)


def test_importing_it_loads_nothing_heavy() -> None:
    code = "import sys, cipherwright; sys.exit('numpy' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_message_there_and_back(small: cw.Core) -> None:
    data = bytes(range(256))
    out = small.encrypt(KEY, data)
    assert out == oracle_bulk("des", bytes.fromhex(KEY), data, False)
    assert small.decrypt(bytes.fromhex(KEY), bytearray(out)) == data
    assert small.encrypt(memoryview(bytes.fromhex(KEY)), memoryview(data)) == out


def test_a_mode_with_an_initial_value() -> None:
    core = cw.build("des-small", mode="cfb", direction="encrypt")
    out = core.encrypt(KEY, b"any length", iv=bytes(8))
    assert len(out) == 10
    assert out[:8] == bytes(
        a ^ b
        for a, b in zip(b"any leng", oracle_bulk("des", bytes.fromhex(KEY), bytes(8), False), strict=True)
    )
    for wrong, sentence in (
        (
            lambda: core.encrypt(KEY, b"x"),
            "mode cfb takes an initial value: give iv with 16 hexadecimal digits",
        ),
        (lambda: core.encrypt(KEY, b"x", iv="00"), "the IV has 8 bits"),
        (lambda: core.decrypt(KEY, b"x", iv=bytes(8)), "has direction = encrypt and can't decrypt"),
    ):
        with pytest.raises(cw.UserError, match=sentence):
            wrong()


def test_one_block_through_an_engine() -> None:
    """The example of FIPS 197, appendix C.1."""
    core = cw.build("rijndael-ucla", block_bits=128)
    block, answer = "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"
    assert core.encrypt(bytes(range(16)), bytes.fromhex(block)).hex() == answer
    assert core.decrypt(bytes(range(16)), bytes.fromhex(answer)).hex() == block


def test_what_is_written_is_what_the_command_writes(
    small: cw.Core, tmp_path: Path, built: Callable[..., Built]
) -> None:
    written = small.write(str(tmp_path / "core"), picture="svg")
    assert written == tmp_path / "core"
    assert {p.name for p in written.iterdir()} == {*small.files, "record.json", "pipeline.svg"}
    record = json.loads((written / "record.json").read_text())
    assert record == small.record
    assert record["given"] == {"preset": "des-small", "call": 'cipherwright.build("des-small")'}
    assert check_built(CoreFolder.open(written)).startswith(f"{len(small.files)} files")
    ours, theirs = small.files["des_small.v"], built("des-small")[0].files["des_small.v"]
    assert '// Call:           cipherwright.build("des-small")\n' in ours
    assert [a for a in ours.splitlines() if "Call:" not in a] == [
        b for b in theirs.splitlines() if "Command:" not in b
    ]
    with pytest.raises(cw.UserError, match="exists; choose another folder"):
        small.write(written)


@pytest.mark.parametrize(
    ("made", "call"),
    [
        (lambda: cw.build("des-small", stages=2), 'cipherwright.build("des-small", stages=2)'),
        (
            lambda: cw.build("des", stages=16, key="agile"),
            'cipherwright.build("des", stages=16, key="agile")',
        ),
        (
            lambda: cw.build(cw.load("des", stages=32), hops=("r",)),
            'cipherwright.build("des", name="des", key_bits=64, stages=32, hops=["r"])',
        ),
    ],
    ids=["preset", "cipher", "spec"],
)
def test_the_record_says_the_true_call(made: Callable[[], cw.Core], call: str, tmp_path: Path) -> None:
    core = made()
    assert core.record["given"]["call"] == call
    assert check_built(CoreFolder.open(core.write(tmp_path / "core")))
    again = eval(call, {"cipherwright": cw})
    assert again.record["parameters"] == core.record["parameters"]
    assert {n: t.split("Call:")[0] for n, t in again.files.items()} == {
        n: t.split("Call:")[0] for n, t in core.files.items()
    }


def test_one_s_own_toml(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('cipher = "des"\nclock_mhz = 100\n')
    for source in (tmp_path / "mine.toml", str(tmp_path / "mine.toml")):
        assert cw.build(source, direction="encrypt").spec.name == "mine-encrypt"


def test_catalogues() -> None:
    assert list(cw.ciphers()) == list(CATALOGUE)
    assert cw.presets()["des-fast"] == "DES at the highest throughput"
    assert cw.targets()["osu018"]


@pytest.mark.parametrize("two", [np.int64(2), np.uint8(2), np.float64(2)], ids=lambda v: type(v).__name__)
def test_numbers_of_numpy_are_numbers(two: Any) -> None:
    core = cw.build("des-small", stages=two)
    assert core.spec == cw.load("des-small", stages=2)
    assert "np" not in core.record["given"]["call"]


def test_one_extra_may_be_a_text(small: cw.Core, tmp_path: Path) -> None:
    assert (small.write(tmp_path / "core", extras="cocotb") / "des_small_cocotb.py").is_file()


def test_it_is_shown_briefly(small: cw.Core) -> None:
    assert len(repr(small)) < 300
    assert "\n" not in repr(small)
    table = small._repr_html_()
    assert table.startswith("<table><caption>des-small</caption><tr>")
    assert "<td>17 cycles</td>" in table
    assert "&lt;b&gt;" in cw.Core(small.spec.model_copy(update={"name": "<b>"}), small.made)._repr_html_()


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: cw.build("des-smal"), "there is no preset or TOML file des-smal; did you mean des-small?"),
    (
        lambda: cw.build(3),  # type: ignore[arg-type]
        "a core is built from a name, a file, a spec or a cipher, not 3 (int)",
    ),
    (lambda: cw.build(None), "not None (NoneType)"),  # type: ignore[arg-type]
    (lambda: cw.build(Path("x.json")), "a file to build from is a .toml or a .py file, not x.json"),
    (lambda: cw.build(Path("none.toml")), "there is no file none.toml"),
    (lambda: cw.build("none.py"), "there is no file none.py"),
    (lambda: cw.build("des-small", stagse=2), "there is no option stagse; did you mean stages?"),
    (
        lambda: cw.build("des-small", stages={}),  # type: ignore[arg-type]
        "stages: a value is a text, a number",
    ),
    (lambda: cw.build("des-small", stages="x"), "stages is a whole number, not 'x'"),
    (lambda: cw.build("des-small", name="a\nb"), "name"),
    (lambda: cw.build("aes", stages=20), "key_bits is not given: AES has keys of 128, 192, 256 bits"),
    (lambda: cw.build("aes", key_bits=100, stages=20), "aes takes keys of 128, 192, 256 bits, not 100"),
    (lambda: cw.build("des"), "ask for stages, clock_mhz, or both"),
    (lambda: cw.build("des-small", target="asic"), "there is no target asic"),
    (lambda: cw.build("des-small").write("/proc/core"), "can't write to /proc/core"),
    (
        lambda: cw.build("des-small").write(3),  # type: ignore[arg-type]
        "a folder is a str or a path, not 3 (int)",
    ),
    (lambda: cw.build("des-small").write("x", picture="gif"), "picture is svg or png, not gif"),
    (lambda: cw.build("des-small").encrypt("12", bytes(8)), "the key has 8 bits; this core takes 64 bits"),
    (lambda: cw.build("des-small").encrypt(bytes(7), bytes(8)), "the key has 56 bits"),
    (
        lambda: cw.build("des-small").encrypt(7, bytes(8)),  # type: ignore[arg-type]
        "key is bytes or hexadecimal digits, not 7 (int)",
    ),
    (
        lambda: cw.build("des-small").encrypt(KEY, "text"),  # type: ignore[arg-type]
        "data is bytes, not 'text' (str)",
    ),
    (
        lambda: cw.build("des-small").encrypt(KEY, bytes(9)),
        "the message has 9 bytes, and ECB takes one or more",
    ),
    (lambda: cw.build("des-small").encrypt(KEY, b""), "the message has 0 bytes"),
    (
        lambda: cw.build("des-small").encrypt(KEY, bytes(8), iv=bytes(8)),
        "mode ecb takes no IV; leave iv away",
    ),
    (lambda: cw.build("des-small").verify(blocks=0), "blocks is a whole number of at least 1, not 0 (int)"),
    (lambda: cw.build("des-small").implement(seeds=65), "seeds is a whole number from 1 to 64, not 65 (int)"),
    (lambda: cw.build("des-small").implement(target="none"), "there is no target none"),
    (
        lambda: cw.build("des-small").implement(target=7),  # type: ignore[arg-type]
        "target is a target's name or a Liberty file, not 7 (int)",
    ),
    (
        lambda: cw.build("des-small").implement(target=b"xcve"),  # type: ignore[arg-type]
        "target is a target's name or a Liberty file, not b'xcve' (bytes)",
    ),
    (
        lambda: cw.build("des-small").implement(prove="no"),  # type: ignore[arg-type]
        "prove is True, False or None, not 'no' (str)",
    ),
    (lambda: cw.build("des-small").implement(dont_use=["X"]), "dont_use is for cell libraries"),
    (
        lambda: cw.build("des-small").implement(target="osu018", dont_use=[5]),  # type: ignore[list-item]
        "dont_use is a list of texts, not [5] (list)",
    ),
    (
        lambda: cw.build("des-small").implement(target="osu018", corners=["a.lib"]),  # type: ignore[arg-type]
        "corners is a dict of Liberty files by name, not ['a.lib'] (list)",
    ),
    (
        lambda: cw.build("des-small").write("x", extras=None),  # type: ignore[arg-type]
        "extras is a list of texts, not None (NoneType)",
    ),
    (
        lambda: cw.build("des-small").write("x", extras="cocotbs"),
        "extras are cocotb and model, not 'cocotbs' (str)",
    ),
    (lambda: cw.Spec(name="x", cipher="des", stages=0), "stages is at least 1, not 0"),
    (lambda: cw.Spec(cipher="des"), "name is not given"),
    (lambda: cw.build("des-small").write("a\0b"), "a folder is a str or a path, not 'a\\x00b' (str)"),
    (
        lambda: cw.register(3),  # type: ignore[arg-type]
        "a cipher is an object or a class of cipherwright.cipher.Standard, not 3",
    ),
]


@pytest.mark.parametrize(("wrong", "sentence"), WRONG, ids=[s[:40] for _, s in WRONG])
def test_mistakes_are_sentences(
    wrong: Callable[[], Any], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(cw.UserError) as caught:
        wrong()
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_wrong_core_is_no_silent_result(small: cw.Core, monkeypatch: pytest.MonkeyPatch) -> None:
    from cipherwright.verify import Verdict

    found = [Verdict("files", True, "fine"), Verdict("known answers", False, "key 00")]
    monkeypatch.setattr("cipherwright.library.verify_folder", lambda *args: found)
    with pytest.raises(cw.CheckFailed, match=r"^known answers: key 00$"):
        small.verify()
