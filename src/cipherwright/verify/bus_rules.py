"""Rules of the buses around a core, for all times and whatever comes in.

On the netlist of the whole core: no valid and no ready of a bus is reached from an input without a register
between them. Whether a beat is taken may depend on its TUSER alone, where initial values are in registers.
And an offer stays, from a reset on, as long as there is no zeroising. For that, valid is 1 and ready is 0.
Registers that are 0 after reset and stay 0 without zeroising (by induction) are 0. All others may have any
value, but copies have the same (copies.py). Then each register that valid or the payload reads must take what
it holds.

On the module of the register bus: all of its control states that can be reached from reset, under all inputs,
beside a count of what the bus has accepted and answered. Each access acts once, and is answered once, after
it acted. Address, word and strobes are those with which it was asked for, and the answer is the word that was
read, and no error. On the module of the registers: they are the map (register_rules.py).

Sources: AMBA AXI-Stream (ARM IHI 0051) 2.2, AXI (ARM IHI 0022) A3.2, APB (ARM IHI 0024) 3, Wishbone B4 3.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import product
from typing import Any

from ..errors import CheckFailed
from ..shell import inside, read_map, registers_of, without_channel
from ..wording import counted
from .aig import FALSE, TRUE
from .command_rules import check_commands
from .copies import without_copies
from .equivalence import topological
from .live import UNKNOWN, passed, reads, settled
from .netlist import FLIP_FLOP, GATES, Netlist, in_bits, out_bits, read_netlist
from .register_rules import check_register_map
from .verdict import CoreFolder
from .word_rules import check_word_commands

__all__ = ["check_bus_rules"]

Known = Mapping[Any, int]
Counts = tuple[int, ...]


@dataclass(frozen=True)
class _Offer:
    """Outputs that offer a word, and the input that takes it."""

    valid: str
    payload: tuple[str, ...]
    ready: str

    def with_prefix(self, prefix: str) -> _Offer:
        """The same at ports whose names begin with `prefix`: those of a channel."""
        return _Offer(prefix + self.valid, tuple(prefix + n for n in self.payload), prefix + self.ready)


_STREAM = _Offer(
    "m_axis_tvalid",
    ("m_axis_tdata", "m_axis_tkeep", "m_axis_tlast", "m_axis_tuser", "m_axis_tid"),
    "m_axis_tready",
)
_TAG = _Offer("m_tag_tvalid", ("m_tag_tdata", "m_tag_tuser", "m_tag_tid"), "m_tag_tready")
_LITE = (
    _Offer("s_axil_bvalid", ("s_axil_bresp",), "s_axil_bready"),
    _Offer("s_axil_rvalid", ("s_axil_rdata", "s_axil_rresp"), "s_axil_rready"),
)
_CONTROLS = (
    *(
        "s_axis_tready",
        "m_axis_tvalid",
        "m_tag_tvalid",
        "unit_ready_o",
        "s_axil_awready",
        "s_axil_wready",
        "s_axil_bvalid",
        "s_axil_arready",
    ),
    *("s_axil_rvalid", "s_apb_pready", "wb_ack_o"),
)
"""Valid and ready of the buses."""

_COMMAND = re.compile(r"(u_channel_\d+\.)?zeroise")
"""The wire of the command ZEROISE in the module of the registers (`shell/buses/controlled.py`), of every
channel.
"""


class _Logic:
    """A netlist with the driver of each bit, the `order` of its gates, and which of them read a bit."""

    def __init__(self, n: Netlist, order: Sequence[str]) -> None:
        self.n = n
        self.driver = {b: c for c in n.cells.values() for b in out_bits(c)}
        self.gates = [n.cells[name] for name in order if n.cells[name]["type"] in GATES]
        self.readers = dict[Any, list[int]]()
        for number, cell in enumerate(self.gates):
            for bit in in_bits(cell):
                self.readers.setdefault(bit, []).append(number)
        self.registers: dict[Any, Any] = {
            c["connections"]["Q"][0]: c["connections"]["D"][0]
            for c in n.cells.values()
            if c["type"] == FLIP_FLOP
        }

    @classmethod
    def from_reset(cls, n: Netlist, reset: str) -> _Logic:
        """What `n` is from a reset on: copies of registers count as one."""
        order = topological(n, through_ff=False)
        return cls(without_copies(n, reset, order), order)

    def settle(self, known: Known) -> dict[Any, int]:
        """Every bit as 0, 1 or unknown, for what is known of inputs and registers."""
        return settled(self.gates, known)

    def reads(self, bits: Sequence[Any], value: Known) -> set[Any]:
        """What bits depend on in the same cycle: registers, inputs and whatever no gate drives."""
        return reads(self.driver, bits, value)

    def same(self, bit: Any, value: Known) -> Any:
        """The bit that this one equals, through multiplexers and gates with one input that is not neutral."""
        while (cell := self.driver.get(bit)) is not None and value.get(bit, UNKNOWN) > TRUE:
            ins = passed(cell, value) if cell["type"] in GATES else []
            kind, open_ = cell["type"], [b for b in ins if value.get(b, UNKNOWN) > TRUE]
            neutral = len(ins) == 1 or kind in ("$_AND_", "$_OR_")
            if not neutral or kind == "$_NOT_" or len(open_) != 1:
                return bit
            bit = open_[0]
        return bit

    def asserted(self, bit: Any) -> dict[Any, int]:
        """Registers that are 1 where a bit is, which is one of them or several and-ed. Raises CheckFailed."""
        if bit in self.registers:
            return {bit: TRUE}
        cell = self.driver.get(bit)
        if cell is None or cell["type"] not in ("$_AND_", "$_BUF_"):
            raise CheckFailed(f"{self.n.name(bit)} is no register, nor several and-ed")
        return {q: v for b in in_bits(cell) for q, v in self.asserted(b).items()}

    def idle(self, reset: Any, calm: Known) -> dict[Any, int]:
        """Registers that are 0 after a cycle of `reset` and stay 0 for all times while the bits in `calm`
        have their values, with these values.
        """
        during = self.settle({reset: TRUE})
        found = {q for q, d in self.registers.items() if during.get(d, UNKNOWN) == FALSE} - calm.keys()
        known = {**calm, reset: FALSE, **dict.fromkeys(found, FALSE)}
        value = self.settle(known)
        while gone := {q for q in found if value.get(self.registers[q], UNKNOWN) != FALSE}:
            found -= gone
            for q in gone:
                del known[q]
            self._spread(gone, known, value)
        return known

    def _spread(self, gone: Iterable[Any], known: Known, value: dict[Any, int]) -> None:
        """Change `value`, which `settle` gave, to what it gives now that some bits are known no more: only
        what reads them is looked at again.
        """
        again = list[int]()
        for bit in gone:
            value.pop(bit, None)
            again += self.readers.get(bit, ())
        heapify(again)
        last = -1
        while again:
            number = heappop(again)
            if number == last:
                continue
            last, cell = number, self.gates[number]
            bit = cell["connections"]["Y"][0]
            now = settled([cell], {}, value)[bit]
            if bit not in known and now != value[bit]:
                value[bit] = now
                for reader in self.readers.get(bit, ()):
                    heappush(again, reader)


def _check_paths(logic: _Logic, allowed: Mapping[str, str]) -> str:
    """Raise CheckFailed where a valid or ready of a bus is reached from an input; what was shown, in words.
    `allowed`: an output -> the input that it may be reached from, without the channel in their names.
    """
    inputs = {b: name for name, bits in logic.n.inputs.items() for b in bits}
    present = [name for name in logic.n.outputs if without_channel(name) in _CONTROLS]
    excepted = []
    for name in present:
        through = {inputs[b] for b in logic.reads(logic.n.outputs[name], {}) if b in inputs}
        plain = without_channel(name)
        own = name.removesuffix(plain) + allowed[plain] if plain in allowed else ""
        if wrong := through - {own}:
            raise CheckFailed(f"{name} depends on {sorted(wrong)[0]} in the same cycle")
        excepted += [f", {name} also on {own}"] * (own in through)
    return f"{len(present)} outputs of valid and ready depend on registers only{''.join(excepted)}"


def _check_offer(logic: _Logic, offer: _Offer, calm: Known) -> int:
    """Raise CheckFailed where an offer may change before it is taken; registers that it reads."""
    n = logic.n
    valid = logic.asserted(n.outputs[offer.valid][0])
    known = {**calm, n.inputs[offer.ready][0]: FALSE, **valid}
    value = logic.settle(known)
    payload = [b for name in offer.payload for b in n.outputs.get(name, [])]
    read = (logic.reads(payload, value) | valid.keys()) - {"x"}
    for bit in sorted(read, key=n.name):
        if bit not in logic.registers:
            raise CheckFailed(f"what goes with {offer.valid} depends on {n.name(bit)} in the same cycle")
        after = logic.registers[bit]
        kept = value.get(after, UNKNOWN) == TRUE if bit in valid else logic.same(after, value) == bit
        if not kept:
            raise CheckFailed(f"{n.name(bit)}, which {offer.valid} shows, may change before {offer.ready}")
    return len(read)


@dataclass(frozen=True)
class _Monitor:
    """A register bus's rules. `inputs` and `outputs` of its module that matter; `step`: what is pending, and
    both sets of values -> what is pending after the cycle, or the rule that is broken.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    start: Counts
    step: Callable[[Counts, Mapping[str, int], Mapping[str, int]], Counts | str]


