"""What words of several blocks have in front of the cipher: what a slot brings, and a counter block for each
lane.

The first block of a word is in lane 0. In a packet's end lane 0 has J0 and the expected tag; the others have
no block. With 2 or 4 lanes the lowest bits of a lane's numbers stay the same, as all go up by the number of
lanes, so what counts are the bits above. Lanes whose numbers agree there share a counter.
"""

from __future__ import annotations

from ...rtl import Cell, Clocked, Let, Note, Reg, Step, Wire, WrapperItem
from ..copies import copies, spread
from .counter import counter_items
from .timing import KEEP

__all__ = ["block_items", "chain_of", "low_bits", "number_items", "value_items"]

_FIRST = 2
"""The number of a packet's first counter block (SP 800-38D, section 7.1)."""

_NUMBER = 32


def low_bits(lanes: int) -> int:
    """The lowest bits of a number that are those of its lane; `lanes`: 2 or 4.

    >>> low_bits(4)
    2
    """
    return lanes.bit_length() - 1


def value_items(lanes: int) -> tuple[WrapperItem, ...]:
    """What a slot of `lanes` lanes brings: a word, or in a packet's end, in lane 0, the expected tag where it
    is decrypted.
    """
    keep, first = KEEP * lanes, f"[{128 * lanes - 1}:{128 * (lanes - 1)}]"
    rest = f"[{128 * (lanes - 1) - 1}:0]"
    return (
        Note("The packet's end has the expected tag in its first block, or zero where there is none."),
        Reg(("keep_1", "keep_2", "keep_3"), keep),
        Reg(tuple(f"block_{k}" for k in (1, 2, 3)), 128 * lanes),
        Reg(tuple(f"tag_{k}" for k in (1, 2, 3)), 128),
        Reg(("tagged_1",)),
        *copies("ends_2", "end_1"),
        *copies("tagged_2", "tagged_1"),
        *copies("taken_2", "taken_1", keep),
        Clocked(
            (
                Step("keep_1", "keep_i"),
                Step("keep_2", "keep_1"),
                Step("keep_3", f"keep_2 & {spread('taken_2', keep)}"),
                Step("block_1", "block_i"),
                Step("block_2", "block_1"),
                Step("tagged_1", "end_0 & decrypt_1"),
                Step("tag_1", "tag_i"),
                Step("tag_2", "tag_1"),
                Step("tag_3", "tag_2"),
                Step(
                    f"block_3{first}",
                    f"(block_2{first} & ~{spread('ends_2')}) | (tag_3 & {spread('tagged_2')})",
                ),
                Step(f"block_3{rest}", f"block_2{rest}"),
            )
        ),
    )


def _counter(lane: int, lanes: int) -> str:
    """The counter of a lane: those of lanes whose first numbers agree in the bits that count are one."""
    start = _FIRST + lane >> low_bits(lanes)
    return f"count_from_{start}"


def number_items(lanes: int) -> tuple[WrapperItem, ...]:
    """The counters of all `lanes` lanes, without the lowest bits of their numbers."""
    low = low_bits(lanes)
    names = dict.fromkeys(_counter(lane, lanes) for lane in range(lanes))
    return tuple(
        item
        for name in names
        for item in counter_items(
            name, int(name.rpartition("_")[2]), "data_3", "clear_3", "moves_3", bits=_NUMBER - low
        )
    )


def block_items(lanes: int) -> tuple[WrapperItem, ...]:
    """Counter blocks: registers for what `lanes` lanes have in common, then a copy for each lane."""
    low = low_bits(lanes)
    high = _NUMBER - low
    names = dict.fromkeys(_counter(lane, lanes) for lane in range(lanes))
    registers = list[WrapperItem]()
    steps = [
        Step("end_5", "end_4"),
        Step("numbered_4", "~clear_3"),
        Step("numbered_5", "numbered_4"),
    ]
    for name in names:
        registers += [*copies(f"blank_{name}", "clear_3", high), Reg((f"shown_{name}",), high)]
        steps.append(Step(f"shown_{name}", f"{name} & ~{spread(f'blank_{name}', high)}"))
    lines = [item for lane in range(lanes) for item in _block(lane, lanes)]
    return (
        Reg(("end_5", "numbered_4", "numbered_5")),
        *registers,
        Clocked(tuple(steps)),
        *lines,
    )


def _block(lane: int, lanes: int) -> tuple[WrapperItem, ...]:
    """The counter block of a lane, in registers of its own."""
    ones = _FIRST + lane & lanes - 1
    bits = ["numbered_5" if ones >> k & 1 else "1'b0" for k in reversed(range(low_bits(lanes)))]
    if lane == 0:
        bits[-1] = "end_5"
    name, made = chain_of(lane), f"block_{chain_of(lane)}"
    return (
        Let(made, f"{{iv_5, shown_{_counter(lane, lanes)}, {', '.join(bits)}}}", 128),
        Wire((name,), 128),
        *(
            Cell(
                "cipherwright_copy",
                f"u_{name}_{bit}",
                {"clk": "clk", "d": f"{made}[{bit}]", "q": f"{name}[{bit}]"},
            )
            for bit in range(128)
        ),
    )


def chain_of(lane: int) -> str:
    """The register of the counter block of the lane numbered `lane`."""
    return f"chain_{lane}"
