"""What users get wrong, and what goes wrong around them: exit status 2 (1 where a check fails), one line
on standard error, nothing half-written.

The command line runs in this process (`cipherwright.cli.execute`), so a case takes milliseconds; signals
and pipes take processes of their own.
"""

from __future__ import annotations

import errno
import io
import json
import os
import resource
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cipherwright.actions import initial_value
from cipherwright.cli import execute
from cipherwright.errors import UserError
from cipherwright.flow import generate
from cipherwright.shell import BuiltEngine, Core, rtl_digest
from cipherwright.spec import Datapath, Spec, load, option_names, preset_names
from tests.bad_input import COMMANDS, DESK, FILES, KEY, KEYS, PRESETS, RECORDS, SETS, VECTORS
from tests.conftest import LIGHT_GCM, ROOT, Built

Run = Callable[..., str]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with good and bad files."""
    here = tmp_path / "desk"
    here.mkdir()
    monkeypatch.chdir(here)
    for name, data in DESK.items():
        (here / name).write_bytes(data)
    (here / "FOLDER").mkdir()
    (here / "FOLDER.toml").mkdir()
    (here / "FOLDER.lib").mkdir()
    (here / "DANGLING").symlink_to("nowhere/at/all")
    (here / "DANGLING.toml").symlink_to("nowhere.toml")
    (here / "LOOP").symlink_to("LOOP")
    return here


def _tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything in a folder: modes, and contents of files."""
    return {
        str(p.relative_to(folder)): (
            stat.S_IFMT(p.lstat().st_mode),
            p.read_bytes() if stat.S_ISREG(p.lstat().st_mode) else b"",
        )
        for p in sorted(folder.rglob("*"))
    }


@pytest.fixture
def wrong(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """wrong(arguments..., status=2) -> the sentence; everything that holds for each wrong command line is
    checked.
    """
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)

    def run(*args: str, status: int = 2) -> str:
        before = _tree(desk)
        capsys.readouterr()
        found = execute(args)
        out, err = capsys.readouterr()
        assert found == status, err
        assert err.startswith("cipherwright: ")
        assert err.endswith("\n")
        assert err.count("\n") == 1, "one sentence on one line"
        assert all(c.isprintable() for c in err[:-1])
        assert "Traceback" not in err
        assert "errno" not in err.lower()
        assert not out
        assert _tree(desk) == before, "nothing half-written"
        assert not list(temporary.iterdir()), "no temporary files"
        return err

    return run


FIELDS = [n for n in option_names() if n != "name"]


def _id(value: object) -> str | None:
    return " ".join(value)[:60] if isinstance(value, list) else value[:40] if isinstance(value, str) else None


@pytest.mark.parametrize(("args", "sentence"), COMMANDS, ids=_id)
def test_command_lines(args: list[str], sentence: str, wrong: Run) -> None:
    assert sentence.lower() in wrong(*args).lower()


@pytest.mark.parametrize(("preset", "sentence"), PRESETS, ids=_id)
def test_presets(preset: str, sentence: str, wrong: Run) -> None:
    assert sentence in wrong("build", preset, "-o", "OUT")


@pytest.mark.parametrize(("preset", "change", "sentence"), SETS, ids=_id)
def test_changes(preset: str, change: str, sentence: str, wrong: Run) -> None:
    assert sentence in wrong("build", preset, "--set", change, "-o", "OUT")


@pytest.mark.parametrize("name", FIELDS)
def test_values_of_the_wrong_kind(name: str, wrong: Run) -> None:
    for value in ("{a = 1}", "1979-05-27", '["a", ["b"]]'):
        assert name in wrong("build", "des-fast", "--set", f"{name}={value}", "-o", "OUT")