def _lite_step(pending: Counts, i: Mapping[str, int], o: Mapping[str, int]) -> Counts | str:
    """AXI4-Lite. Pending: addresses, words, answers of writes, words that were read."""
    address, word, answer, read = pending
    rules = (
        (
            o["write_o"] == (address and word and not answer),
            "a write acts when its address and word are there",
        ),
        (o["s_axil_bvalid"] == answer, "a write is answered once, after it acted"),
        (o["s_axil_rvalid"] == read, "a read is answered once, after it acted"),
        (o["s_axil_awready"] == (not address), "an address is taken where none is pending"),
        (o["s_axil_wready"] == (not word), "a word is taken where none is pending"),
        (o["read_o"] == (i["s_axil_arvalid"] & o["s_axil_arready"]), "a read acts when its address is taken"),
    )
    broken = [text for kept, text in rules if not kept]
    after = (
        address + (i["s_axil_awvalid"] & o["s_axil_awready"]) - o["write_o"],
        word + (i["s_axil_wvalid"] & o["s_axil_wready"]) - o["write_o"],
        answer + o["write_o"] - (o["s_axil_bvalid"] & i["s_axil_bready"]),
        read + o["read_o"] - (o["s_axil_rvalid"] & i["s_axil_rready"]),
    )
    if not all(0 <= x <= 1 for x in after):
        broken.append("no more answers than requests, and one request at a time")
    return broken[0] if broken else after


