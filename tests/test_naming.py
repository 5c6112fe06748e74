"""Names of cores: legal in every language, and never telling of options that the core does not have."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pyslang.parsing import TokenKind

from cipherwright.cipher import CATALOGUE
from cipherwright.errors import UserError
from cipherwright.naming import cipher_core_name, proposed_name, unfit_name
from cipherwright.rtl import KEYWORDS, SYSTEMVERILOG_2017
from cipherwright.rtl.block import Names
from cipherwright.spec import load, preset_names
from tests.conftest import Built
from tests.verify.test_reference import Toy


def test_keywords_are_complete() -> None:
    """SystemVerilog's against another's list; the others' numbers, which the standards give."""
    kinds = {str(kind).split(".")[-1] for kind in vars(TokenKind).values()}
    assert {k.removesuffix("Keyword").lower() for k in kinds if k.endswith("Keyword")} == {
        w.replace("_", "") for w in SYSTEMVERILOG_2017
    }
    assert {language: len(words) for language, words in KEYWORDS.items()} == {
        "Verilog": 124,
        "SystemVerilog": 248,
        "VHDL": 115,
    }
    assert KEYWORDS["Verilog"] < SYSTEMVERILOG_2017


def test_no_signal_is_a_keyword() -> None:
    names = Names()
    assert not {names.new(w) for w in SYSTEMVERILOG_2017} & SYSTEMVERILOG_2017


def test_keywords_are_refused() -> None:
    for language, words in KEYWORDS.items():
        for word in words:
            assert "is a keyword of" in unfit_name(word.replace("_", "-")), (language, word)
    with pytest.raises(UserError, match="name: always_comb is a keyword of SystemVerilog"):
        load("des-small", ["name=always-comb"])


@pytest.mark.parametrize(
    "name",
    [
        "",
        "A",
        "Des",
        "1des",
        "-des",
        "des-",
        "a--b",
        "a_b",
        "a b",
        "a.b",
        "a/b",
        "../a",
        "a\nb",
        "a\n",
        "a$",
        "ä",
        "a" * 65,
        "cipherwright",
        "cipherwright-lut4",
        "my-tb",
        "ieee",
        "std",
        "std-logic",
        "std-logic-vector",
        "work",
    ],
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(UserError) as e:
        load("des-small", [f"name={name}"])
    assert str(e.value).startswith("name: " if name.isprintable() else "--set takes one line")
    assert "\n" not in str(e.value)


def test_no_core_hides_what_its_package_names(built: Callable[..., Built]) -> None:
    """Each library and type in the VHDL package of a core with wide ports is refused as a core's name."""
    core, folder = built("des-small")
    package = re.sub("--.*", "", (folder.path / f"{core.top}_pkg.vhd").read_text())
    named = set(re.findall(r"(?:library|use) (\w+)", package)) | set(
        re.findall(r": (?:in|out) (\w+)", package)
    )
    assert named == {"ieee", "std_logic", "std_logic_vector"}
    for word in named:
        assert "VHDL package uses" in unfit_name(word.replace("_", "-")), word


def test_a_file_whose_name_is_none(tmp_path: Path) -> None:
    text = 'cipher = "des"\nkey_bits = 64\nstages = 16\n'
    for stem, proposed in (
        ("my_core", "my-core"),
        ("Entity", "entity-core"),
        ("3des", "core-3des"),
        ("-", "core"),
        ("x--y", "x-y"),
    ):
        path = tmp_path / f"{stem}.toml"
        path.write_text(text)
        with pytest.raises(UserError, match=f"write name = \"{proposed}\" in '{stem}.toml'"):
            load(str(path))
        assert load(str(path), ["name=fine"]).name == "fine"
        path.write_text(f'name = "{proposed}"\n{text}')
        assert load(str(path)).name == proposed
    assert not any(
        unfit_name(proposed_name(text))
        for text in ("", "always", "first match", "a" * 99, "my_tb", "cipherwright_x", "é", "a" * 58 + "-b")
    )


@pytest.mark.parametrize(
    ("preset", "changes", "name"),
    [
        ("aes128-fast-ctr", ["key_bits=256"], "aes256-fast-ctr"),
        ("aes128-fast", ["key_bits=256"], "aes256-fast-variant"),  # aes256-fast is a preset of its own
        ("aes128-fast-ctr", ["mode=ecb"], "aes128-fast-ecb"),
        ("aes128-fast-decrypt", ["direction=encrypt"], "aes128-fast-encrypt"),
        ("aes128-fast-agile", ["key=static"], "aes128-fast-static"),
        ("aes-small", ["direction=decrypt", "key_bits=192"], "aes-small-key192-decrypt"),
        ("des-small", ["mode=cfb"], "des-small-cfb"),
        ("des-xilinx-16", ["stages=32"], "des-xilinx-32"),
        ("des-xilinx-16", ["stages=none", "clock_mhz=200"], "des-xilinx"),
        ("rijndael256-fast", ["key_bits=128"], "rijndael-fast-key128-block256"),
        ("rijndael256-fast", ["block_bits=128", "cipher=aes"], "aes-fast-key256-block128"),
        ("mars-ibm-rom", ["sbox_memory=ram1"], "mars-ibm-ram1"),
        ("mars-ibm-1port-key2", ["key_wait=0"], "mars-ibm-1port-key2"),
        ("misty1-small", ["rounds_per_cycle=2"], "misty1-small"),
        ("des-fast", ["interface=stream", "target=xc7"], "des-fast"),
        ("aes128-fast-ctr", ["key_bits=256", "name=mine"], "mine"),
    ],
)
def test_names_do_not_lie(preset: str, changes: list[str], name: str) -> None:
    assert load(preset, changes).name == name


@pytest.mark.parametrize(("cipher", "name"), [("camellia", "camellia128"), ("misty1", "misty1")])
def test_a_core_named_by_its_cipher(cipher: str, name: str) -> None:
    assert load(cipher, ["stages=20", "key_bits=128"]).name == name


def test_the_number_of_a_cipher_s_name_is_not_that_of_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    class Toy64(Toy):
        name = "toy64"
        key_sizes = (32, 64)

    options = {"cipher": "toy64", "key_bits": 32, "block_bits": 32, "direction": "both", "mode": "ecb"}
    monkeypatch.setitem(CATALOGUE, "toy64", Toy64())
    assert cipher_core_name(options) == "toy64-32"


def test_presets_keep_their_names_and_have_legal_ones() -> None:
    for preset in preset_names():
        assert load(preset).name == preset
        assert not unfit_name(preset)


@pytest.mark.parametrize(
    ("changes", "stays"),
    [
        (["key_bits=256"], False),
        (["stages=9"], False),
        (["key_bits=256", "name=mine"], False),
        (["interface=axi-stream", "control=apb", "name=mine"], True),
        (["key_bits=128"], True),
    ],
)
def test_a_title_says_what_the_core_is(changes: list[str], stays: bool) -> None:
    """The title of aes-small speaks of AES-128 and of eleven blocks in flight."""
    assert load("aes-small", changes).title == (load("aes-small").title if stays else "")
    assert load("aes-small", [*changes, "title=My core"]).title == "My core"
