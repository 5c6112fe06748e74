"""Every mode behind every interface is accepted by a linter that warns of everything, and its README has no
gaps: small cores, of which each has something that the others have not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import IN_LIGHT, LIGHT_GCM, LIGHT_LOOP, Built
from tests.front_ends import lint
from tests.recorded import verified

LOOP, PIPELINE = ("des-small",), ("des", "stages=16", "key=agile")
LANES = ("aes128-fast-ctr", *IN_LIGHT)
AXI = "interface=axi-stream"
WORDS = "interface=registers"
WHOLE = {
    "gcm": ("aes-gcm-small", *LIGHT_LOOP),
    "ccm": ("aes128-ccm-small", *LIGHT_LOOP),
    "cmac": ("aes128-cmac-small", *LIGHT_LOOP),
    "xts": ("aes128-xts-small", *LIGHT_LOOP),
}
"""Cores of whole messages."""

CASES = (
    (*LOOP, AXI, "fifo_depth=64"),
    (*LOOP, AXI, "fifo_depth=64", "mode=ctr", "tid_bits=3", "control=apb"),
    (*LOOP, AXI, "mode=cbc", "tdata_bits=32", "control=axi-lite"),
    (*LOOP, AXI, "mode=cfb", "direction=both", "tdata_bits=256", "tid_bits=2"),
    (*LOOP, AXI, "mode=ofb", "stages=2", "control=wishbone"),
    (*LOOP, WORDS, "mode=cbc", "control=wishbone"),
    (*LOOP, "delay_lines=ram", "srl_from=2", "stages=12"),
    (*PIPELINE, AXI, "tid_bits=2"),
    (*PIPELINE, AXI, "tdata_bits=32"),
    (*PIPELINE, AXI, "tdata_bits=512", "tid_bits=2"),
    (*PIPELINE, AXI, "mode=ctr", "direction=encrypt"),
    (*PIPELINE, AXI, "mode=ctr", "direction=encrypt", "tdata_bits=32", "tid_bits=1"),
    (*PIPELINE, AXI, "mode=cbc", "direction=decrypt"),
    (*PIPELINE, AXI, "mode=cfb", "direction=decrypt", "tid_bits=3", "tdata_bits=128"),
    (*PIPELINE[:2], "key=static", "key_expansion=unit", AXI, "mode=ctr", "direction=encrypt", "control=apb"),
    (*PIPELINE[:2], "key=static", "key_expansion=unit", AXI, "mode=cbc", "direction=decrypt", "tid_bits=1"),
    ("des", "clock_mhz=400", "direction=encrypt", "key=static", "key_expansion=unit"),
    *(
        (*core, WORDS, f"control={bus}")
        for core, bus in zip(WHOLE.values(), ("apb", "axi-lite", "wishbone", "apb"), strict=True)
    ),
    *((*core, AXI, "control=apb") for core in WHOLE.values()),
    (*WHOLE["gcm"], WORDS, "control=apb", "release=verdict", "release_words=16", "iv_bits=any"),
    (*WHOLE["xts"], "direction=encrypt"),
    ("aes-hctr2-small", *LIGHT_LOOP, "key_bits=128", "key=agile", "key_expansion=logic"),
    ("aes-hctr2-small", "message_bytes=128"),
    (*LIGHT_GCM, "lanes=4", AXI, "control=apb"),
    (*LANES, AXI, "lanes=5", "tdata_bits=0", "tid_bits=1"),
    (*LANES, AXI, "lanes=3", "tdata_bits=128", "control=wishbone"),
    (*LIGHT_GCM, "channels=2", AXI, "lanes=2", "tid_bits=1"),
    (*WHOLE["gcm"], "channels=3", AXI, "iv_bits=any", "fifo_depth=64"),
    (*WHOLE["gcm"], "channels=2", AXI, "release=verdict", "release_words=64", "tid_bits=1"),
    (*LIGHT_GCM, "channels=2", AXI, "key_slots=2", "tid_bits=2"),
    (*LIGHT_GCM, "channels=2", "release=verdict", "tag_bits=96"),
    (*LIGHT_GCM, "channels=3", AXI, "key_slots=2", "packet_keys=announced", "tid_bits=1"),
    (*WHOLE["gcm"], "channels=2", AXI, "control=axi-lite", "iv_bits=any"),
    (*LIGHT_GCM, "channels=3", AXI, "control=apb", "key_slots=2", "tid_bits=1"),
    *(
        (*core, AXI, f"tdata_bits={bits}", *more)
        for core, bits, *more in (
            (WHOLE["gcm"], 32, "iv_bits=any", "tid_bits=1"),
            (WHOLE["ccm"], 512, "control=apb"),
            (WHOLE["cmac"], 64),
            (WHOLE["xts"], 256, "tid_bits=2"),
            (LIGHT_GCM, 64, "channels=2"),
        )
    ),
    (*WHOLE["gcm"], "channels=5", AXI, "control=wishbone", "release=verdict", "release_words=64"),
)


@pytest.mark.parametrize("changes", CASES, ids=" ".join)
def test_lint_and_readme(changes: tuple[str, ...], built: Callable[..., Built]) -> None:
    made, folder = built(*changes)
    lint(made.top, folder.sources)
    readme = (folder.path / "README.md").read_text()
    prose = re.sub(r"```.*?```|`` .*? ``", "", readme, flags=re.S)
    assert "``" not in prose
    sections = re.split(r"^## (.*)$", readme, flags=re.M)[1:]
    assert [name for name, text in zip(sections[::2], sections[1::2], strict=True) if not text.strip()] == []


def test_a_missing_link_is_seen(tmp_path: Path) -> None:
    """The linter ends with an error where an output of a part is left open, or a word is read in part."""
    part = "module part (input wire [1:0] a, output wire y, output wire z);\n    assign y = a[0];\n"
    top = "module top (input wire [1:0] a, output wire y);\n    part u (.a(a), .y(y));\nendmodule\n"
    (tmp_path / "part.v").write_text(f"{part}    assign z = a[1];\nendmodule\n")
    (tmp_path / "top.v").write_text(top)
    with pytest.raises(AssertionError, match="PINMISSING"):
        lint("top", [tmp_path / "part.v", tmp_path / "top.v"])


@pytest.mark.recorded
@pytest.mark.parametrize("changes", [CASES[12], CASES[13], CASES[15], CASES[6]], ids=" ".join)
def test_every_check_holds(changes: tuple[str, ...], built: Callable[..., Built]) -> None:
    """Of pipelines that chain behind AXI-Stream, and of a loop with delay lines in memories."""
    _, folder = built(*changes)
    verdicts = verified(folder, 300)
    assert [v.check for v in verdicts if not v.passed] == []
    assert {"reset", "equivalence for all inputs"} <= {v.check for v in verdicts if v.status == "ok"}
