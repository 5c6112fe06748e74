"""What the stages of a pipeline do, in words for the comments of its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ..graph import Graph

__all__ = ["latest_round", "stage_titles"]

_NAMES = 8
"""Names of results that a title lists at most."""

_NUMBERED = re.compile(r"(before round|round|after round|round key) (\d+)")


def stage_titles(graph: Graph, stages: Sequence[Iterable[int]]) -> list[str]:
    """A title for each of `stages`, from its operations (indices of nodes of `graph`): the latest round in
    it, which stage of this round it is, the round keys that it works on, and the names of most of its
    results. For example `stage 12 of 92: round 2, stage 1 of 9: 32 sboxin1, 16 gf_v`. Several stages of
    registers alone, one behind the other, have one title, at the first; those of the others are empty.
    """
    members = [list(nodes) for nodes in stages]
    rounds = [latest_round(graph, nodes) for nodes in members]
    seen, out = Counter[str](), list[str]()
    for n, (nodes, title) in enumerate(zip(members, rounds, strict=True), 1):
        seen[title] += 1
        place = f", stage {seen[title]} of {rounds.count(title)}" if rounds.count(title) > 1 else ""
        parts = [title + place] if title else []
        keys = sorted(number for kind, number in _numbered(graph, nodes) if kind == "round key")
        parts += [_span("round key", keys)] if keys else []
        names = Counter(graph.nodes[i].name or graph.nodes[i].op for i in nodes).most_common(_NAMES)
        made = ", ".join(f"{count} {name}" if count > 1 else name for name, count in names)
        said = [f"stage {n} of {len(members)}", "; ".join(parts), made if nodes else _idle(members, n)]
        out.append(": ".join(s for s in said if s) if nodes or n == 1 or members[n - 2] else "")
    return out


def _idle(members: Sequence[Sequence[int]], first: int) -> str:
    """What is said of stage `first`, which has no operations, and of all such stages behind it."""
    last = next((k for k in range(first, len(members)) if members[k]), len(members))
    return "registers alone" if last == first else f"registers alone, to stage {last}"


def _numbered(graph: Graph, nodes: Iterable[int]) -> set[tuple[str, int]]:
    """Kind and number of the sections of the description that operations belong to."""
    found = {_NUMBERED.fullmatch(graph.nodes[i].section) for i in nodes}
    return {(m[1], int(m[2])) for m in found if m}


def latest_round(graph: Graph, nodes: Iterable[int]) -> str:
    """The latest round that an operation of `nodes` (indices in `graph`) belongs to, as `round 7`, `before
    round 1` or `after round 16`; empty where none belongs to a round.
    """
    order = ("before round", "round", "after round")
    found = [(order.index(kind), number) for kind, number in _numbered(graph, nodes) if kind in order]
    if not found:
        return ""
    place, number = max(found)
    return f"{order[place]} {number}"


def _span(kind: str, numbers: Sequence[int]) -> str:
    first, last = numbers[0], numbers[-1]
    if first == last:
        return f"{kind} {first}"
    joined = "and" if last == first + 1 else "to"
    return f"{kind}s {first} {joined} {last}"