def _wishbone_step(pending: Counts, i: Mapping[str, int], o: Mapping[str, int]) -> Counts | str:
    """Wishbone. Pending: an access that has acted and is acknowledged now."""
    begins = i["wb_cyc_i"] & i["wb_stb_i"] & ~pending[0]
    if o["wb_ack_o"] != pending[0]:
        return "an access is acknowledged once, in the cycle after it acted"
    if o["write_o"] != begins & i["wb_we_i"] or o["read_o"] != begins & ~i["wb_we_i"]:
        return "an access acts once, as a write or as a read"
    return (begins,)


def _apb_step(pending: Counts, i: Mapping[str, int], o: Mapping[str, int]) -> Counts | str:
    """APB: nothing is pending."""
    setup, access = i["s_apb_psel"] & ~i["s_apb_penable"], i["s_apb_psel"] & i["s_apb_penable"]
    if not o["s_apb_pready"] or o["s_apb_pslverr"]:
        return "an access takes two cycles and has no error"
    if o["write_o"] != access & i["s_apb_pwrite"] or o["read_o"] != setup & ~i["s_apb_pwrite"]:
        return "a write acts in the second cycle of an access, a read in the first"
    return pending


_MONITORS = {
    "axi-lite": _Monitor(
        tuple(f"s_axil_{x}" for x in ("awvalid", "wvalid", "bready", "arvalid", "rready")),
        (
            *(f"s_axil_{x}" for x in ("awready", "wready", "bvalid", "arready", "rvalid")),
            *("write_o", "read_o"),
        ),
        (0, 0, 0, 0),
        _lite_step,
    ),
    "apb": _Monitor(
        ("s_apb_psel", "s_apb_penable", "s_apb_pwrite"),
        ("s_apb_pready", "s_apb_pslverr", "write_o", "read_o"),
        (),
        _apb_step,
    ),
    "wishbone": _Monitor(
        ("wb_cyc_i", "wb_stb_i", "wb_we_i"), ("wb_ack_o", "write_o", "read_o"), (0,), _wishbone_step
    ),
}


