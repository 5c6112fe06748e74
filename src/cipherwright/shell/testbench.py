"""A self-checking testbench for the emitted core: known answers computed by the reference model, any
simulator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..cipher.modes import counted_bits, mode_block, next_counter
from ..graph import Graph, evaluate
from ..rtl import Bench, Component
from ..spec import Datapath, Pipeline
from .core import PortSet

__all__ = ["first_link", "known_answers", "testbench"]

_BLOCKS = 12

_COUNTER = (1 << 256) - 5
"""The IV of a testbench; in counter mode, the counter wraps within the run."""


def first_link(spec: Datapath, i: int) -> int:
    """What block `i` of the testbench is chained to: the counter block of a pipeline in counter mode,
    otherwise the IV, for every block is the first of a message. `spec`: of the core.
    """
    link = _COUNTER & (1 << spec.block_bits) - 1
    if spec.mode == "ctr" and spec.architecture == "pipelined":
        return next_counter(link, counted_bits(spec.counter_bits, spec.block_bits), i)
    return link


def _stimulus(plain: Graph, spec: Datapath, both: bool) -> list[tuple[int, int, int, int]]:
    """(key, decrypt, block, result) from a fixed sequence; a static key stays the same throughout."""
    rows: list[tuple[int, int, int, int]] = []
    state = 0x243F6A8885A308D3
    for i in range(_BLOCKS * spec.lane_count):
        words = []
        for width in (spec.key_bits, spec.block_bits):
            word = 0
            for _ in range(-(-width // 32)):
                state = (state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
                word = word << 32 | state >> 32
            words.append(word & (1 << width) - 1)
        key, block = words
        decrypt = i & 1 if both else 0
        if spec.holds_key and rows:
            key = rows[0][0]
            decrypt = decrypt if spec.agile_direction else rows[0][1]
        inputs = {"valid": 1, "key": key, "block": block, "decrypt": decrypt, "chain": first_link(spec, i)}

        def crypt(word: int, back: bool, given: Mapping[str, int] = inputs) -> int:
            now = {**given, "block": word, "decrypt": int(back)}
            return evaluate(plain, {n: now[n] for n in plain.inputs})["block"]

        if spec.mode == "ecb" or "chain" in plain.inputs:
            result = crypt(block, bool(decrypt))
        else:
            result, _ = mode_block(
                spec.mode, bool(decrypt) or spec.direction == "decrypt", crypt, inputs["chain"], block
            )
        rows.append((key, decrypt, block, result))
    return rows


def known_answers(plain: Graph, spec: Datapath, both: bool) -> list[tuple[int, int, int, int]]:
    """(key, decrypt, block, result) of words with as many blocks as `spec` has lanes, the first at the top.
    plain: the cipher as described; both: the direction comes with every block.
    """
    rows, out = _stimulus(plain, spec, both), []
    for i in range(0, _BLOCKS * spec.lane_count, spec.lane_count):
        group, block, result = rows[i : i + spec.lane_count], 0, 0
        for _, _, b, r in group:
            block, result = block << spec.block_bits | b, result << spec.block_bits | r
        out.append((*group[0][:2], block, result))
    return out


def testbench(component: Component, ports: PortSet, plain: Graph, spec: Datapath) -> Bench:
    """The testbench of the core `component`, whose names by meaning are `ports`. It prints PASS or the first
    mismatch. After one cycle of reset no control output may be unknown; results must come in order, each
    after exactly the promised number of cycles.

    plain: the cipher as described, for the known answers; spec: of the core.
    """
    rows = known_answers(plain, spec, ports.decrypt != "")
    signals, linked = _signals(ports), _linked(ports, spec)
    lead = isinstance(spec, Pipeline) and spec.key_lead > 0
    linked |= {pin.name: f"{pin.width}'d0" for pin in component.pins if pin.name == ports.beside_in}
    return Bench(
        component.name,
        f"Testbench of {component.name}: {_BLOCKS} known answers of the reference model. Prints PASS or what "
        f"went wrong.",
        component.pins,
        signals,
        linked,
        _variables(ports, spec),
        "\n".join(
            (
                *_unknown(ports),
                "    initial begin",
                *_tables(rows, spec),
                *_start(ports, component.rate.latency, lead),
                _RUN.format(
                    blocks=_BLOCKS,
                    cycles=(component.rate.latency + 8) * (_BLOCKS + 3) + (4096 if ports.key_valid else 0),
                    valid="ready" if ports.early else "1",
                    key=_next_key(ports, spec, lead),
                    rest=(component.rate.latency + 8) * (_BLOCKS + 1),
                    latency=component.rate.latency,
                    last=_BLOCKS - 1,
                ),
            )
        ),
    )


_SIGNALS = (
    ("clk", "clk"),
    ("reset", "rst"),
    ("valid_in", "valid"),
    ("decrypt", "decrypt"),
    ("block_in", "block"),
    ("ready_out", "ready"),
    ("key_valid", "key_valid"),
    ("key_ready", "key_ready"),
    ("busy", "busy"),
    ("iv_valid", "iv_valid"),
    ("iv_ready", "iv_ready"),
    ("valid_out", "valid_out"),
    ("block_out", "block_out"),
)
"""What a port is for -> its signal."""

_RUN = """\
        while (sent < {blocks} && cycle < {cycles}) begin
            valid = {valid}; {key} decrypt = modes[sent]; block = blocks[sent];
            #1 if (ready) begin started[sent] = cycle; sent = sent + 1; end
            @(negedge clk);
        end
        valid = 0;
        repeat ({rest}) @(negedge clk);
        $display("FAIL: %0d of {blocks} blocks came out", done);
        `FAILED;
    end
    always @(negedge clk) begin
        cycle <= cycle + 1;
        if (valid_out && !rst) begin
            if (block_out !== results[done]) begin
                $display("FAIL: block %0d is %h, not %h", done, block_out, results[done]);
                `FAILED;
            end
            if (cycle + 1 - started[done] != {latency}) begin
                $display("FAIL: block %0d took %0d cycles", done, cycle + 1 - started[done]);
                `FAILED;
            end
            if (done == {last}) begin $display("PASS"); $finish; end
            done <= done + 1;
        end
    end
"""
"""Blocks go in whenever the core takes them; results are compared as they come. valid: 1, or where the core
announces room, that it is ready: there a block comes only where it is taken, as a bus does it.
"""


def _signals(ports: PortSet) -> dict[str, str]:
    """Port -> its signal."""
    named = {name: signal for role, signal in _SIGNALS if (name := getattr(ports, role))}
    return named if ports.ascending else named | {ports.key: "key"}


def _linked(ports: PortSet, spec: Datapath) -> dict[str, str]:
    """Port -> the expression at it, where it is no signal."""
    values = {
        ports.ready_in: "1'b1",
        ports.iv: f"{spec.block_bits}'h{first_link(spec, 0):x}",
        ports.first: "1'b1",
        ports.zeroise: "1'b0",
        ports.slot: "",
        "slot_o" if ports.slot else "": "",
        ports.early: "",
        ports.beside_out: "",
    }
    if ports.ascending:
        values[ports.key] = f"{{{', '.join(f'key[{63 - 8 * j}:{57 - 8 * j}]' for j in range(8))}}}"
    return {name: value for name, value in values.items() if name}


def _variables(ports: PortSet, spec: Datapath) -> tuple[str, ...]:
    """Declarations beside the signals of ports."""
    key, block = f"[{spec.key_bits - 1}:0]", f"[{spec.block_bits * spec.lane_count - 1}:0]"
    absent = (
        (ports.reset, "reg rst = 1;"),
        (ports.decrypt, "reg decrypt = 0;"),
        (ports.ready_out, "wire ready = 1'b1;"),
        ("" if ports.ascending else ports.key, f"reg {key} key = 0;"),
    )
    return (
        *(declaration for port, declaration in absent if not port),
        f"reg {key} keys[0:{_BLOCKS}];",
        f"reg {block} blocks[0:{_BLOCKS}], results[0:{_BLOCKS}];",
        f"reg modes[0:{_BLOCKS}];",
        f"integer cycle = 0, sent = 0, done = 0, started[0:{_BLOCKS}];",
    )


def _unknown(ports: PortSet) -> Iterable[str]:
    """What sees a control output that is unknown after reset."""
    told = (
        "valid_out",
        *(["ready"] if ports.ready_out else []),
        *(["key_ready", "busy"] if ports.key_valid else []),
        *(["iv_ready"] if ports.iv_valid else []),
    )
    if ports.reset:
        yield f"    always @(posedge clk) if (!rst && ^{{{', '.join(told)}}} === 1'bx) begin"
        yield '        $display("FAIL: a control output is unknown after reset");'
        yield "        `FAILED;"
        yield "    end"


