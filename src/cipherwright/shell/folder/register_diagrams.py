"""The timing diagrams of a core with a register bus: a write and a read at the bus; and what blocks or
messages do once software has written the registers.

Accesses that a reader need not see, such as those of a key's words, are made and not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..core import Core
from ..wave import ANY, Diagram, Moment
from .accesses import Access, core_registers, worked_accesses
from .example import Worked
from .stream_diagrams import registered_stream
from .words import begun_by

__all__ = ["register_diagrams", "register_letters"]

_READ_FIRST = "VERSION"
"""The register whose read is drawn: what it holds is known."""

_ROWS = (
    "rst_i",
    *(f"s_axil_{n}" for n in ("awvalid", "awready", "awaddr", "wvalid", "wready", "wdata", "wstrb")),
    *(
        f"s_axil_{n}"
        for n in ("bvalid", "bready", "arvalid", "arready", "araddr", "rvalid", "rready", "rdata")
    ),
    *(f"s_apb_{n}" for n in ("psel", "penable", "pwrite", "paddr", "pwdata", "pstrb", "pready", "prdata")),
    *(f"wb_{n}" for n in ("cyc_i", "stb_i", "we_i", "adr_i", "dat_i", "sel_i", "ack_o", "dat_o")),
)
"""Ports of the buses from the top of a diagram."""


def register_diagrams(core: Core, worked: Worked) -> tuple[Diagram, ...]:
    """All diagrams of `core`, which has a register bus, with the values of `worked`."""
    bus = _Bus(core)
    if core.parameters["interface"] == "registers":
        blocks = () if core.takes != "block" else (_block(core, worked, bus),)
        return (_access(core, worked, bus), *blocks)
    if core.channels:
        return (_access(core, worked, bus),)
    begun = bus.moments(begun_by(core, worked))
    rows = (_ROWS[0], *(p for p in _ROWS[1:] if p in bus.ports))
    stream = registered_stream(core, worked, [bus.reset(False), *begun], rows, bus.values)
    return (_access(core, worked, bus), stream)


def register_letters(core: Core) -> str:
    """What the values in the diagrams of `core`, which has a register bus, are."""
    hexadecimal = "Addresses and words of registers are hexadecimal."
    if core.parameters["interface"] == "registers" or core.channels:
        first = f" {_first_word(core)} is the first word of the result." if core.takes == "block" else ""
        return f"{hexadecimal}{first}"
    what = {
        "packet": "A1 and so on are beats of the additional data in the section Bytes, P1 of the plaintext, "
        "C1 of the ciphertext; T is the tag.",
        "message": "M1 and so on are beats of the message in the section Bytes, T1 of its tag.",
    }
    if core.wide:
        what["packet"] = (
            "A1 and so on are beats of the tweak in the section Bytes, P1 of the plaintext, C1 of the "
            "ciphertext."
        )
    both = "P1 and so on are beats of the plaintext in the section Bytes, C1 of its ciphertext."
    return f"{hexadecimal} {what.get(core.takes, both)}"


def _first_word(core: Core) -> str:
    """The name of the first word of the worked block's result."""
    return "P1" if core.parameters["direction"] == "decrypt" else "C1"


