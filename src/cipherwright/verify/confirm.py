"""A core that was just made, compared with the cipher's description on random keys and blocks before
anything is written.

This is no proof: it takes milliseconds and runs on every build, so that a description from which no right
core can be made is refused instead of giving a wrong one. The reference is the description on integers,
with its direct key schedule.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..arch import KeyMemory
from ..cipher import Cipher
from ..errors import UserError
from ..graph import Graph, evaluate
from ..rtl import Design, DesignModel, from_lanes, to_lanes
from ..shell import KeyLoop

__all__ = [
    "Sample",
    "confirm_expansion",
    "confirm_loop",
    "confirm_pipeline",
    "confirm_rewrite",
    "linear_word",
    "samples",
]

_BLOCKS = 12

Rows = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Sample:
    """The `inputs` of a core by name, without the `_i` of the ports, and the block that it must give
    (`result`); words as integers, byte 0 of the standard the most significant.
    """

    inputs: Mapping[str, int]
    result: int


def samples(
    cipher: Cipher,
    key_bits: int,
    directions: Sequence[int],
    mode: str = "ecb",
    held: Callable[[int, int], Mapping[str, int]] = lambda key, decrypt: {},
) -> list[Sample]:
    """Random keys of `key_bits` and blocks for `cipher` in `directions` (0: encryption, 1: decryption) by
    turns, with the description's results. `mode`: of a pipeline that adds a word `chain` (CBC to the cipher's
    result, the others the block to that of the word); `held`: key and direction -> inputs that are made from
    the key and held;
    where there are such, two samples in a row have the same key.

    Raises UserError where the description does not undo what it did.
    """
    rng = random.Random(f"{cipher.name} {key_bits}")
    out: list[Sample] = []
    key = 0
    for i in range(_BLOCKS):
        key = key if i % 2 and held(key, 0) else rng.getrandbits(key_bits)
        block, chain, decrypt = (
            rng.getrandbits(cipher.block_bits),
            rng.getrandbits(cipher.block_bits),
            directions[i % len(directions)],
        )
        given, added = {"ecb": (block, 0), "cbc": (block, chain)}.get(mode, (chain, block))
        made = _crypt(cipher, key_bits, key, given, decrypt)
        if _crypt(cipher, key_bits, key, made, 1 - decrypt) != given:
            raise UserError(
                f"the description of {cipher.title} does not undo itself: decrypting what it encrypted "
                f"gives another block"
            )
        out.append(
            Sample(
                {
                    "valid": 1,
                    "key": key,
                    "block": block,
                    "chain": chain,
                    "decrypt": decrypt,
                    **held(key, decrypt),
                },
                made ^ added,
            )
        )
    return out


@lru_cache(maxsize=512)
def _crypt(cipher: Cipher, key_bits: int, key: int, block: int, decrypt: int) -> int:
    given = block.to_bytes(cipher.block_bits // 8, "big")
    made = cipher.encrypt_block(key.to_bytes(key_bits // 8, "big"), given, bool(decrypt))
    return int.from_bytes(made, "big")


def _given(design: Design, top: str, rows: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    """The top's inputs, by port, for many blocks."""
    module = next(m for m in design.modules if m.name == top)
    ports = {
        p.name.removesuffix("_i"): p
        for p in module.ports
        if p.direction == "input" and p.name not in ("clk", "rst_i")
    }
    return {p.name: to_lanes([row[name] for row in rows], p.width) for name, p in ports.items()}


def _wrong(title: str, what: str) -> UserError:
    return UserError(
        f"no right core can be made of {title} this way: {what}; nothing was written (the description in "
        f"its file does not fit this architecture)"
    )


def confirm_pipeline(title: str, design: Design, found: Sequence[Sample]) -> None:
    """Raise UserError, with what differs, unless the pipeline `design` gives the result of every sample in
    `found`. `title`: the cipher's, for the message. Registers are taken for wires.
    """
    out = DesignModel(design, len(found)).run(_given(design, design.top.name, [s.inputs for s in found]))
    _compare(title, out, found, "its pipeline")