def _tables(rows: Sequence[tuple[int, int, int, int]], spec: Datapath) -> Iterable[str]:
    """Keys, directions, blocks and results."""
    key, block = spec.key_bits, spec.block_bits * spec.lane_count
    for i, (k, d, b, r) in enumerate(rows):
        yield f"        keys[{i}] = {key}'h{k:x}; modes[{i}] = 1'b{d};"
        yield f"        blocks[{i}] = {block}'h{b:x}; results[{i}] = {block}'h{r:x};"
    yield f"        keys[{_BLOCKS}] = 0; blocks[{_BLOCKS}] = 0; modes[{_BLOCKS}] = 0;"


def _start(ports: PortSet, latency: int, lead: bool) -> Iterable[str]:
    """One cycle of reset (without one, the cycles of the latency); then a key and a counter block, where the
    core takes them by themselves, or the first key, where it comes a cycle before its block (`lead`).
    """
    yield "        @(negedge clk);" if ports.reset else f"        repeat ({latency + 4}) @(negedge clk);"
    yield "        rst = 0;"
    if ports.key_valid:
        yield "        key = keys[0]; key_valid = 1; @(negedge clk);"
        yield "        while (!key_ready) @(negedge clk);"
        yield "        @(negedge clk); key_valid = 0; key = 0;"
    if ports.iv_valid:
        yield "        iv_valid = 1; @(negedge clk); iv_valid = 0; @(negedge clk);"
        yield "        while (!iv_ready) @(negedge clk);"
    if lead:
        yield "        key = keys[0]; decrypt = modes[0]; @(negedge clk);"


def _next_key(ports: PortSet, spec: Datapath, lead: bool) -> str:
    """The key with a block; that of the next block, where it comes a cycle before its block (`lead`) and this
    one is taken.
    """
    if not lead:
        return "key = keys[sent];"
    if ports.ready_out:
        return "key = ready ? keys[sent + 1] : keys[sent];"
    return f"key = (sent + 1 < {_BLOCKS}) ? keys[sent + 1] : {spec.key_bits}'d0;"
