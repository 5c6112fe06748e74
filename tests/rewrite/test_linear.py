"""Linear layers as XOR networks: the same map, the sums around it, and the marks that the networks must
keep.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cipherwright.cipher import khazad
from cipherwright.cipher.word import over, under
from cipherwright.graph import Graph, GraphBuilder, evaluate_many
from cipherwright.rewrite import network, realise_linear
from cipherwright.rewrite.linear.xor import Network

THETA = tuple(reversed(khazad.THETA.rows))


def theta(b: GraphBuilder, a: int) -> int:
    return under(b, khazad.theta(over(b, a)))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_matrix(data: st.DataObject) -> None:
    columns, k = data.draw(st.integers(1, 24)), data.draw(st.integers(2, 6))
    rows = data.draw(st.lists(st.integers(1, (1 << columns) - 1), min_size=1, max_size=16))
    extra = data.draw(st.integers(0, 2))
    net = network(rows, columns, k, extra)
    assert net.rows() == tuple(rows)
    assert all(1 <= len(ops) <= k for ops in (*net.nodes, *net.outs))
    assert all(o < columns + i for i, ops in enumerate(net.nodes) for o in ops)


@pytest.mark.parametrize(
    ("k", "depth", "size"),
    [(4, 0, 255), (4, 7, 255), (4, 4, 271), (4, 3, 284), (6, 2, 271), (5, 3, 242), (5, 7, 220)],
)
def test_theta_with_key_addition(k: int, depth: int, size: int) -> None:
    """The paper takes 384 LUT4s; the aim was 260."""
    net = network(THETA, 64, k, 1, depth)
    assert net.rows() == THETA
    assert net.size(k, 1) <= size
    assert not depth or net.depth() <= depth
    assert all(len(ops) < k for ops in net.outs)


def test_theta_is_an_involution() -> None:
    net = network(THETA, 64, 4, 0)
    columns = [sum((r >> c & 1) << i for i, r in enumerate(net.rows())) for c in range(64)]

    def apply(word: int) -> int:
        out = 0
        for c in range(64):
            out ^= columns[c] if word >> c & 1 else 0
        return out

    assert all(apply(apply(1 << c)) == 1 << c for c in range(64))


def test_a_wrong_network_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Network.rows

    def swapped(made: Network) -> tuple[int, ...]:
        first, second, *others = rows(made)
        return (second, first, *others)

    monkeypatch.setattr(Network, "rows", swapped)
    with pytest.raises(AssertionError, match="does not compute its matrix"):
        network(THETA, 64, 4, 1)


def _same(a: Graph, b: Graph) -> None:
    rng = np.random.default_rng(5)
    inputs = {n: rng.integers(0, 2, (a.nodes[i].width, 257), dtype=np.uint8) for n, i in a.inputs.items()}
    left, right = evaluate_many(a, inputs), evaluate_many(b, inputs)
    assert all((left[n] == right[n]).all() for n in left)


def _sums() -> Graph:
    """A map whose rows are read in every way: in sums with words and constants, alone, by two users,
    through wiring.
    """
    b = GraphBuilder("sums")
    x, k, m = b.input("x", 64), b.input("k", 64), b.input("m", 16)
    y = theta(b, b.xor(x, k))
    total = b.xor(b.xor(y, b.const(64, 0x0F1E2D3C4B5A6978)), b.xor(k, x))
    b.output("a", total)
    z = theta(b, x)
    low = b.select(z, range(15, -1, -1))
    b.output("b", b.xor(low, m))
    b.output("c", b.and_(low, m))
    b.output(
        "d",
        b.cat(
            b.select(z, range(63, 15, -1)),
            b.xor(
                b.select(theta(b, k), range(15, -1, -1)),
                b.cat(b.const(8, 0x5A), b.select(m, range(7, -1, -1))),
            ),
        ),
    )
    return b.build()


@pytest.mark.parametrize("depth", [0, 3, 4])
@pytest.mark.parametrize("k", [3, 4, 6])
def test_sums_around_a_map(k: int, depth: int) -> None:
    plain = _sums()
    made = realise_linear(plain, k, depth)
    assert not any(n.op == "linear" for n in made.nodes)
    assert all(len(n.args) <= k for n in made.nodes if n.op == "lut")
    _same(plain, made)


def test_packing_counts_what_it_prints() -> None:
    b = GraphBuilder("one")
    b.output("y", b.xor(theta(b, b.input("a", 64)), b.input("k", 64)))
    made = realise_linear(b.build(), 4)
    assert sum(n.width for n in made.nodes if n.op == "lut") == network(THETA, 64, 4, 1).size(4, 1) == 255


def test_levels_and_size() -> None:
    net = Network(4, ((0, 1), (4, 2)), ((5, 3), (0,)))
    assert (net.levels(), net.depth(), net.size(4), net.size(4, 1), net.size(4, 4)) == (
        [0, 0, 0, 0, 1, 2],
        3,
        3,
        4,
        6,
    )
    assert net.rows() == (0b1111, 0b0001)