def _state(logic: _Logic, outputs: Sequence[str]) -> list[Any]:
    """Registers from which some outputs can be reached."""
    found, todo = set[Any](), logic.reads([b for name in outputs for b in logic.n.outputs[name]], {})
    while todo:
        q = todo.pop()
        if q in logic.registers and q not in found:
            found.add(q)
            todo |= logic.reads([logic.registers[q]], {})
    return sorted(found)


def _explore(n: Netlist, kind: str) -> int:
    """All states of a register bus that can be reached, under all inputs. Raises CheckFailed with a rule that
    is broken; how many states there are, each with what is pending.
    """
    logic, monitor = _Logic(n, topological(n, through_ff=False)), _MONITORS[kind]
    state = _state(logic, monitor.outputs)
    names = {name: n.inputs[name][0] for name in monitor.inputs}
    reset = dict.fromkeys(n.inputs.get("rst_i", []), TRUE)
    calm = dict.fromkeys(reset, FALSE)

    def after(value: Known) -> tuple[int, ...]:
        found = tuple(value.get(logic.registers[q], UNKNOWN) for q in state)
        if any(v > TRUE for v in found):
            raise CheckFailed(f"the control of the bus depends on more than {', '.join(monitor.inputs)}")
        return found

    def cycles(now: tuple[int, ...]) -> Iterator[tuple[dict[str, int], Known]]:
        for bits in product((FALSE, TRUE), repeat=len(names)):
            given = dict(zip(names, bits, strict=True))
            known = {**calm, **dict(zip(state, now, strict=True)), **{names[k]: v for k, v in given.items()}}
            yield given, logic.settle(known)

    first = (after(logic.settle(reset)), monitor.start)
    seen, todo = {first}, [first]
    while todo:
        now, pending = todo.pop()
        for given, value in cycles(now):
            shown = {name: value.get(n.outputs[name][0], UNKNOWN) for name in monitor.outputs}
            told = monitor.step(pending, given, shown)
            if isinstance(told, str):
                raise CheckFailed(f"the register bus breaks a rule: {told}")
            following = (after(value), told)
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return len(seen)


_REQUESTS = {
    "axi-lite": ("s_axil_awaddr", "s_axil_wdata", "s_axil_wstrb", "s_axil_araddr"),
    "apb": ("s_apb_paddr", "s_apb_pwdata", "s_apb_pstrb", "s_apb_paddr"),
    "wishbone": ("wb_adr_i", "wb_dat_i", "wb_sel_i", "wb_adr_i"),
}
"""Inputs of each bus that are the address, the word and the strobes of a write, and the address of a read."""

_TAKEN = {"s_axil_awaddr": "s_axil_awready", "s_axil_wdata": "s_axil_wready", "s_axil_wstrb": "s_axil_wready"}
"""What comes before its access acts -> the ready with which it is taken, and after which it stays."""

_ANSWERS = ("s_axil_rdata", "s_apb_prdata", "wb_dat_o")
_ERRORS = {"s_axil_bresp": ["0", "0"], "s_axil_rresp": ["0", "0"], "s_apb_pslverr": ["0"]}
"""Outputs of the buses that are the word of an answer, and those that tell of errors, with what they are."""


def _check_payload(n: Netlist, kind: str) -> None:
    """Raise CheckFailed where an access over the bus `n` may act with another address, word or strobe than it
    was asked for with, or is answered with another word than was read, or with an error.
    """
    outputs = ("write_address_o", "write_data_o", "write_strobe_o", "read_address_o")
    logic = _Logic(n, topological(n, through_ff=False))
    for given, used in zip(_REQUESTS[kind], outputs, strict=True):
        same = _keeps(logic, given, used) if given in _TAKEN else n.outputs[used] == n.inputs[given]
        if not same:
            raise CheckFailed(f"an access may act with another {used.removesuffix('_o')} than {given}")
    answers = {**dict.fromkeys(_ANSWERS, n.inputs["read_data_i"]), **_ERRORS}
    for name in answers.keys() & n.outputs.keys():
        if n.outputs[name] != answers[name]:
            raise CheckFailed(f"{name} is not what was read, or is an error")


def _keeps(logic: _Logic, given: str, used: str) -> bool:
    """Whether the output `used` is registers that take the input `given` with its ready, and then stay."""
    n, ready = logic.n, logic.n.outputs[_TAKEN[given]][0]
    calm = dict.fromkeys(n.inputs["rst_i"], FALSE)
    free = sorted(logic.reads([ready], {}))
    for values in product((FALSE, TRUE), repeat=len(free)):
        value = logic.settle({**calm, **dict(zip(free, values, strict=True))})
        for bit, q in zip(n.inputs[given], n.outputs[used], strict=True):
            after = logic.registers.get(q)
            if after is None or logic.same(after, value) != (bit if value[ready] == TRUE else q):
                return False
    return True


