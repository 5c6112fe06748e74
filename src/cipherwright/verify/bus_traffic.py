"""Blocks and messages through the outermost ports of a core behind a bus, cycle by cycle: what a simulation
of its netlist, or of anything else that shall do the same, is given.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..cipher.modes import ways
from ..errors import CheckFailed
from .axi_stream import AxiBench
from .channels import channel_traffic, together
from .drive import holds_key
from .message_axi import AxiMessageBench, Flow
from .message_axi_checks import fresh_key, messages_of, play
from .message_checks import MessageChecks, message_checks, streams_of
from .message_registers import played_messages
from .packets import PacketBench
from .reference import reference_of
from .register_blocks import block_message, recorded
from .register_bus import RegisterDriver, Software, messages_over_bus, registers_in
from .register_words import played_words
from .simulate import Model, Simulation, Words, compile_simulation
from .verdict import CoreFolder
from .windows import played_windows

__all__ = ["BusTraffic", "bus_traffic"]

_SEED, _BLOCKS = 29, 12
_SIZES = (64, 40, 16, 33, 64)
"""Bytes of messages."""


@dataclass(frozen=True)
class BusTraffic:
    """What goes through a core, from its reset on. `simulation`: says which columns of the rows are which
    port; `given`: the inputs of each cycle, a row each; `seen`: the outputs, as just before the clock's edge.
    """

    simulation: Simulation
    given: Words
    seen: Words


class _Still(AxiMessageBench):
    """Drives a core so that what is not offered is 0."""

    @cached_property
    def quiet(self) -> frozenset[str]:
        """All inputs."""
        return frozenset(p.name for p in self.simulation.inputs)


def bus_traffic(folder: CoreFolder) -> BusTraffic:
    """Random blocks, or messages in the mode of the core in `folder`, through its bus, each as soon as it is
    taken. The same folder gives the same traffic. Raises CheckFailed where a result differs from the
    reference.
    """
    record = folder.record
    clock = str((record.get("ports") or {}).get("clk") or "clk")
    simulation = replace(compile_simulation(folder.sources, record["top"], clock), tape=[])
    messages = message_checks(record)
    if "channels" in record and "bus" in record:
        played_windows(folder, simulation, _SEED)
    elif "channels" in record and messages:
        _play_channels(folder, messages, simulation)
    elif messages:
        _play_messages(folder, _Still(simulation, record))
    else:
        _play_blocks(folder, simulation)
    given = np.vstack(simulation.tape or [])
    model = Model(replace(simulation, tape=None))
    try:
        return BusTraffic(simulation, given, model.run(given))
    finally:
        model.close()


def _play_channels(folder: CoreFolder, messages: MessageChecks, simulation: Simulation) -> None:
    """Packets of all channels at once."""
    record = folder.record
    streams = "stream" in record
    bench = streams_of(folder) if streams else messages.bench.compile(folder.sources, record)
    assert isinstance(bench, AxiMessageBench | PacketBench)
    traffic = channel_traffic(bench, int(record["channels"]["count"]), 1, _SEED)
    if wrong := together(bench, simulation, traffic):
        raise CheckFailed(wrong[0])


def _play_messages(folder: CoreFolder, bench: AxiMessageBench) -> None:
    """Messages under one key."""
    p = folder.record["parameters"]
    if p["interface"] == "registers":
        played_words(bench, folder.register_map, _SIZES, _SEED)
    elif p["control"] != "none":
        played_messages(bench, folder.register_map, _SEED)
    else:
        rng = np.random.default_rng(_SEED)
        with bench.session() as session:
            key = fresh_key(bench, p, rng)
            session.load_key(key)
            play(session, messages_of(bench, p, key, _SIZES, rng), Flow())


def _play_blocks(folder: CoreFolder, simulation: Simulation) -> None:
    """Blocks; in a mode that chains, over registers, as messages."""
    p, record = folder.record["parameters"], folder.record
    if p["interface"] == "registers":
        with recorded(folder, simulation) as (core, _):
            for way in ways(p["direction"]):
                m = block_message(p, way, _SEED)
                if core.message(m.key, m.iv, m.data, m.way) != m.result:
                    raise CheckFailed("a block over the registers comes out wrong")
        return
    bench = replace(AxiBench.compile(folder.sources, record), simulation=simulation)
    if p["control"] != "none":
        model = bench.start()
        try:
            awaited = ("KEY", "IV") if bench.ports.iv_valid else ("KEY",)
            driver = RegisterDriver(simulation, model, p["control"])
            software = Software(driver, registers_in(folder.register_map), awaited)
            messages_over_bus(bench, model, software, p, _SEED)
        finally:
            model.close()
        return
    _play_stream(bench)


def _play_stream(bench: AxiBench) -> None:
    """Blocks, each by itself: under keys and in directions of their own, where the core takes them with each
    block.
    """
    p, rng = bench.parameters, np.random.default_rng(_SEED)
    count = 1 if holds_key(p) else _BLOCKS
    keys = rng.integers(0, 256, (count, p["key_bits"] // 8), dtype=np.uint8)
    both = np.array(ways(p["direction"]), dtype=np.uint8)
    modes = np.resize(both, _BLOCKS) if count > 1 else both[:1]
    blocks = rng.integers(0, 256, (_BLOCKS, p["block_bits"] // 8), dtype=np.uint8)
    got = bench.crypt(keys, modes, blocks).blocks
    reference = reference_of(p)
    for n, block in enumerate(blocks):
        want = reference.bulk(keys[n % count].tobytes(), block.tobytes(), bool(modes[n % len(modes)]))
        if got[n].tobytes() != want:
            raise CheckFailed("a block through the stream comes out wrong")
