"""The timing diagrams of a core: reset, key and first block; blocks without a pause; back-pressure;
zeroising. Those of whole messages are in `message_diagrams.py`.

Each begins with a reset, and speaks of the cipher's worked block (`example.py`), so that a simulation of the
core can check every value of it (`tests/shell/test_folder.py`).
"""

from __future__ import annotations

from ..core import Core, PortSet
from ..wave import ANY, Diagram, Moment, handshake
from .example import Worked
from .message_diagrams import message_diagrams
from .register_diagrams import register_diagrams
from .stream_diagrams import stream_diagrams

__all__ = ["diagrams"]

_WITHOUT_RESET = 4
"""Cycles beside the latency that a core without reset takes until what it held has left."""


def diagrams(core: Core, worked: Worked) -> tuple[Diagram, ...]:
    """All diagrams of `core`, in the order in which a reader wants them, with the values of the worked block
    `worked`.
    """
    if core.bus:
        return register_diagrams(core, worked)
    if core.stream:
        return stream_diagrams(core, worked)
    if not Worked.shows(core.parameters["mode"]):
        return message_diagrams(core, worked)
    plan = _Plan(core, worked)
    made = [plan.first(), plan.stalled() if core.ports.ready_in else plan.rate()]
    return (*made, *([plan.zeroised()] if core.ports.zeroise else []))