class _Bus:
    """How accesses look at the ports of the register bus of `core`. values: name -> number, of what its
    moments name.
    """

    def __init__(self, core: Core) -> None:
        self.kind = str(core.parameters["control"])
        self.ports = {pin.name: pin.width for pin in core.component.pins}
        self.address_bits = next(w for n, w in self.ports.items() if n.endswith(("awaddr", "paddr", "adr_i")))
        self.values: dict[str, int] = {"f": 15}

    def word(self, value: int, name: str = "") -> str:
        """The name of a word, if not `name` its digits: two or more, for "0" and "1" are bits."""
        name = name or f"{value:02x}"
        self.values[name] = value
        return name

    def address(self, value: int) -> str:
        """The name of an address."""
        self.values[name := f"{value:0{-(-self.address_bits // 4)}x}"] = value
        return name

    @property
    def _inputs(self) -> tuple[str, ...]:
        return {
            "axi-lite": tuple(f"s_axil_{n}" for n in ("awvalid", "wvalid", "arvalid", "bready", "rready")),
            "apb": ("s_apb_psel", "s_apb_penable"),
            "wishbone": ("wb_cyc_i", "wb_stb_i"),
        }[self.kind]

    @property
    def _data(self) -> tuple[str, ...]:
        """Inputs that mean nothing without an access."""
        return {
            "axi-lite": tuple(f"s_axil_{n}" for n in ("awaddr", "wdata", "wstrb", "araddr")),
            "apb": tuple(f"s_apb_{n}" for n in ("pwrite", "paddr", "pwdata", "pstrb")),
            "wishbone": tuple(f"wb_{n}_i" for n in ("we", "adr", "dat", "sel")),
        }[self.kind]

    def reset(self, reads: bool) -> Moment:
        """A cycle of reset without an access; answers are taken at once from then on. `reads`: there will be
        reads, too.
        """
        calm = dict.fromkeys(self._data, ANY) | dict.fromkeys(self._inputs, "0")
        calm |= {n: "1" for n in ("s_axil_bready", "s_axil_rready") if self.kind == "axi-lite"}
        calm = {n: v for n, v in calm.items() if reads or not n.startswith(("s_axil_ar", "s_axil_r"))}
        return Moment({**calm, "rst_i": "1"})

    def moments(self, accesses: Sequence[Access], drawn: int = 1) -> Iterator[Moment]:
        """The accesses, one after the other, of which the last `drawn` are drawn; `rst_i` falls before."""
        yield Moment({"rst_i": "0"})
        for k, access in enumerate(accesses):
            for moment in self.access(access):
                yield replace(moment, unseen=k < len(accesses) - drawn)

    def access(self, a: Access, name: str = "") -> Iterator[Moment]:
        """One access, until nothing is asked for any more; `name`: of its word."""
        place, word = self.address(a.address), self.word(a.word, name)
        yield from {"axi-lite": self._axi_lite, "apb": self._apb, "wishbone": self._wishbone}[self.kind](
            a.write, place, word
        )

    @staticmethod
    def _axi_lite(write: bool, place: str, word: str) -> Iterator[Moment]:
        p = "s_axil_"
        if write:
            given = {f"{p}awaddr": place, f"{p}wdata": word, f"{p}wstrb": "f"}
            valid, ready = (f"{p}awvalid", f"{p}wvalid"), (f"{p}awready", f"{p}wready")
            yield Moment({**dict.fromkeys(valid, "1"), **given}, dict.fromkeys(ready, "1"))
            yield Moment({**dict.fromkeys(valid, "0"), **dict.fromkeys(given, ANY)}, {f"{p}bvalid": "0"})
            yield Moment({}, {f"{p}bvalid": "1"})
            yield Moment({}, {f"{p}bvalid": "0"})
            return
        yield Moment({f"{p}arvalid": "1", f"{p}araddr": place}, {f"{p}arready": "1", f"{p}rvalid": "0"})
        yield Moment({f"{p}arvalid": "0", f"{p}araddr": ANY}, {f"{p}rvalid": "1", f"{p}rdata": word})
        yield Moment({}, {f"{p}rvalid": "0"})

    @staticmethod
    def _apb(write: bool, place: str, word: str) -> Iterator[Moment]:
        p = "s_apb_"
        given = {f"{p}pwrite": "1" if write else "0", f"{p}paddr": place}
        given |= {f"{p}pwdata": word, f"{p}pstrb": "f"} if write else {}
        yield Moment({f"{p}psel": "1", f"{p}penable": "0", **given})
        yield Moment({f"{p}penable": "1"}, {f"{p}pready": "1", **({} if write else {f"{p}prdata": word})})
        yield Moment({f"{p}psel": "0", f"{p}penable": "0", **dict.fromkeys(given, ANY)})

    @staticmethod
    def _wishbone(write: bool, place: str, word: str) -> Iterator[Moment]:
        given = {"wb_we_i": "1" if write else "0", "wb_adr_i": place}
        given |= {"wb_dat_i": word, "wb_sel_i": "f"} if write else {}
        yield Moment({"wb_cyc_i": "1", "wb_stb_i": "1", **given}, {"wb_ack_o": "0"})
        yield Moment({}, {"wb_ack_o": "1", **({} if write else {"wb_dat_o": word})})
        yield Moment({"wb_cyc_i": "0", "wb_stb_i": "0", **dict.fromkeys(given, ANY)}, {"wb_ack_o": "0"})

    def diagram(self, core: Core, name: str, title: str, moments: Sequence[Moment]) -> Diagram:
        """A diagram of the bus alone."""
        named = {port for m in moments for port in (*m.inputs, *m.shows)}
        rows = tuple(p for p in _ROWS if p in named)
        return Diagram(name, title, core.component.clock.clock, rows, tuple(moments), self.values)


def _access(core: Core, worked: Worked, bus: _Bus) -> Diagram:
    """The write of a command behind those of the key, and a read."""
    version = core_registers(core)[_READ_FIRST]
    value = sum(f.reset << f.low for f in version.fields)
    read = Access(False, version.name, version.address, value, "")
    *before, command = begun_by(core, worked)
    steps = [bus.reset(True), *bus.moments([*before, command, read], 2)]
    title = f"Reset, a write of CONTROL ({command.meaning}) behind those of KEY, and a read of {_READ_FIRST}."
    return bus.diagram(core, "registers", title, steps)


def _block(core: Core, worked: Worked, bus: _Bus) -> Diagram:
    """The worked block is started, and a word of its result is read."""
    accesses = worked_accesses(core, worked)
    start = next(k for k, a in enumerate(accesses) if a.register == "STATUS")
    wait = Moment({}, {}, after=core.key_cycles + 2 * core.latency + _AFTER, unseen=True)
    steps = [
        bus.reset(True),
        *bus.moments(accesses[:start]),
        wait,
        *bus.access(accesses[start + 1], _first_word(core)),
        *(replace(m, unseen=True) for a in accesses[start + 2 :] for m in bus.access(a)),
    ]
    title = "A block that was written to DATA_IN is started by CONTROL; the first word of its result is read."
    return bus.diagram(core, "block", title, steps)


_AFTER = 16
"""Cycles beside the core's own until the result is in its register."""
