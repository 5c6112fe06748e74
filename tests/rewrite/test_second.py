"""A second set of held words, which blocks of one direction alone may choose."""

import random
from collections.abc import Iterator
from itertools import product

import pytest

from cipherwright.arch import choosing, never_second, rows_of
from cipherwright.graph import STATIC, Graph, GraphBuilder, evaluate
from cipherwright.rewrite import SECOND, second_bits, with_second_words
from cipherwright.spec import Datapath, load

_BOTH = ("direction=both", "fuse_linear=true", "sbox=tower")


def two_ways(shared: bool = False) -> Graph:
    """decrypt ? block + the high half of a word : block + its low half; or both halves through one node."""
    b = GraphBuilder("ways")
    decrypt, block, word = b.input("decrypt", 1), b.input("block", 4), b.input("rk", 8, STATIC)
    low, high = b.select(word, (3, 2, 1, 0)), b.select(word, (7, 6, 5, 4))
    if shared:
        both = b.xor(b.xor(block, low), high)
        b.output("block", b.mux(decrypt, both, b.xor(both, b.const(4, 5))))
    else:
        b.output("block", b.mux(decrypt, b.xor(block, high), b.xor(block, low)))
    return b.build()


def test_what_the_other_direction_reads_is_not_in_the_second_set() -> None:
    plain = two_ways()
    graph = with_second_words(plain, "second", never="decrypt")
    assert second_bits(plain, "decrypt") == {"rk": (0, 1, 2, 3)}
    assert second_bits(plain, "") == {"rk": tuple(range(8))}
    width = {n: graph.nodes[i].width for n, i in graph.inputs.items()}
    assert (width["rk"], width["second_rk"]) == (8, 4)
    assert sum(n.op == "mux" and n.width == 4 for n in graph.nodes) == 2, "the direction's and one choice"


def _blocks() -> Iterator[dict[str, int]]:
    rng = random.Random(5)
    for decrypt, second in product((0, 1), repeat=2):
        for _ in range(8):
            words = {"rk": rng.getrandbits(8), "second_rk": rng.getrandbits(4)}
            yield {**words, "block": rng.getrandbits(4), "decrypt": decrypt, "second": second}


def test_a_block_of_the_other_direction_reads_the_first_set() -> None:
    """The output is what each word alone gives; one with the meaning of the bit turned round differs."""
    plain, graph = two_ways(), with_second_words(two_ways(), "second", never="decrypt")
    wrong = 0
    for given in _blocks():
        word = given["second_rk"] if given["second"] and not given["decrypt"] else given["rk"]
        of = {"rk": word, "block": given["block"], "decrypt": given["decrypt"]}
        assert evaluate(graph, given) == evaluate(plain, of)
        wrong += evaluate(graph, given) != evaluate(plain, {**of, "decrypt": 1 - given["decrypt"]})
    assert wrong


def test_a_word_that_the_direction_chooses() -> None:
    """One network for both directions: only what encryption takes is chosen between the sets."""
    b = GraphBuilder("one")
    decrypt, block = b.input("decrypt", 1), b.input("block", 4)
    low, high = b.input("rk0", 4, STATIC), b.input("rk1", 4, STATIC)
    b.output("block", b.xor(block, b.mux(decrypt, high, low)))
    graph = with_second_words(b.build(), "second", never="decrypt")
    assert sum(n.op == "mux" for n in graph.nodes) == 2
    for decrypt_bit, second in product((0, 1), repeat=2):
        given = {"rk0": 1, "rk1": 2, "second_rk0": 4, "second_rk1": 8, "block": 0}
        made = evaluate(
            graph,
            {n: v for n, v in given.items() if n in graph.inputs}
            | {"decrypt": decrypt_bit, "second": second},
        )
        assert made["block"] == (2 if decrypt_bit else 4 if second else 1)


def test_what_both_directions_read_is_chosen() -> None:
    plain = two_ways(shared=True)
    graph = with_second_words(plain, "second", never="decrypt")
    assert graph.nodes[graph.inputs["second_rk"]].width == 8
    for second in (0, 1):
        given = {"rk": 0x31, "second_rk": 0x5C, "block": 9, "decrypt": 0, "second": second}
        word = given["second_rk" if second else "rk"]
        assert evaluate(graph, given) == evaluate(plain, {"rk": word, "block": 9, "decrypt": 0})


@pytest.mark.parametrize(
    ("preset", "changes", "never"),
    [
        ("aes128-xts", _BOTH, "decrypt"),
        ("aes128-xts", (), ""),
        ("sm4-fast", ("mode=xts", "direction=both", "key=static", "key_expansion=unit"), "decrypt"),
        ("mars-fast", ("mode=xts", "direction=encrypt", "key=static", "key_expansion=unit"), ""),
        ("aes128-fast-both", (), ""),
        ("aes128-gcm", (), ""),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, tuple) else x or "all",
)
def test_which_modes_have_a_key_that_encrypts_alone(
    preset: str, changes: tuple[str, ...], never: str
) -> None:
    spec = load(preset, list(changes))
    assert isinstance(spec, Datapath)
    assert never_second(spec) == never


def test_rows_of_the_second_set() -> None:
    """The maps of the bits that are left, the highest first; of a word that is whole there is none."""
    rows = {"rk": tuple(1 << k for k in reversed(range(8)))}
    plain = two_ways()
    assert rows_of(plain, rows, "decrypt") == {**rows, f"{SECOND}rk": (8, 4, 2, 1)}
    assert rows_of(plain, rows, "") == rows == rows_of(two_ways(shared=True), rows, "decrypt")
    names = set(choosing(plain, 4, "decrypt").inputs)
    assert {"rk", "second_rk", "other_rk", "second_other_rk"} < names
