"""Titles of stages: the round of most operations, its steps, the stage's place in it, keys, names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest

from cipherwright.graph import Graph, GraphBuilder
from cipherwright.rtl.stages import stage_titles
from cipherwright.shell import BuiltEngine, Core
from tests.conftest import Built


def graph(nodes: Sequence[tuple[str, str]]) -> Graph:
    """A chain of additions of an input x, (section, name) each, which are numbered from 1."""
    b = GraphBuilder("chain")
    x = word = b.input("x", 8)
    for section, name in nodes:
        b.section(section)
        word = b.named(b.add(word, x), name)
    b.output("y", word)
    return b.build()


CHAIN = graph(
    [
        ("before round 1", "whitened"),
        ("round key 1", "k1"),
        ("round 1", "a"),
        ("round 1", "b"),
        ("round 2", "a"),
        ("round key 2", "k2"),
        ("round key 4", "k4"),
        ("after round 2", ""),
        ("", "own"),
    ]
)


@pytest.mark.parametrize(
    ("stages", "titles"),
    [
        ([[1]], ["stage 1 of 1: before round 1: whitened"]),
        ([[1, 2, 3]], ["stage 1 of 1: round 1; round key 1: whitened, k1, a"]),
        (
            [[3], [4], [5]],
            [
                "stage 1 of 3: round 1, stage 1 of 2: a",
                "stage 2 of 3: round 1, stage 2 of 2: b",
                "stage 3 of 3: round 2: a",
            ],
        ),
        ([[3, 5]], ["stage 1 of 1: round 2: 2 a"]),
        ([[3, 4, 5]], ["stage 1 of 1: round 1: 2 a, b"]),
        ([[2, 6]], ["stage 1 of 1: round keys 1 and 2: k1, k2"]),
        ([[2, 6, 7]], ["stage 1 of 1: round keys 1 to 4: k1, k2, k4"]),
        ([[5, 8]], ["stage 1 of 1: after round 2: a, add"]),
        ([[9]], ["stage 1 of 1: own"]),
        ([[], [9]], ["stage 1 of 2: registers alone", "stage 2 of 2: own"]),
        ([[9], [], [], []], ["stage 1 of 4: own", "stage 2 of 4: registers alone, to stage 4", "", ""]),
    ],
)
def test_titles(stages: list[list[int]], titles: list[str]) -> None:
    assert stage_titles(CHAIN, stages) == titles


def test_a_title_lists_eight_names_at_most() -> None:
    many = graph([("round 1", f"n{k}") for k in range(12)])
    assert stage_titles(many, [range(1, 13)]) == ["stage 1 of 1: round 1: n0, n1, n2, n3, n4, n5, n6, n7"]


def test_names_are_in_order_of_their_number() -> None:
    """The most frequent first; equal ones in the order of the graph."""
    some = graph([("", "a"), ("", "b"), ("", "c"), ("", "b")])
    assert stage_titles(some, [range(1, 5)]) == ["stage 1 of 1: 2 b, a, c"]


STEPS = graph(
    [
        ("round 1: SubBytes", "a"),
        ("round 1: MixColumns", "b"),
        ("round 1", "c"),
        ("round 2: MixColumns of round 1, AddRoundKey of round 1, SubBytes", "d"),
        ("round 2: SubBytes", "e"),
        ("rounds 3 and 4: FO", "f"),
        ("round 5: layer of FL", "l"),
        ("after round 4: FL", "g"),
        ("before round 5: FL", "h"),
    ]
)


@pytest.mark.parametrize(
    ("nodes", "title"),
    [
        ([1], "round 1, SubBytes: a"),
        ([1, 2], "round 1, SubBytes and MixColumns: a, b"),
        ([3], "round 1: c"),
        ([4, 5], "round 2, MixColumns and AddRoundKey of round 1, then SubBytes: d, e"),
        ([5], "round 2, SubBytes: e"),
        ([1, 5], "round 2, SubBytes: a, e"),
        ([6, 5], "rounds 3 and 4, FO: f, e"),
        ([7], "round 5, layer of FL: l"),
        ([6, 8], "after round 4, FL: f, g"),
        ([8, 9], "after round 4, FL: g, h"),
    ],
)
def test_the_standards_steps(nodes: list[int], title: str) -> None:
    assert stage_titles(STEPS, [nodes]) == [f"stage 1 of 1: {title}"]


def titles_of(core: Core | BuiltEngine) -> list[str]:
    """Comments of the stages of a pipeline, without the stage's number and its results."""
    text = re.sub(r"\n    // (?!Stage)", " ", core.files[f"{core.top}.v"])
    found = re.findall(r"^    // Stage \d+ of \d+: ([^:\n]*):", text, re.M)
    return [re.sub(r", stage \d+ of \d+", "", title) for title in found]


def test_a_pipeline_names_rounds_and_steps(built: Callable[..., Built]) -> None:
    """Of AES with maps made one, and of Camellia, whose rounds follow each other but for the layers of FL."""
    titles = titles_of(built("aes128-fast")[0])
    assert titles[0] == "before round 1, AddRoundKey" and titles[-1] == "round 10, AddRoundKey"
    for n in range(2, 11):
        joined = f"round {n}, SubBytes, MixColumns and AddRoundKey of round {n - 1}, then SubBytes"
        assert joined in titles and f"round {n}, SubBytes" in titles
    rounds = [int(n) for t in titles_of(built("camellia-fast")[0]) for n in re.findall(r"^round (\d+)", t)]
    assert set(rounds) == set(range(1, 19))
    back = [n for n, after in pairwise(rounds) if after < n]
    assert {n % 6 for n in back} <= {0, 2}, "only where a layer of FL lies between two rounds"
