"""Two directions through one inversion."""

import random

import pytest

from cipherwright.cipher import CATALOGUE
from cipherwright.engine import key_parts
from cipherwright.graph import Graph, GraphBuilder, evaluate
from cipherwright.rewrite import fuse_linear, realise, share_boxes
from cipherwright.spec import load


def two_ways(*sets: str) -> tuple[Graph, Graph]:
    """The rounds of both directions of AES over their round keys, and these from the key."""
    parts = key_parts(load("aes128-fast-both", list(sets)))
    assert parts is not None
    return parts.rounds, parts.schedule


def inversions(graph: Graph) -> int:
    return sum(n.op == "call" and n.attr.name.startswith("gf_inverse") for n in graph.nodes)


@pytest.mark.parametrize("key_bits", [128, 256])
def test_both_directions_through_one_inversion_a_byte(key_bits: int) -> None:
    rounds, schedule = two_ways(f"key_bits={key_bits}")
    shared = fuse_linear(realise(share_boxes(rounds), "tower"))
    count = CATALOGUE["aes"].standard_rounds(key_bits)
    assert inversions(realise(rounds, "tower")) == 32 * count
    assert inversions(shared) == 16 * count
    rng = random.Random(3)
    for _ in range(6):
        key, block = rng.randbytes(key_bits // 8), rng.randbytes(16)
        words = evaluate(schedule, {"key": int.from_bytes(key, "big")})
        for way in (0, 1):
            got = evaluate(
                shared, {**words, "valid": 1, "block": int.from_bytes(block, "big"), "decrypt": way}
            )["block"]
            assert got.to_bytes(16, "big") == CATALOGUE["aes"].encrypt_block(key, block, bool(way))


def test_ways_that_differ_do_not_share() -> None:
    b = GraphBuilder("uneven")
    decrypt, x = b.input("decrypt", 1), b.input("x", 8)
    b.output("y", b.mux(decrypt, x, b.lookup("SBox", load("aes-small").described.tables()["SBox"][1], 8, x)))
    with pytest.raises(ValueError, match="differ in their boxes"):
        share_boxes(b.build())
    b = GraphBuilder("none")
    b.output("y", b.xor(b.input("x", 1), b.input("decrypt", 1)))
    with pytest.raises(ValueError, match="does not choose"):
        share_boxes(b.build())
