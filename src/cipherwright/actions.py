"""What the command line and the library do with a core that is built: one function each."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from .cipher.ccm import LARGEST_AAD, largest_data
from .cipher.modes import MAC_MODES, ONE_WAY_MODES, PACKET_MODES, UNIT_MODES, WIDE_MODES
from .cipher.xts import BLOCK_BYTES, LARGEST_UNIT, halves, number_after
from .engine import ENGINES
from .errors import CheckFailed, UserError
from .files import new_folder
from .flow import generate
from .key_input import parse_any_hex, parse_hex
from .progress import Tell, quiet
from .rebuild import check_built, requested
from .report import clock_port, implementation_record, mapped_top
from .shell import ANY_IV, IV_BITS, browser_pages, save, tested_top
from .spec import Spec, load
from .target import (
    ALL_CELLS,
    CellOptions,
    Constraints,
    Recipe,
    check_cell_options,
    implement,
    load_target,
    measured_power,
    replay_bench,
    synthesise,
)
from .tools import scratch
from .verify import (
    Bulk,
    CoreFolder,
    MacBench,
    Packet,
    Unit,
    UnitBench,
    WideBench,
    WidePacket,
    bus_traffic,
    packet_bench,
)
from .wording import counted

__all__ = [
    "additional_data",
    "check_direction",
    "check_key",
    "check_makes_tags",
    "check_packet",
    "crypt",
    "crypt_units",
    "implement_core",
    "initial_value",
    "key_halves",
    "message_tag",
    "opened",
    "opened_or_built",
    "padded",
    "register_pages",
    "spec_of",
    "units_of",
]

_ANY_LENGTH = ("ctr", "ofb", "cfb")
"""Modes that take messages of any length."""


def opened(folder: Path) -> CoreFolder:
    """The core folder at `folder`, made by `build`, after a comparison with what the generator makes of its
    record. Raises UserError where it is no core folder or its record is damaged, and CheckFailed with the
    file that differs, as `rebuild.check_built`.
    """
    core = CoreFolder.open(folder)
    check_built(core)
    return core


@contextmanager
def opened_or_built(what: str, changes: Sequence[str]) -> Iterator[CoreFolder]:
    """The folder of the core `what`: a core's folder, which must be as it was built (`opened`), or a preset,
    TOML file, Python file or cipher, of which a core is built in a temporary folder that is removed
    afterwards. `changes`: texts OPTION=VALUE for what is built. Raises UserError where `changes` are given
    for a folder, and what `opened` and `generate` raise.
    """
    if Path(what).is_dir():
        if changes:
            raise UserError(f"--set changes a preset; {what} is a built core, build it again with the change")
        yield opened(Path(what))
        return
    with scratch() as d:
        save(generate(load(what, changes), {"preset": what}), d / "core")
        yield CoreFolder.open(d / "core")


def spec_of(folder: CoreFolder) -> Spec:
    """The spec by which the core in `folder` was built. Raises UserError where its record does not say it, or
    another version of the generator wrote it.
    """
    return requested(folder)[0]


def initial_value(spec: Spec, iv: str, option: str = "iv") -> bytes:
    """The bytes of `iv`, which is hexadecimal digits, for the mode of `spec`: the initial value of CBC, CFB
    and OFB, the first counter block of CTR and the number of the first data unit in XTS, all of a block's
    length; the IV of GCM, 12 bytes or any number where the core has `iv_bits = any`; the nonce of CCM,
    `nonce_bytes` long; in HCTR2 the tweak, of any number of bytes. An empty `iv` gives b"" in ECB and HCTR2.
    Byte 0 is the most significant byte of the port. `option`: how a message names the place where the user
    gives it.

    Raises UserError where the mode needs one and `iv` is empty, where ECB is given one, and where it is not
    hexadecimal or of another length.

    >>> from cipherwright import load
    >>> initial_value(load("des-small", mode="cbc"), "0123456789abcdef").hex()
    '0123456789abcdef'
    >>> initial_value(load("des-small"), "")
    b''
    """
    if iv and spec.mode == "ecb":
        raise UserError(f"mode {spec.mode} takes no IV; leave {option} away")
    if spec.mode in PACKET_MODES:
        return _packet_iv(spec, iv, option)
    if spec.mode in WIDE_MODES:
        return _tweak(spec, iv)
    if spec.mode != "ecb" and not iv:
        whats = {"ctr": "the first counter block", "xts": "the number of the first unit"}
        what = whats.get(spec.mode, "an initial value")
        raise UserError(
            f"mode {spec.mode} takes {what}: give {option} with {spec.block_bits // 4} hexadecimal digits"
        )
    try:
        return parse_hex(iv, "IV", spec.block_bits) if iv else b""
    except UserError as e:
        order = ": the number's least significant byte comes first, so that of unit 42 is 2a and 30 zeros"
        raise UserError(f"{e}{order if spec.mode == 'xts' else ''}") from None


def _tweak(spec: Spec, tweak: str) -> bytes:
    """The bytes of a tweak. Raises UserError where it is too long for the core's buffer."""
    found, most = parse_any_hex(tweak, "tweak") if tweak.strip() else b"", _buffer(spec)
    if len(found) > most:
        raise UserError(f"the tweak has {len(found)} bytes, and this core takes at most {most}")
    return found


