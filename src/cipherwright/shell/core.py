"""A core: the datapath with everything a user needs around it, as texts that a folder will hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ..arch import KeyWords
from ..cipher.hctr2 import PUBLISHED_BLOCK_BITS
from ..graph import Graph
from ..rtl import Component, Design
from ..schedule import Schedule, delay_cells, luts_of, useful_stages
from .keys import KeyUnit

__all__ = ["Core", "PortSet", "inside", "tested_top"]


def inside(record: Mapping[str, Any], *parts: str) -> dict[str, Any]:
    """The record of what is inside a core: `record`, which is the core's, with what it says of one of its
    channels and of each of `parts` ("bus", "stream"), the last of which counts most; of those that it has.

    >>> inside({"top": "des", "slots": 1, "bus": {"top": "des_axis"}}, "bus", "stream")["top"]
    'des_axis'
    """
    found = dict(record)
    for part in ("channels", *parts):
        found |= record.get(part) or {}
    return found


def tested_top(record: Mapping[str, Any]) -> str:
    """The module that the testbench of the core of `record` drives: of a core on a standard bus, the one
    inside; of one with channels, that of a channel.

    >>> tested_top({"top": "des"}), tested_top({"top": "des", "stream": {"top": "des_buffered"}})
    ('des', 'des_buffered')
    """
    return str(inside(record, "bus", "stream")["top"])


@dataclass(frozen=True)
class PortSet:
    """Names of the top's ports by meaning; empty where there is none. `clk`, `reset`; what comes in:
    `block_in` with its `key`, its direction (`decrypt`, 1: it is decrypted) and `first` (it begins a
    message), taken in a cycle in which `valid_in` and `ready_out` are 1; what leaves: `block_out` with the
    number of its stream (`slot`), in a cycle in which `valid_out` and `ready_in` are 1. A key that is held is
    taken with `key_valid` and `key_ready`. `ascending`: bits are numbered from 1 at the left.
    """

    clk: str = "clk"
    reset: str = "rst_i"
    valid_in: str = "valid_i"
    ready_out: str = ""
    decrypt: str = "decrypt_i"
    key: str = "key_i"
    block_in: str = "block_i"
    valid_out: str = "valid_o"
    ready_in: str = ""
    block_out: str = "block_o"
    ascending: bool = False
    key_valid: str = ""
    key_ready: str = ""
    iv: str = ""
    """The counter block, taken with `iv_valid` and `iv_ready`; without these ports, the word that the first
    block of a message is chained to.
    """

    iv_valid: str = ""
    iv_ready: str = ""
    first: str = ""
    slot: str = ""
    busy: str = ""
    """A block is in flight, a key is expanded, or everything is being forgotten."""

    zeroise: str = ""
    """One cycle makes the core forget keys, counter blocks and blocks."""

    early: str = ""
    """Ready is 1 in the next cycle as well: for a register in front that cannot wait."""

    beside_in: str = ""
    """Bits that go round the core with a block, and come out with its result (`beside_out`)."""

    beside_out: str = ""

    def only(self, names: Collection[str]) -> PortSet:
        """Without the ports that are not among `names`."""
        kept: dict[str, Any] = {
            k: "" if isinstance(v, str) and v not in names else v for k, v in asdict(self).items()
        }
        return PortSet(**kept)


@dataclass(frozen=True)
class Core:
    """A core as texts, with what is known of it. `top`: its outermost module; `parameters`: all options of
    its spec; `plain`: the cipher as described, the reference of the proof; `schedule`: the datapath in its
    stages; `design`: the modules of the datapath; `ports`: names of the outermost ports; `files`: Verilog by
    file name. `latency`: cycles from the one in which a block is accepted to the first in which its result is
    offered, at the outermost ports; `interval` and `slots`: so many blocks in so many cycles are sustained.
    `key_words`: what is known of round keys that travel; `key_unit`: what makes and holds round keys, or
    holds the key.
    """

    top: str
    parameters: Mapping[str, Any]
    plain: Graph
    schedule: Schedule
    design: Design
    ports: PortSet
    latency: int
    interval: int
    slots: int
    files: Mapping[str, str]
    component: Component
    """Its modules, its typed ports and its timing."""

    inner: Mapping[str, Any] | None = None
    """For a stream shell: top, ports and latency of the datapath inside it."""

    key_words: KeyWords | None = None
    key_unit: KeyUnit | None = None
    mode_flip_flops: int = 0
    """Flip-flops of what a mode of operation puts around the cipher."""

    zeroise_cycles: int = 0
    """From zeroise_i to the cycle in which everything is forgotten (0: the core holds no key)."""

    control_flip_flops: int = 0
    """Flip-flops of the control of a core that holds its key."""

    given: Mapping[str, str] = field(default_factory=dict)
    """The preset and the changes as the user wrote them."""

    extras: tuple[str, ...] = ()
    """Files that were asked for besides (`folder.EXTRAS`)."""

    family: str = ""
    """Family of the target device, as `target/` names it."""

    warnings: tuple[str, ...] = ()
    """What a user should know before using it: a sentence each."""

    idle: frozenset[str] = frozenset()
    """Names of options that found nothing to change in the datapath, or have their defaults."""

    stream: Mapping[str, Any] | None = None
    """For a bus: top, ports, latency and interval of the stream shell inside it; around whole messages also
    the cycles by which a tag is later behind the bus.
    """

    bus: Mapping[str, Any] | None = None
    """For a register bus: top and ports of the core inside it; where blocks are registers, its timing too."""

    beside: Design | None = None
    """For a mode of whole packets: what a word waits in while the cipher works."""

    packet: Mapping[str, Any] | None = None
    """For a mode of whole packets: ports beside `ports`, `tag_bits`, `tag_latency_cycles` from a packet's
    last word to its tag, `power_cycles`, in which powers of the hash key are made after a key is expanded,
    and the levels of Karatsuba and the stages of the `multiplier`. Where every packet's key is announced also
    `announce_cycles`, `load_cycles` and `key_change_cycles`.
    """

    channels: Mapping[str, Any] | None = None
    """For several channels: their `count`, and top and ports of the core of one, with those of a `packet`.
    `packet` and `ports` have the names of channel 0.
    """

    channel_flip_flops: int = 0
    """Flip-flops beside the cores of channels."""

    unit: Mapping[str, Any] | None = None
    """For a mode of data units: ports beside `ports`, how many `tweaks` wait or are on their way,
    `late_latency_cycles` from a unit's short word to the last of its results, at most, and `setup_cycles`
    from an expanded key to the first unit number. Around a loop also `least_late_latency_cycles`, and
    `longest_latency_cycles` from a unit's last word to its result, at most.
    """

    mac: Mapping[str, Any] | None = None
    """For a mode that makes tags: ports beside `ports`, `tag_bits` that are shown, `longest_latency_cycles`
    from a message's last word to its tag, at most, and `subkey_cycles`, in which subkeys are made after a key
    is expanded.
    """

    wide: Mapping[str, Any] | None = None
    """For a mode whose result is as long as its text: ports beside `ports`, `message_bytes` of the longest
    text, `setup_cycles`, in which what the mode needs is made of a key after the key is expanded,
    `stream_cycles` from one block of the key stream to the next, and the `multiplier`.
    """

    def with_files(self, files: Mapping[str, str]) -> Core:
        """The same core with `files`, texts by file name, in place of its own."""
        return replace(self, files=files)

    @property
    def tested(self) -> str:
        """The module that the testbench drives (`tested_top`)."""
        parts = {"channels": self.channels, "bus": self.bus, "stream": self.stream}
        return tested_top({"top": self.top, **parts})

    @property
    def takes(self) -> str:
        """What it takes: "packet", "unit" or "message", or "block"."""
        kinds = ((self.packet or self.wide, "packet"), (self.unit, "unit"), (self.mac, "message"))
        return next((kind for there, kind in kinds if there), "block")

    @property
    def experimental(self) -> bool:
        """Whether the mode with such blocks is of our own choice, so that there are no published vectors."""
        return bool(self.wide) and self.parameters["block_bits"] not in PUBLISHED_BLOCK_BITS

    @property
    def tag_added_cycles(self) -> int:
        """Cycles by which the tag of a packet is later behind AXI-Stream, or registers for words."""
        return int(self.stream["tag_added_cycles"]) if self.stream and self.packet else 0

    @property
    def in_registers(self) -> bool:
        """Whether blocks and results are registers, or words of messages and what they become."""
        return self.bus is not None and self.parameters["interface"] == "registers"

    @property
    def period(self) -> float:
        """Planned period in ns."""
        return self.schedule.period

    @property
    def lanes(self) -> int:
        """Pipelines side by side."""
        return int(self.parameters["lanes"])

    @property
    def channel_count(self) -> int:
        """Whole cores side by side."""
        return int(self.channels["count"]) if self.channels else 1

    @property
    def keys_travel(self) -> bool:
        """Whether a key comes with every unit number, or with every run of them: there is no handshake for
        it, and no register.
        """
        return self.unit is not None and not (self.ports.key_valid or self.bus)

    @property
    def keys_announced(self) -> bool:
        """Whether every packet's key is announced, and the core finds its slot."""
        return self.packet is not None and "announce_cycles" in self.packet

    @property
    def key_cycles(self) -> int:
        """Cycles from the one that takes a key to the first that takes a block, or a unit number (0: no key
        is held). Where keys are announced: of one that is not resident, in a core at rest.
        """
        if self.unit and self.key_unit:
            return self.key_unit.all_cycles + int(self.unit["setup_cycles"])
        more = self.mac["subkey_cycles"] if self.mac else self.wide["setup_cycles"] if self.wide else 0
        if self.packet:
            more = self.packet["power_cycles"] + self.packet.get("load_cycles", 0)
        return self.key_unit.cycles + self.lanes + 1 + int(more) if self.key_unit else 0

    @property
    def bits_per_cycle(self) -> float:
        """Sustained throughput in bits a cycle; beats that are parts of a block or a word bound it."""
        words = float(self.parameters["block_bits"]) * self.lanes
        beats = self.parameters["tdata_bits"] or words
        return min(words * self.slots / self.interval, beats) * self.channel_count

    @property
    def _delays(self) -> Design:
        """All that may have delay lines."""
        return Design((*self.beside.modules, *self.design.modules)) if self.beside else self.design

    @property
    def has_delay_lines(self) -> bool:
        """Whether something waits in a delay line."""
        return bool(self._delays.delay_lines())

    @property
    def _rings(self) -> int:
        """Flip-flops of delay lines in RAM: those of every lane, and of what waits beside all."""
        in_ram = self.parameters["delay_lines"] in ("ram", "bram")
        return self._of_delays(Design.ring_flip_flops) if in_ram else 0

    def _of_delays(self, count: Callable[[Design], int]) -> int:
        """A number of delay lines: those of the datapath in every lane, and of what waits beside all, in
        every channel.
        """
        return self.channel_count * (count(self._delays) + (self.lanes - 1) * count(self.design))

    def _delay_lines(self) -> dict[str, int] | None:
        """What delay lines save: bits in them, and the flip-flops that the same schedule would take
        without them.
        """
        bits = self.channel_count * sum(depth * n for depth, n in self._delays.delay_lines().items())
        if not bits:
            return None
        plain = self.schedule.register_bits() if not self.beside else self.flip_flops + bits - self._rings
        return {
            "bits": bits,
            "shift_luts": self.shift_luts,
            "flip_flops": self.flip_flops,
            "flip_flops_without": plain,
            "flip_flops_saved": plain - self.flip_flops,
        }

    def key_part(self) -> tuple[int, int, int]:
        """(LUT4s and shift-register LUTs, shift-register LUTs, flip-flops) of what depends on the key
        alone.
        """
        g, s = self.schedule.graph, self.schedule
        block = {"block", "valid", "decrypt"}
        pure: list[bool] = []
        for node in g.nodes:
            pure.append(node.attr[0] not in block if node.op == "input" else all(pure[a] for a in node.args))
        luts = sum(luts_of(g, n) for n, p in zip(g.nodes, pure, strict=True) if p)
        srls, ffs = delay_cells(
            {bit: taps for bit, taps in s.uses.items() if pure[bit[0]]}, s, self._srl_from
        )
        return luts + srls, srls, ffs

    @property
    def _srl_from(self) -> int:
        return int(self.parameters["srl_from"]) if self.has_delay_lines else 0

    @property
    def flip_flops(self) -> int:
        """Flip-flops predicted for the target, those of delay lines in RAM included."""
        own = (
            self.design.flip_flops()
            + (self.key_unit.flip_flops if self.key_unit else 0)
            + self.mode_flip_flops
            + self.control_flip_flops
        )
        return self.channel_count * own + self.channel_flip_flops + self._rings

    @property
    def shift_luts(self) -> int:
        """Shift-register LUTs predicted for the target."""
        in_luts = self.parameters["delay_lines"] == "srl"
        return self._of_delays(Design.shift_luts) if in_luts else 0

    def record(self) -> dict[str, Any]:
        """What record.json says of the build."""
        return {
            "top": self.top,
            "parameters": dict(self.parameters),
            "ports": asdict(self.ports),
            "latency_cycles": self.latency,
            "interval_cycles": self.interval,
            "slots": self.slots,
            "bits_per_cycle": self.bits_per_cycle,
            "predicted": {"ffs": self.flip_flops, "srls": self.shift_luts},
            "period_ns_planned": self.schedule.period,
            "warnings": list(self.warnings),
            "stages": self.schedule.stages,
            "useful_stages": useful_stages(self.schedule),
            "inner": self.inner,
            **({"stream": self.stream} if self.stream else {}),
            **({"bus": self.bus} if self.bus else {}),
            **({"packet": dict(self.packet)} if self.packet else {}),
            **({"channels": dict(self.channels)} if self.channels else {}),
            **({"unit": dict(self.unit)} if self.unit else {}),
            **({"mac": dict(self.mac)} if self.mac else {}),
            **({"wide": dict(self.wide)} if self.wide else {}),
            "key_cycles": self.key_cycles,
            "zeroise_cycles": self.zeroise_cycles,
            "delay_lines": self._delay_lines(),
            "key_words": asdict(self.key_words) if self.key_words else None,
        }
