"""The emitted Verilog: the same bytes, lint-clean, accepted by Icarus and Verilator, registers as
predicted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from cipherwright import flow
from cipherwright.flow import generate
from cipherwright.spec import load, preset_names
from tests.conftest import (
    LIGHT_GCM,
    LIGHT_XTS,
    LONG,
    QUICK_SM4,
    SLOW,
    Built,
)
from tests.emitted_variants import ALWAYS, BEHIND_BUSES, VARIANTS
from tests.front_ends import LANGUAGES, LINT, core_faults, lint, lint_and_run, run_testbench, verilog
from tests.recorded import Measured, simulators
from tests.renew_golden import GOLDEN, golden_text


@pytest.mark.parametrize(
    "variant",
    BEHIND_BUSES,
    ids=[
        *("two keys", "runs", "units under two keys", "keys of runs", "messages", "words of lanes"),
        "a long expansion",
    ],
)
def test_lint_behind_buses(variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path) -> None:
    """The core with its buses; the testbench is of the core inside."""
    core, folder = built(*variant)
    assert not core_faults(core)
    lint(core.top, folder.sources)
    bench = folder.path / f"{core.top}_tb.v"
    assert run_testbench([*folder.sources, bench], tmp_path).endswith("PASS")


@pytest.mark.parametrize("variant", VARIANTS, ids=" ".join)
def test_lint_and_testbench(
    variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path, measured: Measured
) -> None:
    """Texts that went through both tools before are in the record; all others go through them here."""
    core, folder = built(*variant)
    assert not core_faults(core)
    if variant in ALWAYS:
        assert lint_and_run(core.top, folder, tmp_path) == "PASS"
        return
    texts = (part for file in sorted(verilog(core.files).items()) for part in file)
    decides = (simulators(), *LINT, *LANGUAGES, *texts)
    name = f"lint and testbench {' '.join(variant)}"
    assert measured(name, decides, lambda: lint_and_run(core.top, folder, tmp_path)) == "PASS"


def test_the_testbench_sees_a_fault(built: Callable[..., Built], tmp_path: Path) -> None:
    from cipherwright.verify.mutate import MUTATIONS, mutate

    core, folder = built("des-xilinx-48", "sbox=lut4")
    text = core.files[f"{core.top}.v"]
    for kind in sorted(set(MUTATIONS) - {"key"}):
        (tmp_path / "core.v").write_text(mutate(text, kind))
        bench = folder.path / f"{core.top}_tb.v"
        assert "FAIL" in run_testbench([tmp_path / "core.v", bench], tmp_path), kind


def generated_again(preset: str, changes: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The files of a core that was compared with its description as it was built: that is not done again."""
    monkeypatch.setattr(flow, "confirm_core", lambda *_: None)
    given = {"preset": preset, **dict(c.split("=", 1) for c in changes)}
    return generate(load(preset, changes), given).files


@pytest.mark.parametrize("preset", preset_names())
def test_same_input_same_bytes(
    preset: str, built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what is in them goes into a design with all other presets, and through a strict front end."""
    first = built(preset)[0]
    if (preset,) not in VARIANTS:  # the others' front end is that of the test above
        assert not core_faults(first)
    if preset not in (*LONG, *SLOW):  # quicker variants of what they have are below
        assert first.files == generated_again(preset, [], monkeypatch)
    text = first.files[f"{first.top}.v"]
    assert not re.search(r"20\d\d-\d\d-\d\d|/home|/tmp|\b" + re.escape(os.uname().nodename) + r"\b", text)
    assert f"cipherwright build {preset}" in text


@pytest.mark.parametrize("variant", [LIGHT_GCM, LIGHT_XTS, QUICK_SM4], ids=lambda v: v[0])
def test_quick_variants_have_the_same_bytes(
    variant: tuple[str, ...], built: Callable[..., Built], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the presets that take long to generate."""
    preset, *changes = variant
    assert built(*variant)[0].files == generated_again(preset, changes, monkeypatch)


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, root: Path) -> None:
    assert (root / "golden" / f"{name}.v").read_text() == golden_text(name), (
        "make golden renews the files; say so in CHANGELOG.md"
    )


def test_one_module_for_each_distinct_stage(built: Callable[..., Built]) -> None:
    """48 stages of DES are three kinds of stage, and first ones that read the block in its own bit order."""
    core, _ = built("des-xilinx-48")
    stages = [m.name for m in core.design.modules if re.search(r"_stage\d+$", m.name)]
    assert len(stages) <= 5
    assert not any(
        "always @(posedge" in core.files[f"{core.top}.v"].split(f"module {m} (")[1].split("endmodule")[0]
        for m in stages
    )