def _buffer(spec: Spec) -> int:
    """Bytes of the longest text, and of the longest tweak."""
    return int(spec.options()["message_bytes"])


def _packet_iv(spec: Spec, iv: str, option: str) -> bytes:
    """The IV of a packet: of 96 bits, of any whole number of bytes where the core has `iv_bits = any`, or a
    nonce of CCM.
    """
    bits, a, name = _packet_iv_bits(spec), *(("a", "nonce") if spec.mode == "ccm" else ("an", "IV"))
    if not iv.strip():
        what = str(bits // 4) if bits else "two or more"
        raise UserError(f"mode {spec.mode} takes {a} {name}: give {option} with {what} hexadecimal digits")
    if not bits:
        return parse_any_hex(iv, name)
    try:
        return parse_hex(iv, name, bits)
    except UserError as e:
        raise UserError(f"{e}{_other_lengths(spec, iv, bits)}") from e


def _other_lengths(spec: Spec, iv: str, bits: int) -> str:
    """How a core is built that takes the `iv`, of another length than `bits`; "" where there is none."""
    given = "".join(iv.split())
    size = len(given) // 2
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})+", given) or 8 * size == bits:
        return ""
    if spec.mode == "gcm":
        return "; a core with iv_bits = any takes this one"
    return f"; a core with nonce_bytes = {size} takes this one" if 7 <= size <= 13 else ""


def _packet_iv_bits(spec: Spec) -> int:
    """Bits of a packet's IV (0: any whole number of bytes)."""
    options = spec.options()
    if spec.mode == "ccm":
        return 8 * int(options["nonce_bytes"])
    return 0 if options["iv_bits"] == ANY_IV else IV_BITS


def check_packet(spec: Spec, decrypt: bool, aad: bytes, data: bytes) -> None:
    """Raise UserError where a core of `spec`, with `mode = gcm` or `mode = ccm`, can't take a packet of `aad`
    and `data`, the text and, where `decrypt` is true, its tag behind it: it is shorter than a tag, or has
    more bytes than fit the lengths in the first block of CCM. In another mode nothing is looked at.
    """
    if spec.mode not in PACKET_MODES:
        return
    p = spec.options()
    size = int(p["tag_bits"]) // 8 if decrypt else 0
    if len(data) < size:
        raise UserError(
            f"a message to decrypt is the ciphertext and then a tag of {size} bytes; this one has {len(data)}"
        )
    if spec.mode == "ccm":
        _check_lengths(int(p["nonce_bytes"]), aad, data[: len(data) - size])


def _check_lengths(n: int, aad: bytes, text: bytes) -> None:
    """Raise UserError where a packet of CCM has more bytes than fit the lengths in its first block, under a
    nonce of `n` bytes.
    """
    if len(text) > (most := largest_data(n)):
        raise UserError(
            f"the message has {counted(len(text), 'byte')}, and a packet under a nonce of {n} bytes has at "
            f"most {most}: build the core with a smaller nonce_bytes"
        )
    if len(aad) > LARGEST_AAD:
        raise UserError(f"the additional data have {len(aad)} bytes, and a packet has at most {LARGEST_AAD}")


