"""Plots of a paper's figures beside ours."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import Any

__all__ = ["plot", "scatter"]

_LABELLED = 12
"""Points of a series that are labelled at most."""

_APART = 0.045
"""Decades between labelled points of a scatter plot."""

_COLOURS = ("#888888", "#4c78a8", "#f58518", "#54a24b", "#b279a2")


def plot(figure: Mapping[str, Any], kind: str = "svg") -> bytes:
    """SVG or PNG (`kind` is "svg" or "png") of `figure`: {title, x, y, series: {name: [[x, y], …]}}; the same
    bytes for the same figure. At most five series are drawn. Few points are labelled with their values; where
    there are many, the axes tell.
    """
    plt = _pyplot()
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
    return _image(drawn, axis, kind)


def scatter(figure: Mapping[str, Any], kind: str = "svg") -> bytes:
    """SVG or PNG (`kind`) of points on logarithmic axes: `figure` has {title, x, y, series:
    {name: [[x, y, label], …]}}. A point has its label beside it, unless another one has one there.
    """
    plt = _pyplot()
    drawn, axis = plt.subplots(figsize=(8, 5))
    labels = list[tuple[float, float]]()
    series: dict[str, list[tuple[float, float, str]]] = figure["series"]
    for colour, (name, points) in zip(_COLOURS[1:] * len(series), series.items(), strict=False):
        axis.scatter([p[0] for p in points], [p[1] for p in points], s=22, color=colour, label=name)
        for x, y, label in points:
            place = (math.log10(x), math.log10(y))
            if all(abs(place[0] - a) > _APART or abs(place[1] - b) > _APART for a, b in labels):
                labels.append(place)
                axis.annotate(
                    label, (x, y), textcoords="offset points", xytext=(4, 3), fontsize=7, color=colour
                )
    axis.set_xscale("log")
    axis.set_yscale("log")
    for scale in (axis.xaxis, axis.yaxis):
        scale.set_major_formatter(lambda value, _: f"{value:,.12g}")
        scale.set_minor_formatter(lambda value, _: "")
    axis.grid(True, which="major", linewidth=0.4, color="#dddddd")
    axis.set_axisbelow(True)
    axis.set_xlabel(figure["x"])
    axis.set_ylabel(figure["y"])
    axis.set_title(figure["title"], loc="left", fontsize=10)
    return _image(drawn, axis, kind)


def _pyplot() -> Any:
    """What draws without a screen, with the same identifiers for the same figure."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "cipherwright"
    from matplotlib import pyplot as plt

    return plt


def _image(drawn: Any, axis: Any, kind: str) -> bytes:
    """A finished figure as a file's bytes."""
    from matplotlib import pyplot as plt

    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8)
    drawn.tight_layout()
    out = io.BytesIO()
    drawn.savefig(out, format=kind, dpi=110, metadata={"Date": None} if kind == "svg" else {"Software": None})
    plt.close(drawn)
    return out.getvalue()
