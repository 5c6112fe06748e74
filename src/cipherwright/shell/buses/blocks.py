"""Blocks and results as registers: software writes a block, starts it, and reads its result, one at a time.

Commands are carried out in the order in which they were written. One that cannot be is ignored and sets
REJECTED. START needs every byte of DATA_IN, a key, and in a mode that chains an initial value or a message
that has begun. LOAD_KEY and LOAD_IV need all bytes too, and no started block that still waits. So whatever
waits goes on by itself: a key waits for the block inside, a block for its key, for the block inside and until
the result before it was read.
"""

from __future__ import annotations

from ...cipher.modes import ONE_WAY_MODES
from ...rtl import Cell, Clocked, ClockReset, Drive, Held, Let, Pin, Reg, Step, Wire, Wrapper, WrapperItem
from .axi_stream import bytes_reversed
from .register_map import MapFacts
from .traffic import Inner, Traffic

__all__ = ["blocks", "commands"]


def commands(name: str, loaded: tuple[str, ...]) -> Wrapper:
    """The module `name`, which carries out the commands. loaded: what a command loads: the key, and the `iv`
    in a mode that chains.

    A block goes in when no other is inside and no result waits, so a result is never overwritten.
    """
    outs = (
        *(f"{w}_{what}" for w in loaded for what in ("loads", "offer", "taken")),
        "starts",
        "offer",
        "taken",
    )
    outs += ("pending", "result", "can", "rejected")
    ins = ("zeroise", *(f"{what}_{w}" for w in loaded for what in ("load", "written")), "start", "written")
    ins += ("key_ready", "ready", "done", "seen")
    steps = (
        *(Step(f"{w}_offer_q", f"~zeroise_i & ({w}_loads_o | ({w}_offer_q & ~{w}_taken_o))") for w in loaded),
        Step("keyed_q", "~zeroise_i & (keyed_q | key_taken_o)"),
        Step("pending_q", "~zeroise_i & (starts_o | (pending_q & ~taken_o))"),
        Step("inside_q", "~zeroise_i & (taken_o | (inside_q & ~done_i))"),
        Step("result_q", "~zeroise_i & (done_i | (result_q & ~seen_i))"),
    )
    state = (
        Reg(tuple(f"{w}_offer_q" for w in loaded), note="Offered until it is taken."),
        Reg(("keyed_q",), note="There is a key."),
        Reg(("pending_q", "inside_q", "result_q"), note="A block waits, one is inside, a result waits."),
    )
    after = tuple((s.target, "1'b0") for s in steps)
    fresh = _fresh() if "iv" in loaded else ()
    begins = ("(iv_offer_q | iv_loads_o | ~(fresh_q | key_offer_q | key_loads_o))",) if fresh else ()
    refused = (f"(load_{w}_i & ~{w}_loads_o)" for w in loaded)
    return Wrapper(
        name,
        (
            "Carries out the commands of software in their order.",
            "A block goes in when no other is inside and no result waits, so no result is overwritten.",
        ),
        (ClockReset(), Held((*(Pin(f"{n}_i") for n in ins), *(Pin(f"{n}_o", out=True) for n in outs)))),
        (
            *state,
            *fresh,
            *(i for w in loaded for i in _loaded(w)),
            Let("can", " & ".join(("~pending_q", "(keyed_q | key_offer_q | key_loads_o)", *begins))),
            Drive("starts_o", "start_i & written_i & can"),
            Drive("can_o", "can"),
            Drive("offer_o", "pending_q & ~key_offer_q & ~inside_q & ~result_q"),
            Drive("taken_o", "offer_o & ready_i"),
            Drive("pending_o", "pending_q"),
            Drive("result_o", "result_q"),
            Drive("rejected_o", " | ".join((*refused, "(start_i & ~starts_o)"))),
            Clocked(steps, after),
        ),
    )  # fmt: skip


def _loaded(what: str) -> tuple[WrapperItem, ...]:
    """A command to load is carried out when all bytes are there and nothing waits that came before it. A key
    is taken by a handshake of its own, an initial value with its block.
    """
    taken = "key_offer_q & key_ready_i" if what == "key" else f"{what}_offer_q & taken_o"
    return (
        Drive(f"{what}_loads_o", f"load_{what}_i & written_{what}_i & ~{what}_offer_q & ~pending_q"),
        Drive(f"{what}_offer_o", f"{what}_offer_q"),
        Drive(f"{what}_taken_o", taken),
    )


def _fresh() -> tuple[WrapperItem, ...]:
    """Whether a message has to begin, as it has under each new key."""
    return (
        Reg(("fresh_q",), note="The next block is the first of a message: it takes an initial value."),
        Clocked((Step("fresh_q", "zeroise_i | key_taken_o | (fresh_q & ~taken_o)"),), (("fresh_q", "1'b1"),)),
    )


