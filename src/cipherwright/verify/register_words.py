"""A core of packets, data units or messages whose words are registers, in simulation: software's way of using
it, and what it must not do.

Messages go over the bus, with results that are read at once, late or now and then, and are compared with the
independent implementation. Every rule on commands, words and reads is tried. The core is reset in many
cycles of an exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from ..errors import CheckFailed
from ..shell import LENGTH_PORTS
from .message_axi import AxiMessageBench, Beat
from .message_axi_checks import Traffic, fresh_key, messages_of
from .reference import reference_of
from .register_bus import (
    RegisterDriver,
    RegisterUser,
    Software,
    check_constants,
    check_interrupts,
    check_secrets,
    check_zeroised,
    registers_in,
)
from .simulate import Recorded, compile_simulation
from .verdict import CoreFolder

__all__ = ["WordSoftware", "check_register_words", "check_words", "played_words", "recorded_words"]

_LENGTHS = tuple(name.upper() for name in LENGTH_PORTS)
"""Registers of the lengths of a packet."""

_KINDS = ("DECRYPT", "AAD", "IV_WORD")
"""Fields of CONTROL for the bits of TUSER, from bit 0 on."""

_VERDICT = 16
"""The lowest bit of the verdict in RESULT."""

_SIZES = (0, 40, 16, 33, 1, 64)
"""Bytes of the messages under each key."""

_RESETS = 32
"""Cycles of an exchange in which the core is reset, at most."""

_MOST_WAITING = 80
"""Words that find room in a core at most, without one result that is read."""

_POLLS = 24
"""Reads of STATUS before software waits for long."""

_RATE = 12
"""Words that follow each other at the promised rate."""

_OTHER = 0xA5C3_5A3C
"""A word that nobody sent."""


@dataclass(frozen=True)
class WordSoftware(RegisterUser):
    """Software that gives a core words over its registers. `bench`: the core as it was compiled, with its
    record.
    """

    bench: AxiMessageBench

    @property
    def p(self) -> Mapping[str, Any]:
        """The core's parameters."""
        parameters: Mapping[str, Any] = self.bench.record["parameters"]
        return parameters

    @property
    def size(self) -> int:
        """Bytes of a word."""
        return int(self.p["block_bits"]) // 8

    @property
    def patience(self) -> int:
        """Cycles in which something happens, if it does at all."""
        return self.bench.patience + int(self.bench.record["key_cycles"])

    @cached_property
    def sides(self) -> tuple[str, ...]:
        """What leaves: words of results at DATA_OUT, tags at TAG_OUT."""
        return tuple(n for n in ("DATA_OUT", "TAG_OUT") if n in self.software.registers)

    def bit(self, register: str, field: str) -> int:
        """The value of a 1 in the lowest bit of `field` of `register`; 0 where the map has no such field."""
        return self.software.bit(register, field)

    def can(self) -> bool:
        """Whether a word can be started, as READY tells: where IVs come in words, it is that of the word that
        CONTROL speaks of, so DATA_PENDING tells.
        """
        own = self.bit("CONTROL", "IV_WORD")
        return not self.status("DATA_PENDING") if own else self.status("READY")

    def said(self, beat: Beat) -> int:
        """What CONTROL says of the word in `beat`: its kind, its direction, how many bytes count, and whether
        it is the last.
        """
        kinds = sum(self.bit("CONTROL", n) for k, n in enumerate(_KINDS) if beat.user >> k & 1)
        count = len(beat.data) * self.bit("CONTROL", "BYTES")
        return kinds | count | beat.last * self.bit("CONTROL", "LAST")

    def command(self, *names: str, more: int = 0) -> None:
        """Commands in one write to CONTROL, by their `names`, with the bits `more` beside them."""
        self.software.put("CONTROL", sum(self.bit("CONTROL", n) for n in names) | more)

    def start(self, beat: Beat, *loads: str) -> None:
        """Write the word in `beat` and start it. `loads`: commands of the same write."""
        self.words("DATA_IN", beat.data)
        self.command("START", *loads, more=self.said(beat))

    def there(self, side: str) -> bool:
        """Whether a result or a tag waits to be read; `side`: DATA_OUT or TAG_OUT."""
        return self.status("TAG" if side == "TAG_OUT" else "RESULT")

    def read(self, side: str) -> bytes:
        """All bytes of a result or a tag; `side`: DATA_OUT or TAG_OUT."""
        return self.shown(side)[: self.bytes_of(side)]

    def bytes_of(self, side: str) -> int:
        """Bytes of a whole result or tag; `side`: DATA_OUT or TAG_OUT."""
        return self.size if side == "DATA_OUT" else int(min(self.p["tag_bits"], self.p["block_bits"])) // 8

    def told(self) -> int:
        """RESULT; 0 where the map has none."""
        return self.software.get("RESULT") if "RESULT" in self.software.registers else 0

    def beat(self, side: str) -> Beat:
        """A result or a tag with what is told of it; `side`: DATA_OUT or TAG_OUT. Raises CheckFailed where a
        byte beside it is not 0.
        """
        told, data = self.told(), self.read(side)
        if side == "TAG_OUT":
            return Beat(data, False, told >> _VERDICT)
        length = told & (self.bit("RESULT", "DATA_LAST") - 1)
        if any(data[length:]):
            raise CheckFailed("DATA_OUT shows a byte that does not count")
        way = bool(told & self.bit("RESULT", "DATA_DECRYPTED"))
        return Beat(data[:length], bool(told & self.bit("RESULT", "DATA_LAST")), int(way))

    def wanted(self, parts: Sequence[Traffic]) -> dict[str, list[Beat]]:
        """What must leave for the messages in `parts`, by DATA_OUT and TAG_OUT."""
        found = dict[str, list[Beat]]()
        for side in self.sides:
            stream = "m_tag" if side == "TAG_OUT" and "DATA_OUT" in self.sides else "m_axis"
            beats = [b for part in parts for b in part.left[stream]]
            if side == "TAG_OUT":
                found[side] = [Beat(b.data[: self.bytes_of(side)], False, b.user) for b in beats]
            else:
                found[side] = [Beat(b.data, b.last, b.user) for b in beats]
        return found

    def give(self, part: Traffic, until: Callable[[Callable[[], bool]], None], load: bool = True) -> None:
        """Write what belongs to the message `part` as a whole (tag, lengths, IV, unit number), and with
        `load` load it. `until`: waits until a condition holds.
        """
        given = {name: value for b in part.beats for name, value in b.given.items()}
        if "s_tag_i" in given:
            until(lambda: not self.status("DATA_PENDING") and not self.status("IV_PENDING"))
            self.words("TAG", given["s_tag_i"])
        if "s_iv_i" in given:
            for name in self.lengths:
                self.software.put(name, int.from_bytes(given[f"s_{name.lower()}_i"], "big"))
            self.words("IV", given["s_iv_i"])
            if load:
                self.command("LOAD_IV")
        for unit in part.units:
            until(lambda: not self.status("UNIT_PENDING"))
            self.words("UNIT", unit.number)
            if load:
                self.command("LOAD_UNIT")

    @property
    def lengths(self) -> tuple[str, ...]:
        """Registers of the lengths of a packet."""
        return tuple(name for name in _LENGTHS if name in self.software.registers)

    def load_key(self, key: bytes) -> None:
        """Write and load `key`, and wait until it is taken."""
        self.words("KEY", key)
        self.command("LOAD_KEY")
        self.until(lambda: not self.status("KEY_PENDING"))

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until the condition `holds`. Raises CheckFailed where it does not in the cycles that the core
        may take.
        """
        for _ in range(self.patience + int(self.bench.record["zeroise_cycles"])):
            if holds():
                return
        raise CheckFailed("the core does not go on")


def _without(part: Traffic) -> Traffic:
    """A message without what belongs to it as a whole."""
    return replace(part, beats=tuple(replace(b, given={}) for b in part.beats), units=())


class _Player:
    """Messages in order, and what leaves. eager: how probable it is that a result is read once it is there;
    with 0 one is read only where nothing goes on without that.
    """

    def __init__(self, core: WordSoftware, rng: np.random.Generator, eager: float) -> None:
        self.core, self.rng, self.eager = core, rng, eager
        self.left: dict[str, list[Beat]] = {side: [] for side in core.sides}

    def take(self) -> bool:
        """Read what is there; whether there was something."""
        sides = [side for side in self.core.sides if self.core.there(side)]
        for side in sides:
            self.left[side].append(self.core.beat(side))
        return bool(sides)

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something, and read results where it does not happen. Raises CheckFailed."""
        for _ in range(_MOST_WAITING):
            for _ in range(_POLLS):
                if holds():
                    return
                if self.eager and self.rng.random() < self.eager:
                    self.take()
            self.core.wait(self.core.patience)
            if holds():
                return
            if not self.take():
                break
        raise CheckFailed("a word is not taken, though its results are read")

    def send(self, parts: Sequence[Traffic]) -> None:
        """Send messages."""
        for part in parts:
            self.core.give(part, self.until)
            for beat in part.beats:
                self.until(self.core.can)
                self.core.start(beat)
                if self.rng.random() < self.eager:
                    self.take()

    def finish(self, parts: Sequence[Traffic]) -> None:
        """Read all that is left. Raises CheckFailed where something else leaves."""
        wanted = self.core.wanted(parts)
        for side, beats in wanted.items():
            for _ in count():
                if len(self.left[side]) >= len(beats):
                    break
                self.core.until(lambda: any(self.core.there(s) for s in self.core.sides))
                self.take()
        for side, beats in wanted.items():
            if self.left[side] != beats:
                pairs = zip(self.left[side], beats, strict=False)
                at = next((k for k, (a, b) in enumerate(pairs) if a != b), len(beats))
                raise CheckFailed(f"{at} of {side} is not what {reference_of(self.core.p).name} has")
        self.core.wait(self.core.patience)
        if self.core.told() or any(self.core.there(side) or any(self.core.read(side)) for side in wanted):
            raise CheckFailed("something is there that nobody sent")


