"""Simulation in bulk: the evaluator equals the cycle-accurate model and the independent implementations,
and its own faults are seen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cipherwright.cipher.modes import next_counter, ways
from cipherwright.errors import CheckFailed
from cipherwright.verify import Bench, Bulk, oracle_blocks, oracle_bulk, oracle_of
from cipherwright.verify.bulk import emit, program
from cipherwright.verify.bulk.bench import counter_blocks
from cipherwright.verify.modes import in_mode
from cipherwright.verify.netlist import read_modules, read_netlist
from tests.conftest import QUICK_AES, Built
from tests.verify.test_checks import broken

CORES = [
    ("des-small",),
    ("khazad-small",),
    ("aes-tiny", "stages=2"),
    ("aes128-fast", *QUICK_AES),
    ("des-xilinx-16",),
]


@pytest.mark.long_check
@pytest.mark.parametrize("variant", CORES, ids=" ".join)
def test_blocks_under_many_keys(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    """More blocks than lanes, the last word not full; keys and directions change from block to block, or
    from lane to lane where they are held.
    """
    _, folder = built(*variant)
    bulk, p, rng = (
        Bulk.compile(folder.sources, folder.record),
        folder.record["parameters"],
        np.random.default_rng(3),
    )
    n = 2 * bulk.lanes + 77
    held = p["key_expansion"] == "unit" or p["key"] == "static"
    keys = rng.integers(0, 256, (bulk.lanes if held else n, p["key_bits"] // 8), dtype=np.uint8)
    blocks = rng.integers(0, 256, (n, p["block_bits"] // 8), dtype=np.uint8)
    ways = (
        rng.integers(0, 2, n, dtype=np.uint8)
        if p["direction"] == "both" and not held
        else np.zeros(1, dtype=np.uint8)
    )
    got = bulk.crypt(keys, ways, blocks)
    assert (got == oracle_blocks(oracle_of(p), np.resize(keys, (n, keys.shape[1])), ways, blocks)).all()
    # The same by tables, and fewer blocks than lanes.
    tables, few = Bulk.compile(folder.sources, folder.record, 1), bulk.lanes - 5
    assert (tables.crypt(keys[:few], ways[:few], blocks[:few]) == got[:few]).all()
    # One key for all, and again the same one: what is held stays right.
    for _ in range(2):
        assert bulk.crypt(keys[:1], np.zeros(1, dtype=np.uint8), blocks).tobytes() == oracle_bulk(
            oracle_of(p), keys[0].tobytes(), blocks.tobytes(), False
        )


MESSAGES = [
    ("aes128-fast-ctr", *QUICK_AES),
    ("aes128-fast-decrypt", *QUICK_AES, "mode=cfb"),
    ("des-small", "mode=cbc", "stages=2"),
    ("aes-tiny", "mode=ctr", "counter_bits=32", "stages=2"),
    ("des-small", "mode=ofb"),
]


@pytest.mark.long_check
@pytest.mark.parametrize("variant", MESSAGES, ids=" ".join)
def test_messages_in_every_mode(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    _, folder = built(*variant)
    bulk, p, rng = (
        Bulk.compile(folder.sources, folder.record),
        folder.record["parameters"],
        np.random.default_rng(4),
    )
    key, iv, data = (
        rng.bytes(p["key_bits"] // 8),
        b"\xff" * (p["block_bits"] // 8 - 1) + b"\xf0",
        rng.bytes(p["block_bits"] // 8 * 90),
    )
    for way in ways(p["direction"]):
        assert bulk.crypt_bulk(key, bool(way), data, iv) == in_mode(
            p, key, iv, data, np.full(90, way, dtype=np.uint8)
        )


def test_counter_blocks() -> None:
    rng = np.random.default_rng(5)
    for size, counts in ((16, (1, 8, 32, 63, 64, 65, 127, 128)), (8, (8, 63, 64, 128))):
        for count in counts:
            for iv in (
                rng.bytes(size),
                b"\xff" * size,
                b"\0" * size,
                b"\xff" * (size - 1) + b"\xfe",
                b"\x12" * 4 + b"\xff" * (size - 4),
            ):
                want = [
                    next_counter(int.from_bytes(iv, "big"), min(count, 8 * size), 3 + i).to_bytes(size, "big")
                    for i in range(5)
                ]
                assert counter_blocks(iv, count, 3, 5).tobytes() == b"".join(want), (size, count, iv.hex())


def test_both_forms_of_the_netlist_are_one(built: Callable[..., Built]) -> None:
    """The hierarchy that is evaluated, and the flat netlist of the proof, through the same evaluator."""
    _, folder = built("des-small")
    top = folder.record["top"]
    flat = program.clocked_program({top: read_netlist(folder.sources, top)}, top, "clk")
    deep = program.clocked_program(read_modules(folder.sources, top), top, "clk", whole=True)
    assert len(flat.registers) == len(deep.registers)
    assert sum(g.kind != "$_BUF_" for g in flat.gates) == sum(g.kind != "$_BUF_" for g in deep.gates)


@pytest.mark.long_check
@pytest.mark.parametrize("kind", ["table", "sum", "register"])
def test_faults_of_a_core_are_seen(kind: str, built: Callable[..., Built], tmp_path: Path) -> None:
    """In a result, or by registers that are not equally many on every path."""
    _, folder = built("des-xilinx-16")
    wrong = broken(folder, folder.record["top"], kind, tmp_path / "b", True)
    rng = np.random.default_rng(6)
    key, data = rng.bytes(8), rng.bytes(8 * 20000)

    def checked() -> None:
        bulk = Bulk.compile(wrong.sources, wrong.record)
        if bulk.crypt_bulk(key, False, data) != oracle_bulk("des", key, data, False):
            raise CheckFailed("a result differs")

    with pytest.raises(
        CheckFailed, match="bits of different blocks meet" if kind == "register" else "a result differs"
    ):
        checked()


@pytest.mark.parametrize(
    ("gate", "form", "expected"),
    [
        ("$_XOR_", "{0} | {1}", 1 << 20),
        ("$_MUX_", "MUX({0}, {2}, {1})", 1 << 20),
        ("$_NOT_", "{0}", 1 << 20),
        ("$_XOR_", "{0} | {1}", 1),
    ],
)
def test_faults_of_the_evaluator_are_seen(
    gate: str, form: str, expected: int, built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gate's function swapped in the C++ that is made, for many blocks and for few: the comparison with
    the cycle-accurate model sees it.
    """
    monkeypatch.setitem(emit.FORMS, gate, form)
    _, folder = built("des-small")
    p, rng = folder.record["parameters"], np.random.default_rng(7)
    keys, blocks = (rng.integers(0, 256, (40, 8), dtype=np.uint8) for _ in range(2))
    ways, bench = np.zeros(1, dtype=np.uint8), Bench.compile(folder.sources, folder.record)
    try:
        got = Bulk.compile(folder.sources, folder.record, expected).crypt(keys, ways, blocks)
    except CheckFailed:  # control is wrong: nothing comes out
        return
    assert (got != bench.crypt(keys, ways, blocks).blocks).any()
    assert p["cipher"] == "des"
