"""Key-expansion units: proven for every kind of key, and a fault in one is seen by proof and simulation."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from cipherwright.cipher.misty1 import Misty1
from cipherwright.engine import key_parts
from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import build
from cipherwright.graph import STATIC, GraphBuilder, evaluate
from cipherwright.rewrite import held_words, same_up_to_linear_maps, with_raw_words
from cipherwright.spec import load, parse
from cipherwright.target import REGISTERS
from cipherwright.verify import Bench, CoreFolder
from cipherwright.verify.expansion import prove_expansion
from tests.conftest import IN_LIGHT, QUICK_AES, Built
from tests.faults import Fault, Faults, adds, all_of, unreset, use, when
from tests.recorded import Counts

# Small ones: tables, few stages, so that the unit is quick to prove.


def prove_unit(folder: CoreFolder, text: str, out: Path) -> None:
    """The unit's proof over a changed text of the core."""
    (out / "core.v").write_text(text)
    p = folder.record["parameters"]
    parts = key_parts(parse(p))
    assert parts is not None
    held = held_words(parts.rounds)
    prove_expansion(
        [out / "core.v"],
        f"{folder.record['top']}_keys",
        parts.schedule,
        held.rows,
        folder.record["inner"]["key_cycles"],
    )


@pytest.mark.long_check
@pytest.mark.parametrize(
    "fault",
    [
        use("word_4", "word_3", "word_2"),
        when("rk3_o", "rk3_load[1]", "1'b1"),
        use("tag_2", "tag_1", "tag_0"),
        use("hit[5]", "4'd6", "4'd5"),
        unreset("done"),
        use("idle", "done[10]", "done[0]"),
        all_of(
            adds(
                "_keys",
                "reg [9:0] age;\nalways @(posedge clk) age <= rst_i | ~idle ? 10'd0 : age + 10'd1;\n",
            ),
            use("rk1_o", "word_3[15:0]", "(age == 10'd1000 ? 16'd0 : word_3[15:0])"),
            when("rk1_o[15:0]", "rk1_load[0]", "(rk1_load[0] | age == 10'd1000)"),
        ),
        when("rk1_o[15:0]", "rk1_load[0]", "(rk1_load[0] | (key_i[7:0] == 8'd3 & idle))"),
    ],
    ids=[
        "wrong word",
        "loads always",
        "number out of step",
        "another's number",
        "not reset",
        "too early",
        "a thousand cycles later",
        "another key that is not offered",
    ],
)
def test_faults_of_the_unit_are_seen(
    fault: Fault | Faults, built: Callable[..., Built], tmp_path: Path
) -> None:
    core, folder = built("aes128-fast", *QUICK_AES)
    text = (folder.path / f"{core.top}.v").read_text()
    with pytest.raises(CheckFailed):
        prove_unit(folder, fault(text), tmp_path)


@pytest.mark.long_check
def test_one_key_after_another_and_back_to_back_blocks(built: Callable[..., Built]) -> None:
    """A second key replaces the first; a key that is offered and withdrawn before it is taken leaves the
    one that is there.
    """
    from cipherwright.verify import oracle_blocks

    core, folder = built("aes128-fast", *QUICK_AES)
    bench = Bench.compile(folder.sources, folder.record)
    r = np.random.default_rng(3)
    keys, blocks = r.integers(0, 256, (2, 16), dtype=np.uint8), r.integers(0, 256, (40, 16), dtype=np.uint8)
    model = bench.start()
    s, p, mode = bench.simulation, bench.ports, np.zeros(1, dtype=np.uint8)
    for key in keys:
        bench.load_key(model, key)
        rows = s.rows(3)  # another key that is offered and withdrawn does not matter
        s.view(rows, p.key_valid)[0] = 1
        s.view(rows, p.key)[:] = r.integers(0, 256, (len(rows), 16), dtype=np.uint8)
        model.run(rows)
        data = bench.words(key.reshape(1, -1), mode, blocks)
        s.view(data, p.valid_in)[:] = 1
        seen = model.run(np.vstack([data, s.rows(core.latency)]))
        valid = s.view(seen, p.valid_out)[:, 0].astype(bool)
        assert (
            s.view(seen[valid], p.block_out)[:, ::-1]
            == oracle_blocks("aes", key.reshape(1, -1), mode, blocks)
        ).all()
    model.close()


