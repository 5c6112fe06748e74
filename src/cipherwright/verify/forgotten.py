"""Zeroising: after the promised cycles no register and no word of a memory depends on a key, a counter
block or a block from before it.

The netlist of the whole core runs with three values. Keys, counter blocks and blocks are unknown up to the
cycle of zeroise_i, and known after it; nothing else is unknown. Whatever depends on an unknown bit is
unknown. When the promised cycles are over, nothing may be unknown, and busy_o is 0; nor before that in a
cycle in which busy_o is 0. After zeroise_i no result is offered that depends on what was before. 64 runs go
side by side, each with zeroise_i in another cycle.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..errors import CheckFailed, NotChecked
from ..process import check_stop
from ..shell import PortSet, inside
from .netlist import read_netlist
from .three_valued import ALL, RUNS, ThreeValued
from .verdict import CoreFolder

__all__ = ["check_none_left", "check_zeroise", "runs_where"]


def check_zeroise(folder: CoreFolder) -> str:
    """The check `zeroise` of a core `folder`; what was checked, in words. Raises CheckFailed with a register
    that remembers, or NotChecked where the core holds nothing for long.
    """
    # Of a register bus, the core behind it; of channels, the core of one.
    record = inside(folder.record, "bus")
    ports = PortSet(**record["ports"]) if record.get("ports") else PortSet()
    if not ports.zeroise:
        raise NotChecked("the core has no zeroise_i: it holds no key")
    n = read_netlist(folder.sources, record["top"], ports.clk, spread=True)
    t, limit = ThreeValued(n), int(record["zeroise_cycles"])
    late = int((record.get("unit") or {}).get("late_latency_cycles", 0))
    before = int(record["key_cycles"]) + 2 * int(record["latency_cycles"]) + (90 if ports.iv_valid else 40)
    before += 2 * late + 4 * int((record.get("mac") or {}).get("longest_latency_cycles", 0))
    t.power_up()
    when: NDArray[np.int64] = np.linspace(1, before, RUNS).astype(np.int64)
    slot = (record.get("packet") or record.get("unit") or {}).get("ports", {}).get("load_slot", "")
    announced = "key_change_cycles" in (record.get("packet") or {})
    distinct = bool(record["parameters"].get("distinct_halves"))
    unit = (record.get("unit") or {}).get("ports", {}).get("unit_valid", "")
    traffic = _Traffic(t, ports, slot, distinct, announced, "" if ports.key_valid else unit)
    keyed = late + _TAKEN if late else before // 2
    ever = np.zeros(len(t.q), dtype=np.uint64)
    offers = _offers(t, ports)
    for cycle in range(before + limit + 1):
        check_stop()
        traffic.put(cycle, runs_where(when < cycle), runs_where(when == cycle), cycle < keyed)
        t.settle()
        _check_busy(t, ports, runs_where(when < cycle), runs_where(when == cycle - limit), limit)
        _check_offers(t, offers, runs_where(when < cycle))
        t.tick()
        if cycle == int(when[-1]):
            ever = t.unknown()
        check_none_left(t, runs_where(when == cycle - limit), f"{limit} cycles after zeroise_i")
    held = int((ever != 0).sum())
    if not held:
        raise CheckFailed("no register depended on a key or a block before zeroise_i")
    return (
        f"{limit} cycles after zeroise_i, in {RUNS} runs, none of {len(t.q)} registers depends on what "
        f"was before it; {held} had"
    )


def _check_busy(t: ThreeValued, ports: PortSet, over: np.uint64, done: np.uint64, limit: int) -> None:
    """Raise CheckFailed where busy_o is 0 in one of the runs `over`, in which zeroise_i was 1 before, and a
    register still depends on what was before it; or where it is not 0 in one of the runs `done`, in which the
    promised cycles, `limit`, are over.
    """
    zero, one = t.output(ports.busy)
    check_none_left(t, over & zero & ~one, f"when {ports.busy} is 0 after zeroise_i")
    if done & (one | ~zero):
        raise CheckFailed(f"{limit} cycles after zeroise_i {ports.busy} is not 0")


_WITH = ("tdata", "tkeep", "tlast", "tuser", "tid")
"""What goes with TVALID of a stream."""


def _offers(t: ThreeValued, ports: PortSet) -> dict[str, tuple[str, ...]]:
    """The outputs that offer a result, and those that show it."""
    sides = (name.removesuffix("_tvalid") for name in t.n.outputs if name.endswith("_tvalid"))
    found = {
        f"{side}_tvalid": tuple(name for what in _WITH if (name := f"{side}_{what}") in t.n.outputs)
        for side in sides
    }
    if not found and ports.valid_out in t.n.outputs and ports.block_out in t.n.outputs:
        found[ports.valid_out] = (ports.block_out,)
    return found


def _check_offers(t: ThreeValued, offers: Mapping[str, tuple[str, ...]], over: np.uint64) -> None:
    """Raise CheckFailed where in one of the runs `over`, in which zeroise_i was 1 before, a result may be
    offered that depends on what was before it. `offers`: as of `_offers`.
    """
    for valid, shown in offers.items():
        _, one = t.output(valid)
        if over & one and over & one & (t.unclear(shown) | t.unclear([valid])):
            raise CheckFailed(f"a result at {valid} depends on what was before zeroise_i")


def check_none_left(t: ThreeValued, done: np.uint64, after: str) -> None:
    """Raise CheckFailed where a register of `t` is unknown in one of the runs `done`, a word with a 1 for
    each of them. `after`: what that is after, for the message.
    """
    if done and (left := np.flatnonzero(t.unknown() & done)).size:
        raise CheckFailed(
            f"{after} {len(left)} registers depend on what was before, {t.register(int(left[0]))} for one"
        )


def runs_where(which: NDArray[np.bool_]) -> np.uint64:
    """A word with a 1 for each run of `which`."""
    return np.uint64(sum(1 << int(k) for k in np.flatnonzero(which)))


_TAKEN = 12
"""Cycles beside the latency of a late result in which a key of a core of data units is offered: with two
resident keys it waits as long as for units. It is one key, for no unit is announced while one is offered.
"""


_STAMP = 16
"""Bits of a key that tell its cycle, where keys are compared."""


class _Traffic:
    """What the inputs are: keys, counter blocks and blocks unknown before zeroise_i, all else random. slot:
    the port that says which slot a key is for, which stays as it is while the key waits: always the second.
    distinct: the core takes no unit under a key whose halves are equal, so they differ in a known bit.
    compared: a key is compared with others, so each has its cycle in known bits, and none is resident.
    begins: the port that announces a unit with its key. It is 0 after zeroise_i, else the next unit could
    make busy_o 1 before the promised cycles are over.
    """

    def __init__(
        self,
        t: ThreeValued,
        ports: PortSet,
        slot: str = "",
        distinct: bool = False,
        compared: bool = False,
        begins: str = "",
    ) -> None:
        self.t, self.rng = t, np.random.default_rng(12)
        data = [name for name in (ports.key, ports.block_in, ports.iv) if name]
        key = t.places(ports.key)
        self.differ = key[:: len(key) // 2] if distinct else key[:0]
        self.stamp = key[:_STAMP] if compared else key[:0]
        fixed = (ports.clk, ports.reset, ports.zeroise, slot, *data)
        self.slot = t.places(slot) if slot else None
        self.data = t.places(*data)
        self.control = t.places(*(name for name in t.n.inputs if name not in fixed))
        begun = np.isin(self.control, t.places(begins) if begins else [])
        self.ended = np.where(begun, ALL, np.uint64(0))
        self.offer = t.places(*([ports.key_valid] if ports.key_valid else []))
        self.zeroise, self.reset = (t.places(name) for name in (ports.zeroise, ports.reset))

    def put(self, cycle: int, over: np.uint64, now: np.uint64, keyed: bool) -> None:
        """The inputs of a cycle; `over`: the runs in which zeroise_i was 1 before, `now`: in which it is 1.
        Where `keyed`, a key is offered in the others: none after zeroise_i, since what the port shows then
        flows through.
        """
        t, none, count = self.t, np.uint64(0), len(self.data)
        given = self.rng.integers(0, 2, count + len(self.control))
        one = given[:count] == 1
        t.put(self.data, np.where(one, ~over, ALL), np.where(one, ALL, ~over))
        low, high = np.array([ALL, none]), np.array([none, ALL])
        t.put(self.differ, low[: len(self.differ)], high[: len(self.differ)])
        stamp = (cycle >> np.arange(len(self.stamp)) & 1) == 1
        t.put(self.stamp, np.where(stamp, none, ALL), np.where(stamp, ALL, none))
        one = (given[count:] | self.rng.integers(0, 2, len(self.control))) == 1
        ones = np.where(one, ~(self.ended & over), none)
        t.put(self.control, ~ones, ones)
        offered = ~over if keyed else none
        t.put(self.offer, ~offered, offered)
        if self.slot is not None:
            t.put(self.slot, none, ALL)
        t.put(self.zeroise, ~now, now)
        t.put(self.reset, none if cycle == 0 else ALL, ALL if cycle == 0 else none)
