"""A cipher from outside the package, `examples/present.py`: built and verified by command; its known answers
go through the core; what is refused is one sentence.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cipherwright.cli import execute
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.registry import cipher_from_file, unregister
from cipherwright.spec import load
from cipherwright.verify import CoreFolder
from cipherwright.verify.checks import bench_of, run_vectors
from tests.conftest import ROOT

FILE = ROOT / "examples" / "present.py"
LOOP = ("--set", "architecture=iterative", "--set", "stages=1", "--set", "direction=encrypt")


def test_a_stranger_builds_and_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By command; what was proven is said, and the known answers are among it. A wrong answer fails."""
    out = tmp_path / "out"
    assert execute(["build", str(FILE), *LOOP, "-o", str(out)]) == 0
    unregister("present")
    capsys.readouterr()
    assert execute(["verify", str(out), "--cipher", str(FILE), "--blocks", "300", "--json"]) == 0
    verdicts = {v["check"]: v for v in json.loads(capsys.readouterr().out)["checks"]}
    assert all(v["passed"] for v in verdicts.values())
    assert "for every key and block after every history" in verdicts["equivalence for all inputs"]["detail"]
    assert "4 known answers (4 own, 0 from" in verdicts["known answers"]["detail"]
    folder = CoreFolder.open(out)
    bench = bench_of(folder.sources, folder.record)
    cipher = cipher_from_file(FILE)[0]
    key, block, answer = cipher.known_answers[0]
    cipher.known_answers = ((key, block, answer[:-1] + "4"),)
    with pytest.raises(CheckFailed, match=r"known answer not met: key 0{20} \(CHES 2007"):
        run_vectors(bench, folder)


def test_a_wrong_table_is_seen_by_the_known_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A description with another S-box undoes itself as well; its known answers tell it from the cipher."""
    wrong = tmp_path / "present.py"
    wrong.write_text(FILE.read_text().replace("(12, 5, 6,", "(5, 12, 6,"))
    assert execute(["build", str(wrong), "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "its known answer is 5579c1387b228445" in said
    assert not (tmp_path / "out").exists()


_PIPELINE = ("architecture=pipelined", "stages=4")
_LOOP = ("architecture=iterative", "stages=1")
_CHAINED = "needs the result of the block before, so a pipeline can't take a block every cycle"

REFUSED: dict[tuple[str, ...], str] = {
    (*_PIPELINE, "mode=cbc", "direction=encrypt"): _CHAINED,
    (*_PIPELINE, "mode=cbc", "direction=both"): _CHAINED,
    (*_PIPELINE, "mode=cfb", "direction=encrypt"): _CHAINED,
    (*_PIPELINE, "mode=ofb", "direction=encrypt"): _CHAINED,
    (*_PIPELINE, "mode=ctr", "direction=decrypt"): "needs direction = encrypt",
    (*_PIPELINE, "mode=ctr", "direction=both"): "needs direction = encrypt",
    (*_PIPELINE, "mode=cmac", "direction=encrypt"): "needs architecture = iterative",
    (
        *_PIPELINE,
        "key_schedule=stepped",
        "round_numbers=signals",
        "direction=both",
    ): "take the same steps in every direction",
    (*_PIPELINE, "mode=gcm", "direction=encrypt"): "needs block_bits = 128",
    (*_LOOP, "mode=gcm", "direction=both"): "needs block_bits = 128",
    (*_LOOP, "mode=ccm", "direction=both"): "needs block_bits = 128",
    (*_LOOP, "mode=xts", "direction=both"): "needs block_bits = 128",
    (*_LOOP, "mode=cmac", "direction=both"): "a tag is computed by encryption",
    (*_LOOP, "key=static", "direction=encrypt"): "key = static in a loop needs key_expansion = unit",
    (*_LOOP, "rounds_per_cycle=33"): "has 1 to 32 steps a cycle",
    (*_LOOP, "datapath_bits=32", "direction=encrypt"): "PRESENT has no datapath of 32 bits",
}
"""Options -> what the sentence says. The guide lists them (docs/guide/adding-a-cipher.md)."""


@pytest.mark.parametrize("options", REFUSED, ids=" ".join)
def test_what_blocks_of_64_bits_refuse(options: tuple[str, ...]) -> None:
    with pytest.raises(UserError, match=REFUSED[options]) as refused:
        generate(load(str(FILE), options))
    assert "\n" not in str(refused.value)
