"""The counter of counter mode: what is known of the hand-written one."""

from __future__ import annotations

__all__ = ["COUNTER_FILE", "COUNTER_LATENCY", "counter_flip_flops"]

COUNTER_FILE = "cipherwright_counter.sv"

COUNTER_LATENCY = 3
"""Cycles from a step to its counter block."""


def counter_flip_flops(count: int, low: int = 0, lane: int = 0) -> int:
    """Flip-flops of the counter, of 2^low that share the work the one with number `lane`."""
    top = count - low - 8
    load = 2 * 128 + 2 + 7 + 3 + 1 + low + 2 * (lane > 0)  # iv_q, iv_2, load_q, load_low, wait_q, last, ready_q, the lane's own
    bottom = 2 + 6 + 6 + 3 + 1 + 2 + 16  # low, mid and what prepares it, what is delayed by two cycles
    upper = 8 + count // 16 + 120 - low + top + -(-top // 3) - 1  # copies of load and move, top, its successor, the carry
    return load + bottom + upper + 128 + 1