@dataclass(frozen=True)
class _Checks:
    """What is tried on a running core."""

    core: WordSoftware
    model: Recorded
    rng: np.random.Generator

    def fresh(self) -> bytes:
        return fresh_key(self.core.bench, self.core.p, self.rng)

    def message(self, key: bytes, size: int, way: int | None = None) -> Traffic:
        """A message whose IV, where it has one, is in registers; in the direction `way`, if it is one."""
        while True:
            part = messages_of(self.core.bench, self.core.p, key, [size], self.rng)
            own = "IV" in self.core.software.registers and "s_iv_i" not in self._given(part)
            if not own and (way is None or part.beats[-1].user & 1 == way):
                return part

    def _given(self, part: Traffic) -> set[str]:
        return {name for b in part.beats for name in b.given}

    def play(self, parts: Sequence[Traffic], eager: float = 1.0) -> None:
        """Messages, whose results are read as `eager` says."""
        player = _Player(self.core, self.rng, eager)
        player.send(parts)
        player.finish(parts)
        if self.core.rejected():
            raise CheckFailed("a command that can be carried out is told as rejected")

    def refused(self, why: str, said: int = 0) -> None:
        """Raise CheckFailed where START is carried out or not told as rejected."""
        self.core.command("START", more=said)
        if not self.core.rejected():
            raise CheckFailed(f"START {why} is not told as rejected")
        if self.core.status("DATA_PENDING"):
            raise CheckFailed(f"START {why} is carried out")

    def random(self) -> int:
        """Messages under keys; how many."""
        for patterns in ((1.0, 0.0), (0.4,)):
            key = self.fresh()
            self.core.load_key(key)
            parts = [messages_of(self.core.bench, self.core.p, key, [n], self.rng) for n in _SIZES]
            for eager in patterns:
                self.play(parts, eager)
        return 3 * len(_SIZES)

    def closed(self) -> None:
        """START needs a key, and the first word of a packet its IV; LOAD_KEY and LOAD_IV need all bytes."""
        core, key = self.core, self.fresh()
        part = self.message(key, 2 * core.size)
        first = part.beats[0]
        core.words("DATA_IN", first.data)
        self.refused("without a key", core.said(first))
        core.words("KEY", key[:-1])
        self._incomplete("KEY", "a part of a key")
        core.words("KEY", key)
        if "IV" in core.software.registers:
            self._iv(part, key)
        core.command("LOAD_KEY")
        if "IV" in core.software.registers:
            self.refused("without an IV", core.said(first))
            core.command("LOAD_IV")
            part = _without(part)
        self.play([part])

    def _incomplete(self, name: str, what: str) -> None:
        self.core.command(f"LOAD_{name}")
        if not self.core.rejected() or self.core.status(f"{name}_PENDING"):
            raise CheckFailed(f"LOAD_{name} of {what} is carried out, or not told as rejected")

    def _iv(self, part: Traffic, key: bytes) -> None:
        """Write what goes with a packet, in an order in which LOAD_IV is too early each time."""
        core = self.core
        given = {name: value for b in part.beats for name, value in b.given.items()}
        core.words("TAG", given["s_tag_i"])
        for name in core.lengths:
            core.software.put(name, int.from_bytes(given[f"s_{name.lower()}_i"], "big"))
        core.words("IV", given["s_iv_i"][:-1])
        self._incomplete("IV", "a part of an IV")
        if core.lengths:
            check_zeroised(core.software)
            core.words("KEY", key)
            core.words("IV", given["s_iv_i"])
            core.words("TAG", given["s_tag_i"])
            for name in core.lengths:
                self._incomplete("IV", f"a nonce without {name}")
                core.software.put(name, int.from_bytes(given[f"s_{name.lower()}_i"], "big"))
        core.words("IV", given["s_iv_i"])

    def shapes(self) -> None:
        """A word that may not come is refused, and then comes as it should."""
        core, key = self.core, self.fresh()
        core.load_key(key)
        last = core.bit("CONTROL", "LAST")
        one = core.bit("CONTROL", "BYTES")
        for size in (2 * core.size + 5, core.size):
            part = self.message(key, size)
            core.give(part, core.until)
            for n, beat in enumerate(part.beats):
                kinds = core.said(replace(beat, data=b"", last=False))
                core.until(lambda: not core.status("DATA_PENDING"))
                if len(beat.data) > 1:
                    core.words("DATA_IN", beat.data[:-1])
                    self.refused("with a part of a word", core.said(beat))
                core.words("DATA_IN", beat.data)
                self.refused("with too many bytes", kinds | last | (core.size + 1) * one)
                aad = kinds & core.bit("CONTROL", "AAD")
                if not aad:
                    self.refused("with a short word that is not the last", kinds | (core.size - 1) * one)
                if n or "unit" in core.bench.record or aad:
                    self.refused("with an empty word", kinds | last)
                if not n and "unit" in core.bench.record:
                    self.refused("with a unit shorter than a word", kinds | last | (core.size - 1) * one)
                self.refused("with an empty word that is not the last", kinds)
                core.command("START", more=core.said(beat))
            self.play([replace(part, beats=(), units=())])

    def waiting(self) -> None:
        """A word that waits is kept as it is, whatever is written; no result is lost that is read late."""
        core, key, parts = self.core, self.fresh(), list[Traffic]()
        core.load_key(key)
        for _ in range(_MOST_WAITING):
            parts.append(self.message(key, core.size + 3, 0))
            for beat in self._stuck(parts[-1]):
                rest = parts[-1].beats[parts[-1].beats.index(beat) :]
                break
            else:
                continue
            break
        else:
            raise CheckFailed("words are taken for ever, though no result is read")
        self._against(rest[0])
        player = _Player(core, self.rng, 1.0)
        for beat in rest[1:]:
            player.until(lambda: not core.status("DATA_PENDING"))
            core.start(beat)
        player.finish(parts)
        self.replaced(key)

    def _stuck(self, part: Traffic) -> Iterator[Beat]:
        """Send a message; the word that waits for ever."""
        core = self.core
        if core.status("DATA_PENDING"):
            raise CheckFailed("a word waits")
        core.give(part, core.until)
        for beat in part.beats:
            core.start(beat)
            if core.status("DATA_PENDING"):
                core.wait(core.patience)
            if core.status("DATA_PENDING"):
                yield beat
                return

    def _against(self, beat: Beat) -> None:
        """Writes and commands against a word that waits."""
        core = self.core
        if core.rejected() or core.status("READY"):
            raise CheckFailed("READY is 1 while a word waits, or a command is told as rejected")
        core.software.driver.write(core.software.registers["DATA_IN"].address, _OTHER)
        if not core.rejected():
            raise CheckFailed("a write to a word that waits is not told as rejected")
        self.command_refused("START", more=core.said(beat))
        core.words("KEY", self.fresh())
        if core.rejected():
            raise CheckFailed("a write to KEY is told as rejected though it is not")
        self.command_refused("LOAD_KEY")
        if core.status("KEY_PENDING"):
            raise CheckFailed("LOAD_KEY behind a word that waits is carried out")
        core.software.put("CONTROL", core.said(replace(beat, last=not beat.last, data=b"", user=~beat.user)))

    def command_refused(self, name: str, more: int = 0) -> None:
        self.core.command(name, more=more)
        if not self.core.rejected():
            raise CheckFailed(f"{name} behind a word that waits is not told as rejected")

    def replaced(self, old: bytes) -> None:
        """A key that is loaded within a message waits for its end; a word behind it is under it."""
        core, new = self.core, self.fresh()
        first, second = (self.message(k, 2 * core.size) for k in (old, new))
        core.load_key(old)
        core.give(first, core.until)
        core.until(lambda: core.status("READY"))
        core.start(first.beats[0])
        core.until(lambda: not core.status("DATA_PENDING"))
        core.words("KEY", new)
        core.command("LOAD_KEY")
        core.wait(core.patience)
        if not core.status("KEY_PENDING"):
            raise CheckFailed("a key is taken within a message")
        core.software.driver.write(core.software.registers["KEY"].address, _OTHER)
        self.command_refused("LOAD_KEY")
        player = _Player(core, self.rng, 1.0)
        for beat in first.beats[1:]:
            player.until(lambda: not core.status("DATA_PENDING"))
            core.start(beat)
        player.send([second])
        player.finish([first, second])
        self._at_once()

    def _at_once(self) -> None:
        """A key, what belongs to a message and its first word, loaded and started by one write."""
        core, key = self.core, self.fresh()
        part = self.message(key, 2 * core.size)
        core.give(part, core.until, load=False)
        core.words("KEY", key)
        loads = [f"LOAD_{n}" for n in ("KEY", "IV", "UNIT") if n in core.software.registers]
        core.start(part.beats[0], *loads)
        player = _Player(core, self.rng, 1.0)
        for beat in part.beats[1:]:
            player.until(lambda: not core.status("DATA_PENDING"))
            core.start(beat)
        player.finish([part])
        if core.rejected():
            raise CheckFailed("commands of one write are told as rejected")

    def reads(self) -> None:
        """What is read before it is there reads as 0 and is not lost; it stays until all of it was read."""
        core, key = self.core, self.fresh()
        core.load_key(key)
        part = self.message(key, core.size, 0)
        for side in core.sides:
            if any(core.read(side)):
                raise CheckFailed(f"{side} is not 0 before anything is there")
        core.give(part, core.until)
        for beat in part.beats:
            core.until(lambda: not core.status("DATA_PENDING"))
            core.start(beat)
        core.wait(core.patience)
        wanted = core.wanted([part])
        for side in core.sides:
            self._from_its_end(side, wanted[side][0].data)
        if core.told():
            raise CheckFailed("RESULT is not 0 when nothing is there")

    def _from_its_end(self, side: str, data: bytes) -> None:
        """Read what waits: its last word, more than once where it is not all, and then the others."""
        core, register = self.core, self.core.software.registers[side]
        most, driver = register.count - 1, core.software.driver
        for _ in range(3 if most else 1):
            word = driver.read(register.address + 4 * most).to_bytes(4, "little")
            if word[: len(data[4 * most :])] != data[4 * most :]:
                raise CheckFailed(f"a word of {side} reads wrong before all were read")
        if core.there(side) != (most > 0):
            raise CheckFailed(f"{side} is gone before all of it was read, or stays after that")
        rest = (driver.read(register.address + 4 * k).to_bytes(4, "little") for k in range(most))
        if b"".join(rest) != data[: 4 * most]:
            raise CheckFailed(f"{side} is wrong where it was read from its end")
        if core.there(side) or any(core.read(side)):
            raise CheckFailed(f"{side} stays after all of it was read")

    def events(self) -> None:
        """What has happened raises irq_o where it is enabled, until it is cleared."""
        core, s, driver = self.core, self.core.software, self.core.software.driver
        message = core.bit("INTERRUPT_STATUS", "MESSAGE")
        s.put("INTERRUPT_STATUS", 0xFFFFFFFF)
        s.put("INTERRUPT_ENABLE", message)
        if s.get("INTERRUPT_STATUS") or driver.output("irq_o"):
            raise CheckFailed("an interrupt is not cleared by writing a 1, or irq_o is 1 without one")
        key = self.fresh()
        core.load_key(key)
        part = self.message(key, core.size, 1 if "WRONG_TAG" in self._events() else None)
        player = _Player(core, self.rng, 0.0)
        player.send([part])
        core.wait(core.patience)
        happened = {n for n in self._events() if s.get("INTERRUPT_STATUS") & core.bit("INTERRUPT_STATUS", n)}
        wrong = any(b.user & 3 == 1 for b in part.left.get("m_tag", ()))
        if ("WRONG_TAG" in happened) != wrong:
            raise CheckFailed("WRONG_TAG does not tell whether the tag of a packet was the expected one")
        needed = {"KEY_TAKEN", "DATA_TAKEN", "MESSAGE", *(["RESULT"] * bool(part.left.get("m_axis")))}
        if (needed & set(self._events())) - happened or not driver.output("irq_o"):
            raise CheckFailed("an event is missing, or an enabled one does not raise irq_o")
        s.put("INTERRUPT_STATUS", message)
        if driver.output("irq_o") or s.get("INTERRUPT_STATUS") & message:
            raise CheckFailed("an interrupt is not cleared by writing a 1")
        check_interrupts(s)
        player.finish([part])

    def _events(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.core.software.registers["INTERRUPT_STATUS"].fields)

    def cleared(self) -> None:
        """ZEROISE with results that wait and a message that goes on: nothing is left of them."""
        core, key = self.core, self.fresh()
        core.load_key(key)
        first, second = self.message(key, core.size, 0), self.message(key, 3 * core.size)
        _Player(core, self.rng, 0.0).send([first])
        core.wait(core.patience)
        core.give(second, core.until)
        core.start(second.beats[0])
        core.until(lambda: not core.status("DATA_PENDING"))
        core.start(second.beats[1])
        check_secrets(core.software)
        check_zeroised(core.software)
        core.rejected()
        s, there = core.software, ("PENDING", "WRITTEN", "RESULT", "TAG", "READY")
        left = [
            f.name for f in s.registers["STATUS"].fields if f.name.endswith(there) and core.status(f.name)
        ]
        if left or core.told() or any(any(core.read(side)) for side in core.sides):
            raise CheckFailed(f"something is left after ZEROISE{': ' if left else ''}{', '.join(left)}")
        core.give(first, core.until)
        core.words("DATA_IN", first.beats[0].data)
        self.refused("without a key after ZEROISE", core.said(first.beats[0]))
        check_zeroised(core.software)
        key = self.fresh()
        core.load_key(key)
        self.play([self.message(key, 40)])

    def rate(self) -> None:
        """A word can follow a word in the promised cycles, with no access of STATUS."""
        core, promised = self.core, int(self.core.bench.record["interval_cycles"])
        key = self.fresh()
        core.load_key(key)
        part = self.message(key, _RATE * core.size, 0)
        wanted = core.wanted([part])
        core.give(part, core.until)
        heads = [b for b in part.beats if b.user & 2]
        for beat in [*heads, part.beats[len(heads)]]:
            core.until(lambda: core.status("READY"))
            core.start(beat)
        core.until(lambda: not core.status("DATA_PENDING"))
        core.wait(core.patience)
        behind = 1 + -(-int(core.bench.record["latency_cycles"]) // promised)
        got, reads = list[bytes](), "DATA_OUT" in core.sides
        for n, beat in enumerate(part.beats[len(heads) + 1 :]):
            before = self.model.cycles
            core.start(beat)
            if reads and n >= behind:
                got.append(core.read("DATA_OUT"))
            core.wait(promised - (self.model.cycles - before))
        if core.rejected():
            raise CheckFailed(f"a word every {promised} cycles is promised, and one is not taken")
        if got != [b.data for b in wanted.get("DATA_OUT", [])[: len(got)]]:
            raise CheckFailed(
                f"a word every {promised} cycles is promised, and results are not there in time"
            )
        core.until(lambda: core.status("TAG" if "TAG_OUT" in core.sides else "RESULT"))
        check_zeroised(core.software)


def _parts(checks: _Checks) -> int:
    """Everything that is tried on one core; how many messages it had."""
    core = checks.core
    check_constants(core.software)
    checks.closed()
    total = checks.random()
    checks.shapes()
    checks.waiting()
    checks.reads()
    checks.events()
    checks.cleared()
    checks.rate()
    return total


@contextmanager
def recorded_words(
    bench: AxiMessageBench, registers: Mapping[str, Any]
) -> Iterator[tuple[WordSoftware, Recorded]]:
    """Software for the core of `bench` with these `registers`, by their names, and a model after reset, which
    keeps what it ran from then on.
    """
    model = Recorded(bench.simulation)
    try:
        _reset(bench, model)
        model.forget()
        driver = RegisterDriver(bench.simulation, model, bench.record["parameters"]["control"], bench.held)
        yield WordSoftware(Software(driver, registers, ("KEY", "UNIT")), bench), model
    finally:
        model.close()


def _reset(bench: AxiMessageBench, model: Recorded) -> None:
    driver = RegisterDriver(bench.simulation, model, "", bench.held)
    model.run(driver.rows(1, rst_i=1))


def _resets(bench: AxiMessageBench, registers: Mapping[str, Any]) -> int:
    """A reset in each of many cycles of an exchange: what follows is right, and nothing of before comes."""
    with recorded_words(bench, registers) as (core, model):
        checks = _Checks(core, model, np.random.default_rng(5))
        key = checks.fresh()
        part = checks.message(key, core.size + 1)
        core.load_key(key)
        checks.play([part])
        whole = np.concatenate(model.given)
    places = np.unique(np.linspace(1, len(whole), _RESETS).astype(np.int64))
    with recorded_words(bench, registers) as (core, model):
        checks = _Checks(core, model, np.random.default_rng(5))
        for end in places:
            model.run(whole[:end])
            _reset(bench, model)
            if core.software.get("STATUS"):
                raise CheckFailed(f"STATUS is not 0 after a reset in cycle {end} of an exchange")
            core.load_key(key)
            checks.play([part])
            model.forget()
    return len(places)


def played_words(bench: AxiMessageBench, source: str, sizes: Sequence[int], seed: int) -> None:
    """Messages of `sizes` bytes under one key through the core of `bench`, after a reset, by the registers of
    the map `source`, in SystemRDL. `seed`: of all that is random. Raises CheckFailed where one differs from
    the reference.
    """
    with recorded_words(bench, registers_in(source)) as (core, model):
        checks = _Checks(core, model, np.random.default_rng(seed))
        key = checks.fresh()
        core.load_key(key)
        checks.play([checks.message(key, size) for size in sizes])


def check_words(bench: AxiMessageBench, source: str) -> str:
    """The check `registers` of a compiled core, `bench`, whose words are registers; `source`: its map in
    SystemRDL. What was checked, in words; raises CheckFailed with what is not so.
    """
    registers = registers_in(source)
    with recorded_words(bench, registers) as (core, model):
        total = _parts(_Checks(core, model, np.random.default_rng(11)))
    resets, record, p = _resets(bench, registers), bench.record, bench.record["parameters"]
    return (
        f"{total} messages in words over {p['control']} equal to {reference_of(p).name}, their results read "
        f"at once and late; no command, word, result or tag is lost; a word every "
        f"{record['interval_cycles']} cycles; {resets} resets within a message"
    )


def check_register_words(folder: CoreFolder) -> str:
    """As `check_words`, of a core `folder`."""
    simulation = compile_simulation(folder.sources, folder.record["top"])
    return check_words(AxiMessageBench(simulation, folder.record), folder.register_map)
