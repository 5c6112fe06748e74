"""A core of CMAC: all checks hold on the presets, faults are seen, and what is not there is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright import library
from cipherwright.cipher.cmac import mac_words
from cipherwright.cli.run import execute
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.shell import Core
from cipherwright.spec import load, parse
from cipherwright.verify import MacBench, own_vectors, verify_core
from cipherwright.verify.cmac import check_mac_resets, check_messages, mac_tag
from cipherwright.verify.simulate import compile_simulation
from tests.cavp_cmac import cases, run_cases
from tests.conftest import Built
from tests.faults import drop, use, when_drop

from .chosen_faults import PORT, chosen, with_port

PRESETS = {"aes128-cmac-small": ("aes", 128), "tdes-cmac-small": ("tdes", 192)}
"""Preset -> its cipher and the bits of its key."""

_FIRST_ABSENT = "(i == BYTES - 1 ? 1'b1 : keep_i[(i+1)%BYTES])"

FAULTS = {
    "K1 for a block that is not whole": use("subkey", "k2", "k1_q"),
    "no subkey for a block that is not whole": use("subkey", "last_i & ~whole", "1'b0"),
    "K2 for a whole block": use("subkey", "k1_q", "k2"),
    "a subkey within a message": use("subkey", "last_i & whole", "whole"),
    "a tag in the chain of the next message": use(
        "chain_q", "begins ? ~last_q : chain_q & ~core_valid_i", "begins | (chain_q & ~core_valid_i)"
    ),
    "a word in the chain twice": when_drop("sum_q", "begins"),
    "a result that is not added": use("added", "core_valid_i & chain_q", "1'b0"),
    "the padding's one at the wrong end of its byte": use(
        "padded", "{first_absent, 7'd0}", "{7'd0, first_absent}"
    ),
    "the padding's one in the wrong byte": use("first_absent", _FIRST_ABSENT, "keep_i[(i+2)%BYTES]"),
    "no padding of an empty message": use(
        "first_absent", _FIRST_ABSENT, "i != BYTES - 1 & keep_i[(i+1)%BYTES]"
    ),
    "another R_b": use("doubled", "R_B", "(R_B ^ 2)"),
    "R_b without a carry": drop("doubled", "{WIDTH{x[WIDTH-1]}}"),
    "R_b never": use("doubled", "x[WIDTH-1]", "1'b0"),
    "E(K, 0) as K1": use("k1_q", "doubled(core_block_i)", "core_block_i"),
    "a word is taken while one waits": drop("ready_o", "~word_q"),
    "the chain at the tag's port": drop("tag_o", "{WIDTH{tag_valid_o}}"),
}

LEFT = {"a tag while everything is being cleared": drop("tag_valid_o", "~drop_i")}
"""Faults that zeroising shows."""

ALL = {**FAULTS, **LEFT}


def with_faults(core: Core) -> dict[str, str]:
    """The texts of a core with all faults in it: a bit of the port fault_i chooses one, and zero none."""
    text, written = core.files[f"{core.top}.v"], core.files[f"{core.top}_mac.sv"]
    for n, fault in enumerate(ALL.values()):
        written = fault.chosen(written, f"fault_i[{n}]")
    written = written.replace("    input  wire             clk,", f"{PORT}\n    input  wire clk,")
    text = text.replace("u_chain (", "u_chain (.fault_i(fault_i), ")
    text = with_port(core.top, text, ("control", "cmac"))
    return {f"{core.top}.v": text, f"{core.top}_mac.sv": written}


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, int], MacBench]:
    """A preset's core with the fault of a number, or -1 for none."""
    known: dict[str, MacBench] = {}

    def make(preset: str, fault: int) -> MacBench:
        if preset not in known:
            core, folder = built(preset)
            assert isinstance(core, Core)
            home = tmp_path_factory.mktemp("cmac")
            for name, text in with_faults(core).items():
                (home / name).write_text(text)
            known[preset] = MacBench(compile_simulation(sorted(home.iterdir()), core.top), folder.record)
        right = known[preset]
        return MacBench(right.simulation, right.record, chosen(fault))

    return make


def test_messages(bench: Callable[[str, int], MacBench], built: Callable[..., Built]) -> None:
    """Of AES; those of Triple-DES are among all checks."""
    preset = "aes128-cmac-small"
    assert "OpenSSL" in check_messages(bench(preset, -1), built(preset)[0].parameters, 24)


