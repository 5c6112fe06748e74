"""Words of a Feistel network kept as their boxes read them, and boxes found as inversion by their table."""

from __future__ import annotations

import dataclasses
import random

import pytest

from cipherwright.cipher.camellia_tables import SBOX1
from cipherwright.cipher.sm4_tables import SBOX
from cipherwright.engine import key_parts
from cipherwright.graph import Graph, Table, evaluate
from cipherwright.rewrite import fuse_linear, prove, realise, same_up_to_linear_maps
from cipherwright.rewrite.linear.domain import inverse_rows, map_words
from cipherwright.rewrite.sbox.tower import affine_maps, is_inversion, tower_whole
from cipherwright.spec import load

BOXES = [Table("a", 8, SBOX), Table("b", 8, SBOX1)]


def rounds(preset: str) -> Graph:
    parts = key_parts(load(preset))
    assert parts is not None
    return realise(parts.rounds, "tower")


@pytest.mark.parametrize("box", BOXES, ids=("sm4", "camellia"))
def test_a_box_is_found_by_its_table(box: Table) -> None:
    prove(box, tower_whole(box))
    wrong = dataclasses.replace(box, entries=(box.entries[1], box.entries[0], *box.entries[2:]))
    assert not is_inversion(wrong)
    with pytest.raises(ValueError, match="is not inversion"):
        affine_maps(wrong)


def test_an_inverse_map() -> None:
    rows = (0b110, 0b011, 0b001)
    back = inverse_rows(rows)
    assert back is not None

    def apply(rows: tuple[int, ...], x: int) -> int:
        return sum(((row & x).bit_count() & 1) << 2 - i for i, row in enumerate(rows))

    assert [apply(back, apply(rows, x)) for x in range(8)] == list(range(8))
    assert inverse_rows((0b110, 0b011, 0b101)) is None


@pytest.mark.parametrize(("preset", "maps"), [("sm4-fast", 20), ("camellia-fast", 56)])
def test_words_are_mapped(preset: str, maps: int) -> None:
    graph = rounds(preset)
    mapped = map_words(graph)
    assert mapped is not graph
    r = random.Random(1)
    for _ in range(3):
        given = {n: r.getrandbits(graph.nodes[i].width) for n, i in graph.inputs.items()}
        assert evaluate(mapped, given) == evaluate(graph, given)
    fused = fuse_linear(graph)
    assert same_up_to_linear_maps(graph, fused)
    # No map before a box is left but in front of the words that come in.
    ahead = [
        i
        for i, n in enumerate(fused.nodes)
        if n.op == "linear" and n.attr[0].endswith("In") and fused.agile[i]
    ]
    assert len(ahead) == maps


def test_a_wrong_map_is_seen() -> None:
    graph = rounds("sm4-fast")
    nodes = list(fuse_linear(graph).nodes)
    k = next(i for i, n in enumerate(nodes) if n.op == "linear" and n.attr[0] == "LMappedMix")
    name, rows = nodes[k].attr
    nodes[k] = dataclasses.replace(nodes[k], attr=(name, (rows[0] ^ 1, *rows[1:])))
    wrong = Graph(graph.name, tuple(nodes), fuse_linear(graph).outputs)
    assert not same_up_to_linear_maps(graph, wrong)


def test_a_network_without_such_words_stays() -> None:
    graph = rounds("aes128-fast")
    assert map_words(graph) is graph
