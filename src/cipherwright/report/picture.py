"""A picture of a pipeline: what is in each stage, registers after it, delay of it."""

from __future__ import annotations

import io
from collections import Counter
from typing import TYPE_CHECKING

from ..rtl import main_round
from ..schedule import Schedule
from ..wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "stages_by_round"]


def _contents(s: Schedule, stage: int) -> str:
    """Operations of a stage by the names the standard gives them, like `x, s1–s8, r`."""
    names = Counter(
        (s.graph.nodes[i].name or s.graph.nodes[i].op)
        for i in s.graph.logic()
        if s.graph.agile[i] and s.stage[i] == stage and s.graph.nodes[i].op != "copy"
    )
    if any(s.graph.nodes[i].op == "hop" and s.stage[i] == stage for i in s.graph.logic()):
        names["travel"] = names.pop("hop", 1)
    shown = [n if c == 1 else f"{n} ×{c}" for n, c in names.items()]
    return ", ".join(shown[:2]) + (f" … {shown[-1]}" if len(shown) > 2 else "")


def _number(stage: int) -> str:
    """A stage as pictures number it: 1 is the one that the block comes into, -1 the one before it."""
    return str(stage + 1 if stage >= 0 else stage)


def _early(s: Schedule) -> str:
    """What negative numbers of stages mean, where there are any."""
    return "; stages below 0: before the block comes" if s.io.first < 0 else ""


_ROWS = 24
"""Stages up to which a picture has a row a stage; with more of them, it has a row a round."""


def draw(s: Schedule, title: str, kind: str) -> bytes:
    """The picture of the schedule `s` under the title `title`, as SVG or PNG (`kind` is "svg" or "png"): the
    same bytes for the same schedule. A pipeline of more than 24 stages is grouped by round: a row a round, in
    it a box a stage with the registers after it, in the colour of its delay.
    """
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "cipherwright"
    from matplotlib import pyplot as plt

    rounds = stages_by_round(s)
    figure = _by_round(s, title, rounds) if s.stages > _ROWS and len(rounds) > 2 else _by_stage(s, title)
    out = io.BytesIO()
    figure.savefig(
        out, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else {"Software": None}
    )
    plt.close(figure)
    return out.getvalue()


def stages_by_round(s: Schedule) -> list[tuple[str, list[int]]]:
    """The stages of the schedule `s` by the round that most operations in them belong to, in order: the
    round's name, or "input", and the numbers of its stages. A stage of registers alone belongs to the round
    before it.
    """
    members: dict[int, list[int]] = {}
    for i in s.graph.logic():
        if s.graph.agile[i]:
            members.setdefault(s.stage[i], []).append(i)
    found: list[tuple[str, list[int]]] = []
    for k in range(s.io.first, s.stages):
        name = main_round(s.graph, members.get(k, ()))
        if found and name in ("", found[-1][0]):
            found[-1][1].append(k)
        else:
            found.append((name or "input", [k]))
    return found


def _by_round(s: Schedule, title: str, rounds: list[tuple[str, list[int]]]) -> Figure:
    from matplotlib import colormaps
    from matplotlib import pyplot as plt
    from matplotlib.colors import Normalize
    from matplotlib.patches import Rectangle

    delays, ranks = s.stage_delays(), s.rank_bits()
    colours, scale = colormaps["YlOrBr"], Normalize(0, 2.2 * s.period)
    widest = max(len(stages) for _, stages in rounds)
    figure, axis = plt.subplots(figsize=(2.6 + 0.62 * widest + 1.0, 0.42 * len(rounds) + 1.5))
    labels = []
    for row, (name, stages) in enumerate(rounds):
        for column, k in enumerate(stages):
            axis.add_patch(
                Rectangle(
                    (column + 0.04, row + 0.1),
                    0.92,
                    0.8,
                    facecolor=colours(scale(delays[k])),
                    edgecolor="#8a8a8a",
                )
            )
            axis.text(column + 0.5, row + 0.5, f"{ranks.get(k + 1, 0)}", ha="center", va="center", fontsize=7)
        first, last = _number(stages[0]), _number(stages[-1])
        labels.append(f"{name}: {first} to {last}" if last != first else f"{name}: {first}")
        most = max(delays[k] for k in stages)
        axis.text(widest + 0.1, row + 0.5, f"{most:.2f} ns", va="center", fontsize=7)
    axis.set_xlim(0, widest + 1)
    axis.set_ylim(len(rounds), 0)
    axis.set_yticks([row + 0.5 for row in range(len(rounds))], labels, fontsize=8)
    axis.set_xticks([k + 0.5 for k in range(widest)], [str(k + 1) for k in range(widest)], fontsize=7)
    axis.set_xlabel(
        "stage of the round, in each box the registers after it; at the right the delay of the longest stage"
        + _early(s),
        fontsize=8,
    )
    axis.set_title(
        f"{title}: datapath of {s.stages} stages, {s.register_bits():,} registers; "
        f"delays by the model of {s.model.name}, planned period {s.period:.2f} ns",
        loc="left",
        fontsize=9,
    )
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)
    figure.tight_layout()
    return figure


def _by_stage(s: Schedule, title: str) -> Figure:
    from matplotlib import pyplot as plt

    stages = list(range(s.io.first, s.stages))
    delays, ranks = s.stage_delays(), s.rank_bits()
    height = max(3.0, 0.22 * len(stages) + 1.4)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, height), sharey=True, width_ratios=(3, 2))
    y = [k - s.io.first + 1 for k in stages]
    left.barh(y, [ranks.get(k + 1, 0) for k in stages], color="#4c78a8", height=0.8)
    for k, row in zip(stages, y, strict=True):
        left.text(3, row, f"{ranks.get(k + 1, 0)}", va="center", ha="left", fontsize=6, color="white")
    left.set_yticks(y, [f"{_number(k)}  {_contents(s, k)}" for k in stages], fontsize=6)
    left.set_xlabel(f"registers after the stage{_early(s)}")
    left.set_title(
        f"{title}: datapath of {counted(s.stages, 'stage')}, {s.register_bits():,} registers",
        loc="left",
        fontsize=9,
    )
    right.barh(y, [delays[k] for k in stages], color="#f58518", height=0.8)
    right.axvline(s.period, color="#333333", linewidth=0.8)
    right.set_xlabel(f"delay by the model of {s.model.name}, ns (line: {s.period:.2f})")
    left.set_ylim(len(y) + 0.6, 0.4)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(length=0)
    figure.tight_layout()
    return figure
