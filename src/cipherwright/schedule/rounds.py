"""Rounds of a cipher that are alike, so that their registers can stand at equal places.

A program of difference constraints stays one where the stages of a round are tied to those of the round
before it by a fixed number: the tied variables become one. Rounds with equal places have equal stages, so the
text of a core has the logic of such a stage once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise

from ..graph import Graph

__all__ = ["Ties", "equal_rounds", "ties_of"]

_ROUND = re.compile(r"rounds? (\d+)(?: (?:and|to) \d+)?(?:: .+)?")
_BETWEEN = re.compile(r"after round (\d+)(?:: .+)?")

Ties = Mapping[int, tuple[int, int]]
"""Operation -> (the operation whose stage it follows, how many stages behind it)."""


def equal_rounds(graph: Graph) -> list[list[list[int]]]:
    """Runs of two or more rounds of `graph` in a row that are alike: of each run its rounds, of each round
    its operations (node indices). Rounds are alike if they have the same kinds of operations in the same
    order; what these read may differ, as round keys do. A round is what has the section `round N`; what is
    `after round N` stands between this round and the next, which are not in a row then.
    """
    rounds: dict[int, list[int]] = {}
    between = set[int]()
    for i in filter(graph.agile.__getitem__, graph.logic()):
        section = graph.nodes[i].section
        if found := _ROUND.fullmatch(section):
            rounds.setdefault(int(found[1]), []).append(i)
        elif found := _BETWEEN.fullmatch(section):
            between.add(int(found[1]))

    def kinds(number: int) -> tuple[int, list[tuple[str, int, str]]]:
        before = sum(n < number for n in between)
        return before, [(n.op, n.width, n.name) for n in (graph.nodes[i] for i in rounds[number])]

    alike = [[rounds[number] for number in run] for _, run in groupby(sorted(rounds), key=kinds)]
    return [run for run in alike if len(run) > 1]


def ties_of(graph: Graph, stage: Sequence[int]) -> Ties:
    """Ties between equal rounds of `graph`, as many stages apart as most of their operations are in a
    schedule with the stages `stage` (see `Schedule`).
    """
    ties = {}
    for run in equal_rounds(graph):
        steps = [stage[b] - stage[a] for one, two in pairwise(run) for a, b in zip(one, two, strict=True)]
        apart = max(sorted(set(steps)), key=steps.count)
        for n, members in enumerate(run[1:], 1):
            ties.update({i: (first, n * apart) for first, i in zip(run[0], members, strict=True)})
    return ties
