"""A stream core of Cipherwright in a LiteX design: stream endpoints for blocks, CSRs for key and controls.

python examples/litex_core.py [FOLDER]     elaborates the module with its CSR bank into FOLDER (needs LiteX)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import csr_bus, stream
from litex.soc.interconnect.csr import CSRStatus, CSRStorage
from migen import ClockDomain, ClockSignal, If, Instance, ResetSignal, Signal

import cipherwright as cw


class CipherCore(LiteXModule):
    """A core with `interface = "stream"`, from the folder that `cipherwright build` wrote.

    `sink` and `source` carry a block in `data`, byte 0 of the standard in the most significant byte. Inputs
    of the core beside the block are CSRs: `key`, `decrypt`, `iv`, `first`. Of a core that holds its key, a
    write to `load` offers the key, and `status` tells in bit 0 whether it was taken, in bit 1 whether the
    core is busy; a write to `zeroise` clears everything. The key can be read over the bus again, since a
    CSRStorage has no write-only form: keep that bus away from others. `platform`: where there is one, it gets
    the Verilog.
    """

    def __init__(self, folder: Path, platform: Any = None) -> None:
        record = json.loads((folder / "record.json").read_text())
        self.ports, self.bits = record["ports"], {p["name"]: p["bits"] for p in record["port_list"]}
        if not self.ports["ready_in"]:
            raise ValueError(f"{folder} is no stream core: build it with --set interface=stream")
        data = self.bits[self.ports["block_in"]]
        self.sink, self.source = stream.Endpoint([("data", data)]), stream.Endpoint([("data", data)])
        self.links = {
            f"i_{self.ports['clk']}": ClockSignal(),
            f"i_{self.ports['reset']}": ResetSignal(),
            f"i_{self.ports['valid_in']}": self.sink.valid,
            f"o_{self.ports['ready_out']}": self.sink.ready,
            f"i_{self.ports['block_in']}": self.sink.data,
            f"o_{self.ports['valid_out']}": self.source.valid,
            f"i_{self.ports['ready_in']}": self.source.ready,
            f"o_{self.ports['block_out']}": self.source.data,
        }
        for kind in ("key", "decrypt", "iv", "first"):
            if self.ports[kind]:
                port = self.ports[kind]
                storage = CSRStorage(self.bits[port], name=kind, description=f"Port {port}.")
                setattr(self, kind, storage)
                self.links[f"i_{port}"] = storage.storage
        if self.ports["key_valid"]:
            self._held_key()
        self.specials += Instance(record["top"], **self.links)
        if platform is not None:
            verilog = [n for n in record["files"] if n.endswith((".v", ".sv")) and "_tb" not in n]
            platform.add_sources(str(folder), *verilog)

    def _held_key(self) -> None:
        """A write to `load` offers the key until it is taken."""
        p, waiting, taken, busy = self.ports, Signal(), Signal(), Signal()
        self.load = CSRStorage(1, description="A write offers the key.")
        self.zeroise = CSRStorage(1, description="A write clears key and blocks.")
        self.status = CSRStatus(2, description="Bit 0: the key was taken. Bit 1: the core is busy.")
        self.sync += If(self.load.re, waiting.eq(1)).Elif(taken, waiting.eq(0))
        self.comb += self.status.status.eq((busy << 1) | ~waiting)
        self.links |= {
            f"i_{p['key_valid']}": waiting,
            f"o_{p['key_ready']}": taken,
            f"o_{p['busy']}": busy,
            f"i_{p['zeroise']}": self.zeroise.re,
        }


class Demo(LiteXModule):
    """The core with its CSR bank, as a SoC builder puts it on the bus."""

    def __init__(self, folder: Path) -> None:
        self.cd_sys = ClockDomain()
        self.cipher = CipherCore(folder)
        self.bus = csr_bus.Interface(data_width=32)
        self.bank = csr_bus.CSRBank(self.cipher.get_csrs(), bus=self.bus)

    def ports(self) -> set[Signal]:
        """Ports of the elaborated module by name: clock and reset, the CSR bus, and both streams."""
        named = {"clk": self.cd_sys.clk, "rst": self.cd_sys.rst}
        named |= {name: getattr(self.bus, name) for name in ("adr", "we", "re", "dat_w", "dat_r")}
        for side in ("sink", "source"):
            end = getattr(self.cipher, side)
            named |= {f"{side}_{name}": getattr(end, name) for name in ("valid", "ready", "data")}
        for name, signal in named.items():
            signal.name_override = name
        return set(named.values())


def main(folder: Path) -> None:
    """A DES core, and the design around it as `demo.v`."""
    cw.build("des-small", interface="stream").write(folder)
    demo = Demo(folder)
    csrs = [csr.name for csr in demo.cipher.get_csrs()]
    convert(demo, ios=demo.ports(), name="demo").write(str(folder / "demo.v"))
    print(f"{folder / 'demo.v'}: CSRs {', '.join(csrs)}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "litex_demo"))
