"""The same cipher as an iterative core: one or more rounds in a loop, and several blocks in flight (C-slow).

The loop is an ordinary graph whose outputs feed its inputs, so the scheduler places its registers and the same
lowering prints it. A trip through the loop takes `stages` cycles; with several stages, as many independent
blocks are in flight, each with its own round counter that travels with it. A block takes one trip to load and
rounds / rounds_per_cycle trips to compute; a slot loads its next block in the trip in which it delivers one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..cipher import Cipher, HeldCipher
from ..errors import UserError
from ..graph import STATIC, Graph, GraphBuilder
from ..schedule import Io

__all__ = ["Loop", "fold", "fold_held", "small_table"]


@dataclass(frozen=True)
class Loop:
    """The loop's graph; `loops` pairs each looped input with its output; `io` says what leaves at once; `trips` from
    a block's load to its result, and until the slot may load again."""

    graph: Graph
    loops: tuple[tuple[str, str], ...]
    io: Io
    trips: int


def fold(cipher: Cipher, key_bits: int, rounds_per_cycle: int, direction: str) -> Loop:
    """The loop graph. Ports: valid, ready, block, key, decrypt (where `direction` is both); one slot a stage."""
    rounds = cipher.rounds(key_bits)
    if rounds_per_cycle < 1 or rounds % rounds_per_cycle:
        fit = [n for n in range(1, rounds + 1) if rounds % n == 0]
        raise UserError(f"{cipher.name} has {rounds} rounds: rounds_per_cycle is one of {fit}, not {rounds_per_cycle}")
    return (_KeyedLoop if cipher.first_key else _PlainLoop)(cipher, key_bits, rounds_per_cycle, direction).finished()


class _Fold:
    """What both kinds of loop have: ports, the slot's control, and the loop's registers."""

    def __init__(self, cipher: Cipher, key_bits: int, per_trip: int, direction: str, trips: int, overlap: bool, held: bool = False) -> None:
        """`trips` from load to result; `overlap`: the trip that delivers may load; `held`: round keys are inputs of their own."""
        self.cipher, self.key_bits, self.per_trip, self.direction = cipher, key_bits, per_trip, direction
        self.trips, self.overlap = trips, overlap
        counted = trips - 1  # trips counted before the counter's top bit says that the result is there
        self.count_bits = max(1, (counted - 1).bit_length())
        self.first = (1 << self.count_bits) - counted
        self.b = b = GraphBuilder(f"{cipher.name}_loop")
        self.loops: list[tuple[str, str]] = []
        self.valid, self.block = b.input("valid", 1), b.input("block", cipher.block_bits)
        key = None if held else b.input("key", key_bits)
        self.new_dir = b.input("decrypt", 1) if direction == "both" else b.const(1, int(direction == "decrypt"))
        self.busy, self.count = self.looped("busy", 1), self.looped("count", self.count_bits + 1)
        self.dir = self.looped("dir", 1) if direction == "both" else self.new_dir
        self.new_keys = () if key is None else cipher.key_start(b, key_bits, cipher.effective_key(b, key), self.new_dir)

    def looped(self, name: str, width: int) -> int:
        self.loops.append((name, f"{name}_next"))
        return self.b.input(name, width)

    def control(self) -> None:
        """done, ready, load, deliver."""
        b = self.b
        self.done = b.select(self.count, (self.count_bits,))
        # not busy, or (where the two may meet) done
        self.ready = b.named(b.lut(0b1011, self.busy, self.done) if self.overlap else b.not_(self.busy), "ready")
        self.load = b.named(b.and_(self.valid, self.ready), "load")
        self.deliver = b.named(b.and_(self.busy, self.done), "deliver")

    def close(self, out: int, state: tuple[tuple[int, int | None], ...], keys: tuple[tuple[int, int | None], ...]) -> Loop:
        """Outputs. `state` and `keys`: (value for the next trip, value of a load or None where that is in the first)."""
        b, load = self.b, self.load
        count_up = b.add(self.count, b.const(self.count_bits + 1, 1))
        b.output("ready", self.ready)
        b.output("valid", self.deliver)
        b.output("block", out)
        # A slot stays busy while it computes; a delivered or idle one is busy next if a block is offered.
        table = 0b11110100 if self.overlap else 0b01110100
        b.output("busy_next", b.named(b.lut(table, self.valid, self.busy, self.done), "busy"))
        b.output("count_next", b.named(b.mux(load, b.const(self.count_bits + 1, self.first), count_up), "count"))
        if self.direction == "both":
            b.output("dir_next", b.named(b.mux(load, self.new_dir, self.dir), "dir"))
        for kind, words in (("state", state), ("keys", keys)):
            for i, (value, new) in enumerate(words):
                name = f"{kind}{i}"
                b.output(f"{name.replace('keys', 'key')}_next", b.named(value if new is None else b.mux(load, new, value), name))
        # A result that waits in the state leaves at once; one that the last trip computes leaves at that trip's end.
        now = (("ready", 0), ("valid", 0), ("block", 0)) if self.overlap else (("ready", 0),)
        apart = not self.overlap
        return Loop(b.build(), tuple(self.loops), Io(leave=now), self.trips + apart)


