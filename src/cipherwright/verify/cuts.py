"""Cutting one large comparison into many small ones, at values that core and cipher have in common.

Random simulation suggests which literals carry the same value as a named word of the cipher (a round's
state, a round key). All of them become one free input, and what has to be shown instead is that each is
the same function of the inputs and of the other cuts.

Why that is enough: let F be the function shown for a class, taken from its lowest member in the core. F
depends on classes below it in the core alone, because the core is acyclic; so by induction along the core
every member of every class has the value that the core has, for all inputs. Where a member reads other
cuts than the core (a key schedule that walks back), these are replaced by their own F on both sides, never
in a circle, and the member may then be shown to repeat its own cut. Where a member reads its own cut and is
equal to it only for the values that the cut has (a multiplexer with a choice that is never taken), that cut
is replaced by F: what the member reads there is below it, and so has that value. A class whose members
differ all the same proves nothing: it is taken out, and the values behind it are compared with what follows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from .aig import Aig

__all__ = ["Comparison", "Cut", "cut", "random_inputs", "restricted", "without_equal_sums", "words_of"]

_PATTERNS = 2048
_MEMBERS = 6
_ROUNDS = 4
_LOOKED_AT = 64
_EXPANSIONS = 3
_FULL = (1 << _PATTERNS) - 1


@dataclass(frozen=True)
class Comparison:
    """Pairs of literals of `aig` that shall be equal, `got` of the core and `want` of the cipher; the first
    `core_gates` gates are the core's, and `marks` are literals of the cipher at which a cut may be.
    """

    aig: Aig
    core_gates: int
    marks: tuple[int, ...]
    got: tuple[int, ...]
    want: tuple[int, ...]

    def first_difference(self) -> int | None:
        """Position of a pair that differs under some random input, or None where all agree."""
        return next(iter(_differing(self.aig, self.got, self.want, 1)), None)


@dataclass(frozen=True)
class Cut:
    """A comparison after cutting: the literals of `aig` in `got` and `want` must be equal, pair by pair. The
    inputs of `aig` are those of the comparison and, behind them, the cuts.
    """

    aig: Aig
    got: tuple[int, ...]
    want: tuple[int, ...]
    functions: tuple[int, ...] = ()
    """Of every cut, as literals."""


def _simulate(aig: Aig, seed: int) -> list[int]:
    """Values of every variable (index 0: false) under random inputs, one pattern a bit."""
    return _values(aig, random_inputs(aig, seed))


def random_inputs(aig: Aig, seed: int) -> list[int]:
    """A random word for every input of `aig`, each with many patterns, one a bit. The same `seed` gives the
    same words.
    """
    rng = random.Random(seed)
    return [rng.getrandbits(_PATTERNS) for _ in aig.inputs]


def words_of(aig: Aig, inputs: Sequence[int], literals: Iterable[int]) -> list[int]:
    """The words that `literals` of `aig` have for these of its `inputs`, as `random_inputs` gives them."""
    values = _values(aig, inputs)
    return [values[x >> 1] ^ (_FULL if x & 1 else 0) for x in literals]


def _values(aig: Aig, inputs: Sequence[int]) -> list[int]:
    values = [0, *inputs]
    for b, a in aig.gates:
        x, y = values[a >> 1], values[b >> 1]
        values.append((x ^ _FULL if a & 1 else x) & (y ^ _FULL if b & 1 else y))
    return values


def _differing(aig: Aig, got: Sequence[int], want: Sequence[int], seed: int) -> list[int]:
    """Pairs that differ under random inputs."""
    values = _simulate(aig, seed)
    pairs = enumerate(zip(got, want, strict=True))
    return [i for i, (a, b) in pairs if values[a >> 1] ^ values[b >> 1] != (_FULL if (a ^ b) & 1 else 0)]


def _cone(aig: Aig, roots: Sequence[int]) -> set[int]:
    """Variables that the literals depend on, themselves included."""
    n, seen, stack = len(aig.inputs), {0}, [r >> 1 for r in roots]
    while stack:
        v = stack.pop()
        if v not in seen:
            seen.add(v)
            if v > n:
                stack += [x >> 1 for x in aig.gates[v - n - 1]]
    return seen


class _Support:
    """Of every variable, the inputs from number `first` on that it depends on: bit k for input first + k.
    Grows with the graph.
    """

    def __init__(self, aig: Aig, first: int) -> None:
        self.aig, self.first = aig, first
        self.masks = [0] * (first + 1) + [1 << k for k in range(len(aig.inputs) - first)]

    def of(self, literal: int) -> int:
        masks = self.masks
        if literal >> 1 >= len(masks):
            for b, a in self.aig.gates[len(masks) - len(self.aig.inputs) - 1 :]:
                masks.append(masks[a >> 1] | masks[b >> 1])
        return masks[literal >> 1]


def _bits(mask: int) -> set[int]:
    """The positions of its ones."""
    return {k for k, one in enumerate(reversed(f"{mask:b}")) if one == "1"}


def restricted(c: Comparison, fixed: Mapping[int, int]) -> Comparison:
    """The comparison `c` with some inputs set to constants, and without gates that nothing needs. `fixed`:
    the constant, 0 or 1, by the input's variable.
    """
    need, n = _cone(c.aig, [*c.got, *c.want, *c.marks]), len(c.aig.inputs)
    new = Aig(c.aig.inputs)
    value = [0, *(fixed.get(k + 1, new.input(k)) for k in range(n))]
    core = 0
    for i, (b, a) in enumerate(c.aig.gates):
        if i == c.core_gates:
            core = len(new.gates)
        value.append(new.and_(value[a >> 1] ^ (a & 1), value[b >> 1] ^ (b & 1)) if n + 1 + i in need else 0)
    core = core if c.core_gates < len(c.aig.gates) else len(new.gates)

    def moved(literals: Sequence[int]) -> tuple[int, ...]:
        return tuple(value[x >> 1] ^ (x & 1) for x in literals)

    return Comparison(new, core, moved(c.marks), moved(c.got), moved(c.want))


def cut(c: Comparison) -> Cut:
    """The comparison `c` cut wherever that holds under random inputs; as it is, where that helps nowhere."""
    points = _Points(_classes(c))
    for seed in range(_ROUNDS):
        made, owners = _reduce(c, points.classes, points.expand)
        wrong = _differing(made.aig, made.got, made.want, 3 + seed)
        if not wrong:
            return made
        support = _Support(made.aig, len(c.aig.inputs))
        pairs = [
            _Wrong(*owner, support.of(a), support.of(b))
            for owner, a, b in zip(owners, made.got, made.want, strict=True)
        ]
        drop = points.mend(made, support, [pairs[i] for i in wrong], _suspects(pairs, wrong))
        if drop == {-1}:
            break
        points.classes = [members for k, members in enumerate(points.classes) if k not in drop]
    return Cut(c.aig, c.got, c.want)


@dataclass(frozen=True)
class _Wrong:
    """A pair of a cut comparison that differs: its class and member (an output: -1, 0), and the cuts that
    either side depends on (bit k for class k).
    """

    k: int
    member: int
    left: int
    right: int

    def own(self) -> int:
        """The cut of the member's own class; of an output none."""
        return 1 << self.k if self.member else 0