def blocks(control: Wrapper, core: Inner, facts: MapFacts) -> Traffic:
    """What is between the registers and `core`, with the module `control` that `commands` made. facts: what
    software sees of the core. Of the streams that a loop interleaves, blocks are of the first.
    """
    wires = {p.name: p.name[:-2] for p in control.pins if p.name not in ("clk", "rst_i")}
    cell = Cell(control.name, "u_commands", {"clk": "clk", "rst_i": "rst_i", **wires})
    made = Traffic((Wire(tuple(w for w in wires.values() if w != "zeroise")), cell), {}, {})
    bits = {"key": facts.key_bits, "iv": facts.iv_bits}
    parts = [_block(core, facts), _result(facts), _direction(facts)]
    for part in (*(_secret(what, bits[what], core) for what in facts.loads), *parts):
        made = made.joined(part)
    refused = (f"{n}_refused" for n in (*facts.loads, "data_in"))
    told = {"interrupt_status_rejected_i": " | ".join(("rejected", *refused)), "status_ready_i": "can"}
    return made.joined(Traffic((), {}, told, events=("rejected",)))


def _secret(what: str, bits: int, core: Inner) -> Traffic:
    """A key or an initial value: its words, and what it is loaded by."""
    words = f"{what}_words"
    items = (Wire((words,), bits), Wire((f"{what}_refused",)))
    links = {core.port(what): bytes_reversed(words, bits)}
    links |= (
        {"key_valid_i": "key_offer", "key_ready_o": "key_ready"} if what == "key" else {"first_i": "iv_offer"}
    )
    registers = _words(what, f"written_{what}", f"{what}_taken", f"{what}_loads | {what}_offer")
    registers |= {
        f"control_load_{what}_o": f"load_{what}",
        f"status_{what}_pending_i": f"{what}_loads | {what}_offer",
        f"status_{what}_written_i": f"written_{what}",
        f"interrupt_status_{what}_taken_i": f"{what}_taken",
    }
    return Traffic(items, links, registers, events=(f"{what}_taken",))


def _words(name: str, written: str, taken: str, kept: str) -> dict[str, str]:
    """The ports of words that software writes: they are cleared when they are taken, and kept while they
    wait.
    """
    return {
        f"{name}_o": f"{name}_words",
        f"{name}_written_o": written,
        f"{name}_clear_i": f"zeroise | {taken}",
        f"{name}_lock_i": kept,
        f"{name}_refused_o": f"{name}_refused",
    }


def _block(core: Inner, facts: MapFacts) -> Traffic:
    """The block: its words, and how it goes in, where a loop interleaves streams when it is the first one's
    turn.
    """
    links = {"block_i": bytes_reversed("data_in_words", facts.block_bits), "ready_o": "core_ready"}
    items: list[WrapperItem] = [
        Wire(("data_in_words",), facts.block_bits),
        Wire(("core_ready", "data_in_refused")),
    ]
    turn = ""
    if core.has("slot_o"):
        width = core.pins["slot_o"].width
        items += [Wire(("slot",), width), Let("turn", f"slot == {width}'d0")]
        links["slot_o"], turn = "slot", " & turn"
    registers = _words("data_in", "written", "taken", "starts | pending")
    registers |= {
        "control_start_o": "start",
        "status_data_pending_i": "starts | pending",
        "status_data_written_i": "written",
        "interrupt_status_data_taken_i": "taken",
    }
    items.append(Drive("ready", f"core_ready{turn}"))
    return Traffic(tuple(items), {**links, "valid_i": f"offer{turn}"}, registers, events=("data_taken",))


def _result(facts: MapFacts) -> Traffic:
    """The result: its words, until all of them have been read."""
    registers = {
        "data_out_i": bytes_reversed("block", facts.block_bits),
        "data_out_load_i": "done",
        "data_out_clear_i": "zeroise | (result & seen)",
        "data_out_there_i": "result",
        "data_out_read_o": "seen",
        "forget_i": "zeroise",
        "status_result_i": "result",
        "interrupt_status_result_i": "done",
    }
    links = {"valid_o": "done", "block_o": "block"}
    return Traffic((Wire(("block",), facts.block_bits),), links, registers, events=("result",))


def _direction(facts: MapFacts) -> Traffic:
    """The direction, of a block from START on. Where both directions are one, no register keeps it."""
    if not facts.block_way:
        return Traffic((), {}, {})
    if facts.mode in ONE_WAY_MODES:
        return Traffic((Wire(("decrypt",)),), {"decrypt_i": "decrypt"}, {"control_decrypt_o": "decrypt"})
    items = (
        Wire(("decrypt",)),
        Reg(("decrypt_q",), note="The direction of the block that waits, or is inside."),
        Clocked((Step("decrypt_q", "decrypt", "starts"),), (("decrypt_q", "1'b0"),)),
    )
    return Traffic(items, {"decrypt_i": "decrypt_q"}, {"control_decrypt_o": "decrypt"})