def additional_data(spec: Spec, aad: str | bytes, option: str = "aad") -> bytes:
    """The additional data `aad` that a packet of GCM or CCM authenticates and does not encrypt, from bytes or
    an even number of hexadecimal digits. `spec`: of the core; `option`: how a message names the place where
    the user gives the data. Raises UserError where the digits are wrong, and where the mode of `spec` is not
    GCM or CCM and `aad` is not empty.
    """
    data = parse_any_hex(aad, "additional data") if isinstance(aad, str) else aad
    if data and spec.mode not in PACKET_MODES:
        raise UserError(f"mode {spec.mode} takes no additional data; leave {option} away")
    return data


def check_key(spec: Spec, key: bytes) -> None:
    """Raise UserError where the mode of `spec` is XTS and the two halves of `key`, K1 and then K2, are equal
    (FIPS 140-3 IG, C.I). A key in another mode is not looked at.
    """
    if spec.mode in UNIT_MODES and len(set(halves(key))) == 1:
        raise UserError(f"mode = {spec.mode} needs two different keys, and both halves of this key are equal")


def key_halves(spec: Spec) -> str:
    """What a message says of the parts of a key of `spec`: in XTS there are two, otherwise it is empty."""
    return "K1 and then K2" if spec.mode in UNIT_MODES else ""


def units_of(
    mode: str, data: bytes, number: bytes, unit_bytes: int | None, what: str, option: str = "unit_bytes"
) -> list[tuple[bytes, bytes]]:
    """`data` cut into data units for `mode`, in order: pairs of a unit's number, 16 bytes of which the first
    is the least significant (IEEE 1619, section 5.1), and its bytes. An empty list where the mode has no
    units.

    number: of the first unit; the others count up from it, modulo 2^128. unit_bytes: length of each unit, of
    which the last may be shorter (None: `data` is one unit). what: how a message names the data; option: how
    it names the place where the user gives the length.

    Raises UserError where `unit_bytes` is given in a mode without units, and where a unit would have less
    than 16 bytes or more than 2^20 blocks of 16 bytes.

    >>> pairs = units_of("xts", bytes(50), bytes(16), 32, "the message")
    >>> [(number[0], len(unit)) for number, unit in pairs]
    [(0, 32), (1, 18)]
    >>> units_of("xts", bytes(40), bytes(16), 32, "the message")
    Traceback (most recent call last):
    cipherwright.errors.UserError: the last unit of the message would have 8 bytes, ...
    """
    if mode not in UNIT_MODES:
        if unit_bytes is not None:
            raise UserError(f"mode {mode} has no data units; leave {option} away")
        return []
    if unit_bytes is not None and not BLOCK_BYTES <= unit_bytes <= LARGEST_UNIT:
        raise UserError(f"{option} is {unit_bytes}, and a unit has {BLOCK_BYTES} to {LARGEST_UNIT} bytes")
    size = unit_bytes or len(data)
    if len(data) < BLOCK_BYTES:
        raise UserError(
            f"{what} has {counted(len(data), 'byte')}, and mode {mode} takes at least {BLOCK_BYTES}"
        )
    if rest := len(data) % size if len(data) % size < BLOCK_BYTES else 0:
        raise UserError(
            f"the last unit of {what} would have {counted(rest, 'byte')}, and a unit has at least "
            f"{BLOCK_BYTES}: give another {option} than {unit_bytes}"
        )
    if size > LARGEST_UNIT:
        raise UserError(
            f"{what} has {len(data)} bytes, and a unit has at most {LARGEST_UNIT}: cut it with {option}"
        )
    begins = range(0, len(data), size)
    return [(number_after(number, k), data[at : at + size]) for k, at in enumerate(begins)]


def check_makes_tags(spec: Spec, what: str) -> None:
    """Raise UserError where the mode of `spec` is not CMAC, the mode that makes a tag alone. `what`: how the
    message names the core.
    """
    if spec.mode not in MAC_MODES:
        instead = "; for GMAC, encrypt an empty file with additional data" if spec.mode == "gcm" else ""
        raise UserError(
            f"{what} has mode = {spec.mode}, and a tag of a message alone needs mode = "
            f"{' or '.join(MAC_MODES)}{instead}"
        )


