"""Plots of a paper's figures beside ours."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

__all__ = ["plot"]

_LABELLED = 12
"""Points of a series that are labelled at most."""

_COLOURS = ("#888888", "#4c78a8", "#f58518", "#54a24b", "#b279a2")


def plot(figure: Mapping[str, Any], kind: str = "svg") -> bytes:
    """SVG or PNG (`kind` is "svg" or "png") of `figure`: {title, x, y, series: {name: [[x, y], …]}}; the same
    bytes for the same figure. At most five series are drawn. Few points are labelled with their values; where
    there are many, the axes tell.
    """
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "cipherwright"
    from matplotlib import pyplot as plt

    drawn, axis = plt.subplots(figsize=(7, 4.2))
    series: dict[str, list[list[float]]] = figure["series"]
    labelled = max(map(len, series.values())) <= _LABELLED
    for colour, (name, points) in zip(_COLOURS, series.items(), strict=False):
        xs, ys = [x for x, _ in points], [y for _, y in points]
        axis.plot(xs, ys, marker="o", markersize=4, linewidth=1.4, color=colour, label=name)
        for x, y in points if labelled else ():
            # Where points stand above one another, the upper half of them is labelled above.
            column = sorted(v for p in series.values() for u, v in p if u == x)
            side = 5 if 2 * column.index(y) + 1 >= len(column) else -11
            axis.annotate(
                f"{y:,.4g}" if y < 1000 else f"{y:,.0f}",
                (x, y),
                textcoords="offset points",
                xytext=(4, side),
                fontsize=7,
                color=colour,
            )
    axis.set_xlabel(figure["x"])
    axis.set_ylabel(figure["y"])
    axis.set_title(figure["title"], loc="left", fontsize=10)
    axis.set_ylim(bottom=0)
    if labelled:
        axis.set_xticks(sorted({x for points in series.values() for x, _ in points}))
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8)
    drawn.tight_layout()
    out = io.BytesIO()
    drawn.savefig(out, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else {"Software": None})
    plt.close(drawn)
    return out.getvalue()