def test_held_words_are_linear_maps_of_one_word() -> None:
    b = GraphBuilder("t")
    x, k = b.input("x", 4), b.input("k", 4, STATIC)
    b.output("y", b.and_(x, b.linear("m", (0b0011, 0b0110, 0b1100, 0b1000), k)))
    graph = b.build()
    held = held_words(graph)
    assert held.rows == {"k": (0b1100, 0b1000, 0b0110, 0b0011)}
    assert same_up_to_linear_maps(graph, with_raw_words(held, {"k": 4}))
    b = GraphBuilder("t")
    joined = b.cat(b.input("k", 2, STATIC), b.input("l", 2, STATIC))
    b.output("y", b.and_(b.input("x", 2), b.linear("m", (0b0101, 0b1010), joined)))
    with pytest.raises(ValueError, match="a linear map joins the held words k, l"):
        held_words(b.build())


def test_what_is_no_linear_map_of_a_held_word_stays() -> None:
    """A complement, a sum with a rotation and what is made of these; a word that nothing reads has a bit."""
    b = GraphBuilder("t")
    x, k = b.input("x", 4), b.input("k", 4, STATIC)
    b.input("unread", 4, STATIC)
    odd = b.xor(b.not_(k), b.select(k, (0, 3, 2, 1)))
    b.output("y", b.and_(x, b.linear("m", (0b0011, 0b0110, 0b1100, 0b1000), odd)))
    b.output("z", b.xor(x, b.cat(b.const(2, 1), b.select(k, (1, 0)))))
    graph = b.build()
    held = held_words(graph)
    assert held.rows == {"k": (0b1000, 0b0100, 0b0010, 0b0001), "unread": (1,)}
    raw = with_raw_words(held, {"k": 4, "unread": 4})
    for key in range(16):
        for block in range(16):
            given = {"x": block, "k": key, "unread": 0}
            assert evaluate(raw, given) == evaluate(graph, given)


@pytest.mark.parametrize("other", ["rk3_q", "rk2_q"], ids=["right", "another round's key"])
def test_round_keys_behind_more_registers(other: str, built: Callable[..., Built], tmp_path: Path) -> None:
    """Two registers between the one that holds a round key and its round are proven, and a fault is seen."""
    core, folder = built("aes128-fast", *IN_LIGHT, "key_ranks=2")
    text = (folder.path / f"{core.top}.v").read_text()
    right = other == "rk3_q"
    with nullcontext() if right else pytest.raises(CheckFailed):
        prove_unit(folder, text if right else use("rk3_q1", "rk3_q", other)(text), tmp_path)


def test_flip_flops_of_the_unit_are_the_predicted_ones(built: Callable[..., Built], mapped: Counts) -> None:
    core, folder = built("aes128-fast", *IN_LIGHT, "key_ranks=2")
    found = mapped(folder.sources, core.top, "ecp5-85k-8", REGISTERS)
    assert found.ffs == core.flip_flops
    assert found.brams == 0


def test_units_where_there_are_none_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Misty1, "key_unit", "")
    with pytest.raises(UserError, match="has no key-expansion unit"):
        load("misty1-fast", ["key=static", "key_expansion=unit"])
    with pytest.raises(
        UserError,
        match=(
            "key_expansion = unit needs key = static, not key = agile; the preset asks for key_expansion "
            "= 'unit'"
        ),
    ):
        load("aes128-fast", ["key=agile"])


def test_copies_of_the_direction_are_of_the_rounds_alone() -> None:
    """des-fast copies its direction bit; the key schedule of its unit has none. Every core is compared with
    its description when it is generated.
    """
    core = build(load("des-fast", ["key=static", "key_expansion=unit", "stages=34"]))
    assert core.key_unit is not None and core.ports.decrypt
