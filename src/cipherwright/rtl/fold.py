"""The same cipher as an iterative core: one or more rounds in a loop, and several blocks in flight (C-slow).

The loop is an ordinary graph whose outputs feed its inputs, so the scheduler places its registers and the same
lowering prints it. A trip through the loop takes `stages` cycles; with several stages, as many independent
blocks are in flight, each with its own round counter that travels with it. A block takes one trip to load and
rounds / rounds_per_cycle trips to compute; a slot loads its next block in the trip in which it delivers one.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..cipher import Cipher
from ..errors import UserError
from ..graph import Graph, GraphBuilder
from ..schedule import Io

__all__ = ["Loop", "fold"]


@dataclass(frozen=True)
class Loop:
    """The loop's graph; `loops` pairs each looped input with its output; `io` says what leaves at once;
    `trips` to compute one block after loading it."""

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
    trips = rounds // rounds_per_cycle
    count_bits = max(1, (trips - 1).bit_length())
    first = (1 << count_bits) - trips  # the counter's top bit says that the block is done
    b = GraphBuilder(f"{cipher.name}_loop")
    loops: list[tuple[str, str]] = []

    def looped(name: str, width: int) -> int:
        loops.append((name, f"{name}_next"))
        return b.input(name, width)

    valid, block, key = b.input("valid", 1), b.input("block", cipher.block_bits), b.input("key", key_bits)
    decrypt_new = b.input("decrypt", 1) if direction == "both" else b.const(1, int(direction == "decrypt"))
    busy, count = looped("busy", 1), looped("count", count_bits + 1)
    decrypt = looped("dir", 1) if direction == "both" else decrypt_new
    new_state = cipher.start(b, block)
    new_keys = cipher.key_start(b, key_bits, cipher.effective_key(b, key), decrypt_new)
    state = tuple(looped(f"state{i}", b.width(w)) for i, w in enumerate(new_state))
    keys = tuple(looped(f"key{i}", b.width(w)) for i, w in enumerate(new_keys))

    done = b.select(count, (count_bits,))
    ready = b.named(b.lut(0b1011, busy, done), "ready")  # not busy, or done
    load = b.named(b.and_(valid, ready), "load")
    out = cipher.finish(b, state)
    deliver = b.named(b.and_(busy, done), "deliver")

    now, now_keys = state, keys
    index = b.select(count, range(count_bits - 1, -1, -1))
    for step in range(rounds_per_cycle):
        table = [
            cipher.key_control(key_bits, (i - first) * rounds_per_cycle + step) if i >= first else 0
            for i in range(1 << count_bits)
        ]
        width = cipher.control_bits(key_bits)
        control = b.const(width, table[0]) if len(set(table)) == 1 else _small_table(b, f"control{step}", table, width, index)
        round_key, now_keys = cipher.key_step(b, key_bits, control, now_keys, decrypt)
        now = cipher.folded_round(b, key_bits, control, now, round_key)

    count_up = b.add(count, b.const(count_bits + 1, 1))
    b.output("ready", ready)
    b.output("valid", deliver)
    b.output("block", out)
    # A slot stays busy while it computes; a delivered or idle one is busy next if a block is offered.
    b.output("busy_next", b.named(b.lut(0b11110100, valid, busy, done), "busy"))
    b.output("count_next", b.named(b.mux(load, b.const(count_bits + 1, first), count_up), "count"))
    if direction == "both":
        b.output("dir_next", b.named(b.mux(load, decrypt_new, decrypt), "dir"))
    for i, (new, old) in enumerate(zip(new_state, now, strict=True)):
        b.output(f"state{i}_next", b.named(b.mux(load, new, old), f"state{i}"))
    for i, (new, old) in enumerate(zip(new_keys, now_keys, strict=True)):
        b.output(f"key{i}_next", b.named(b.mux(load, new, old), f"keys{i}"))
    io = Io(leave=(("ready", 0), ("valid", 0), ("block", 0)))
    return Loop(b.build(), tuple(loops), io, trips)


def _small_table(b: GraphBuilder, name: str, table: list[int], width: int, index: int) -> int:
    """Control word of the round counter: one truth table a bit where it has at most six inputs, else a lookup."""
    n = b.width(index)
    if n > 6:
        return b.lookup(name, table, width, index)
    bits = [b.select(index, (k,)) for k in reversed(range(n))]
    out = [b.lut(sum((e >> k & 1) << a for a, e in enumerate(table)), *bits) for k in reversed(range(width))]
    return b.cat(*(b.named(o, f"{name}_{k}") for k, o in zip(reversed(range(width)), out, strict=True)))