@pytest.mark.parametrize(("options", "typed", "sentence"), KEYS, ids=_id)
def test_keys(
    options: list[str], typed: str, sentence: str, wrong: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert sentence in wrong("encrypt", "des-fast", *options, "IN", "OUT")


@pytest.mark.parametrize(("args", "sentence"), FILES, ids=_id)
def test_files(args: list[str], sentence: str, wrong: Run) -> None:
    assert sentence in wrong(*args)


@pytest.mark.parametrize("command", ["verify", "implement"])
@pytest.mark.parametrize(("change", "status", "sentence"), RECORDS, ids=_id)
def test_records(
    change: Callable[[dict[str, Any]], object],
    status: int,
    sentence: str,
    command: str,
    wrong: Run,
    desk: Path,
    built: Callable[..., Built],
) -> None:
    shutil.copytree(built("des-small")[1].path, desk / "core")
    record = json.loads((desk / "core" / "record.json").read_text())
    change(record)
    (desk / "core" / "record.json").write_text(json.dumps(record))
    told = (
        wrong(command, "core", *(["--json"] if command == "implement" else []), status=status)
        if command == "implement" or status == 2
        else _verify(desk)
    )
    assert sentence in told


def _verify(desk: Path) -> str:
    """The failed check of a core folder."""
    from cipherwright.rebuild import verify_folder
    from cipherwright.verify import CoreFolder

    verdicts = verify_folder(CoreFolder.open(desk / "core"))
    assert len(verdicts) == 1, "nothing of the folder is run"
    assert not verdicts[0].passed
    return verdicts[0].detail


@pytest.mark.parametrize(
    "damage",
    [
        lambda p: p.write_text(""),
        lambda p: p.write_text("{"),
        lambda p: p.write_bytes(b"\xff\xfe"),
        lambda p: p.write_text("[" * 100_000),
        lambda p: (p.unlink(), p.symlink_to("nowhere")),
        lambda p: (p.unlink(), p.mkdir()),
    ],
    ids=["empty", "half", "binary", "deep", "dangling", "folder"],
)
def test_damaged_records(
    damage: Callable[[Path], object], wrong: Run, desk: Path, built: Callable[..., Built]
) -> None:
    shutil.copytree(built("des-small")[1].path, desk / "core")
    damage(desk / "core" / "record.json")
    told = wrong("verify", "core")
    assert "record.json is damaged" in told or "is no core folder" in told


@pytest.mark.parametrize(("text", "sentence"), VECTORS, ids=range(len(VECTORS)))
def test_malformed_vectors(
    text: bytes,
    sentence: str,
    wrong: Run,
    desk: Path,
    built: Callable[..., Built],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (desk / "des.jsonl").write_bytes(text)
    monkeypatch.setenv("CIPHERWRIGHT_VECTORS", str(desk))
    told = wrong("verify", str(built("des-small")[1].path))
    assert sentence in told
    assert "des.jsonl" in told


@contextmanager
def _no_more_than(size: int) -> Iterator[None]:
    """Files can't grow beyond so many bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def quick(built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch) -> None:
    """des-small is generated at once: for what happens after it."""
    core = built("des-small")[0]
    monkeypatch.setattr("cipherwright.flow.generate", lambda spec, given=None: core)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("size", [0, 100, 2000, 20_000])
def test_no_room_for_a_core(size: int, wrong: Run) -> None:
    with _no_more_than(size):
        assert "can't write to OUT: File too large" in wrong("build", "des-small", "-o", "OUT")


def _failing(monkeypatch: pytest.MonkeyPatch, name: str, number: int, on: str) -> None:
    """Let a method of Path fail where the path has `on` in it."""
    real = getattr(Path, name)

    def fail(self: Path, *args: Any, **more: Any) -> Any:
        if on in str(self):
            raise OSError(number, os.strerror(number), str(self))
        return real(self, *args, **more)

    monkeypatch.setattr(Path, name, fail)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO], ids=errno.errorcode.get
)
@pytest.mark.parametrize("step", ["mkdir", "write_text", "rename"])
def test_a_core_that_can_not_be_written(
    number: int, step: str, wrong: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    _failing(monkeypatch, step, number, ".cipherwright-")
    assert f"can't write to OUT: {os.strerror(number)}" in wrong("build", "des-small", "-o", "OUT")


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulation that is at hand at once and gives zeros: for what happens after it."""
    from cipherwright.verify import Bench

    class Zeros:
        def crypt_bulk(
            self, key: bytes, decrypt: bool, data: bytes, parts: int = 2, iv: bytes = b""
        ) -> bytes:
            return bytes(len(data))

    monkeypatch.setattr(Bench, "compile", staticmethod(lambda sources, record: Zeros()))


@pytest.mark.usefixtures("fake", "quick")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize("step", ["open", "replace"])
def test_a_file_that_can_not_be_written(
    number: int, step: str, wrong: Run, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _failing(monkeypatch, step, number, str(desk / ".cipherwright-"))
    assert f"can't write to OUT: {os.strerror(number)}" in wrong(
        "encrypt", "des-small", "--key", KEY, "IN", "OUT"
    )


@pytest.mark.usefixtures("fake", "quick")
def test_a_full_disk_leaves_no_temporary_file(wrong: Run) -> None:
    assert "can't write to /dev/full: No space left on device" in wrong(
        "encrypt", "des-small", "--key", KEY, "IN", "/dev/full"
    )


@pytest.mark.usefixtures("fake", "quick")
def test_permissions_follow_the_umask(desk: Path) -> None:
    for mask, mode in ((0o022, 0o644), (0o077, 0o600), (0o002, 0o664)):
        before = os.umask(mask)
        try:
            assert execute(["encrypt", "des-small", "--key", KEY, "IN", f"OUT{mask}"]) == 0
            assert execute(["build", "des-small", "-o", f"core{mask}"]) == 0
        finally:
            os.umask(before)
        assert (desk / f"OUT{mask}").stat().st_mode & 0o777 == mode
        assert {p.stat().st_mode & 0o777 for p in (desk / f"core{mask}").iterdir()} == {mode}
        assert (desk / f"core{mask}").stat().st_mode & 0o777 == mode | (mode & 0o444) >> 2
    (desk / "link").symlink_to("OUT18")
    assert execute(["encrypt", "des-small", "--key", KEY, "IN", "link"]) == 0
    assert (desk / "link").is_symlink(), "a link is followed"


@pytest.mark.usefixtures("fake", "quick")
def test_keys_that_are_right(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert execute(["encrypt", "des-small", "--key-file", "KEY", "IN", "OUT"]) == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{KEY}\n"))
    assert execute(["encrypt", "des-small", "--key", "-", "IN", "OUT"]) == 0
    assert execute(["decrypt", "des-small", "--key", KEY.upper(), "IN", "OUT"]) == 0


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    from cipherwright.tools import tool_version

    assert execute(["--version"]) == 0
    assert capsys.readouterr().out == f"cipherwright {tool_version('cipherwright')}\n"
    assert execute(["-h"]) == 0
    assert "--version" in capsys.readouterr().out
    assert execute(["encrypt", "-h"]) == 0
    assert "list of processes" in " ".join(capsys.readouterr().out.replace("│", " ").split())


def test_what_does_nothing_is_told(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for change, sentence in (
        (
            "delay_lines=bram",
            "delay_lines = bram moves nothing: no bit of this core waits for srl_from = 4 cycles or longer",
        ),
        ("counter_bits=32", "counter_bits = 32 does nothing in mode ecb, which has no counter"),
        (
            "delay_lines=srl",
            "delay_lines = srl does nothing on ecp5-85k-8, which has no such delay lines; it has "
            "delay_lines = ram",
        ),
    ):
        assert execute(["build", "des-small", "--set", change, "-o", change]) == 0
        assert f"cipherwright: warning: {sentence}\n" in capsys.readouterr().err
        assert json.loads((desk / change / "record.json").read_text())["warnings"] == [sentence]


def test_an_s_box_that_does_nothing_is_told(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tables of four bits are one lookup table a bit, whatever the realisation."""
    cipher = str(ROOT / "examples" / "present.py")
    for number, (box, told) in enumerate({"tower": True, "block_ram": True, "table": False}.items()):
        assert execute(["build", cipher, "--set", f"sbox={box}", "-o", f"core{number}"]) == 0
        sentence = f"sbox = {box} does nothing: the tables of present have 4 address bits"
        assert (sentence in capsys.readouterr().err) == told
        assert (
            sentence in json.loads((desk / f"core{number}" / "record.json").read_text())["warnings"]
        ) == told


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (["srl_from=8"], "srl_from = 8 does nothing with delay_lines = ff"),
        (["fuse_linear=true"], "fuse_linear = true does nothing with sbox = lut4"),
        (["early_keys=2", "merge=0"], "early_keys = 2 does nothing with merge = 0"),
        (["key_schedule=stepped"], "key_schedule = stepped does nothing with architecture = iterative"),
        (["multiplier=rows"], "multiplier = rows does nothing: des has no multiplication"),
        (["linear_depth=3"], "linear_depth = 3 does nothing: des has no linear layer"),
        (["shallow_maps=1"], "shallow_maps = 1 does nothing: des has no linear layer"),
    ],
)
def test_an_option_that_does_nothing(changes: list[str], sentence: str) -> None:
    """It is told, and it is true: the RTL is that without the option."""
    made, without = (generate(load("des-small", c), {}) for c in (changes, changes[1:]))
    assert list(made.warnings) == [sentence]
    assert rtl_digest(made.files) == rtl_digest(without.files)


def _made(preset: str, changes: list[str]) -> Core | BuiltEngine:
    """The core as the command line makes it."""
    return generate(
        load(preset, changes), {"preset": preset, **dict(change.split("=") for change in changes)}
    )


_NO_EARLY_KEY = "no lookup table would both choose one of these round keys and use it"


@pytest.mark.parametrize(
    ("preset", "changes", "sentence"),
    [
        ("mars-ibm-4port", ["key_wait=0"], "key_wait = 0 does nothing with key_memory = ram3"),
        ("des-fast", ["adder=kogge_stone"], "adder = kogge_stone does nothing: des has no addition"),
        (
            "aes-tiny",
            ["shallow_maps=3"],
            "shallow_maps = 3 does nothing with linear_depth = 0: no map can have a level less",
        ),
        (
            "sm4-small",
            ["linear_depth=4"],
            "linear_depth = 4 does nothing: the networks of its linear maps are the same without it",
        ),
        (
            "camellia-small",
            ["shallow_maps=2", "linear_depth=4"],
            "shallow_maps = 2 does nothing: the networks of the first linear maps are the same without it",
        ),
        ("des-small", ["early_keys=2"], f"early_keys = 2 does nothing: {_NO_EARLY_KEY}"),
        (
            "des-xilinx-16",
            ["early_keys=3", "direction=encrypt", "interface=plain"],
            f"early_keys = 3 does nothing: {_NO_EARLY_KEY}",
        ),
        ("des-fast", ["merge=6"], "merge = 6 does nothing: the lookup tables are those of merge = 4"),
        (
            "des-fast",
            ["merge=0", "mode=ctr", "direction=encrypt", "copies=0"],
            "merge = 0 does nothing: the lookup tables are those of merge = 4",
        ),
        (
            "des-fast",
            ["keep_levels=true"],
            "keep_levels = true does nothing: no stage has two levels of logic",
        ),
        (
            "des-xilinx-16",
            ["equal_rounds=true", "stages=20"],
            "equal_rounds = true does nothing: registers at equal places would take over 1 % more logic "
            "cells, or there are no such places",
        ),
        (
            "des-small",
            ["copies=1000"],
            "copies = 1000 does nothing: no bit that an iteration makes drives more than 1000 others",
        ),
        (
            "des-fast",
            ["copies=8", "direction=encrypt"],
            "copies = 8 does nothing: it copies the direction, and no block of this pipeline comes with one",
        ),
        (
            "des-fast",
            ["key_words=priced"],
            "key_words = priced does nothing: des has one way to make late round keys",
        ),
        (
            "des-xilinx-16",
            ["reset=async"],
            "reset = async does nothing: the ports of interface = paper have no reset",
        ),
        (
            "des-small",
            ["slice_xor=true", "target=xcv"],
            "slice_xor = true does nothing: des has no linear layer",
        ),
        (
            "aes128-xts-small",
            ["fuse_linear=true"],
            "fuse_linear = true does nothing: no linear map follows another one",
        ),
        (
            "mars-fast",
            ["key_ranks=1"],
            "key_ranks = 1 does nothing: the key-expansion unit of mars has a form of its own",
        ),
        (
            "mars-fast",
            ["key_copies=8"],
            "key_copies = 8 does nothing: the key-expansion unit of mars has a form of its own",
        ),
        (
            "des-fast",
            ["key_copies=200", "key=static", "key_expansion=unit"],
            "key_copies = 200 does nothing: no bit of the key-expansion unit drives more than 200 others",
        ),
        (
            "sm4-fast",
            ["copies=8"],
            "copies = 8 does nothing: it copies the direction, and no block of this pipeline comes with one",
        ),
        ("aes-gcm-small", ["sbox=gates"], "sbox = gates does nothing: all S-boxes are in block RAM"),
        (
            "des-small",
            ["mapping=area"],
            "mapping = area does nothing on ecp5-85k-8, which is no cell library",
        ),
        (
            "des-small",
            ["clock_gating=true"],
            "clock_gating = true is for cell libraries, and ecp5-85k-8 is none: implement refuses it there",
        ),
    ],
)
def test_an_option_that_does_nothing_elsewhere(preset: str, changes: list[str], sentence: str) -> None:
    """The first change is told, and it is true: the RTL is that without it."""
    made, without = (_made(preset, c) for c in (changes, changes[1:]))
    assert [w for w in made.warnings if w not in without.warnings] == [sentence]
    assert rtl_digest(made.files) == rtl_digest(without.files)


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("des-small", ["adder=kogge_stone"]),  # a loop counts its iterations, whatever the cipher
        ("aes-tiny", ["shallow_maps=3", "linear_depth=4"]),  # maps of two levels have one less
        ("des-xilinx-16", ["early_keys=3"]),
        ("des-xilinx-16", ["early_keys=99"]),  # those that there are
        ("des-small", ["merge=2"]),
        ("des-xilinx-16", ["merge=3", "early_keys=0"]),
        ("des-small", ["keep_levels=true"]),
        ("des-fast", ["equal_rounds=true", "key=static", "key_expansion=unit", "copies=0"]),
        ("des-small", ["copies=8", "stages=4"]),
        ("mars-ibm-1port-key2", ["key_wait=0"]),
        ("des-fast", ["key_copies=8", "key=static", "key_expansion=unit"]),
        ("aes-gcm-small", ["sbox=gates", "block_ram_boxes=8"]),
    ],
)
def test_an_option_that_does_something_is_not_told(preset: str, changes: list[str]) -> None:
    made, without = (_made(preset, c) for c in (changes, changes[1:]))
    assert made.warnings == without.warnings
    assert rtl_digest(made.files) != rtl_digest(without.files)


def test_more_early_keys_than_there_are_are_all_of_them() -> None:
    """DES has 16 round keys."""
    fewer, every, more = (
        rtl_digest(_made("des-xilinx-16", [f"early_keys={count}"]).files) for count in (4, 16, 20)
    )
    assert fewer != every == more


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("load,final", ("load", "final")),
        ("[load, final]", ("load", "final")),
        ('["load"]', ("load",)),
        ("", ()),
        ("[]", ()),
        ("none", ()),
        ("load,", ("load",)),
    ],
)
def test_lists_of_names(given: str, names: tuple[str, ...]) -> None:
    """A shell takes the quotes of TOML away; no name is an empty list, not a name without letters."""
    spec = load("khazad-small", [f"hops={given}"])
    assert isinstance(spec, Datapath) and spec.hops == names


def test_names_of_a_multiplier_are_told() -> None:
    """Where the core multiplies, and a name without letters is none."""
    changes = ("hops=sum_q", *(c for c in LIGHT_GCM[1:] if not c.startswith("hops")))
    with pytest.raises(UserError, match=r"no operation is called sum_q; names are .*sum_h, sum_x"):
        generate(load(LIGHT_GCM[0], changes), {})
    with pytest.raises(UserError, match=r"no operation is called ''; names are (?!.*sum_h)"):
        generate(load("des-small", {"hops": [""]}), {})


def test_no_preset_has_an_option_that_does_nothing() -> None:
    assert {name: found for name in preset_names() if (found := load(name).idle())} == {}


@pytest.mark.parametrize(
    ("command", "preset", "iv", "size", "said"),
    [
        ("decrypt", "aes128-gcm", 12, 5, "a tag of 16 bytes; this one has 5"),
        ("decrypt", "aes128-ccm-small", 13, 15, "a tag of 16 bytes; this one has 15"),
        ("encrypt", "aes128-ccm-small", 13, 65_536, "a packet under a nonce of 13 bytes has at most 65535"),
    ],
)
def test_a_packet_that_does_not_fit_is_told_before_anything_is_built(
    command: str, preset: str, iv: int, size: int, said: str, wrong: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cipherwright.actions.opened_or_built", lambda *_: pytest.fail("it is built"))
    Path("packet").write_bytes(bytes(size))
    assert said in wrong(command, preset, "--key", "00" * 16, "--iv", "00" * iv, "packet", "none")


def test_the_limits_of_short_tags_are_told(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for bits, told in ((32, True), (96, False)):
        made = ["build", "aes-gcm-small", "--set", f"tag_bits={bits}", "-o", f"tags{bits}"]
        assert execute(made) == 0
        sentence = (
            f"cipherwright: warning: tag_bits = {bits} is short: such tags are for uses in which packets are "
            "as short, and decryptions under a key as few, as SP 800-38D, appendix C says; the core counts "
            "neither\n"
        )
        assert (sentence in capsys.readouterr().err) == told


def test_short_tags_and_odd_keys_are_told_in_every_mode() -> None:
    for preset, change, said in (
        ("aes128-ccm-small", "tag_bits=32", "SP 800-38C, appendix B says; the core counts none"),
        ("aes128-cmac-small", "tag_bits=48", "SP 800-38B, appendix A says; the core counts none"),
        ("aes128-xts-small", "key_bits=192", "XTS with keys of 192 bits is in no standard"),
    ):
        (found,) = generate(load(preset, [change]), {"preset": preset}).warnings
        assert said in found
        assert generate(load(preset), {"preset": preset}).warnings == ()


def test_why_a_mode_needs_something() -> None:
    """The reason is that of the option that is wrong."""
    for preset, changes, why in (
        ("des-small", ["mode=xts"], "the product by alpha"),
        ("aes128-xts-small", ["direction=decrypt"], "decryption in XTS encrypts the unit's number"),
        ("aes-gcm-small", ["tag_bits=80"], "GCM has no tags of these lengths"),
        ("aes128-ccm-small", ["tag_bits=120"], "CCM has no tags of these lengths"),
    ):
        with pytest.raises(UserError, match=why):
            load(preset, changes)


def test_another_length_of_an_iv_names_the_option() -> None:
    spec = load("aes-gcm-small")
    with pytest.raises(UserError, match=r"this core takes 96 bits, .* iv_bits = any takes this one"):
        initial_value(spec, "00" * 16)
    with pytest.raises(UserError, match="nonce_bytes = 12 takes this one"):
        initial_value(load("aes128-ccm-small"), "00" * 12)
    for wrong in ("zz" * 16, "0x" + "00" * 16, "000"):
        with pytest.raises(UserError, match=r"^(?!.*takes this one)"):
            initial_value(spec, wrong)


def test_gcm_in_a_pipeline_implies_what_it_needs() -> None:
    spec = Spec(name="mine", cipher="aes", key_bits=128, mode="gcm", stages=40)
    assert (spec.key, spec.key_expansion) == ("static", "unit")
    with pytest.raises(UserError, match="key_expansion = unit needs key = static"):
        Spec(name="mine", cipher="aes", key_bits=128, mode="gcm", stages=40, key="agile")


def test_a_core_too_large_for_its_device_is_told(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["build", "des-fast", "--set", "target=ice40-hx8k", "-o", "core"]) == 2
    told = capsys.readouterr().err
    assert "cipherwright: des_fast does not fit Lattice iCE40 HX8K: it takes 13," in told
    assert "flip-flops (the device has 7,680)" in told
    assert not (desk / "core").exists()