def _no_zeroising(n: Netlist, port: str) -> dict[Any, int]:
    """What asks for zeroising is 0: a port, or the command of a register bus."""
    if port:
        return {n.inputs[port][0]: FALSE}
    return {q: FALSE for q, name in n.names.items() if _COMMAND.fullmatch(name)}


def _streams(n: Netlist) -> tuple[_Offer, ...]:
    """The streams that leave, of every channel."""
    found = ((name, o) for name in n.outputs for o in (_STREAM, _TAG) if o.valid == without_channel(name))
    return tuple(offer.with_prefix(name.removesuffix(offer.valid)) for name, offer in found)


def _check_offers(logic: _Logic, ports: Mapping[str, str], offers: Iterable[_Offer]) -> int:
    """Each of these offers stays until it is taken; how many registers hold them."""
    n = logic.n
    calm = logic.idle(n.inputs[ports["reset"]][0], _no_zeroising(n, ports["zeroise"]))
    return sum(_check_offer(logic, offer, calm) for offer in offers)


def _waits_by_user(record: Mapping[str, Any]) -> bool:
    """Whether a beat is taken by what its TUSER says, where initial values are in registers: a message waits
    for the value of its own stream, and a beat of an IV needs none of them.
    """
    parameters: Mapping[str, Any] = record["parameters"]
    streams = parameters["mode"] != "ecb" and record.get("slots", 1) > 1
    waits: bool = streams or parameters.get("iv_bits") == "any"
    return waits and parameters["control"] != "none"


def check_bus_rules(folder: CoreFolder) -> str:
    """The check `bus rules` of the core in `folder`, on standard buses; what was shown, in words. Raises
    CheckFailed with a rule that is broken.
    """
    record = folder.record
    kind, clock = record["parameters"]["control"], record["ports"]["clk"]
    n = read_netlist(folder.sources, record["top"], clock, memories=True)
    logic = _Logic.from_reset(n, record["ports"]["reset"])
    paths = _check_paths(logic, {"s_axis_tready": "s_axis_tuser"} if _waits_by_user(record) else {})
    blocks = record["parameters"]["interface"] == "registers"
    offers = (*(() if blocks else _streams(n)), *(_LITE if kind == "axi-lite" else ()))
    held = _check_offers(logic, record["ports"], offers)
    said = [f"for all times: {paths}"]
    if offers:
        stays = "from a reset on, without zeroising, an offer stays until it is taken"
        said.append(f"{stays} ({held} registers hold it)")
    if kind != "none":
        bus = read_netlist(folder.sources, f"{record['top']}_bus", clock)
        states = _explore(bus, kind)
        _check_payload(bus, kind)
        said.append(f"each access over {kind} acts once and is answered once ({counted(states, 'state')})")
        said.append(f"the registers are those of the map ({_check_map(folder)} bits of them and outputs)")
    if blocks:
        module, words = read_netlist(folder.sources, f"{record['top']}_commands", clock), "stream" in record
        states = check_word_commands(module, "unit" in record) if words else check_commands(module)
        rule = "each command is carried out in its order or told as rejected, and no result is overwritten"
        said.append(f"{rule} ({states} states)")
        if words:
            said.append(f"of the streams behind the registers, {_check_streams(folder)}")
    return "; ".join(said)


def _check_map(folder: CoreFolder) -> int:
    """The module of the registers of the core in `folder` is the map; how many bits were compared."""
    record = folder.record
    n = read_netlist(folder.sources, f"{record['top']}_registers", record["ports"]["clk"])
    return check_register_map(n, registers_of(read_map(folder.register_map)))


def _check_streams(folder: CoreFolder) -> str:
    """The rules of the streams of a core whose words are registers: they are inside."""
    record = inside(folder.record, "bus")
    n = read_netlist(folder.sources, record["top"], record["ports"]["clk"], memories=True)
    logic = _Logic.from_reset(n, record["ports"]["reset"])
    paths = _check_paths(logic, {})
    held = _check_offers(logic, record["ports"], _streams(n))
    return f"{paths}, and an offer stays ({held} registers hold it)"
