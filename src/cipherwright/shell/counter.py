"""The counter of counter mode: what is known of the hand-written one."""

from __future__ import annotations

__all__ = [
    "COUNTER_BLOCK",
    "COUNTER_FILE",
    "COUNTER_LOAD",
    "COUNTER_RANKS",
    "LANE_COUNTER_FILE",
    "LANE_LOAD_FLIP_FLOPS",
    "counter_flip_flops",
    "counter_latency",
    "lane_counter_flip_flops",
    "lane_ranks",
    "lane_relay_flip_flops",
]

COUNTER_FILE = "cipherwright_counter.sv"
LANE_COUNTER_FILE = "cipherwright_lane_counter.sv"
COUNTER_BLOCK = 128
"""Bits of the hand-written counter's counter block."""
COUNTER_RANKS = 4
"""Cycles from taking a counter block to the first in which the counter may show it."""
_MOST_RANKS = 11
LANE_LOAD_FLIP_FLOPS = 3 + 3 + 8
"""Flip-flops of cipherwright_lane_load: ready_q, given_q, loaded_q; zeroise_q, taken_q, taken_2; load."""
COUNTER_LOAD = 50
"""Cycles from a counter block's handshake to the next, of a counter alone, with both."""


def lane_ranks(lanes: int) -> tuple[int, ...]:
    """The rank of each of `lanes` lanes, two or more: how many lanes before it pass on, a register each, what
    the front takes. Lanes share ranks where there are more than eleven, since a counter block stays for so
    long.

    >>> lane_ranks(4)
    (0, 1, 2, 3)
    """
    last = min(lanes - 1, _MOST_RANKS - 1)
    return tuple(lane * last // (lanes - 1) for lane in range(lanes))


def counter_latency(lanes: int = 1) -> int:
    """Cycles from a step to its counter block, of a counter alone (`lanes` is 1) or of those of several
    lanes.
    """
    return 9 + 1 + lane_ranks(lanes)[-1] if lanes > 1 else 3


def counter_flip_flops(count: int, block_bits: int = 128) -> int:
    """Flip-flops of the counter alone, of which `count` bits count, the lowest of a counter block of
    `block_bits` bits. Of a block of more than 128 bits, those beside the counter's 128 wait in registers of
    their own.
    """
    top, bits = count - 8, min(block_bits, COUNTER_BLOCK)
    control = (
        6 + 3 + 5 + 4 + 3
    )  # wait_q, last, from idle_q to loaded_q, from wipe_q to load_low and load_near, valid bits
    load = 2 * bits + 1  # iv_q, iv_2, iv_ones
    bottom = 6 + 1 + 6 + 6 + 3  # low, what it was, what moves it; mid, and what prepares it
    upper = (
        bits // 16 + count // 16 + bits - 8 + top + -(-top // 3) - 1
    )  # copies of load and move, top, its successor, the carry
    return control + load + bottom + upper + bits + COUNTER_RANKS * (block_bits - bits)


def lane_counter_flip_flops(count: int, lane: int, lanes: int) -> int:
    """Flip-flops of the counter of lane number `lane`, from 0, of `lanes`, and of its relay; `count`: bits
    that count. The first also says when a value is there.
    """
    ranks = lane_ranks(lanes)
    relay = lane_relay_flip_flops(ranks[-1] - ranks[lane])
    load = 128 + LANE_LOAD_FLIP_FLOPS  # iv_2
    load += 9 if lane == 0 else count // 16  # step and valid_q, where somebody reads them
    pieces = 128 + count // 16 - 1 + 16 * sum(range(1, 9))  # with carries and what waits for the pieces above
    return relay + load + pieces


def lane_relay_flip_flops(delay: int) -> int:
    """Flip-flops of the relay of a lane that waits `delay` cycles for the last one.

    >>> lane_relay_flip_flops(0)
    132
    """
    return 128 + 4 + 3 * delay