def _suspects(pairs: Sequence[_Wrong], wrong: Sequence[int]) -> list[_Wrong]:
    """Pairs that agree under random inputs, but read on one side alone a cut that one of those that are
    `wrong` reads so: a carry that runs through many bits of a sum is rare.
    """
    apart = 0
    for i in wrong:
        apart |= pairs[i].left ^ pairs[i].right
    told = set(wrong)
    return [p for i, p in enumerate(pairs) if i not in told and p.member and (p.left ^ p.right) & apart]


class _Points:
    """The places to cut while they are tried. `classes`: literals that become one cut; `expand`: for a member
    the cuts that are replaced by their functions; `tries`: how often that was done for it.
    """

    def __init__(self, classes: list[list[int]]) -> None:
        self.classes = classes
        self.expand: dict[int, set[int]] = {}
        self.tries: dict[int, int] = {}

    def mend(
        self, made: Cut, support: _Support, wrong: Sequence[_Wrong], suspects: Sequence[_Wrong]
    ) -> set[int]:
        """Change members that differ, and where some could be changed the `suspects` with them. The classes
        to take out where none could be changed; -1 where that can't help.
        """
        resting = _resting(self.classes, self.expand)
        drop: set[int] = set()
        changed = False
        for w in wrong:
            if w.member and (
                self._expand(w, made, support, resting(w.k)) or self._expand_own(w) or self._remove(w)
            ):
                changed = True
            elif len(drop) < _LOOKED_AT:
                drop |= _bits(w.right & ~w.left or w.left & ~w.right) or {w.k}
        if not changed:
            return drop
        for w in suspects:
            if not self._expand(w, made, support, resting(w.k)):
                self._expand_own(w)
        return set()

    def _expand(self, w: _Wrong, made: Cut, support: _Support, resting: frozenset[int]) -> bool:
        """Replace cuts that one side alone reads by their functions, where there are some: those whose
        functions bring nothing new, else those that lead back to this cut, else all.
        """
        own = w.own()
        more = _bits(w.right & ~w.left & ~own or w.left & ~w.right & ~own) - resting
        if not more or self.tries.get(w.member, 0) >= _EXPANSIONS:
            return False
        reach = {v: support.of(made.functions[v]) for v in more}
        chosen = (
            {v for v in more if not reach[v] & ~(w.left | w.right | own)}
            or {v for v in more if reach[v] & own}
            or more
        )
        self.expand.setdefault(w.member, set()).update(self.classes[v][0] >> 1 for v in chosen)
        self.tries[w.member] = self.tries.get(w.member, 0) + 1
        return True

    def _expand_own(self, w: _Wrong) -> bool:
        """Replace a member's own cut, which it reads, by its function: the two may be equal for the values
        that the function takes alone.
        """
        if not w.own() & w.right:
            return False
        self.expand.setdefault(w.member, set()).add(self.classes[w.k][0] >> 1)
        return True

    def _remove(self, w: _Wrong) -> bool:
        """Take a member out that only repeats its cut."""
        if self.classes[w.k][0] >> 1 not in self.expand.get(w.member, ()):
            return False
        self.classes[w.k].remove(w.member)
        return True


