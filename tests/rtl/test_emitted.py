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
from cipherwright.tools import find, run
from tests.conftest import (
    AGILE_XTS,
    IN_LIGHT,
    LIGHT_GCM,
    LIGHT_LOOP,
    LIGHT_XTS,
    LONG,
    QUICK_AES,
    QUICK_SM4,
    SLOW,
    Built,
)
from tests.front_ends import core_faults
from tests.renew_golden import GOLDEN, golden_text

VARIANTS = [
    *((p,) for p in preset_names() if p not in LONG),
    ("rijndael256-fast", *QUICK_AES, "stages=14"),
    LIGHT_GCM,
    ("aes-gcm-small", *LIGHT_LOOP, "digit_bits=4", "tag_bits=96", "iv_bits=any"),
    LIGHT_XTS,
    AGILE_XTS,
    ("aes128-xts-small", *LIGHT_LOOP, "direction=encrypt"),
    ("mars-fast",),
    ("mars-small",),
    ("des-fast", "interface=stream"),
    ("des-small", "interface=stream"),
    ("des-xilinx-48", "delay_lines=ff"),
    ("des-fast", "direction=encrypt"),
    ("des-fast", "key=static"),
    ("des-xilinx-16", "interface=plain", "key_schedule=stepped", "round_numbers=signals", "key_lead=0"),
    ("des-small", "stages=3", "rounds_per_cycle=2", "direction=decrypt"),
    ("tdes-small", "key_bits=128", "rounds_per_cycle=4"),
    ("khazad-small", "direction=both", "stages=4"),
    ("khazad-small", "direction=both", "stages=2", "rounds_per_cycle=4"),
    ("mars-small", "direction=decrypt", "stages=7", "rounds_per_cycle=3"),
    ("aes-small", "direction=both", "stages=2", "sbox=boyar_peralta", "hops=[]"),
    ("aes-small", "rounds_per_cycle=4", "stages=1", "sbox=boyar_peralta", "hops=[]"),
    ("aes-tiny", "mode=cbc", "interface=stream"),
    ("aes-gcm-small",),
    (*LIGHT_GCM, "key_slots=2", "packet_keys=announced"),
    ("aes128-cmac-small", "tag_bits=64"),
    ("aes-tiny", "mode=ctr", "stages=1", "key_bits=192"),
    ("des-small", "mode=cfb", "direction=both", "stages=3"),
    ("des-fast", "mode=cbc", "direction=decrypt", "interface=stream"),
    ("aes128-fast-ctr", *QUICK_AES, "interface=stream"),
    ("aes128-fast-ctr", *IN_LIGHT, "lanes=4", "delay_lines=bram"),
    ("aes128-fast-ctr", *QUICK_AES, "stages=24", "lanes=3", "block_ram_boxes=51", "keep_levels=true"),
    ("khazad-ucl-small", "direction=both", "stages=100", "key_words=kept"),
    ("khazad-fast", "key=static", "direction=decrypt"),
    ("misty1-fast", "key=static", "direction=decrypt", "interface=stream"),
    ("khazad-fast", "delay_lines=ram", "srl_from=6", "hops=[]", "stages=63"),
    ("misty1-small", "rounds=12", "direction=decrypt", "stages=3"),
    ("misty1-fast", "direction=both", "stages=70", "hops=[]", "keep_levels=true"),
]


BEHIND_BUSES = [
    (*LIGHT_GCM, "stages=16", "key_slots=2", "interface=axi-stream", "control=axi-lite"),
    (*LIGHT_XTS[:-1], "unit_numbers=counted", "interface=axi-stream", "control=apb"),
    (*LIGHT_XTS, "key_slots=2", "interface=axi-stream", "control=wishbone"),
    (*AGILE_XTS, "unit_numbers=counted", "interface=axi-stream"),
    ("aes128-fast-ctr", *IN_LIGHT, "interface=axi-stream"),
]
"""Two resident keys of packets, runs of units, two resident keys of units, runs that bring their keys, and
messages of any length, whose blocks are beats.
"""


def _lint(top: str, sources: list[str]) -> None:
    """Verilator warns of nothing in the module `top` and those below it."""
    root = Path(find("verilator_bin")).resolve().parent.parent
    done = run(
        "verilator_bin",
        ["--lint-only", "-Wall", "--timing", "--top-module", top, *sources],
        check=False,
        env={"VERILATOR_ROOT": str(root)},
    )
    assert done.returncode == 0, done.stdout
    assert "%Warning" not in done.stdout, done.stdout


@pytest.mark.parametrize(
    "variant", BEHIND_BUSES, ids=["two keys", "runs", "units under two keys", "keys of runs", "messages"]
)
def test_lint_behind_buses(variant: tuple[str, ...], built: Callable[..., Built]) -> None:
    """The core with its buses; the testbench is of the core inside."""
    core, folder = built(*variant)
    assert not core_faults(core)
    _lint(core.top, [str(p) for p in folder.sources])


@pytest.mark.parametrize("variant", VARIANTS, ids=" ".join)
def test_lint_and_testbench(variant: tuple[str, ...], built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built(*variant)
    assert not core_faults(core)
    sources, bench = [str(p) for p in folder.sources], str(folder.path / f"{core.top}_tb.v")
    _lint(f"{core.top}_tb", [*sources, bench])
    run(
        "iverilog",
        [
            "-g2005-sv" if any(s.endswith(".sv") for s in sources) else "-g2005",
            "-o",
            str(tmp_path / "tb"),
            *sources,
            bench,
        ],
    )
    assert run("vvp", ["-n", str(tmp_path / "tb")]).stdout.strip().endswith("PASS")


def test_the_testbench_sees_a_fault(built: Callable[..., Built], tmp_path: Path) -> None:
    from cipherwright.verify.mutate import MUTATIONS, mutate

    core, folder = built("des-xilinx-48", "sbox=lut4")
    text = core.files[f"{core.top}.v"]
    for kind in sorted(set(MUTATIONS) - {"key"}):
        (tmp_path / "core.v").write_text(mutate(text, kind))
        run(
            "iverilog",
            [
                "-g2005",
                "-o",
                str(tmp_path / "tb"),
                str(tmp_path / "core.v"),
                str(folder.path / f"{core.top}_tb.v"),
            ],
        )
        assert "FAIL" in run("vvp", ["-n", str(tmp_path / "tb")]).stdout, kind


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