@pytest.mark.long_check
def test_all_checks_pass(
    bench: Callable[[str, int], MacBench],
    built: Callable[..., Built],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All lengths from 0 to 300 bytes. What is simulated is the model that can have faults, without any. Of
    AES: tests/long_variants.py.
    """
    preset = "tdes-cmac-small"
    core, folder = built(preset)
    assert isinstance(core, Core)
    monkeypatch.setattr(MacBench, "compile", lambda *_: bench(preset, -1))
    verdicts = verify_core(folder, core.plain, blocks=3010, parts=key_parts(parse(core.parameters)))
    assert [(v.check, v.status) for v in verdicts] == [
        ("files", "ok"),
        ("compile", "ok"),
        ("published messages", "ok"),
        ("random messages against OpenSSL", "ok"),
        ("resets within messages", "ok"),
        ("reset", "ok"),
        ("zeroise", "ok"),
        ("equivalence for all inputs", "ok"),
    ], [v for v in verdicts if not v.passed]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("preset", PRESETS)
def test_faults_are_seen(
    preset: str, fault: str, bench: Callable[[str, int], MacBench], built: Callable[..., Built]
) -> None:
    with pytest.raises(CheckFailed):
        check_messages(bench(preset, list(FAULTS).index(fault)), built(preset)[0].parameters, 24)


@pytest.mark.parametrize("fault", LEFT)
def test_faults_of_clearing_are_seen(
    fault: str, bench: Callable[[str, int], MacBench], built: Callable[..., Built]
) -> None:
    preset = "tdes-cmac-small"
    with pytest.raises(CheckFailed, match="the tag's port is not 0"):
        check_mac_resets(bench(preset, list(ALL).index(fault)), built(preset)[0].parameters)


def test_a_reset_that_leaves_something_is_seen(
    bench: Callable[[str, int], MacBench], built: Callable[..., Built]
) -> None:
    """As if the port rst_i had no effect."""
    right = bench("tdes-cmac-small", -1)
    dead = MacBench(right.simulation, right.record, {**right.held, "rst_i": 0})
    with pytest.raises(CheckFailed):
        check_mac_resets(dead, built("tdes-cmac-small")[0].parameters)


def test_other_loops_make_tags_as_well(
    built: Callable[..., Built], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A loop of several stages takes one message at a time; a tag can be shorter than a block."""
    core, folder = built("khazad-small", "mode=cmac", "stages=3", "copies=0", "tag_bits=32")
    bench = MacBench.compile(folder.sources, folder.record)
    assert "equal to libtomcrypt" in check_messages(bench, core.parameters, 24)
    key = bytes(range(core.parameters["key_bits"] // 8))
    whole = mac_tag(core.parameters, key, b"abc")
    assert bench.tags(key, [b"abc"]) == [whole[: bench.tag_bytes]]
    message = tmp_path / "message"
    message.write_bytes(b"abc")
    assert execute(["mac", str(folder.path), "--key", key.hex(), str(message)]) == 0
    said = capsys.readouterr()
    assert said.out == f"{whole[: bench.tag_bytes].hex()}\n"
    assert "warning: tag_bits = 32 is short" in said.err


@pytest.mark.parametrize("preset", PRESETS)
def test_nist_s_examples(preset: str, bench: Callable[[str, int], MacBench]) -> None:
    """All of the preset's key length; benchmarks/cavp.py runs the others, too."""
    assert run_cases(bench(preset, -1), cases(*PRESETS[preset])) == {"right": 4 * (1 + ("tdes" in preset))}


def test_words_follow_each_other_without_a_pause(bench: Callable[[str, int], MacBench]) -> None:
    """A message of n words takes n times the interval, and the next one begins at once."""
    b = bench("aes128-cmac-small", -1)
    with b.session() as s:
        s.load_key(bytes(16))
        begin = s.cycle
        for size in (0, 16, 17, 48, 5):
            s.send(bytes(size))
        words = sum(len(mac_words(bytes(size), 128)) for size in (0, 16, 17, 48, 5))
        assert s.due[-1] == begin + words * b.record["interval_cycles"]
        s.finish()


def test_the_command_line_prints_a_tag(
    built: Callable[..., Built], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    v = next(v for v in own_vectors("tdes", "cmac") if len(v.pt) == 20)
    folder, message, key = built("tdes-cmac-small")[1].path, tmp_path / "message", tmp_path / "key"
    message.write_bytes(v.pt)
    key.write_text(f"{v.key.hex()}\n")
    assert execute(["mac", str(folder), "--key", v.key.hex(), str(message)]) == 0
    assert capsys.readouterr().out == f"{v.tag.hex()}\n"
    assert execute(["mac", str(folder), "--key-file", str(key), str(message)]) == 0
    assert capsys.readouterr().out == f"{v.tag.hex()}\n"


def test_wrong_command_lines(
    built: Callable[..., Built], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, message = str(built("tdes-cmac-small")[1].path), tmp_path / "message"
    message.write_bytes(b"abc")
    key = "00" * 24
    for args, said in (
        (["mac", folder, "--key", "00", str(message)], "the key has 8 bits; this core takes 192 bits"),
        (["mac", folder, "--key", key, str(tmp_path / "none")], "none"),
        (["mac", folder, str(message)], "no key is given"),
        (["mac", "des-small", "--key", "00" * 8, str(message)], "des-small has mode = ecb"),
        (["encrypt", folder, "--key", key, str(message), str(tmp_path / "out")], "use cipherwright mac"),
        (["decrypt", "tdes-cmac-small", "--key", key, str(message), str(tmp_path / "out")], "makes tags"),
    ):
        assert execute(args) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_library_makes_a_tag() -> None:
    core = library.build("tdes-cmac-small")
    v = next(v for v in own_vectors("tdes", "cmac") if not v.pt)
    assert core.mac(v.key, b"") == v.tag
    for wrong in (lambda: core.encrypt(v.key, bytes(8)), lambda: core.mac(bytes(8), b"")):
        with pytest.raises(UserError):
            wrong()
    with pytest.raises(UserError, match="a tag of a message alone needs mode = cmac"):
        library.build("des-small").mac(bytes(8), b"")


@pytest.mark.parametrize(
    ("preset", "changes", "said"),
    [
        ("aes128-fast", ["mode=cmac"], "mode = cmac needs architecture = iterative"),
        ("tdes-small", ["mode=cmac"], "mode = cmac needs direction = encrypt"),
        ("tdes-cmac-small", ["interface=stream"], "mode = cmac needs interface = plain"),
        ("tdes-cmac-small", ["tag_bits=96"], "a tag of CMAC has at most a block of 64 bits"),
        ("tdes-small", ["tag_bits=64"], "tag_bits = 64 needs mode = gcm or ccm or cmac"),
    ],
)
def test_what_is_not_there_is_refused(preset: str, changes: list[str], said: str) -> None:
    with pytest.raises(UserError, match=said):
        generate(load(preset, changes))
