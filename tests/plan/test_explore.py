"""The search for cores: what it finds is there, nothing that it leaves out is better, and limits are kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path

import pytest

from cipherwright.errors import CheckFailed, UserError
from cipherwright.flow import generate
from cipherwright.plan import Exploration, Figures, Goal, Point, Question, choose, explore, workers
from cipherwright.plan.figures import area_of, dominates
from cipherwright.plan.sketch import Family, front, search
from cipherwright.shell import BuiltEngine
from cipherwright.spec import Pipeline, load
from cipherwright.target import load_target

LOOPS = {"direction": "encrypt", "architecture": "iterative", "key": "agile"}
"""Loops of DES with a key for every block."""

TWO_ROUNDS = {**LOOPS, "rounds_per_cycle": 2}
"""One family of them."""

Key = tuple[float, float, int, int, float]


@pytest.fixture(scope="module")
def loops() -> Exploration:
    return explore(Question.of("des", LOOPS))


@cache
def _two_rounds() -> Exploration:
    return explore(Question.of("des", TWO_ROUNDS))


def key_of(f: Figures) -> Key:
    return (f.gbps, f.area, f.brams, f.dsps, f.latency_ns)


def test_figures_are_those_of_the_core_that_is_built(loops: Exploration) -> None:
    assert len(loops.points) > 8
    for point in loops.points:
        core = generate(load("des", {"name": "core", **point.options}))
        assert not isinstance(core, BuiltEngine)
        f = point.figures
        assert (f.stages, f.latency_cycles, f.ffs) == (core.schedule.stages, core.latency, core.flip_flops)
        assert f.bits_per_cycle == core.bits_per_cycle
        assert f.mhz == pytest.approx(1000 / core.period, abs=0.06)
        assert f.luts == area_of(core.schedule.graph, load_target("ecp5-85k-8"))[0]


def test_no_core_is_worse_than_another(loops: Exploration) -> None:
    for one, other in product(loops.points, repeat=2):
        assert one is other or not dominates(one.figures, other.figures)
        assert one is other or key_of(one.figures) != key_of(other.figures)


def test_a_front_without_its_rule_is_seen() -> None:
    """A core that another one dominates, and one that is there twice, leave the front."""
    good = Point({}, Figures(300.0, 2, 4.0, 32, 370, 400))
    slow = replace(good, planned=replace(good.planned, mhz=200.0))
    large = replace(good, planned=replace(good.planned, luts=500))
    small = replace(slow, planned=replace(slow.planned, luts=200, ffs=150))
    assert front([slow, good, large, good, small]) == [good, small]


@pytest.mark.parametrize("sbox", ["table", "lut4", "lut4_f5", "lut4_pool", "lut6"])
@pytest.mark.parametrize("rounds", [1, 2])
def test_nothing_left_out_is_better(loops: Exploration, sbox: str, rounds: int) -> None:
    """Cores by hand: each is as good as one that was found, or worse."""
    for mhz in (303.0, 236.4, 193.7):
        options = {**LOOPS, "sbox": sbox, "rounds_per_cycle": rounds, "clock_mhz": mhz}
        try:
            core = generate(load("des", {"name": "core", **options}))
        except UserError:
            continue
        assert not isinstance(core, BuiltEngine)
        luts, brams, dsps = area_of(core.schedule.graph, load_target("ecp5-85k-8"))
        mine = Figures(
            mhz,
            core.schedule.stages,
            core.bits_per_cycle,
            core.latency,
            luts,
            core.flip_flops,
            brams,
            dsps,
        )
        found = [p.figures for p in loops.points]
        assert any(dominates(f, mine) or key_of(f) == key_of(mine) for f in found), (options, mine)


def test_goals_choose(loops: Exploration) -> None:
    by = {goal: loops.best(Goal(goal)).figures for goal in ("throughput", "area", "latency", "efficiency")}
    every = [p.figures for p in loops.points]
    assert by["throughput"].gbps == max(f.gbps for f in every)
    assert by["area"].area == min(f.area for f in every)
    assert by["latency"].latency_ns == min(f.latency_ns for f in every)
    assert by["efficiency"].gbps / by["efficiency"].area == max(f.gbps / f.area for f in every)


def test_limits_are_kept(loops: Exploration) -> None:
    best = loops.best(Goal("area", min_gbps=2.0)).figures
    smaller = [p.figures for p in loops.points if p.figures.area < best.area]
    assert best.gbps >= 2.0
    assert smaller
    assert all(f.gbps < 2.0 for f in smaller)
    fast = loops.best(Goal("throughput", max_luts=700, max_ffs=700, max_latency_ns=100)).figures
    assert fast.luts is not None and fast.luts <= 700 and fast.ffs <= 700 and fast.latency_ns <= 100


def test_what_misses_its_limits_names_the_nearest(loops: Exploration) -> None:
    with pytest.raises(UserError, match=r"no core keeps these limits; the nearest has [\d.]+ Gb/s, not 50"):
        loops.best(Goal("area", min_gbps=50.0))
    with pytest.raises(UserError, match=r"the nearest has 367 lookup tables, not 300"):
        loops.best(Goal("throughput", max_luts=300))


@pytest.mark.parametrize(
    "goal",
    [
        *(Goal("area", min_gbps=2.0), Goal("latency"), Goal("efficiency")),
        Goal("throughput", max_luts=700, max_ffs=700, max_latency_ns=100),
    ],
    ids=lambda goal: goal.best,
)
def test_choosing_finds_what_a_whole_search_finds(goal: Goal) -> None:
    chosen = choose(Question.of("des", TWO_ROUNDS, goal))
    assert goal.score(chosen.figures) == goal.score(_two_rounds().best(goal).figures)


def test_choosing_among_several_families(loops: Exploration) -> None:
    goal = Goal("area", min_gbps=2.0)
    assert goal.score(choose(Question.of("des", LOOPS, goal)).figures) == goal.score(loops.best(goal).figures)


def test_what_can_not_be_the_best_is_not_sketched() -> None:
    """Its logic alone is larger than the best cores that are known, or too slow."""
    goal = Goal("area", min_gbps=1.5)
    every = Family("des", LOOPS, {"architecture": "iterative", "rounds_per_cycle": 2})
    all_of_them = search(every).sketches
    bounded = search(replace(every, goal=goal))
    assert 0 < len(bounded.sketches) < len(all_of_them)
    scores = sorted(goal.score(s.figures) for s in all_of_them if not goal.missed(s.figures))
    assert bounded.scores[0] == scores[0]
    assert not search(replace(every, goal=goal, scores=((1.0,), (2.0,), (3.0,)))).sketches


REGISTERS = {**LOOPS, "interface": "registers", "control": "apb", "rounds_per_cycle": 1}
IN_BLOCKS = {
    "key_bits": 128,
    "direction": "encrypt",
    "architecture": "iterative",
    "key": "agile",
    "rounds_per_cycle": 1,
    "block_ram_boxes": 16,
    "sbox": "boyar_peralta",
    "linear_depth": 0,
}


@pytest.mark.parametrize(
    ("cipher", "fixed", "goal", "gbps"),
    [
        # Registers around the loop: of the best sketches none keeps the limit once it is built.
        ("des", REGISTERS, Goal("throughput", max_ffs=500), 0.49),
        ("khazad", {"direction": "encrypt", "stages_per_round": 2}, Goal("throughput"), 15.13),
        ("des", {"direction": "encrypt", "key": "agile", "stages": 11}, Goal("area", min_gbps=9.12), 9.12),
    ],
    ids=["registers", "stages of a round", "rounded"],
)
def test_a_bounded_search_leaves_nothing_better_out(
    cipher: str, fixed: dict[str, object], goal: Goal, gbps: float
) -> None:
    figures = choose(Question.of(cipher, fixed, goal)).figures
    assert not goal.missed(figures)
    assert figures.gbps >= gbps


def test_stages_that_can_not_be_are_refused_with_the_nearest() -> None:
    """An S-box in block RAM takes two cycles, so no clock has a loop of one stage."""
    with pytest.raises(UserError, match=r"the nearest has [\d.]+ ns, not 500"):
        choose(Question.of("aes", IN_BLOCKS, Goal("area", max_latency_ns=500)))


def test_the_most_throughput_is_a_pipelines() -> None:
    fixed = {"direction": "encrypt", "key": "agile", "sbox": "lut4_pool"}
    chosen = choose(Question.of("des", fixed))
    assert chosen.options.get("architecture", "pipelined") == "pipelined"
    assert chosen.figures.mhz == pytest.approx(421.9)


def test_a_clock_is_kept() -> None:
    point = choose(Question.of("des", {**LOOPS, "clock_mhz": 100}, Goal("area")))
    assert point.options["clock_mhz"] == 100
    assert point.figures.mhz == 100
    core = generate(load("des", {"name": "core", **point.options}))
    assert not isinstance(core, BuiltEngine)
    assert core.period == 10.0
    assert point.figures.gbps == pytest.approx(core.bits_per_cycle * 0.1, abs=0.001)


def test_fixed_stages_are_kept() -> None:
    found = explore(Question.of("des", {**LOOPS, "stages": 3, "rounds_per_cycle": 2}))
    assert found.points
    assert {p.figures.stages for p in found.points} == {3}


@pytest.mark.parametrize(
    ("source", "changes", "goal", "message"),
    [
        ("des-small", {}, Goal(), "des-small is a core that is chosen already; give its cipher, des"),
        ("aes", {}, Goal(), "key_bits"),
        ("des", {"mode": "cbx"}, Goal(), "cbx"),
        ("des", {"target": "moon"}, Goal(), "there is no target moon"),
        ("des", {**LOOPS, "rounds_per_cycle": 1, "sbox": "leaves"}, Goal(), "leaves does not suit des"),
        ("des", {"architecture": "engine"}, Goal(), "no core with architecture = engine"),
        ("des", {**LOOPS, "rounds_per_cycle": 1}, Goal(clock_mhz=5000.0), "5000 MHz"),
        ("des", {**LOOPS, "rounds_per_cycle": 1, "stages": 1}, Goal(clock_mhz=500.0), "500 MHz"),
        ("des", {"clock_mhz": "fast"}, Goal(), "clock_mhz is a number, not fast"),
        ("des", {"clock_mhz": 200}, Goal(clock_mhz=100.0), "give one of them"),
        (
            "des",
            {"architecture": "pipelined", "key": "agile", "stages": 90, "target": "ice40-hx8k"},
            Goal(),
            r"a core takes .* flip-flops \(the device has 7,680\)",
        ),
        ("dess", {}, Goal(), "dess"),
    ],
)
def test_what_can_not_be_is_told(source: str, changes: dict[str, object], goal: Goal, message: str) -> None:
    with pytest.raises(UserError, match=message):
        choose(Question.of(source, changes, goal))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"best": "speed"}, "a goal is throughput, area, latency or efficiency, not speed"),
        ({"min_gbps": 0}, "min_gbps is over 0, not 0"),
        ({"clock_mhz": float("nan")}, "clock_mhz is over 0"),
        ({"max_brams": -1}, "max_brams is 0 or more, not -1"),
    ],
)
def test_limits_that_are_none_are_refused(limits: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        Goal(**limits)  # type: ignore[arg-type]


def test_a_file_of_options_is_fixed(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    lines = ['cipher = "des"', 'architecture = "iterative"', 'direction = "encrypt"', "rounds_per_cycle = 4"]
    file.write_text("\n".join(lines) + "\n")
    question = Question.of(str(file), {"key": "agile"})
    assert question.source == "des"
    found = explore(question)
    assert all(p.options["rounds_per_cycle"] == 4 for p in found.points)


PRESENT = Path(__file__).parents[2] / "examples" / "present.py"


def present(folder: Path, options: str) -> str:
    """PRESENT, which the package does not know, with other options in its file."""
    text = PRESENT.read_text()
    begin, end = text.index("SPEC = "), text.index("}", text.index("SPEC = ")) + 1
    file = folder / "present.py"
    file.write_text(text[:begin] + f"SPEC = {{{options}}}" + text[end:])
    return str(file)


def test_a_cipher_of_ones_own() -> None:
    """What its file says of stages is for who asks for nothing."""
    fixed = {**LOOPS, "rounds_per_cycle": 1}
    found = explore(Question.of(str(PRESENT), fixed))
    assert {p.figures.stages for p in found.points} >= {1, 2}
    small = min(found.points, key=lambda p: p.figures.area)
    assert small.figures.area < 400
    assert found.best(Goal("area")) == small


def test_what_the_file_of_a_cipher_says_is_kept(tmp_path: Path) -> None:
    """Options that are the package's defaults are said where the file says others."""
    file = present(tmp_path, '"key_bits": 80, "architecture": "iterative", "merge": 0, "stages": 8')
    goal = Goal("throughput", clock_mhz=100)
    chosen = choose(Question.of(file, {"direction": "encrypt", "key": "agile", "merge": 4}, goal))
    spec = load(file, {"name": "core", **chosen.options})
    assert isinstance(spec, Pipeline)
    assert (spec.architecture, spec.merge, spec.stages) == ("pipelined", 4, None)
    core = generate(spec)
    assert not isinstance(core, BuiltEngine)
    assert (core.bits_per_cycle, core.flip_flops) == (64, chosen.figures.ffs)


