"""The counter of counter mode: what is known of the hand-written one."""

from __future__ import annotations

__all__ = [
    "COUNTER_FILE",
    "LANE_COUNTER_FILE",
    "counter_flip_flops",
    "counter_latency",
    "lane_counter_flip_flops",
]

COUNTER_FILE = "cipherwright_counter.sv"
LANE_COUNTER_FILE = "cipherwright_lane_counter.sv"


def counter_latency(lanes: int = 1) -> int:
    """Cycles from a step to its counter block, of a counter alone or of those of several lanes."""
    return 9 if lanes > 1 else 3


def counter_flip_flops(count: int) -> int:
    """Flip-flops of the counter alone."""
    top = count - 8
    load = (
        2 * 128 + 1 + 3 + 7 + 3 + 3
    )  # iv_q, iv_2, iv_ones, zeroise_q, load_q, load_low, wait_q, last, ready_q, given_q, loaded_q
    bottom = 3 + 6 + 6 + 3 + 1 + 2 + 16  # low, mid and what prepares it, what is delayed by two cycles
    upper = (
        8 + count // 16 + 120 + top + -(-top // 3) - 1
    )  # copies of load and move, top, its successor, the carry
    return load + bottom + upper + 128 + 1


def lane_counter_flip_flops(count: int, lane: int) -> int:
    """Flip-flops of the counter of lane number `lane`: the first also says when a value is there."""
    load = 2 * 128 + 3 + 8 + 3  # iv_q, iv_2, zeroise_q, taken_q, taken_2, load, ready_q, given_q, loaded_q
    load += 9 if lane == 0 else count // 16  # step and valid_q, where somebody reads them
    return (
        load + 128 + count // 16 - 1 + 16 * sum(range(1, 9))
    )  # pieces, carries, what waits for the pieces above