class _PlainLoop(_Fold):
    """Loading is a trip of its own: the block's first state and the schedule's are taken as they are. The last round
    key, where the cipher has one, waits in the schedule's state."""

    def __init__(self, cipher: Cipher, key_bits: int, per_trip: int, direction: str) -> None:
        self.rounds = cipher.rounds(key_bits)
        super().__init__(cipher, key_bits, per_trip, direction, self.rounds // per_trip + 1, True)

    def finished(self) -> Loop:
        cipher, b, key_bits = self.cipher, self.b, self.key_bits
        new_state = cipher.start(b, self.block, None)
        state = tuple(self.looped(f"state{i}", b.width(w)) for i, w in enumerate(new_state))
        keys = tuple(self.looped(f"key{i}", b.width(w)) for i, w in enumerate(self.new_keys))
        self.control()
        last = cipher.key_step(b, key_bits, b.const(cipher.control_bits(key_bits), 0), keys, self.dir)[0] if cipher.last_key else None
        out = cipher.finish(b, state, last)
        now, now_keys = state, keys
        index = b.select(self.count, range(self.count_bits - 1, -1, -1))
        for step in range(self.per_trip):
            table = [
                cipher.key_control(key_bits, (i - self.first) * self.per_trip + step) if i >= self.first else 0
                for i in range(1 << self.count_bits)
            ]
            control = small_table(b, f"control{step}", table, cipher.control_bits(key_bits), index)
            round_key, now_keys = cipher.key_step(b, key_bits, control, now_keys, self.dir)
            now = cipher.folded_round(b, key_bits, control, now, round_key)
        return self.close(out, tuple(zip(now, new_state, strict=True)), tuple(zip(now_keys, self.new_keys, strict=True)))


class _HeldLoop(_Fold):
    """Round keys are held inputs rk0, rk1 …; loading is a trip of its own, and the trip that delivers may load."""

    def __init__(self, cipher: HeldCipher, key_bits: int, direction: str) -> None:
        self.held, self.plan = cipher, cipher.held_plan(key_bits)
        super().__init__(cipher, key_bits, 1, direction, len(self.plan) + 1, True, True)

    def finished(self) -> Loop:
        cipher, b = self.held, self.b
        keys = [b.input(f"rk{i}", cipher.key_words(self.key_bits, i), STATIC) for i in range(cipher.round_keys(self.key_bits))]
        new_state = cipher.held_start(b, self.block, self.new_dir)
        state = tuple(self.looped(f"state{i}", b.width(w)) for i, w in enumerate(new_state))
        self.control()
        index = b.select(self.count, range(self.count_bits - 1, -1, -1))
        table = [self.plan[i - self.first] if i >= self.first else 0 for i in range(1 << self.count_bits)]
        now = cipher.held_trip(b, small_table(b, "control", table, cipher.held_bits(), index), state, keys, self.dir)
        return self.close(cipher.held_finish(b, state, self.dir), tuple(zip(now, new_state, strict=True)), ())


def fold_held(cipher: HeldCipher, key_bits: int, direction: str) -> Loop:
    """The loop graph of a cipher over held round keys, in one direction. Ports: valid, ready, block, rk0, rk1 …"""
    return _HeldLoop(cipher, key_bits, direction).finished()


class _KeyedLoop(_Fold):
    """The first round key is added where a block is loaded, so the schedule takes a step in that trip too. Where
    decryption needs steps before (`key_setup`), the block waits as it came.

    Where the schedule's state holds the round key, the last one is at hand in the trip that delivers, and that trip may
    load the next block; otherwise the step unit makes it, and the next block waits a trip.
    """

    def __init__(self, cipher: Cipher, key_bits: int, per_trip: int, direction: str) -> None:
        if per_trip != 1:
            raise UserError(f"an iterative {cipher.name} core computes one round a trip: rounds_per_cycle = 1")
        self.setup = cipher.key_setup(key_bits) if direction != "encrypt" else 0
        super().__init__(cipher, key_bits, 1, direction, self.setup + cipher.rounds(key_bits) + 1, cipher.key_ready)

    def finished(self) -> Loop:
        cipher, b, key_bits = self.cipher, self.b, self.key_bits
        width = cipher.block_bits
        state = self.looped("state0", width)
        held = tuple(self.looped(f"key{i}", b.width(w)) for i, w in enumerate(self.new_keys))
        self.control()
        load = self.load
        keys = tuple(b.mux(load, new, old) for new, old in zip(self.new_keys, held, strict=True))
        decrypt = b.named(b.mux(load, self.new_dir, self.dir), "dir") if self.direction == "both" else self.dir
        trip = b.and_(self.count, b.select(b.not_(load), (0,) * (self.count_bits + 1)))  # 0 where a block is loaded
        control = self._control(trip, decrypt)
        round_key, stepped = cipher.key_step(b, key_bits, control, keys, decrypt)
        (rounded,) = cipher.folded_round(b, key_bits, control, (state,), round_key)
        if not self.setup:
            (loaded,) = cipher.start(b, self.block, round_key)
            value = b.mux(load, loaded, rounded)
        else:
            begins = self._flag("begins", trip, {self.setup})
            waits = self._flag("waits", trip, set(range(1, self.setup)))
            (started,) = cipher.start(b, state, round_key)
            value = b.mux(load, self.block, b.mux(waits, state, b.mux(begins, started, rounded)))
            idle = b.and_(b.or_(load, waits), b.not_(decrypt))
            stepped = tuple(b.mux(idle, old, new) for old, new in zip(keys, stepped, strict=True))
        last = round_key if not cipher.key_ready else cipher.key_step(b, key_bits, control, held, self.dir)[0]
        out = cipher.finish(b, (state,), last if cipher.last_key else None)
        return self.close(out, ((value, None),), tuple((s, None) for s in stepped))

    def _trip(self, code: int) -> int | None:
        """Trip number (0 loads) of a value of the masked counter."""
        return 0 if code == 0 else code - self.first + 1 if code >= self.first else None

    def _flag(self, name: str, trip: int, when: set[int]) -> int:
        table = [int(self._trip(code) in when) for code in range(2 << self.count_bits)]
        return small_table(self.b, name, table, 1, trip)

    def _control(self, trip: int, decrypt: int) -> int:
        """The schedule's control word, by trip and direction."""
        tables = []
        for back in (False, True):
            steps = [self._trip(code) for code in range(2 << self.count_bits)]
            last = self.setup + self.cipher.round_keys(self.key_bits)
            words = [self.cipher.key_control(self.key_bits, s - self.setup, back) if s is not None and s < last else 0 for s in steps]
            tables.append(words)
        bits, b = self.cipher.control_bits(self.key_bits), self.b
        if self.direction != "both" or tables[0] == tables[1]:
            return small_table(b, "control", tables[self.direction == "decrypt"], bits, trip)
        return small_table(b, "control", tables[0] + tables[1], bits, b.cat(decrypt, trip))


def small_table(b: GraphBuilder, name: str, table: Sequence[int], width: int, index: int) -> int:
    """Control word of the round counter: one truth table a bit where it has at most six inputs, else a lookup."""
    n = b.width(index)
    if len(set(table)) == 1:
        return b.const(width, table[0])
    if n > 6:
        return b.lookup(name, table, width, index)
    bits = [b.select(index, (k,)) for k in reversed(range(n))]
    out = []
    for k in reversed(range(width)):
        truth = sum((e >> k & 1) << a for a, e in enumerate(table))
        whole = truth in (0, (1 << (1 << n)) - 1)
        out.append(b.const(1, truth & 1) if whole else b.named(b.lut(truth, *bits), f"{name}_{k}"))
    return b.cat(*out)