def test_limits_of_lookup_tables_and_of_flip_flops_find_every_core() -> None:
    """The number that is compared as area is the larger of both, which a limit of one is not."""
    fixed = {**LOOPS, "rounds_per_cycle": 1, "sbox": "lut4_pool"}
    every = [
        s.figures for s in search(Family("des", fixed, {"architecture": "iterative"}, each=True)).sketches
    ]
    alone = [f for f in every if f.luts == min(g.luts or 0 for g in every)]
    fastest = max(alone, key=lambda f: f.gbps)
    goal = Goal("throughput", min_gbps=fastest.gbps, max_luts=fastest.luts)
    assert choose(Question.of("des", fixed, goal)).figures.gbps >= fastest.gbps
    goal = Goal("throughput", min_gbps=fastest.gbps * 1.01, max_luts=fastest.luts)
    with pytest.raises(UserError, match="no core keeps these limits"):
        choose(Question.of("des", fixed, goal))


@pytest.mark.parametrize("stages", [1, 2, 3])
def test_every_core_has_the_highest_clock_of_its_stages(loops: Exploration, stages: int) -> None:
    core = generate(load("des", {"name": "core", **LOOPS, "rounds_per_cycle": 2, "stages": stages}))
    assert not isinstance(core, BuiltEngine)
    rate = core.bits_per_cycle / core.period
    smaller = [p.figures for p in loops.points if p.figures.area <= max(630, core.flip_flops)]
    assert max(f.gbps for f in smaller) > 0.999 * rate


