"""S-boxes over the tower field, fused linear maps, and the proof that fusing changes nothing."""

from __future__ import annotations

import dataclasses
import random

import pytest

from cipherwright.arch import describe, rewritten
from cipherwright.cipher.field import product
from cipherwright.cipher.rijndael import INV_SBOX, SBOX
from cipherwright.graph import Graph, GraphBuilder, Table, evaluate
from cipherwright.rewrite import fuse_linear, network, prove, realise, realise_linear, same_up_to_linear_maps
from cipherwright.rewrite.sbox.tower import affine_maps, bases_of, tower_whole
from cipherwright.rtl import DesignModel, from_lanes, lower, to_lanes
from cipherwright.schedule import UNIT, luts_of, schedule
from cipherwright.spec import load

BOXES = [Table("SBox", 8, SBOX), Table("InvSBox", 8, INV_SBOX)]


@pytest.mark.parametrize("box", BOXES, ids=lambda t: t.name)
def test_every_address(box: Table) -> None:
    prove(box, tower_whole(box))
    wrong = dataclasses.replace(box, entries=(box.entries[1], box.entries[0], *box.entries[2:]))
    with pytest.raises(AssertionError, match="SBox"):
        prove(wrong, tower_whole(box))
    with pytest.raises(ValueError, match="is not inversion"):
        affine_maps(wrong)


def test_the_nonlinear_part_takes_34_lookup_tables() -> None:
    g = tower_whole(BOXES[0])
    names = ("gf_f", "gf_g", "gf_n", "gf_d", "gf_p")
    assert sum(luts_of(g, n) for n in g.nodes if n.name in names) == 34


def test_coordinates_are_a_field_isomorphism() -> None:
    t = bases_of(BOXES[0])
    for x in (0, 1, 0x53, 0xFF):
        assert t.number(t.coordinates(x, t.basis), t.basis) == x
    assert product(0x53, 0xCA, 0x11B) == 1


@pytest.mark.parametrize("changes", [(), ("direction=decrypt",), ("key_bits=256",)], ids=" ".join)
def test_fusing_keeps_the_cipher(changes: tuple[str, ...]) -> None:
    spec = load("aes128-fast-agile", changes)
    plain = describe(spec)
    realised = realise(plain, "tower")
    fused = fuse_linear(realised)
    assert same_up_to_linear_maps(realised, fused)
    r = random.Random(5)
    for _ in range(3):
        given = {n: r.getrandbits(plain.nodes[i].width) for n, i in plain.inputs.items()}
        assert evaluate(fused, given) == evaluate(plain, given)


def test_a_wrong_map_is_seen() -> None:
    realised = realise(describe(load("aes128-fast-agile")), "tower")
    nodes = list(fuse_linear(realised).nodes)
    k = next(i for i, n in enumerate(nodes) if n.op == "linear" and n.attr[0] == "SBoxMix")
    name, rows = nodes[k].attr
    nodes[k] = dataclasses.replace(nodes[k], attr=(name, (rows[0] ^ 1, *rows[1:])))
    broken = Graph("broken", tuple(nodes), fuse_linear(realised).outputs)
    assert not same_up_to_linear_maps(realised, broken)


def test_a_column_from_s_box_to_s_box() -> None:
    """One map of 32 bits from 48 product bits and the key: at most 105 LUT4s."""
    fused = fuse_linear(realise(describe(load("aes128-fast-agile")), "tower"))
    maps = [n for n in fused.nodes if n.op == "linear" and n.attr[0] == "SBoxMix" and len(n.attr[1]) == 32]
    assert len(maps) == 36
    for n in maps:
        net = network(tuple(reversed(n.attr[1])), 48, 4, 1, 4)
        assert net.size(4, 1) <= 105
        assert net.depth() <= 4


def test_the_whole_pipeline_stays_within_its_lookup_tables() -> None:
    spec = load("aes128-fast-agile")
    graph = rewritten(spec, describe(spec), UNIT).graph
    assert sum(luts_of(graph, n) for n in graph.nodes) <= 15903


def test_boxes_in_different_fields_have_parts_of_their_own() -> None:
    """AES's box and its inverse side by side: the parts of their fields differ, and so do their names."""
    b = GraphBuilder("two_boxes")
    address = b.input("a", 8)
    b.output("y", b.cat(*(b.lookup(t.name, t.entries, 8, address) for t in BOXES)))
    plain = b.build()
    made = realise(plain, "tower")
    design = lower(schedule(realise_linear(made, 4), UNIT, stages=1), "boxes")
    given = list(range(0, 256, 5))
    (out,) = DesignModel(design, len(given)).run({"a_i": to_lanes(given, 8)}).values()
    assert from_lanes(out, len(given)) == [evaluate(plain, {"a": a})["y"] for a in given]
