"""The command-line contract, and what happens when a user gets something wrong: one sentence, exit 2,
nothing written.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
import typer

from cipherwright.cli import app, execute
from cipherwright.report import PAPERS, RECORD_KEYS
from cipherwright.spec import option_names
from cipherwright.verify import oracle_bulk
from tests.conftest import QUICK_AES

COMMAND = str(Path(sysconfig.get_path("scripts")) / "cipherwright")
KEY = "133457799bbcdff1"


FOLDER = [
    "des_small.v",
    "des_small_tb.v",
    "README.md",
    "des_small.sdc",
    "des_small.xdc",
    "des_small.lpf",
    "des_small.core",
    "des_small_pkg.vhd",
    "des_small_first.svg",
    "des_small_rate.svg",
    "pipeline.svg",
    "record.json",
]
"""Files of a core with a picture of its pipeline."""


def cipherwright(*args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *args], capture_output=True, text=True, check=False, env=env)


def test_list_json() -> None:
    done = cipherwright("list", "--json")
    data = json.loads(done.stdout)
    assert {"ciphers", "architectures", "modes", "targets", "presets"} <= set(data)
    assert {"name": "ulx3s-85f", "title": "ULX3S with LFE5U-85F", "target": "ecp5-85k-8"} in data["boards"]
    assert data["papers"] == list(PAPERS)
    assert {"des", "tdes"} <= {c["name"] for c in data["ciphers"]}
    assert {"des-xilinx-16", "des-xilinx-48", "des-fast", "des-small", "tdes-fast", "tdes-small"} <= {
        p["name"] for p in data["presets"]
    }
    shown = cipherwright("list").stdout
    assert all(name in shown for name in ("des-fast", "ulx3s-85f", "des-xilinx,"))


def test_list_options() -> None:
    """Every option, as a table and in the JSON document."""
    data = json.loads(cipherwright("list", "--json").stdout)["options"]
    assert [o["name"] for o in data if o["section"] == "Every core"][:2] == ["name", "title"]
    assert {o["name"] for o in data} == set(option_names())
    (lanes,) = (o for o in data if o["name"] == "lanes")
    told = (lanes["architectures"], lanes["values"], lanes["default"])
    assert told == (["pipelined"], "whole number, 1 to 16", "1")
    assert any("block_bits = 128" in need for need in lanes["needs"])
    shown = cipherwright("list", "--options").stdout
    assert all(re.search(rf"^│ {o['name']} +│", shown, re.M) for o in data)


def test_the_files_of_a_folder(tmp_path: Path) -> None:
    assert execute(["build", "des-small", "-o", str(tmp_path / "core"), "--picture", "svg"]) == 0
    assert sorted(p.name for p in (tmp_path / "core").iterdir()) == sorted(FOLDER)


def test_build_verify_implement(tmp_path: Path) -> None:
    core = tmp_path / "core"
    assert (
        cipherwright(
            "build", "des-small", "--set", "stages=2", "-o", str(core), "--picture", "svg"
        ).returncode
        == 0
    )
    done = cipherwright("verify", str(core), "--json", "--blocks", "200")
    verdict = json.loads(done.stdout)
    assert (done.returncode, verdict["passed"]) == (0, True)
    record = json.loads(cipherwright("implement", str(core), "--target", "xcve", "--json").stdout)
    assert set(RECORD_KEYS) <= set(record)
    assert (record["preset"], record["target"], record["fmax_mhz"], record["seed"]) == (
        "des-small",
        "xcve",
        None,
        None,
    )
    assert record["ffs"] == json.loads((core / "record.json").read_text())["predicted"]["ffs"]
    text = (core / "des_small.v").read_text()
    (core / "des_small.v").write_text(text.replace("assign valid_o", "assign  valid_o"))
    done = cipherwright("verify", str(core), "--json", "--blocks", "50")
    assert done.returncode == 1
    assert json.loads(done.stdout)["passed"] is False
    assert "des_small.v was changed after it was built" in done.stderr


def test_a_file_there_and_back(tmp_path: Path) -> None:
    plain, cipher, back = (tmp_path / n for n in ("plain", "cipher", "back"))
    plain.write_bytes(bytes(range(256)) * 40)
    assert cipherwright("encrypt", "des-small", "--key", KEY, str(plain), str(cipher)).returncode == 0
    assert cipher.read_bytes() == oracle_bulk("des", bytes.fromhex(KEY), plain.read_bytes(), False)
    assert (
        cipherwright(
            "decrypt", "des-small", "--set", "direction=encrypt", "--key", KEY, str(cipher), str(back)
        ).returncode
        == 0
    )
    assert back.read_bytes() == plain.read_bytes()


def test_a_file_through_a_built_core(tmp_path: Path) -> None:
    """The folder of a core in place of a preset; it encrypts only, and says so."""
    plain, out, core = (str(tmp_path / n) for n in ("plain", "out", "core"))
    Path(plain).write_bytes(bytes(range(256)))
    assert (
        cipherwright(
            "build", "des", "--set", "stages=16", "--set", "direction=encrypt", "-o", core
        ).returncode
        == 0
    )
    done = cipherwright("encrypt", core, "--key", KEY, plain, out)
    assert done.returncode == 0, done.stderr
    assert "256 bytes encrypted by the simulated des_encrypt" in done.stderr
    assert Path(out).read_bytes() == oracle_bulk("des", bytes.fromhex(KEY), Path(plain).read_bytes(), False)
    done = cipherwright("decrypt", core, "--key", KEY, out, plain)
    assert done.returncode == 2
    assert (
        "has direction = encrypt and can't decrypt: build one with direction = both or decrypt" in done.stderr
    )
    done = cipherwright("encrypt", core, "--set", "stages=2", "--key", KEY, plain, out)
    assert done.returncode == 2
    assert "--set changes a preset" in done.stderr
    text = (tmp_path / "core" / "des_encrypt.v").read_text()
    (tmp_path / "core" / "des_encrypt.v").write_text(text + "\n")
    done = cipherwright("encrypt", core, "--key", KEY, plain, out)
    assert done.returncode == 1
    assert "des_encrypt.v was changed after it was built" in done.stderr


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("impl", {"implement"}),
        ("build des-x", {"des-xilinx-16", "des-xilinx-48"}),
        ("build m", {"misty1", "misty1-fast", "mars", "mars-small", "mine.toml", "mine.py", "made/"}),
        ("encrypt rijndael-", {"rijndael-ucla", "rijndael-ucla-keybuffer"}),
        ("implement des-small --target xcv", {"xcv", "xcve"}),
        ("reproduce m", {"mars-ibm"}),
    ],
)
def test_a_shell_completes(typed: str, offered: set[str], tmp_path: Path) -> None:
    """The shell is named where it is asked for the script: tests may run without one above them."""
    (tmp_path / "made").mkdir()
    for name in ("mine.toml", "mine.py", "mine.txt"):
        (tmp_path / name).touch()
    line = f"cipherwright {typed}"
    asked = {
        "_CIPHERWRIGHT_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    done = subprocess.run(
        [COMMAND], env={**os.environ, **asked}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    found = set(done.stdout.split())
    assert offered <= found, done.stderr
    assert "mine.txt" not in found
    named = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    assert "complete_bash" in cipherwright("--show-completion", "bash", env=named).stdout


def test_help_is_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command tells how it is used, in this process: a process each would take a second."""
    commands = [c.name for c in app.registered_commands if c.name]
    assert len(commands) > 10
    for words in ([], *([c] for c in commands)):
        texts = []
        for asked in ("-h", "--help"):
            assert execute([*words, asked]) == 0
            texts.append(capsys.readouterr().out)
        assert texts[0] == texts[1]
        assert f"Usage: {' '.join(['cipherwright', *words])} " in texts[0]
        flags = re.findall(r"^│ +(--[a-z-]+).*<bool>", texts[0], re.M)
        assert set(flags) <= {"--help", "--install-completion", "--show-completion"}  # those of Typer