def test_a_loop_holds_its_key() -> None:
    fixed = {"key": "static", "direction": "encrypt", "rounds_per_cycle": 1, "sbox": "lut4_pool"}
    chosen = choose(Question.of("des", fixed, Goal("area")))
    assert chosen.options["architecture"] == "iterative"
    assert chosen.figures.area < 500


def test_rounds_that_are_fixed_are_searched() -> None:
    fixed = {**LOOPS, "rounds_per_cycle": 16, "sbox": "lut4_pool"}
    chosen = choose(Question.of("des", fixed, Goal("area", clock_mhz=50)))
    assert chosen.options["rounds_per_cycle"] == 16


def test_what_failed_is_not_the_best(loops: Exploration, monkeypatch: pytest.MonkeyPatch) -> None:
    """A core that could not be placed, or misses the clock, is at the end of the list, with the reason."""
    broken = [replace(loops.points[0], failed="no room"), *loops.points[1:]]
    assert replace(loops, points=tuple(broken)).best(Goal("throughput")) == loops.points[1]

    def fails(*_: object, **__: object) -> None:
        raise CheckFailed("place and route failed")

    monkeypatch.setattr(import_module("cipherwright.plan.explore"), "implement_core", fails)
    fixed = {**LOOPS, "rounds_per_cycle": 1, "sbox": "lut6"}
    found = explore(Question.of("des", fixed), measure="place")
    assert {p.failed for p in found.points} == {"place and route failed"}
    with pytest.raises(UserError, match="place and route failed"):
        found.best()