def message_tag(core: CoreFolder, key: bytes, message: bytes, tell: Tell = quiet) -> bytes:
    """The CMAC tag of `message`, of any length, under `key`, by the simulated hardware of `core`: the first
    `tag_bits` of the tag, as bytes. `tell` is called with what is being done; the first call compiles the
    simulation.
    """
    tell("compiling the simulation (kept for the next time)", 0.0)
    bench = MacBench.compile(core.sources, core.record)
    tell(f"a message of {counted(len(message), 'byte')} through the simulated hardware")
    return bench.tags(key, [message])[0]


def check_direction(spec: Spec, decrypt: bool, what: str) -> None:
    """Raise UserError where a core of `spec` can't decrypt (`decrypt` true) or encrypt (false) a message: it
    has the other direction alone, or makes tags. CTR and OFB decrypt as they encrypt (SP 800-38A), so a core
    of one direction does both. `what`: how the message names the core.
    """
    wanted = "decrypt" if decrypt else "encrypt"
    if spec.mode in MAC_MODES:
        raise UserError(
            f"{what} has mode = {spec.mode}, which makes tags and can't {wanted}: use cipherwright mac, or "
            "mac of the library"
        )
    if spec.direction not in ("both", wanted) and spec.mode not in ONE_WAY_MODES:
        right = "both" if spec.mode in UNIT_MODES else f"both or {wanted}"
        raise UserError(
            f"{what} has direction = {spec.direction} and can't {wanted}: build one with direction = {right}"
        )


def padded(spec: Spec, data: bytes, what: str) -> bytes:
    """`data` as a core of `spec` takes it. In CTR, OFB and CFB it is filled up with zero bytes to whole
    blocks (`crypt` cuts the rest off again). In ECB and CBC, in GCM and CCM (a packet has any length) and in
    XTS (`units_of` checks the length) and in HCTR2 it is returned as it is. `what`: how a message names the
    data.

    Raises UserError in ECB and CBC where it is empty or not whole blocks, in CTR, OFB and CFB where it is
    empty, and in HCTR2 where it is shorter than a block or longer than the core's buffer.

    >>> from cipherwright import load
    >>> padded(load("des-small", mode="ctr"), b"abc", "the message").hex()
    '6162630000000000'
    """
    if spec.mode in (*PACKET_MODES, *UNIT_MODES):
        return data
    size = spec.block_bits // 8
    if spec.mode in WIDE_MODES:
        _check_text(spec, data, what)
        return data
    if spec.mode in _ANY_LENGTH and data:
        data += bytes(-len(data) % size)
    if not data and spec.mode in _ANY_LENGTH:
        raise UserError(f"{what} has 0 bytes, and {spec.mode.upper()} takes one byte or more")
    if not data or len(data) % size:
        raise UserError(
            f"{what} has {counted(len(data), 'byte')}, and {spec.mode.upper()} takes one or more whole "
            f"blocks of {size}; pad it first (PKCS #7 adds 1 to {size} bytes, as openssl enc does by "
            "default): nothing is padded silently"
        )
    return data


def _check_text(spec: Spec, data: bytes, what: str) -> None:
    """Raise UserError where a text is shorter than a block or longer than the core's buffer."""
    least, most = spec.block_bits // 8, _buffer(spec)
    if not least <= len(data) <= most:
        larger = ": build the core with a larger message_bytes" if len(data) > most else ""
        raise UserError(
            f"{what} has {counted(len(data), 'byte')}, and mode {spec.mode} of this core takes {least} to "
            f"{most}{larger}"
        )


