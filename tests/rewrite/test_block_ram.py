"""Boxes in block RAM: two to a block, the same function, and a wrong word is seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from cipherwright.arch import describe
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.graph import evaluate
from cipherwright.rewrite import boxes_in_block_ram
from cipherwright.spec import load
from cipherwright.verify.checks import prove_core
from tests.conftest import QUICK_AES, Built
from tests.faults import starts
from tests.verify.test_checks import broken_file


@pytest.mark.parametrize("count", [1, 2, 33, 80, 160])
def test_two_boxes_to_a_block(count: int) -> None:
    parts = key_parts(load("aes128-fast"))
    assert parts is not None
    graph = boxes_in_block_ram(parts.rounds, count)
    blocks = [n for n in graph.nodes if n.op == "rom"]
    assert sum(len(n.args) for n in blocks) == count
    assert len(blocks) == -(-count // 2)
    assert sum(n.op == "lookup" for n in graph.nodes) == 160 - count
    r = Random(count)
    values = {n: r.getrandbits(parts.rounds.nodes[i].width) for n, i in parts.rounds.inputs.items()}
    assert evaluate(graph, values) == evaluate(parts.rounds, values)


def test_words_too_wide_for_two_stand_alone() -> None:
    parts = key_parts(load("mars-fast"))
    assert parts is not None
    graph = boxes_in_block_ram(parts.rounds, 4)
    assert [(len(n.args), n.width) for n in graph.nodes if n.op == "rom"] == [(1, 32)] * 4


def test_more_boxes_than_there_are() -> None:
    with pytest.raises(UserError, match="aes has 160 boxes"):
        generate(load("aes128-fast", ["block_ram_boxes=161"]))
    with pytest.raises(UserError, match="aes_loop has 20 boxes"):
        generate(load("aes-small", ["block_ram_boxes=21"]))
    with pytest.raises(UserError, match="block_ram_boxes = 4 needs key_expansion = logic"):
        load("aes-small", ["key=static", "key_expansion=unit", "block_ram_boxes=4"])
    with pytest.raises(
        UserError, match="block_ram_boxes = 16 needs key_expansion = unit, not key_expansion = logic"
    ):
        load("aes128-fast-agile", ["block_ram_boxes=16"])
    with pytest.raises(UserError, match="no operation is called x"):
        generate(load("aes128-fast", ['hops=["x"]']))


@pytest.mark.long_check
def test_a_wrong_word_is_seen(built: Callable[..., Built], tmp_path: Path) -> None:
    """One bit of one word of the memory that two boxes share."""
    spec = load("aes128-fast")
    _, folder = built("aes128-fast", *QUICK_AES, "stages=24", "block_ram_boxes=2")
    assert "for every key and block" in prove_core(folder, describe(spec), key_parts(spec))
    wrong = broken_file(folder, "aes128_fast.v", starts("words[77]", "8'he2"), tmp_path / "b")
    with pytest.raises(CheckFailed, match="does not compute the cipher"):
        prove_core(wrong, describe(spec), key_parts(spec))


def test_boxes_of_a_loop(built: Callable[..., Built], tmp_path: Path) -> None:
    """Those of the rounds and of the key schedule, in a loop of the fewest stages; a wrong word is seen. That
    right ones pass is checked with GCM around such a loop (tests/shell/test_loop_gcm.py).
    """
    spec = load("aes-small")
    core, folder = built("aes-small", "stages=5", "block_ram_boxes=20")
    text = core.files["aes_small.v"]
    assert text.count("aes_small_sbox_pair_rom u_") == 10
    wrong = broken_file(folder, "aes_small.v", starts("words[77]", "8'he2"), tmp_path / "b")
    with pytest.raises(CheckFailed, match="does not compute the cipher"):
        prove_core(wrong, describe(spec), None)
