"""Records and the paper's tables."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from cipherwright.graph import Graph
from cipherwright.progress import quiet
from cipherwright.report import PAPERS, RECORD_KEYS, implementation_record, plot, print_summary
from cipherwright.report.reproduce import mars_units
from cipherwright.report.reproduce.aes_gmu import stages_options
from cipherwright.report.reproduce.des_xilinx import STEPS, Step
from cipherwright.report.reproduce.measuring import Measured, implemented
from cipherwright.shell import Core
from cipherwright.target import CELL_MAPPINGS, REGISTERS, Build, Recipe, cell_delays, implement, load_target
from cipherwright.target.netlist_proof import NetlistProof
from cipherwright.target.synth import Mapped
from tests.conftest import Built
from tests.recorded import Counts


def test_keys_without_meaning_are_null(built: Callable[..., Built]) -> None:
    core, folder = built("des-small", "target=osu018")
    record = implementation_record(folder.record, implement(folder.sources, core.top, load_target("osu018")))
    assert list(record)[: len(RECORD_KEYS)] == list(RECORD_KEYS)
    assert [k for k in RECORD_KEYS if record[k] is None] == ["seed", "luts", "srls", "brams", "dsps"]
    assert record["ffs"] == record["predicted_ffs"] == 127


def test_flip_flops_of_any_name_are_counted(built: Callable[..., Built], tmp_path: Path) -> None:
    core, folder = built("des-small", "mapping=area", "target=osu018")
    renamed = tmp_path / "renamed.lib"
    text = Path(load_target("osu018").liberty).read_text()
    renamed.write_text(text.replace("(DFFPOSX1)", "(sky__dfxtp_1)"))
    build = implement(folder.sources, core.top, load_target(str(renamed)), Recipe(mapping="area"))
    record = implementation_record(folder.record, build)
    assert record["ffs"] == record["cells"]["sky__dfxtp_1"] == 127
    assert record["warnings"] == []


EXPLAINED = NetlistProof("shown", (("a_q", "b_q", "c_q"), ("d_q", "e_q")), ("f_q",), ("g_q", "h_q"))
"""Six registers fewer: three are equal to others, one is constant, two are read by nothing."""


@pytest.mark.parametrize(
    ("flip_flops", "proof", "notes", "warnings"),
    [
        (100, EXPLAINED, [], []),
        (94, EXPLAINED, ["94 flip-flops, 6 fewer than the 100 predicted"], []),
        (98, EXPLAINED, ["98 flip-flops, 2 fewer than the 100 predicted"], []),
        (93, EXPLAINED, [], ["7 fewer than the 100 predicted; the proof of the netlist explains 6 of them"]),
        (101, EXPLAINED, [], ["1 more than the 100 predicted"]),
        (99, NetlistProof("not checked: no proof"), [], ["1 fewer than the 100 predicted, and which is not"]),
    ],
)
def test_why_there_are_fewer_flip_flops(
    flip_flops: int, proof: NetlistProof, notes: list[str], warnings: list[str], built: Callable[..., Built]
) -> None:
    """The proof tells where they are, in the record and on the screen; what it does not tell is a warning."""
    record = {**built("des-small")[1].record, "predicted": {"ffs": 100, "srls": 0}}
    mapped = Mapped({"TRELLIS_FF": flip_flops})
    build = Build("ecp5-85k-8", {}, 1, mapped, 100.0, 10.0, "", None, {1: 100.0}, 1.0, proof)
    made = implementation_record(record, build)
    for found, wanted in ((made["notes"], notes), (made["warnings"], warnings)):
        assert len(found) == len(wanted)
        assert all(words in text for words, text in zip(wanted, found, strict=True))
    why = "3 merged with registers that are always equal, 1 constant, 2 read by nothing"
    screen = StringIO()
    print_summary(Console(file=screen, width=400), made)
    assert (why in screen.getvalue()) == bool(notes)


@pytest.mark.long_check
@pytest.mark.parametrize(
    "step", [s for s in STEPS if s.section in ("3.3", "3.4", "3.4*", "3.6*")], ids=lambda s: s.what
)
def test_steps_of_the_paper(step: Step, built: Callable[..., Built]) -> None:
    """The steps that the table rests on, on the mapping alone: registers as predicted, tables as the
    structure says.
    """
    core, _ = built(step.preset, *step.sets, "target=xcve")
    assert isinstance(core, Core)
    found = Measured(core, implemented(core, "xcve", 1, quiet), 0)
    assert found.build.mapped.ffs == found.core.design.flip_flops()
    luts = found.build.mapped.luts
    if step.section == "3.4*":
        # Tables make the right halves and the key that is chosen for the first round; the left halves and the
        # key come from flip-flops or ports.
        assert found.build.mapped.paired == 16 * 32 + 48
        assert found.packed == -(-(luts + found.build.mapped.ffs - 16 * 32 - 48) // 2) > found.slices
    if step.section in ("3.3", "3.4"):
        # At most 16 rounds of key choice (56), XOR (48), S-boxes (128) and merged XOR (32), the paper's 4,216
        # = 16 x 264 - 8.
        assert 3900 <= luts <= 4216
    else:
        assert luts <= 3827


def test_papers_are_listed() -> None:
    assert list(PAPERS) == ["aes-gmu", "des-xilinx", "khazad-misty1-ucl", "mars-ibm", "rijndael-ucla"]


def test_one_stage_a_round(built: Callable[..., Built], mapped: Counts) -> None:
    """Of the table of aes-gmu, on the mapping of registers and memories: no block RAM, registers as
    predicted.
    """
    core, folder = built("aes128-fast", *stages_options(1), "target=xc5v")
    found = mapped(folder.sources, core.top, "xc5v", REGISTERS)
    assert isinstance(core, Core)
    assert core.latency == 10
    assert found.brams == 0
    assert found.ffs == core.flip_flops > 0


def test_the_multiplier_of_mars() -> None:
    """Smaller than what Yosys and ABC make of x * y and no slower, on the same library in the same run;
    with `brent_kung` behind the tree a quarter smaller and no slower, or a quarter faster and no larger,
    whichever their recipe.
    """
    cells = cell_delays(Path(load_target("osu018").liberty))
    assert cells is not None
    grown, made = mars_units.tree(cells)

    def measured(graph: Graph, mapping: str) -> tuple[float, float]:
        build = mars_units.alone(graph, mapping, quiet)
        assert build.gate_equivalents is not None
        assert build.critical_path_ns is not None
        return build.gate_equivalents, build.critical_path_ns

    theirs = {mapping: measured(mars_units.arithmetic("mul"), mapping) for mapping in CELL_MAPPINGS}
    gates, path = measured(grown, "structure")
    assert gates <= 3650
    for mapping in ("delay", "structure"):
        assert gates <= 0.76 * theirs[mapping][0]
        assert path < theirs[mapping][1]
    gates, path = measured(mars_units.tree(cells, "brent_kung")[0], "structure")
    for mapping, (their_gates, their_path) in theirs.items():
        smaller = gates <= 0.75 * their_gates and path <= their_path
        assert smaller or (path <= 0.75 * their_path and gates <= their_gates), (
            mapping,
            gates,
            path,
            their_gates,
            their_path,
        )
    figure = mars_units.profile(made)
    assert len(figure["series"]["tree's outputs"]) == 32
    assert plot(figure, "png").startswith(b"\x89PNG")


def test_plots_are_the_same_every_time() -> None:
    figure = {
        "title": "Throughput",
        "x": "stages",
        "y": "Gb/s",
        "series": {"paper": [[1, 20.0], [2, 27.0]], "ours": [[1, 9.0], [2, 1234.0]]},
    }
    text = plot(figure).decode()
    assert text == plot(figure).decode()
    assert plot(figure, "png").startswith(b"\x89PNG")
    assert text.count("<path") > 6