def _resting(
    classes: Sequence[Sequence[int]], expand: Mapping[int, set[int]]
) -> Callable[[int], frozenset[int]]:
    """Class -> the classes whose proof already rests on it, itself included."""
    number = {members[0] >> 1: k for k, members in enumerate(classes)}
    users: dict[int, set[int]] = {}
    for k, members in enumerate(classes):
        for v in (v for m in members for v in expand.get(m, ()) if v in number):
            users.setdefault(number[v], set()).add(k)

    @cache
    def of(k: int) -> frozenset[int]:
        seen, stack = set[int](), [k]
        while stack:
            at = stack.pop()
            if at not in seen:
                seen.add(at)
                stack += users.get(at, ())
        return frozenset(seen)

    return of


def _classes(c: Comparison) -> list[list[int]]:
    """Literals of equal value under random inputs: the core's in order, then the cipher's."""
    values, inputs = _simulate(c.aig, 2), len(c.aig.inputs)

    def key(variable: int) -> tuple[int, int]:
        v = values[variable]
        return (v ^ _FULL, 1) if v & 1 else (v, 0)

    found: dict[int, dict[int, None]] = {}
    for variable in dict.fromkeys(m >> 1 for m in c.marks if m >> 1 > inputs):
        v, inverted = key(variable)
        found.setdefault(v, {})[2 * variable + inverted] = None
    found.pop(0, None)
    core: dict[int, list[int]] = {}
    for variable in range(inputs + 1, inputs + 1 + c.core_gates):
        v, inverted = key(variable)
        if v in found and len(core.setdefault(v, [])) < _MEMBERS:
            core[v].append(2 * variable + inverted)
    return [members + [m for m in found[v] if m not in members] for v, members in core.items()]


def _reduce(
    c: Comparison, classes: Sequence[Sequence[int]], expand: Mapping[int, set[int]]
) -> tuple[Cut, list[tuple[int, int]]]:
    """The cut comparison, and for each pair its class and that class's member (an output: -1, 0)."""
    n = len(c.aig.inputs)
    new = Aig([*c.aig.inputs, *(f"cut {k}" for k in range(len(classes)))])
    free: dict[int, int] = {}
    for k, members in enumerate(classes):
        for m in members:
            free[m >> 1] = new.input(n + k) ^ (m & 1)
    function = [0, *(new.input(k) for k in range(n))]
    value = list(function)
    for i, (b, a) in enumerate(c.aig.gates):
        made = new.and_(value[a >> 1] ^ (a & 1), value[b >> 1] ^ (b & 1))
        function.append(made)
        value.append(free.get(n + 1 + i, made))
    place = {
        members[0] >> 1: (n + 1 + k, function[members[0] >> 1] ^ (members[0] & 1))
        for k, members in enumerate(classes)
    }
    pairs: list[tuple[int, int, tuple[int, int]]] = []
    support, moved = _Support(new, n), dict[frozenset[tuple[int, int]], _Composed]()
    for k, members in enumerate(classes):
        first = function[members[0] >> 1] ^ (members[0] & 1)
        for m in members[1:]:
            left, right = first, function[m >> 1] ^ (m & 1)
            if m in expand:
                by = frozenset(place[v] for v in expand[m] if v in place)
                composed = moved.setdefault(by, _Composed(support, dict(by)))
                right = composed.of(right)
                left = new.input(n + k) if support.of(right) >> k & 1 else composed.of(first)
            pairs.append((left, right, (k, m)))
    for a, b in zip(c.got, c.want, strict=True):
        pairs.append((value[a >> 1] ^ (a & 1), value[b >> 1] ^ (b & 1), (-1, 0)))
    kept = [p for p in pairs if p[0] != p[1]]
    functions = tuple(function[members[0] >> 1] ^ (members[0] & 1) for members in classes)
    return Cut(new, tuple(p[0] for p in kept), tuple(p[1] for p in kept), functions), [p[2] for p in kept]


