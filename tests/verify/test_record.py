"""Records of strangers: nothing but the right types and harmless names gets past the schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from cipherwright.errors import UserError
from cipherwright.verify import CoreFolder

_HOSTILE = ["a b", "a;b", "x; shell rm -rf /", "$(id)", "a\n", "../up", "", "-p", "é", None, 7, ["a"]]
"""What must not be the name of a module or of a file."""


def _changed(record: dict[str, Any], where: str, value: Any) -> dict[str, Any]:
    out = deepcopy(record)
    *path, last = where.split(".")
    part = out
    for step in path:
        part = part[step]
    part[last] = value
    return out


@pytest.fixture(scope="module")
def stored(built: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Any], Path]:
    """stored(preset, record or text) -> a folder with that record."""
    count = iter(range(1000))

    def store(data: Any) -> Path:
        folder = tmp_path_factory.mktemp(f"record{next(count)}")
        (folder / "record.json").write_text(data if isinstance(data, str) else json.dumps(data))
        return folder

    return store


@pytest.mark.parametrize("preset", ["des-small", "rijndael-ucla", "mars-ibm-rom"])
def test_records_of_this_version_pass(preset: str, built: Callable[..., Any]) -> None:
    assert CoreFolder.open(built(preset)[1].path).record["parameters"]["name"] == preset


@pytest.mark.parametrize("name", _HOSTILE, ids=repr)
def test_hostile_names(name: Any, built: Callable[..., Any], stored: Callable[[Any], Path]) -> None:
    record = dict(built("des-small")[1].record)
    inner = {"top": "des_small_core", "ports": record["ports"], "latency_cycles": 17, "early": {}}
    cases = [
        _changed(record, "top", name),
        _changed(record, "ports.clk", name),
        _changed({**record, "inner": inner}, "inner.top", name),
    ]
    if isinstance(name, str):
        cases.append({**record, "files": {name: "0" * 64, "x.v": "0" * 64}})
    for case in cases:
        with pytest.raises(UserError, match=r"record\.json is damaged \(.*\): build the core again"):
            CoreFolder.open(stored(case))


_WRONG: list[tuple[str, Any]] = [
    ("latency_cycles", "17"),
    ("latency_cycles", 0),
    ("latency_cycles", 1 << 40),
    ("interval_cycles", None),
    ("slots", 1.5),
    ("stages", True),
    ("bits_per_cycle", -1),
    ("bits_per_cycle", float("nan")),
    ("predicted", {}),
    ("predicted.ffs", "many"),
    ("parameters", []),
    ("parameters.cipher", 3),
    ("parameters.key_bits", "64"),
    ("ports", {}),
    ("ports", None),
    ("ports.unheard", "x"),
    ("ports.ascending", "no"),
    ("files", {}),
    ("files", {"x.v": "no digest"}),
    ("files", {"x.txt": "0" * 64}),
    ("digest", "f"),
    ("inner", {"top": "x"}),
    ("logic_top", "a b"),
    ("key_cycles", -1),
    ("memory_bits", {"a": "b"}),
    ("warnings", "one"),
]


@pytest.mark.parametrize(("where", "value"), _WRONG, ids=lambda v: repr(v)[:30])
def test_wrong_types(
    where: str, value: Any, built: Callable[..., Any], stored: Callable[[Any], Path]
) -> None:
    with pytest.raises(UserError, match="is damaged"):
        CoreFolder.open(stored(_changed(dict(built("des-small")[1].record), where, value)))


@pytest.mark.parametrize(
    "key",
    [
        "top",
        "parameters",
        "ports",
        "latency_cycles",
        "interval_cycles",
        "slots",
        "bits_per_cycle",
        "predicted",
        "stages",
        "files",
        "digest",
    ],
)
def test_missing_keys(key: str, built: Callable[..., Any], stored: Callable[[Any], Path]) -> None:
    record = {k: v for k, v in built("des-small")[1].record.items() if k != key}
    with pytest.raises(UserError, match="is damaged"):
        CoreFolder.open(stored(record))


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "3", '"text"', "[" * 100_000, "9" * 10_000])
def test_no_record_at_all(text: str, stored: Callable[[Any], Path]) -> None:
    with pytest.raises(UserError, match="is damaged"):
        CoreFolder.open(stored(text))


def test_new_keys_may_come(built: Callable[..., Any], stored: Callable[[Any], Path]) -> None:
    record = dict(built("des-small")[1].record)
    assert (
        CoreFolder.open(stored({**record, "of_a_later_version": {"any": ["thing"]}})).record["top"]
        == "des_small"
    )
