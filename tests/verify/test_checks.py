"""Every preset passes every check; every kind of fault is seen by the checks that should see it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cipherwright.arch import describe
from cipherwright.cipher import CATALOGUE
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed, UserError
from cipherwright.shell import PACKETS, files_digest, own_names, rtl_digest
from cipherwright.spec import load, parse
from cipherwright.verify import Bench, CoreFolder, checks, oracle_name, oracle_of, verify_core
from cipherwright.verify.mutate import MUTATIONS, mutate
from tests.conftest import LONG, PIPELINES, QUICK_AES, ROOT, SHARED_BOXES, SLOW, Built
from tests.long_variants import ALL_LENGTHS, RECORDED

CHECKED = json.loads((ROOT / "benchmarks" / "checked.json").read_text())

PRESETS = [
    # Packets and tags have checks of their own: tests/shell/test_loop_gcm.py, test_cmac.py.
    *((p,) for p in PIPELINES if p not in (*LONG, *SLOW) and load(p).mode not in PACKETS),
    *((p, *QUICK_AES) for p in SLOW if p != "aes128-fast-both"),
]
VARIANTS = [
    # The others are in the committed record: test_the_recorded_checks_are_of_todays_text.
    *(p for p in PRESETS if p not in RECORDED),
    ("des-fast", "interface=stream"),
    ("des-small", "interface=stream", "stages=2"),
    ("des-small", "rounds_per_cycle=4", "stages=3", "direction=decrypt", "copies=8"),
    ("des-small", "rounds_per_cycle=2"),
    ("des-xilinx-16", "interface=plain", "key=static", "key_lead=0", "early_keys=0", "direction=encrypt"),
    ("aes-tiny", "key_bits=256", "stages=1", "sbox=boyar_peralta", "mode=ctr"),
    ("aes-tiny", "mode=cbc", "interface=stream"),
    ("des-small", "mode=cfb", "stages=2"),
]
EACH_TIME = {
    ("des-small",),
    ("des-small", "interface=stream", "stages=2"),
    ("des-small", "rounds_per_cycle=2"),
    ("aes-tiny", "mode=cbc", "interface=stream"),
    ("khazad-small",),
}
"""Those of which every run makes all checks, whatever the record has."""


@pytest.mark.parametrize(
    "variant",
    [v if v in EACH_TIME else pytest.param(v, marks=pytest.mark.long_check) for v in VARIANTS],
    ids=" ".join,
)
def test_all_checks_pass(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    core, folder = built(*variant)
    mode, pipelined = core.parameters["mode"], core.parameters["architecture"] == "pipelined"
    modes = {"ecb": [], "ctr": ["counter mode"] if pipelined else ["CTR mode"]}.get(
        mode, [f"{mode.upper()} mode"]
    )
    modes += ["published messages"] if modes and modes != ["counter mode"] else []
    verdicts = verify_core(folder, core.plain, blocks=2000, parts=key_parts(parse(core.parameters)))
    library, ports = oracle_name(oracle_of(core.parameters)), folder.record["ports"]
    protocol, zeroise = ["protocol"] if ports["reset"] else [], ["zeroise"] if ports["zeroise"] else []
    assert [v.check for v in verdicts] == [
        "files",
        "compile",
        "both simulations",
        "known answers",
        f"random against {library}",
        "known answers in bulk",
        f"random in bulk against {library}",
        *modes,
        "Monte Carlo",
        "latency and throughput",
        *protocol,
        "reset",
        *zeroise,
        "equivalence for all inputs",
    ]
    assert all(v.passed for v in verdicts), [v for v in verdicts if not v.passed]


def _is_of(entry: dict[str, Any], core: Built) -> bool:
    """Whether a record's entry says that all checks passed, on a core's text. Not checked may be only what
    there is nothing for: nobody publishes chains of every cipher, and a core may have no reset.
    """
    made, folder = core
    resets = "ports" not in folder.record or folder.record["ports"]["reset"]  # engines always have one
    nothing = {"published Monte Carlo"} if resets else {"published Monte Carlo", "reset"}
    passed = all(c["status"] == "ok" for name, c in entry["checks"].items() if name not in nothing)
    proven = "equivalence for all inputs" in entry["checks"]
    return entry["rtl_digest"] == rtl_digest(made.files) and proven and passed


@pytest.mark.parametrize("variant", RECORDED, ids=" ".join)
def test_the_recorded_checks_are_of_todays_text(
    variant: tuple[str, ...], built: Callable[..., Built]
) -> None:
    assert _is_of(CHECKED[" ".join(variant)], built(*variant)), "python benchmarks/verify.py --recorded"


@pytest.mark.parametrize(("variant", "what"), ALL_LENGTHS.items(), ids=lambda v: " ".join(v)[:40])
def test_random_packets_of_every_length_were_played(variant: tuple[str, ...], what: str) -> None:
    """0 to 300 bytes: `verify` goes through all lengths before one comes again."""
    checks = CHECKED[" ".join(variant)]["checks"]
    (said,) = (c["detail"] for name, c in checks.items() if name.startswith("random "))
    found = re.match(rf"(\d+) random {what}", said)
    assert found and int(found[1]) >= 301


def test_a_record_of_another_text_is_seen(built: Callable[..., Built]) -> None:
    core = built("aes-tiny", "key_bits=192")
    entry = CHECKED["aes-tiny key_bits=192"]
    assert _is_of(entry, core)
    assert not _is_of(entry, built("aes-tiny"))
    assert not _is_of(entry | {"checks": {**entry["checks"], "reset": {"status": "not checked"}}}, core)
    assert not _is_of(entry | {"checks": {"files": {"status": "ok"}}}, core)
    assert list(CHECKED) == sorted(map(" ".join, RECORDED))


@pytest.mark.long_check
def test_wide_blocks(built: Callable[..., Built]) -> None:
    """Published answers and libmcrypt through the RTL of a loop for blocks of 256 bits (of the pipeline,
    see tests/rtl/test_emitted.py).
    """
    _, folder = built(
        "aes-small",
        "cipher=rijndael",
        "block_bits=256",
        "key_bits=256",
        "sbox=boyar_peralta",
        "stages=1",
        "hops=[]",
    )
    bench = Bench.compile(folder.sources, folder.record)
    assert "known answers" in checks.run_vectors(bench, folder)
    assert "libmcrypt" in checks.run_random(bench, folder, 200)


def broken(folder: CoreFolder, top: str, kind: str, out: Path, resign: bool) -> CoreFolder:
    """A copy of a core with one fault; `resign`: the record is made to agree, so that only real checks can
    object.
    """
    return broken_file(folder, f"{top}.v", lambda text: mutate(text, kind), out, resign)


def broken_file(
    folder: CoreFolder, which: str, change: Callable[[str], str], out: Path, resign: bool = True
) -> CoreFolder:
    """The same with a change of one file; `which` as the core names it, or a hand-written file as the
    repository does.
    """
    out.mkdir()
    which = own_names(which, folder.record["top"])
    assert which in folder.record["files"]
    for name in folder.record["files"]:
        text = (folder.path / name).read_text()
        (out / name).write_text(change(text) if name == which else text)
        assert name != which or change(text) != text
    record = json.loads((folder.path / "record.json").read_text())
    if resign:
        record["files"] = {n: files_digest({n: (out / n).read_text()}) for n in record["files"]}
    (out / "record.json").write_text(json.dumps(record))
    return CoreFolder.open(out)


# What must see which fault. A wrong key choice or table entry shows in every functional check.
SEEN_BY = {
    "table": {"random against OpenSSL", "equivalence for all inputs"},
    "register": {"random against OpenSSL", "equivalence for all inputs"},
    "key": {"known answers", "random against OpenSSL", "Monte Carlo", "equivalence for all inputs"},
    "sum": {"random against OpenSSL", "equivalence for all inputs"},
    "valid": {
        "known answers",
        "random against OpenSSL",
        "latency and throughput",
        "equivalence for all inputs",
    },
}


@pytest.mark.long_check
@pytest.mark.parametrize("kind", MUTATIONS)
@pytest.mark.parametrize("preset", ["des-xilinx-16", "des-small"])
def test_faults_are_seen(preset: str, kind: str, built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(preset)
    verdicts = {
        v.check: v
        for v in verify_core(broken(folder, core.top, kind, tmp_path / "b", True), core.plain, blocks=1000)
    }
    failed = {name for name, v in verdicts.items() if not v.passed}
    assert SEEN_BY[kind] <= failed, (failed, verdicts)


@pytest.mark.long_check
@pytest.mark.parametrize("kind", ["table", "register", "sum", "valid"])
@pytest.mark.parametrize("preset", ["misty1-small", "khazad-small"])
def test_faults_of_other_ciphers_are_seen(
    preset: str, kind: str, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(preset, "stages=2", "copies=0", "hops=[]")
    failed = {
        v.check
        for v in verify_core(broken(folder, core.top, kind, tmp_path / "b", True), core.plain, blocks=1000)
        if not v.passed
    }
    assert "equivalence for all inputs" in failed
    assert any(name.startswith("random") for name in failed)


@pytest.mark.long_check
def test_the_proof_sees_a_box_with_the_other_directions_byte(
    built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built(*SHARED_BOXES)
    broke = broken_file(
        folder,
        "aes128_fast_both.v",
        lambda text: re.sub(r"= decrypt \?", "= !decrypt ?", text, count=1),
        tmp_path / "b",
    )
    with pytest.raises(CheckFailed, match="does not compute the cipher"):
        checks.prove_core(broke, core.plain, key_parts(parse(core.parameters)))


@pytest.mark.long_check
def test_another_number_of_rounds(built: Callable[..., Built]) -> None:
    """Nobody publishes answers for it: the description is the reference, and it undoes itself."""
    core, folder = built("misty1-small", "rounds=4", "stages=2", "direction=both", "copies=0", "hops=[]")
    verdicts = verify_core(folder, core.plain, blocks=500)
    assert [(v.check, v.status) for v in verdicts][3:5] == [
        ("known answers", "not checked"),
        ("random against the description", "ok"),
    ]
    assert "Monte Carlo" in [v.check for v in verdicts]
    assert all(v.passed for v in verdicts), verdicts
    with pytest.raises(UserError, match="MISTY1 has an even number of rounds, not 5"):
        load("misty1-small", ["rounds=5"])
    with pytest.raises(UserError, match="the number of rounds of KHAZAD is fixed"):
        load("khazad-small", ["rounds=6"])


def test_a_changed_file_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built("des-small")
    with pytest.raises(CheckFailed, match=r"the file des_small\.v was changed after it was built"):
        broken(folder, core.top, "table", tmp_path / "b", False).check_files()


def test_damaged_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is no core folder: it has no record\.json"):
        CoreFolder.open(tmp_path)
    (tmp_path / "record.json").write_text('{"top": ')
    with pytest.raises(UserError, match=r"is damaged \(it is no JSON text\): build the core again"):
        CoreFolder.open(tmp_path)


def test_thousands_of_blocks_with_gaps_and_everything_changing(built: Callable[..., Built]) -> None:
    from cipherwright.verify import oracle_blocks

    core, folder = built("des-fast")
    bench = Bench.compile(folder.sources, folder.record)
    r = np.random.default_rng(11)
    n = 20000
    keys, blocks = r.integers(0, 256, (n, 8), dtype=np.uint8), r.integers(0, 256, (n, 8), dtype=np.uint8)
    modes = r.integers(0, 2, n, dtype=np.uint8)
    got = bench.crypt(keys, modes, blocks, offer=(r.random(997) < 0.8).astype(np.uint8))
    assert (got.blocks == oracle_blocks("des", keys, modes, blocks)).all()
    assert (got.latencies == core.latency).all()


def test_simulation_matches_the_reference_model_on_parity_bits(built: Callable[..., Built]) -> None:
    _, folder = built("des-xilinx-48")
    bench = Bench.compile(folder.sources, folder.record)
    key = bytes.fromhex("0123456789abcdef")
    other = bytes(k ^ 1 for k in key)
    data = bytes(range(64))
    assert bench.crypt_bulk(key, False, data) == bench.crypt_bulk(other, False, data)
    assert bench.crypt_bulk(key, False, data)[:8] == CATALOGUE["des"].encrypt_block(key, data[:8])


@pytest.mark.long_check
def test_the_proof_is_against_the_plain_description(built: Callable[..., Built]) -> None:
    """Mutation of the other side: a specification of the other direction is not what the core computes."""
    _, folder = built("des-fast", "direction=encrypt")
    wrong = describe(load("des-fast", ["direction=decrypt"]))
    failed = {v.check for v in verify_core(folder, wrong, blocks=100) if not v.passed}
    assert failed == {"equivalence for all inputs"}
