"""What the stages of a pipeline do, in words for the comments of its text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..cipher import numbered
from ..graph import Graph

__all__ = ["main_round", "stage_titles"]

_NAMES = 8
"""Names of results that a title lists at most."""

_OF_ANOTHER = re.compile(r" of (before round|rounds?|after round) \d.*")
"""What a step of another round than its operation's has behind its name."""

_NUMBERED = re.compile(r"(before round|rounds?|after round|round key) (?:\d+ (?:and|to) )?(\d+)")


def stage_titles(graph: Graph, stages: Sequence[Iterable[int]]) -> list[str]:
    """A title for each of `stages`, from its operations (indices of nodes of `graph`): the round that most
    belong to, the standard's steps in this round, which stage of the round it is, the round keys that it
    works on, and the names of most of its results. For example `stage 10 of 92: round 2, MixColumns of round
    1, then SubBytes, stage 1 of 9: 16 sboxmix1`. Several stages of registers alone, one behind the other,
    have one title, at the first; those of the others are empty.
    """
    members = [list(nodes) for nodes in stages]
    rounds = [main_round(graph, nodes) for nodes in members]
    seen, out = Counter[str](), list[str]()
    for n, (nodes, title) in enumerate(zip(members, rounds, strict=True), 1):
        seen[title] += 1
        place = f"stage {seen[title]} of {rounds.count(title)}" if rounds.count(title) > 1 else ""
        parts = [", ".join(filter(None, (title, _steps(graph, nodes, title), place)))] if title else []
        keys = sorted({p.number for p in _places(graph, nodes) if p.kind == "round key"})
        parts += [numbered("round key", keys[0], keys[-1])] if keys else []
        names = Counter(graph.nodes[i].name or graph.nodes[i].op for i in nodes).most_common(_NAMES)
        made = ", ".join(f"{count} {name}" if count > 1 else name for name, count in names)
        said = [f"stage {n} of {len(members)}", "; ".join(parts), made if nodes else _idle(members, n)]
        out.append(": ".join(s for s in said if s) if nodes or n == 1 or members[n - 2] else "")
    return out


def _idle(members: Sequence[Sequence[int]], first: int) -> str:
    """What is said of stage `first`, which has no operations, and of all such stages behind it."""
    last = next((k for k in range(first, len(members)) if members[k]), len(members))
    return "registers alone" if last == first else f"registers alone, to stage {last}"


def _steps(graph: Graph, nodes: Iterable[int], title: str) -> str:
    """The standard's steps that operations of `nodes` in the part `title` belong to, in the order of the
    graph, as `MixColumns and AddRoundKey of round 1, then SubBytes`; "" where none has one.
    """
    found = (step for p in _places(graph, sorted(nodes)) if p.title == title for step in p.steps)
    groups: dict[str, list[str]] = {}
    for step in dict.fromkeys(found):
        own = _OF_ANOTHER.sub("", step)
        groups.setdefault(step.removeprefix(own), []).append(own)
    here = groups.pop("", [])
    said = [_listed(names) + of for of, names in groups.items()]
    return ", then ".join([*said, *filter(None, [_listed(here)])])


def _listed(names: Sequence[str]) -> str:
    """Names, such as `SubBytes, MixColumns and AddRoundKey`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


@dataclass(frozen=True)
class _Place:
    """Where in the cipher an operation is: the `title` of the part, its `kind` and `number` (of several
    rounds the last), and the standard's `steps`, as far as they are told.
    """

    title: str
    kind: str
    number: int
    steps: tuple[str, ...]

    @property
    def order(self) -> tuple[int, int]:
        """Greater for a later round. What is before round 8 is where what is after round 7 is."""
        before = self.kind == "before round"
        return self.number - before, int(before or self.kind == "after round")


def _places(graph: Graph, nodes: Iterable[int]) -> Iterator[_Place]:
    """Those of the operations that have one."""
    for i in nodes:
        title, _, steps = graph.nodes[i].section.partition(": ")
        if found := _NUMBERED.fullmatch(title):
            yield _Place(title, found[1], int(found[2]), tuple(filter(None, steps.split(", "))))


def main_round(graph: Graph, nodes: Iterable[int]) -> str:
    """The round that most operations of `nodes` (indices in `graph`) belong to, of equally many the latest,
    as `round 7`, `rounds 1 and 2`, `before round 1` or `after round 16`; empty where none belongs to a round.
    """
    found = [p for p in _places(graph, nodes) if p.kind != "round key"]
    operations = Counter(p.title for p in found)
    main = max(found, key=lambda p: (operations[p.title], p.order), default=None)
    return main.title if main else ""