class _Plan:
    """How a core's ports move, as lists of moments."""

    def __init__(self, core: Core, worked: Worked) -> None:
        self.core, self.ports, self.worked = core, core.ports, worked
        bits = worked_words(core, worked)
        self.words = {name: value for name, value in bits.items() if value is not None}

    def _diagram(self, name: str, title: str, moments: list[Moment]) -> Diagram:
        named = {port for m in moments for port in (*m.inputs, *m.shows, m.until)}
        return Diagram(
            name,
            title,
            self.ports.clk,
            tuple(p for p in _order(self.ports) if p in named),
            tuple(moments),
            self.words,
        )

    def first(self) -> Diagram:
        """From reset to the first result."""
        steps = [*self._begin(), *self._accept(), self._withdrawn(), *self._result()]
        held = "a key, " if self.ports.key_valid else ""
        return self._diagram("first", f"Reset, {held}one block and its result.", steps)

    def _begin(self) -> list[Moment]:
        """Reset; a key and a counter block, where the core takes them apart from blocks."""
        p = self.ports
        calm = {n: "0" for n in (p.valid_in, p.key_valid, p.iv_valid, p.zeroise) if n}
        calm |= {p.ready_in: "1"} if p.ready_in else {}
        calm |= {p.decrypt: "0"} if p.decrypt else {}
        data = {n: ANY for n in (p.block_in, p.key, p.iv, p.first) if n}
        if not p.reset:
            calmed = Moment({**calm, **data})
            return [
                calmed,
                Moment({p.key: "key"}, {p.valid_out: "0"}, after=self.core.latency + _WITHOUT_RESET),
            ]
        data |= {p.key: "key"} if self._key_held else {}
        steps = [Moment({**calm, **data, p.reset: "1"}), Moment({p.reset: "0"}, self._idle())]
        if p.key_valid:
            steps += [
                Moment({p.key_valid: "1", p.key: "key"}, {p.key_ready: "0", p.ready_out: "0"}),
                Moment({}, {p.key_ready: "1", p.ready_out: "0"}, until=p.key_ready),
                Moment({p.key_valid: "0", p.key: ANY}, {p.key_ready: "0", p.ready_out: "0", p.busy: "1"}),
            ]
        if p.iv_valid:
            steps += handshake(p.iv_valid, p.iv_ready, {p.iv: "iv"}, {p.iv_ready: "0"})
        return steps

    def _idle(self) -> dict[str, str]:
        """What a core shows after reset."""
        p = self.ports
        return {n: "0" for n in (p.valid_out, p.busy, p.key_ready if p.key_valid else "") if n}

    @property
    def _key_held(self) -> bool:
        return self.core.parameters["key"] == "static" and not self.ports.key_valid

    def _payload(self, block: str = "block") -> dict[str, str]:
        """What is offered with a block."""
        p = self.ports
        with_block = {p.block_in: block}
        if not self._key_held and not p.key_valid and not self.core.parameters["key_lead"]:
            with_block |= {p.key: "key"}
        if p.first:
            with_block |= {p.first: "1", p.iv: "iv"}
        return with_block

    def _accept(self) -> list[Moment]:
        """A block is offered until it is taken."""
        p, lead = self.ports, self.core.parameters["key_lead"]
        early = [Moment({p.key: "key"})] if lead and p.reset else []
        if not p.ready_out:
            return [*early, Moment({p.valid_in: "1", **self._payload()})]
        exact = p.key_valid and not p.iv_valid and not self._turns
        after, until = (self.core.key_cycles - 1, "") if exact else (1, p.ready_out)
        return [*early, Moment({p.valid_in: "1", **self._payload()}, {p.ready_out: "1"}, after, until)]

    @property
    def _turns(self) -> bool:
        """Whether streams take turns, so that a block may wait for the turn of its own."""
        return bool(self.ports.slot)

    def _withdrawn(self, after: int = 1) -> Moment:
        """No block is offered any more."""
        p = self.ports
        return Moment({p.valid_in: "0", **dict.fromkeys(self._payload(), ANY)}, after=after)

    def _result(self) -> list[Moment]:
        """The result of the block that was accepted one cycle before the moment before."""
        p, left = self.ports, self.core.latency - 1
        shown = {p.valid_out: "1", p.block_out: "result"}
        return [Moment({}, shown, after=left), Moment({}, {p.valid_out: "0"})]

    def rate(self) -> Diagram:
        """Blocks one after the other, as fast as the core takes them."""
        p, taken = self.ports, self._accept()
        if p.ready_out and not p.iv_valid:
            again = Moment({}, {p.ready_out: "1"}, until=p.ready_out)
            title = "A second block is taken when the core is ready."
        else:
            again = Moment({}, {p.ready_out: "1"} if p.ready_out else {})
            title = "A block every cycle."
        steps = [*self._begin(), *taken, again, self._withdrawn()]
        return self._diagram("rate", title, steps)

    def stalled(self) -> Diagram:
        """A result waits for m_ready_i."""
        p = self.ports
        steps = [*self._begin(), *self._accept(), self._withdrawn()]
        shown = {p.valid_out: "1", p.block_out: "result"}
        steps += [
            Moment({p.ready_in: "0"}, shown, after=self.core.latency - 1),
            Moment({}, shown),
            Moment({p.ready_in: "1"}, shown),
            Moment({}, {p.valid_out: "0"}),
        ]
        return self._diagram("stall", f"A result stays until {p.ready_in} is 1.", steps)

    def zeroised(self) -> Diagram:
        """Everything is cleared."""
        p = self.ports
        steps = [
            *self._begin()[:5],
            *([] if p.iv_valid else [Moment({}, {p.ready_out: "1"}, until=p.ready_out)]),
            Moment({p.zeroise: "1"}),
            Moment({p.zeroise: "0"}, {p.busy: "1", p.ready_out: "0", p.valid_out: "0"}),
            Moment({}, {p.busy: "0", p.ready_out: "0"}, after=self.core.zeroise_cycles - 1),
        ]
        return self._diagram("zeroise", f"One cycle of {p.zeroise} clears the key and all blocks.", steps)


def worked_words(core: Core, worked: Worked) -> dict[str, int | None]:
    """The worked block as numbers at the core's ports."""
    lanes = core.lanes
    block, result = (int.from_bytes(word, "big") for word in (worked.block, worked.result))
    above = core.parameters["block_bits"] * (lanes - 1)
    key = int.from_bytes(worked.key, "big")
    return {
        "key": without_parity(worked.key) if core.ports.ascending else key,
        "iv": int.from_bytes(worked.iv, "big") if worked.iv else None,
        "block": block << above,
        "result": result << above,
    }


def without_parity(key: bytes) -> int:
    """A key of DES as the paper's port takes it: seven bits of every byte."""
    word = 0
    for byte in key:
        word = word << 7 | byte >> 1
    return word


def _order(p: PortSet) -> list[str]:
    """Rows of a diagram from the top."""
    controls = [p.reset, p.zeroise, p.key_valid, p.key_ready, p.key, p.iv_valid, p.iv_ready]
    block = [p.valid_in, p.ready_out, p.decrypt, p.first, p.iv, p.block_in]
    return [n for n in (*controls, *block, p.valid_out, p.ready_in, p.slot, p.block_out, p.busy) if n]