class _LoopModel:
    """A loop that is run with rows of inputs, a row for each block. memory: round keys that it reads by
    address, which are inputs of the rows by name.
    """

    def __init__(self, design: Design, blocks: int, stages: int, memory: KeyMemory | None) -> None:
        self.design, self.memory = design, memory
        self.model = DesignModel(design, blocks, stages)

    def run(self, rows: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
        """The outputs of an iteration."""
        name = self.design.top.name
        if self.memory is None:
            return self.model.run(_given(self.design, name, rows))
        reads = range(self.memory.reads)
        blank = {f"word{i}": 0 for i in reads}
        shown = self.model.shown(_given(self.design, name, [{**row, **blank} for row in rows]))
        addresses = [from_lanes(shown[f"address{i}_o"], len(rows)) for i in reads]
        read = [
            {**row, **{f"word{i}": self._word(row, addresses[i][j]) for i in reads}}
            for j, row in enumerate(rows)
        ]
        return self.model.run(_given(self.design, name, read))

    def _word(self, row: Mapping[str, int], address: int) -> int:
        """The round key at an address, or 0 where there is none."""
        assert self.memory is not None
        number = self.memory.number(address)
        return 0 if number is None else row[self.memory.user(number)]


def confirm_loop(
    title: str,
    design: Design,
    found: Sequence[Sample],
    stages: int,
    iterations: int,
    memory: KeyMemory | None = None,
) -> None:
    """Raise UserError, with what differs, unless the loop `design` gives every result in `found` after
    `iterations`, and then that of another block, taken as the first one leaves. title: the cipher's, for the
    message; stages: of the loop, whose last registers hold the blocks from one iteration to the next; memory:
    the round keys that it reads by address, which are inputs of the samples by name.
    """
    n = len(found)
    model = _LoopModel(design, n, stages, memory)
    other = [found[i ^ 1] for i in range(n)]
    first, second = [[s.inputs for s in group] for group in (found, other)]
    idle = [{**row, "valid": 0} for row in second]
    seen = model.run(first)
    if from_lanes(seen["ready_o"], n) != [1] * n:
        raise _wrong(title, "an idle loop does not take a block")
    for rows, results in ((second, found), (idle, other)):
        for k in range(iterations - 1):
            seen = model.run(idle)
            if any(from_lanes(seen["valid_o"], n)):
                raise _wrong(title, f"its loop gives a result after {k + 1} iterations of {iterations}")
        seen = model.run(rows)
        _compare(title, seen, results, "its loop")


def _compare(title: str, out: Mapping[str, list[int]], found: Sequence[Sample], what: str) -> None:
    n = len(found)
    if from_lanes(out["valid_o"], n) != [1] * n:
        raise _wrong(title, f"{what} gives no result when it should")
    for s, got in zip(found, from_lanes(out["block_o"], n), strict=True):
        if got != s.result:
            way = "decryption" if s.inputs["decrypt"] else "encryption"
            raise _wrong(
                title,
                (
                    f"{what} differs from the description in {way} (key {s.inputs['key']:x}, block "
                    f"{s.inputs['block']:x})"
                ),
            )


def linear_word(rows: Sequence[int], word: int) -> int:
    """The bits of `rows` times `word`: each row is a mask of the word's bits whose sum modulo 2 is a bit of
    the result, the first row's the most significant.

    >>> bin(linear_word([0b110, 0b001, 0b111], 0b101))
    '0b110'
    """
    out = 0
    for row in rows:
        out = out << 1 | (row & word).bit_count() & 1
    return out


def confirm_expansion(title: str, loop: KeyLoop, schedule: Graph) -> None:
    """Raise UserError, with the round key that differs, unless the key-expansion unit's `loop` makes every
    round key, one an iteration. `title`: the cipher's, for the message; `schedule`: the round keys, by the
    names of the loop's users. Where the loop has no rows, each is kept as it is at the high end of a word.
    """
    rng, e, users = random.Random(title), loop.expansion, loop.users
    key_node = schedule.nodes[schedule.inputs["key"]]
    keys = [rng.getrandbits(key_node.width) for _ in range(_BLOCKS)]
    want = [evaluate(schedule, {"key": k}) for k in keys]
    model = DesignModel(loop.design, len(keys), loop.stages, loop.name)

    def run(valid: int) -> dict[str, list[int]]:
        out = model.run(
            {
                "valid_i": to_lanes([valid] * len(keys), 1),
                "key_i": to_lanes(keys if valid else [0] * len(keys), key_node.width),
            }
        )
        return {name: from_lanes(lanes, len(keys)) for name, lanes in out.items()}

    run(1)
    for _ in range(e.setup + 1):  # what an iteration makes is shown in the next one
        run(0)
    for i, user in enumerate(users):
        seen = run(0)
        kept_apart = i in e.apart
        got = seen["raw_o" if kept_apart else "word_o"]
        if not loop.rows:
            kept_apart, low = True, e.width - schedule.nodes[dict(schedule.outputs)[user]].width
            got = [word >> low for word in got]
        if got != [w[user] if kept_apart else linear_word(loop.rows[i], w[user]) for w in want] or seen[
            "last_o"
        ] != [int(i == len(users) - 1)] * len(keys):
            raise _wrong(title, f"its key-expansion unit makes another round key {i} than the description")


def confirm_rewrite(title: str, before: Graph, after: Graph) -> None:
    """Raise UserError, with the output that differs, unless the rewritten graph `after` computes what
    `before` did, for some random words. `title`: the cipher's, for the message.
    """
    rng = random.Random(before.name)
    for _ in range(_BLOCKS):
        given = {name: rng.getrandbits(before.nodes[i].width) for name, i in before.inputs.items()}
        for name, value in evaluate(after, {n: given[n] for n in after.inputs}).items():
            if value != evaluate(before, given)[name]:
                raise _wrong(title, f"the word {name} of {before.name} changed as it was realised")
