"""What the bits of a Rijndael processor's registers mean: bits of the expanded key and of the states of the
cipher, and how the standard makes one from another.

Everything is by one step: a word of the expanded key from two others, a state from the one before it and a
round key. That the steps together are the cipher is looked at on random values (`check_steps`).
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ...cipher.rijndael import RIJNDAEL, Rijndael, key_temp, kind_of_word
from ...cipher.standard import Kind
from ...cipher.word import Word, over, under
from ...graph import Graph, GraphBuilder, evaluate
from ...verify.aig import Aig, graph_to_aig

__all__ = ["BLOCK", "WORD_BITS", "Meaning", "Reference", "Size", "Value", "check_steps"]

WORD_BITS = 32
BLOCK = -1
"""Number of the state before the first step."""

_REACH = 8
"""Words of the expanded key that are made on either side of those that registers hold."""


class Meaning(NamedTuple):
    """A bit of word `number` of the expanded key, or with `state` of the state after step `number` (from 0;
    BLOCK: the block itself). `bit` 0 is the least significant.
    """

    state: bool
    number: int
    bit: int


Value = int | Meaning | None
"""What a bit holds: 0, 1, what it means, or anything."""


class Size(NamedTuple):
    """A size: bits of `block` and of `key`."""

    block: int
    key: int

    @property
    def cipher(self) -> Rijndael:
        """Rijndael with blocks of this size."""
        return RIJNDAEL.with_block(self.block)

    @property
    def nb(self) -> int:
        """Words of a block."""
        return self.block // WORD_BITS

    @property
    def nk(self) -> int:
        """Words of a key."""
        return self.key // WORD_BITS

    @property
    def last(self) -> int:
        """Number of the last step, whose state is the result."""
        return len(self.cipher.steps(self.key)) - 1

    def round_key(self, step: int, decrypt: bool) -> list[tuple[int, int]]:
        """Of every bit of the round key of step `step`, from 0 (least significant first): its word of the
        expanded key, and the bit there. `decrypt`: round keys are used from the last one on.
        """
        first = self.nb * (self.last - step if decrypt else step)
        return [(first + self.nb - 1 - k // WORD_BITS, k % WORD_BITS) for k in range(WORD_BITS * self.nb)]


@cache
def _word_graph(rcon: int, substitute: bool) -> Graph:
    """A word of the expanded key from the one before it and the one Nk words earlier; also the earlier one
    from the later one.
    """
    b = GraphBuilder("key_word")
    before, other = (over(b, b.input(name, WORD_BITS)) for name in ("before", "other"))
    marks = before.const(1, rcon != 0), before.const(1, substitute)
    b.output("word", under(b, other ^ key_temp(before, before.const(8, rcon), *marks)))
    return b.build()


@cache
def _step_graph(kind: Kind | None, width: int, decrypt: bool) -> Graph:
    """A state from the one before it. Encryption: a step of the standard. Decryption: states are those behind
    the key additions, so a step is an inverse one whose round key was added already, and the addition of
    the next round key; without a kind the addition alone.
    """
    b = GraphBuilder("step")
    state, key = (over(b, b.input(name, width)) for name in ("state", "key"))

    def inverse(word: Word) -> Word:
        if kind is None or kind.undo is None:
            return word
        return kind.undo((word,), word.const(width, 0))[0]

    after = kind.apply((state,), key)[0] if kind and not decrypt else inverse(state) ^ key
    b.output("state", under(b, after))
    return b.build()


def _graph_of_step(size: Size, step: int, decrypt: bool) -> Graph:
    steps = size.cipher.steps(size.key)
    if not decrypt:
        return _step_graph(steps[step], size.block, False)
    return _step_graph(steps[size.last + 1 - step] if step else None, size.block, True)


class Reference:
    """The steps of the cipher of `size` as gates of `aig`. What was made is kept."""

    def __init__(self, size: Size, aig: Aig) -> None:
        self.size, self.aig = size, aig
        self._made: dict[Hashable, list[int]] = {}

    def _gates(self, graph: Graph, first: Sequence[int], second: Sequence[int]) -> list[int]:
        key = id(graph), tuple(first), tuple(second)  # graphs are made once
        if key not in self._made:
            given = dict(zip(graph.inputs, (list(first), list(second)), strict=True))
            (self._made[key],) = graph_to_aig(graph, self.aig, given).values()
        return self._made[key]

    def words(self, first: int, held: Sequence[Sequence[int]]) -> dict[int, list[int]]:
        """Words of the expanded key near the Nk words `held`, each 32 literals, that are there from number
        `first` on: number -> literals, eight words on either side as far as they exist.
        """
        nk = self.size.nk
        made = {first + t: list(word) for t, word in enumerate(held)}
        for i in range(first + nk, first + nk + _REACH):
            made[i] = self._gates(_word_graph(*kind_of_word(i, nk)), made[i - 1], made[i - nk])
        for i in range(first + nk - 1, max(nk, first + nk - _REACH) - 1, -1):
            made[i - nk] = self._gates(_word_graph(*kind_of_word(i, nk)), made[i - 1], made[i])
        return made

    def step(self, number: int, decrypt: bool, state: Sequence[int], key: Sequence[int]) -> list[int]:
        """The state after step `number` (from 0), from the `state` before it and its round key `key`; all as
        literals, least significant first. `decrypt`: the direction.
        """
        return self._gates(_graph_of_step(self.size, number, decrypt), state, key)


def _expanded(size: Size, key: int) -> dict[tuple[int, int], int]:
    """The bits of the expanded key: (word, bit) -> 0 or 1."""
    nb, nk = size.nb, size.nk
    words = [key >> WORD_BITS * (nk - 1 - t) & 0xFFFFFFFF for t in range(nk)]
    for i in range(nk, nb * (size.last + 1)):
        graph = _word_graph(*kind_of_word(i, nk))
        words.append(evaluate(graph, {"before": words[-1], "other": words[i - nk]})["word"])
    return {(i, k): word >> k & 1 for i, word in enumerate(words) for k in range(WORD_BITS)}


def check_steps(size: Size) -> None:
    """The steps one after the other are the cipher of `size`, in both directions, for a random key and block.
    Raises AssertionError.
    """
    rng = random.Random(size.block + size.key)
    key, block = rng.randbytes(size.key // 8), rng.randbytes(size.block // 8)
    bits: Mapping[tuple[int, int], int] = _expanded(size, int.from_bytes(key, "big"))
    for decrypt in (False, True):
        state = int.from_bytes(block, "big")
        for step in range(size.last + 1):
            round_key = sum(bits[place] << k for k, place in enumerate(size.round_key(step, decrypt)))
            graph = _graph_of_step(size, step, decrypt)
            state = evaluate(graph, {"state": state, "key": round_key})["state"]
        if state.to_bytes(len(block), "big") != size.cipher.encrypt_block(key, block, decrypt):
            raise AssertionError("the steps of the proof are not the cipher")