def crypt(
    core: CoreFolder,
    decrypt: bool,
    key: bytes,
    iv: bytes,
    message: tuple[bytes, int],
    tell: Tell = quiet,
    aad: bytes = b"",
) -> bytes:
    """A message through the simulated hardware of `core`, encrypted, or decrypted where `decrypt` is true;
    not for XTS (`crypt_units`). Byte 0 is the most significant byte of the first block.

    key: as long as the core takes; iv: what `initial_value` gives; message: the bytes that `padded` gives,
    and how many bytes of the result are returned; tell: called with what is being done. In GCM and CCM the
    message is one packet with the additional data `aad`: encryption returns the ciphertext and then the tag,
    decryption takes both and returns the plaintext. In HCTR2 the message is one packet with the tweak `iv`.

    Raises UserError where a packet is too long for the core's buffer (`check_packet` has looked at the rest),
    CheckFailed where the tag is wrong.
    """
    p = core.record["parameters"]
    if p["mode"] in PACKET_MODES:
        return _crypt_packet(core, decrypt, key, iv, aad, message[0], tell)
    data, length = message
    if p["mode"] in WIDE_MODES:
        tell("compiling the simulation (kept for the next time)", 0.0)
        wide = WideBench.compile(core.sources, core.record)
        tell(f"a packet of {counted(length, 'byte')} through the simulated hardware")
        return wide.crypt(key, WidePacket(iv, data, decrypt))
    blocks = f"{counted(len(data) // (p['block_bits'] // 8), 'block')} through the simulated hardware"
    tell("compiling the simulation (kept for the next time)", 0.0)
    if p["architecture"] != "engine":
        bulk = Bulk.compile(core.sources, core.record, len(data) // (p["block_bits"] // 8))
        one_way = p["mode"] in ONE_WAY_MODES
        return bulk.crypt_bulk(key, decrypt and not one_way, data, iv, tell)[:length]
    driver = ENGINES[p["cipher"]].driver(core)
    tell(blocks)
    return driver.crypt_bulk(key, decrypt, data, iv)


def crypt_units(
    core: CoreFolder, decrypt: bool, key: bytes, units: Sequence[tuple[bytes, bytes]], tell: Tell = quiet
) -> bytes:
    """The results of `units`, the pairs that `units_of` gives, one after another, by the simulated hardware
    of `core`: encrypted, or decrypted where `decrypt` is true. key: K1 and then K2. `tell` is called with
    what is being done.
    """
    tell("compiling the simulation (kept for the next time)", 0.0)
    bench = UnitBench.compile(core.sources, core.record)
    words = sum(-(-len(text) // BLOCK_BYTES) for _, text in units)
    tell(f"{len(units)} units, {words} words through the simulated hardware")
    return b"".join(bench.crypt(key, [Unit(number, text, decrypt) for number, text in units]))


def _crypt_packet(
    core: CoreFolder, decrypt: bool, key: bytes, iv: bytes, aad: bytes, data: bytes, tell: Tell
) -> bytes:
    size = int(core.record["packet"]["tag_bits"]) // 8
    text, tag = (data[: len(data) - size], data[len(data) - size :]) if decrypt else (data, b"")
    release = core.record["packet"].get("release")
    if decrypt and release and len(text) > BLOCK_BYTES * release["longest_packet_words"]:
        raise UserError(
            f"the ciphertext has {len(text)} bytes, and the core decrypts packets of at most "
            f"{BLOCK_BYTES * release['longest_packet_words']}: a larger release_words makes a larger buffer"
        )
    tell("compiling the simulation (kept for the next time)", 0.0)
    bench = packet_bench(core.record).compile(core.sources, core.record)
    tell(f"a packet of {len(aad)} and {len(text)} bytes through the simulated hardware")
    result = bench.crypt(key, Packet(iv, aad, text, decrypt, tag))
    if decrypt and not result.good:
        raise CheckFailed(
            "the tag is wrong: the message, its additional data, the key or the IV is not what was encrypted"
        )
    return result.text if decrypt else result.text + result.tag[:size]


def register_pages(core: CoreFolder, out: Path) -> None:
    """Write pages for a browser of the register map of `core` into the new folder `out`; the first page is
    index.html. Raises UserError where the core has no register bus, where peakrdl-html is not installed, and
    where `out` exists.
    """
    source = core.path / f"{core.record['top']}.rdl"
    if source.name not in core.record["files"]:
        raise UserError(
            f"{core.record['top']} has no register bus: control = axi-lite, apb or wishbone makes one around "
            "interface = axi-stream or registers"
        )
    with new_folder(out) as work:
        browser_pages(source, work)


def implement_core(
    core: CoreFolder,
    target: str = "",
    seeds: int = 3,
    cells: CellOptions = ALL_CELLS,
    prove: bool | None = None,
    tell: Tell = quiet,
    out: Path | None = None,
) -> dict[str, Any]:
    """Synthesis, and place and route or timing analysis, of `core`. Returns the record: `report.RECORD_KEYS`
    and more, with areas in LUTs or um2, times in ns and clocks in MHz.

    target: a target's name or a Liberty file ("": the core's own); seeds: place and route runs with seeds 1
    to `seeds`, and the fastest counts; cells: the cells of a library to leave out, and its further corners;
    prove: whether the netlist is proven equal to the core (None: where there is place and route); tell:
    called with what is being done; out: a new folder for netlists, constraints, commands, logs and the record
    (None: nothing is kept).

    Where `out` is given and the target is a cell library, the netlist's power is measured as well, while the
    core's testbench runs.

    Raises UserError for a missing tool, a library that can't be used and options that do not fit the target,
    CheckFailed where the core does not fit the device or the netlist is not the core.
    """
    with new_folder(out) if out else nullcontext() as work:
        record = _implemented(core, target, seeds, cells, prove, tell, work)
        if work and record["gate_equivalents"] is not None:
            record |= _power(core, work, record["warnings"], tell)
            if record.get("clock_gating", {}).get("gates") and record["power"]:
                record["power_without_gating"] = _power_ungated(core, target, cells, tell)
        if work:
            constraints = [n for n in core.record["files"] if n.endswith((".sdc", ".xdc", ".lpf"))]
            for name in constraints:
                shutil.copy(core.path / name, work / name)
            (work / "record.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return record


def _power(core: CoreFolder, work: Path, warnings: Sequence[str], tell: Tell) -> dict[str, Any]:
    """`power` of a record: that of the cell netlist in a folder while the core's testbench runs or, of a core
    behind a bus, while blocks go through the bus; what it takes to measure it again is left there. None, and
    one more of the `warnings`, where no testbench drives the netlist.
    """
    top = str(core.record["top"])
    if mapped_top(core.record, "cells") != top:
        why = (
            "power was not measured: the testbench drives the engine with its memories, the netlist has none"
        )
        return {"power": None, "warnings": [*warnings, why]}
    tell("power while the testbench runs")
    return {"power": measured_power(work, top, _power_bench(core), clock_port(core.record)).record()}


def _power_bench(core: CoreFolder) -> str:
    """The testbench under which power is measured: the core's own or, where that drives what is inside a bus,
    one with blocks through the bus.
    """
    top = str(core.record["top"])
    if tested_top(core.record) == top:
        return (core.path / f"{top}_tb.v").read_text(encoding="utf-8")
    return replay_bench(bus_traffic(core), top, clock_port(core.record))


def _power_ungated(core: CoreFolder, target: str, cells: CellOptions, tell: Tell) -> dict[str, Any]:
    """Power of the same core mapped without clock gates."""
    p, top = core.record["parameters"], str(core.record["top"])
    tell("power without clock gates")
    with scratch() as folder:
        chosen = load_target(target or p["target"])
        synthesise(core.sources, top, chosen, folder, p["mapping"], replace(cells, clock_gating=False))
        return measured_power(folder, top, _power_bench(core), clock_port(core.record)).record()


def _constraints(core: CoreFolder) -> Constraints:
    """Clock and ports as the core's own constraints have them."""
    period = float(core.record["period_ns_planned"])
    return Constraints(period, *spec_of(core).port_delays(period))


def _implemented(
    core: CoreFolder,
    target: str,
    seeds: int,
    cells: CellOptions,
    prove: bool | None,
    tell: Tell,
    keep: Path | None,
) -> dict[str, Any]:
    """The record of an implementation; arguments as of `implement_core`. keep: a folder for its files."""
    p = core.record["parameters"]
    chosen = load_target(target or p["target"])
    cells = replace(cells, clock_gating=bool(p["clock_gating"]))
    check_cell_options(chosen, cells)
    constraints = _constraints(core) if chosen.kind == "cells" else None
    recipe = replace(
        Recipe.of(p),
        seeds=tuple(range(1, seeds + 1)),
        cells=replace(cells, constraints=constraints),
        prove=prove,
        clock=clock_port(core.record),
    )
    result = implement(core.sources, mapped_top(core.record, chosen.kind), chosen, recipe, tell, keep)
    return implementation_record(core.record, result)