def ended(executor: Executor | None) -> list[dict[str, object]]:
    fixed = {**LOOPS, "sbox": "lut4_pool", "clock_mhz": 200}
    return [p.record() for p in explore(Question.of("des", fixed), executor).points]


def cluster(run: Callable[[Executor | None], object]) -> object:
    """What a Dask cluster of this machine says."""
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as made,
        workers(1, made.scheduler_address) as executor,
    ):
        return run(executor)


def test_processes_and_a_cluster_find_the_same() -> None:
    with workers(1) as executor:
        here = ended(executor)
    with workers(2) as executor:
        assert ended(executor) == here
    assert cluster(ended) == here


def test_no_scheduler_is_told() -> None:
    with (
        pytest.raises(UserError, match=r"there is no Dask scheduler at tcp://127\.0\.0\.1:9"),
        workers(1, "tcp://127.0.0.1:9"),
    ):
        pass
    with pytest.raises(UserError, match="workers are 1 or more, not 0"), workers(0):
        pass


def test_mapped_figures_are_measured() -> None:
    """Lookup tables of the mapped netlist, beside those that were counted before."""
    fixed = {**LOOPS, "rounds_per_cycle": 1, "clock_mhz": 193.7}
    [point] = explore(Question.of("des", fixed), measure="map").points
    assert point.mapped is not None
    assert point.figures is point.mapped
    assert point.mapped.ffs == point.planned.ffs
    assert point.mapped.luts != point.planned.luts
    assert point.mapped.luts == pytest.approx(point.planned.luts, rel=0.25)


def test_cells_are_measured_in_area() -> None:
    """A cell library has no lookup tables: area is known when a core was mapped."""
    fixed = {**LOOPS, "rounds_per_cycle": 1, "clock_mhz": 100, "target": "osu018", "sbox": "table"}
    found = explore(Question.of("des", fixed), measure="map")
    assert found.points
    for point in found.points:
        assert point.planned.area_um2 is None
        assert point.figures.luts is None
        assert point.figures.area == point.figures.area_um2


def test_a_record_is_json(loops: Exploration) -> None:
    record = json.loads(json.dumps(loops.record()))
    assert record["source"] == "des"
    assert record["fixed"] == LOOPS
    assert record["target"] == "ecp5-85k-8"
    assert [p["planned"] for p in record["points"]] == [p.planned.row() for p in loops.points]


def test_families_are_searched_alone() -> None:
    """What a family's search gives is not changed by another."""
    family = Family("des", LOOPS, {"rounds_per_cycle": 2})
    assert search(family) == search(family)
    assert all(s.options["rounds_per_cycle"] == 2 for s in search(family).sketches)