def test_every_argument_and_option_says_what_it_is() -> None:
    """In a sentence, which ends with a full stop; the command's own begins with a verb."""
    verbs = set()
    for name, found in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        verbs.add(str(found.help).split()[0])
        for parameter in found.params:
            text = getattr(parameter, "help", None)
            assert text and text[0].isupper() and text.endswith("."), (name, parameter.name, text)
    assert verbs == {"List", "Write", "Check", "Run", "Find", "Encrypt", "Decrypt", "Print", "Make"}


def test_a_file_in_counter_mode(tmp_path: Path) -> None:
    """Any length, as OpenSSL encrypts it; the same core decrypts."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    quick = [x for s in QUICK_AES for x in ("--set", s)]
    plain, cipher, back = (tmp_path / n for n in ("plain", "cipher", "back"))
    plain.write_bytes(bytes(range(251)) * 9)
    given = ["aes128-fast-ctr", *quick, "--key", KEY * 2, "--iv", "f" * 32]
    done = cipherwright("encrypt", *given, str(plain), str(cipher))
    assert done.returncode == 0, done.stderr
    theirs = Cipher(algorithms.AES(bytes.fromhex(KEY * 2)), modes.CTR(b"\xff" * 16)).encryptor()
    assert cipher.read_bytes() == theirs.update(plain.read_bytes())
    assert cipherwright("decrypt", *given, str(cipher), str(back)).returncode == 0
    assert back.read_bytes() == plain.read_bytes()


def test_a_missing_compiler_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "IN").write_bytes(bytes(8))
    done = cipherwright(
        "encrypt",
        "des-small",
        "--set",
        "stages=5",
        "--key",
        KEY,
        str(tmp_path / "IN"),
        str(tmp_path / "OUT"),
        env={"PATH": str(tmp_path), "HOME": str(tmp_path)},
    )
    assert done.returncode == 2
    assert "no C++ compiler was found" in done.stderr
    assert not (tmp_path / "OUT").exists()


def test_a_missing_tool_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from cipherwright.errors import UserError
    from cipherwright.tools import find

    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="the tool sta is not installed; get it by: apt-get install opensta"):
        find("sta")


def test_a_key_file_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('cipher = "des"\nkey_bits = 64\nclock_mhz = 300\nsbox = "lut4"\n')
    assert cipherwright("build", str(tmp_path / "mine.toml"), "-o", str(tmp_path / "core")).returncode == 0
    record = json.loads((tmp_path / "core" / "record.json").read_text())
    assert record["period_ns_planned"] <= 1000 / 300 + 1e-6
    assert record["stages"] == 33


def test_a_file_through_the_processor(tmp_path: Path) -> None:
    """Blocks of 256 bits, keys of 192, over the channels, there and back; against libmcrypt."""
    data, key = bytes(i * 7 & 255 for i in range(32 * 50)), bytes(range(24)).hex()
    (tmp_path / "plain").write_bytes(data)
    sizes = ["--set", "block_bits=256", "--set", "key_bits=192", "--key", key]
    assert (
        cipherwright(
            "encrypt", "rijndael-ucla", *sizes, str(tmp_path / "plain"), str(tmp_path / "out")
        ).returncode
        == 0
    )
    assert (tmp_path / "out").read_bytes() == oracle_bulk("rijndael-256", bytes.fromhex(key), data, False)
    assert (
        cipherwright(
            "decrypt", "rijndael-ucla", *sizes, str(tmp_path / "out"), str(tmp_path / "back")
        ).returncode
        == 0
    )
    assert (tmp_path / "back").read_bytes() == data
