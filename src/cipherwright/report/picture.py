"""A picture of a pipeline: what is in each stage, registers after it, delay of it."""

from __future__ import annotations

import io
from collections import Counter

from ..schedule import Schedule

__all__ = ["draw"]


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


def draw(s: Schedule, title: str, kind: str) -> bytes:
    """SVG or PNG (`kind`), the same bytes for the same schedule."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "cipherwright"
    from matplotlib import pyplot as plt

    stages = list(range(s.io.first, s.stages))
    delays, ranks = s.stage_delays(), s.rank_bits()
    height = max(3.0, 0.22 * len(stages) + 1.4)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, height), sharey=True, width_ratios=(3, 2))
    y = [k - s.io.first + 1 for k in stages]
    left.barh(y, [ranks.get(k + 1, 0) for k in stages], color="#4c78a8", height=0.8)
    for k, row in zip(stages, y, strict=True):
        left.text(3, row, f"{ranks.get(k + 1, 0)}", va="center", ha="left", fontsize=6, color="white")
    left.set_yticks(y, [f"{row}  {_contents(s, k)}" for k, row in zip(stages, y, strict=True)], fontsize=6)
    left.set_xlabel("registers after the stage")
    left.set_title(f"{title}: {s.register_bits()} registers", loc="left", fontsize=9)
    right.barh(y, [delays[k] for k in stages], color="#f58518", height=0.8)
    right.axvline(s.period, color="#333333", linewidth=0.8)
    right.set_xlabel(f"delay by the model of {s.model.name}, ns (line: {s.period:.2f})")
    left.set_ylim(len(y) + 0.6, 0.4)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(length=0)
    figure.tight_layout()
    out = io.BytesIO()
    figure.savefig(
        out, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else {"Software": None}
    )
    plt.close(figure)
    return out.getvalue()
