"""Timing of a core of CCM around a loop: when each word of a packet is taken, and when its results leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...cipher.ccm import aad_length

__all__ = ["CcmTiming", "PacketTimes", "Word"]

_WORD = 16
"""Bytes of a whole word."""


@dataclass(frozen=True)
class Word:
    """A word of a packet: its bytes (`size`), whether they are additional data (`aad`), and how many cycles
    it is offered later than in the cycle after that in which the word before is taken (`late`).
    """

    size: int
    aad: bool = False
    late: int = 0


@dataclass(frozen=True)
class PacketTimes:
    """Cycles of a packet: in which each word is offered first; in which it is taken; in which the results of
    words of data leave; that of the tag; and the first in which a word of the next packet can be taken.
    """

    offered: tuple[int, ...]
    taken: tuple[int, ...]
    results: tuple[int, ...]
    tag: int

    @property
    def opens(self) -> int:
        """The first cycle in which a word of the next packet can be taken."""
        return self.tag + 1


@dataclass(frozen=True)
class CcmTiming:
    """Cycles of a core. cipher: from a block to its result; stages: of the loop, which are the blocks in it.

    >>> CcmTiming(51, 1).interval, CcmTiming(110, 11).interval
    (102, 112)
    """

    cipher: int
    stages: int

    @property
    def latency(self) -> int:
        """From accepting a packet's first word to its result, where it has data."""
        return self.cipher + 2

    @property
    def interval(self) -> int:
        """From one word of data to the next, in a long packet without pauses."""
        return self._interval(Word(_WORD))

    @property
    def aad_interval(self) -> int:
        """From one word of additional data to the next."""
        return self._interval(Word(_WORD, aad=True))

    def _interval(self, word: Word) -> int:
        some = self.play([word] * _MANY).taken
        return -(-(some[-1] - some[_SETTLED]) // (_MANY - 1 - _SETTLED))

    @property
    def longest(self) -> int:
        """From accepting a word of data to its result, at most: the word before has just been used, and its
        key stream goes into the loop behind a block of the chain.
        """
        return 2 * self.cipher + 1

    @property
    def least_tag(self) -> int:
        """From accepting a packet's last word to its tag, at least: S_0 and a block of the chain."""
        return 2 * self.cipher + 3 if self.stages == 1 else self.cipher + 4

    @property
    def longest_tag(self) -> int:
        """From accepting a packet's last word to its tag, at most: four blocks of the chain, and in a loop of
        one stage a block of the key stream besides. They are those of a word of additional data that is taken
        just before it, of what is left of that, and of the word itself, and one that was in the loop.
        """
        return 5 * self.cipher + 2 if self.stages == 1 else 4 * self.cipher + 4

    def play(self, words: Sequence[Word], start: int = 0, opens: int = 0) -> PacketTimes:
        """The cycles of a packet of `words`, whose first word is offered in the cycle `start` or later, and
        can be taken from the cycle `opens` on, when nothing is in the loop.
        """
        return _Play(self, words, start, opens).times()


_IN_LOOP = 2
"""Blocks that are in the loop at most."""

_MANY, _SETTLED = 40, 20
"""Words of a packet whose rate is counted, and those of them before which it may not be steady."""


@dataclass
class _Play:
    """A packet on its way through a core. All numbers are cycles: the first in which a register has what it
    is named for.

    chain_at, stream_at: from which cycle a block of either may begin, where one waits for the loop;
    chain_free: the chain has the result of its last block; sum_free: the sum can take a word; stream_there:
    the key stream.
    """

    timing: CcmTiming
    words: Sequence[Word]
    start: int
    opens: int
    starts: list[int] = field(default_factory=list)
    chain_at: int | None = None
    stream_at: int | None = None
    chain_free: int = 0
    sum_free: int = 0
    stream_there: int | None = None
    results: list[int] = field(default_factory=list)

    def times(self) -> PacketTimes:
        """The cycles of all words, and that of the tag."""
        offered, taken = list[int](), list[int]()
        waiting = len(aad_length(sum(word.size for word in self.words if word.aad)))
        earliest, used = self.start, self.opens - 1
        for k, word in enumerate(self.words):
            offered.append(earliest + word.late)
            taken.append(max(offered[-1], used + 1))
            earliest = now = taken[-1] + 1
            self._asks(k, now)
            if waiting and not word.aad:
                now, waiting = self._adds(now) + 1, 0
            used = self._used(word, now)
            if word.aad:
                waiting = max(0, word.size + waiting - _WORD)
        if waiting:
            used = self._adds(used + 1)
        self._begin_until(lambda: self.chain_at is None and self.stream_at is None)
        assert self.stream_there is not None
        ends = max(used + 1, self.chain_free, self.stream_there)
        return PacketTimes(tuple(offered), tuple(taken), tuple(self.results), ends + 1)

    def _asks(self, k: int, now: int) -> None:
        """What word k asks for, which is there from cycle `now` on: the first one for B_0, and for key stream
        where there are data; where there are none, the last one for S_0.
        """
        data = any(word.size and not word.aad for word in self.words)
        if not k:
            self.chain_at = now
        if k == (0 if data else len(self.words) - 1):
            self.stream_at = now

    def _used(self, word: Word, now: int) -> int:
        """The cycle in which a word is added to the chain, where it is there from cycle `now` on."""
        if not word.size:
            return now
        if word.aad:
            return self._adds(now)
        self._begin_until(lambda: self.chain_at is None and self.stream_at is None)
        assert self.stream_there is not None
        used = self._adds(max(now, self.stream_there))
        self.results.append(used)
        self.stream_there, self.stream_at = None, used + 1
        return used

    def _adds(self, now: int) -> int:
        """The first cycle from `now` on in which the sum can take a word, which it does."""
        self._begin_until(lambda: self.chain_at is None)
        used = max(now, self.sum_free)
        self.chain_at = max(used + 1, self.chain_free)
        return used

    def _begin_until(self, done: Callable[[], bool]) -> None:
        """Blocks go into the loop, the one that can first, and of two the key stream's, until `done()`."""
        while not done():
            chain, stream = (self._free(at) for at in (self.chain_at, self.stream_at))
            if stream is not None and (chain is None or stream <= chain):
                self.starts = [*self.starts[-_IN_LOOP:], stream]
                self.stream_there, self.stream_at = stream + self.timing.cipher + 1, None
            else:
                assert chain is not None
                self.starts = [*self.starts[-_IN_LOOP:], chain]
                self.sum_free, self.chain_free = chain + 1, chain + self.timing.cipher + 1
                self.chain_at = None

    def _free(self, at: int | None) -> int | None:
        """The first cycle from `at` on in which a place of the loop that is free comes by."""
        if at is None:
            return None
        places, cipher = self.timing.stages, self.timing.cipher
        while any(s <= at < s + cipher and (at - s) % places == 0 for s in self.starts):
            at += 1
        return at
