"""Walks the catalogue and fails on any gap: vectors, page, preset, budget, oracle, tables."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from cipherwright.cipher import CATALOGUE
from cipherwright.spec import load, preset_names
from cipherwright.target import load_target
from cipherwright.verify import oracle_bulk, oracle_of
from cipherwright.verify.vectors import own_vectors

PUBLISHED = {"mars": (128, 192, 256)}
"""Key sizes with published answers, where there are none for the others."""


@pytest.mark.parametrize("name", CATALOGUE)
def test_no_gaps(name: str, root: Path) -> None:
    cipher = CATALOGUE[name]
    vectors = own_vectors(name)
    assert {len(v.key) * 8 for v in vectors} == set(PUBLISHED.get(name, cipher.key_sizes))
    assert all(v.source for v in vectors)
    assert (root / "docs" / "ciphers" / f"{name}.md").read_text().startswith(f"# {cipher.title}\n")
    presets = [p for p in preset_names() if load(p).cipher == name]
    budgets = {
        b["preset"] for b in tomllib.loads((root / "benchmarks" / "budgets.toml").read_text())["budget"]
    }
    assert presets
    assert set(presets) <= budgets
    size = cipher.block_bits // 8
    assert (
        len(
            oracle_bulk(
                oracle_of({"cipher": name, "block_bits": cipher.block_bits}),
                bytes(range(cipher.key_sizes[0] // 8)),
                bytes(size),
                False,
            )
        )
        == size
    )
    for width, entries in cipher.tables().values():
        assert all(0 <= e < 1 << width for e in entries)


@pytest.mark.parametrize("preset", preset_names())
def test_presets_say_what_they_are(preset: str) -> None:
    spec = load(preset)
    assert spec.name == preset
    assert spec.title
    load_target(spec.target)


def test_shared_vectors_are_not_in_the_repository(root: Path) -> None:
    assert not list(root.glob("src/**/*.jsonl"))