def sum_operands(aig: Aig, v: int) -> tuple[int, int] | None:
    """(x, y) where variable v is x + y: neither both of them nor both of their complements."""
    n = len(aig.inputs)
    if v <= n:
        return None
    p, q = aig.gates[v - n - 1]
    if not (p & 1 and q & 1 and p >> 1 > n and q >> 1 > n):
        return None
    one, other = (sorted(aig.gates[(x >> 1) - n - 1]) for x in (p, q))
    return (one[0], one[1]) if [x ^ 1 for x in one] == other else None


class _Parity:
    """Literals as sums of what is no sum itself, so that two sums in any order compare equal."""

    def __init__(self, aig: Aig) -> None:
        self.aig, self.n = aig, len(aig.inputs)
        self.known: dict[int, tuple[frozenset[int], int]] = {}

    def of(self, literal: int) -> tuple[frozenset[int], int]:
        """(variables, constant)."""
        stack = [literal >> 1]
        while stack:
            v = stack[-1]
            parts = sum_operands(self.aig, v) if v not in self.known else None
            if parts is None:
                self.known.setdefault(v, (frozenset((v,)) if v else frozenset(), 0))
                stack.pop()
                continue
            todo = [x >> 1 for x in parts if x >> 1 not in self.known]
            if todo:
                stack += todo
                continue
            (s, c), (t, d) = (self.known[x >> 1] for x in parts)
            self.known[v] = s ^ t, c ^ d ^ (parts[0] & 1) ^ (parts[1] & 1)
            stack.pop()
        s, c = self.known[literal >> 1]
        return s, c ^ (literal & 1)


def without_equal_sums(c: Cut) -> Cut:
    """The pairs of `c` that are not the same sum modulo 2 of the same literals, in whatever order."""
    parity = _Parity(c.aig)
    kept = [(a, b) for a, b in zip(c.got, c.want, strict=True) if parity.of(a) != parity.of(b)]
    return replace(c, got=tuple(a for a, _ in kept), want=tuple(b for _, b in kept))


class _Composed:
    """Literals with inputs replaced by other literals. `by`: variables of inputs, of those that `support`
    knows, and what replaces them. What several literals have below them is made once.
    """

    def __init__(self, support: _Support, by: Mapping[int, int]) -> None:
        self.support = support
        self.made = dict(by)
        self.moves = 0
        for v in by:
            self.moves |= 1 << v - support.first - 1

    def of(self, literal: int) -> int:
        if not self.support.of(literal) & self.moves:
            return literal
        aig, made, n = self.support.aig, self.made, len(self.support.aig.inputs)
        for v in sorted(self._left(literal >> 1)):
            b, a = aig.gates[v - n - 1]
            made[v] = aig.and_(made.get(a >> 1, a & ~1) ^ (a & 1), made.get(b >> 1, b & ~1) ^ (b & 1))
        return made[literal >> 1] ^ (literal & 1)

    def _left(self, root: int) -> set[int]:
        """The variables below a root, itself included, that depend on an input to replace and are not made
        yet.
        """
        made, moves, masks = self.made, self.moves, self.support.masks
        gates, n = self.support.aig.gates, len(self.support.aig.inputs)
        left = {root} - made.keys()
        stack = list(left)
        while stack:
            for x in gates[stack.pop() - n - 1]:
                v = x >> 1
                if v not in left and v not in made and masks[v] & moves:
                    left.add(v)
                    stack.append(v)
        return left
