"""Words of a Feistel network in the basis of their boxes."""

from __future__ import annotations

import dataclasses
import random

import pytest

from cipherwright import UserError, build, load
from cipherwright.cipher.camellia import P
from cipherwright.engine import key_parts
from cipherwright.graph import Graph, evaluate
from cipherwright.rewrite import WORD_BASES, common_words, held_words, realise, same_up_to_linear_maps
from cipherwright.rewrite.linear.xor import network


def rounds(preset: str, **changes: object) -> Graph:
    parts = key_parts(load(preset, **changes))
    assert parts is not None
    return realise(parts.rounds, "tower", WORD_BASES)


@pytest.mark.parametrize("key_bits", [128, 256])
@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
def test_the_function_is_the_same(key_bits: int, direction: str) -> None:
    graph = rounds("camellia-fast", key_bits=key_bits, direction=direction)
    common = common_words(graph)
    r = random.Random(1)
    given = {n: r.getrandbits(graph.nodes[i].width) for n, i in graph.inputs.items()}
    assert evaluate(common, given) == evaluate(graph, given)


def test_what_is_left_of_the_maps() -> None:
    graph = rounds("camellia-fast")
    common = common_words(graph)
    assert same_up_to_linear_maps(graph, common)
    agile = [n.attr[0] for i, n in enumerate(common.nodes) if n.op == "linear" and common.agile[i]]
    # Two of the eight boxes of a round read a rotated byte; three times 16 bytes come into the basis.
    assert agile.count("In") == 18 * 2 + 3 * 16
    assert agile.count("Back") == 3 * 16
    assert agile.count("P") == 18 * 8
    assert agile.count("CamelliaSBox1Out") == 18 * 8
    # A round key is held in one form: what its two sums read.
    assert {len(rows) for rows in held_words(common).rows.values()} == {64, 128}


def test_a_wrong_map_is_seen() -> None:
    graph = rounds("camellia-fast")
    common = common_words(graph)
    nodes = list(common.nodes)
    k = next(i for i, n in enumerate(nodes) if n.op == "linear" and n.attr[0] == "P")
    name, rows = nodes[k].attr
    nodes[k] = dataclasses.replace(nodes[k], attr=(name, (rows[0] ^ 1, *rows[1:])))
    wrong = Graph(common.name, tuple(nodes), common.outputs)
    assert not same_up_to_linear_maps(graph, wrong)


def test_the_layer_is_two_levels_with_the_word_and_its_keys() -> None:
    rows = tuple(sum(1 << k // 8 for k in range(64) if row >> k & 1) for row in P.rows[7::8])[::-1]
    net = network(rows, 8, 4, 3, 2)
    assert net.depth() == 2
    assert len(net.nodes) == 6 and all(len(ops) == 3 for ops in net.outs)


@pytest.mark.parametrize("preset", ["sm4-fast", "aes128-fast"])
def test_another_linear_layer_is_refused(preset: str) -> None:
    with pytest.raises(UserError, match="common_basis = true does not suit"):
        build(preset, common_basis=True, fuse_linear=False)
