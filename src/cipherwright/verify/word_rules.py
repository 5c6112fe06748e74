"""Rules of a core of messages whose words are registers, in every state that can be reached from reset.

Beside the module that starts words and takes results runs what software and the core may rely on. All inputs
have all values in every cycle, except that a key is offered from its command until it is taken, and that all
words are read only of a result that waits.

- START is carried out or told as rejected, and is carried out where READY says so.
- A started word waits until it is taken, and is taken once. No other is started then.
- The first word of a message is never taken before a key that was loaded before it; a key is loaded within a
  message, and its words go on.
- A result and a tag are taken only when the one before has been read, so none is overwritten.
- Zeroising leaves nothing of all this.
"""

from __future__ import annotations

import numpy as np

from ..errors import CheckFailed
from .command_rules import Bits, Cycle, Rules, explored
from .netlist import Netlist

__all__ = ["check_word_commands"]

_SIDES = ("data", "tag")
_GHOST = ("key", "keyed", "pending", "open")
"""What is known from outside, beside what waits to be read: a key is loaded and not taken; there is a key; a
word is started and not taken; a message has begun.
"""


def check_word_commands(n: Netlist, units: bool) -> int:
    """Explore all states of `n`, the module of the commands; how many states there are. `units`: messages are
    data units, which begin with their number, so a word waits for no key. Raises CheckFailed with a rule that
    is broken.
    """
    sides = tuple(s for s in _SIDES if f"{s}_comes_i" in n.inputs)
    if not sides:
        raise CheckFailed("the module of the commands takes no result")
    begin = dict.fromkeys((*_GHOST, *sides), 0)
    rules = Rules(
        begin,
        lambda g, c: _fair(g, c, sides),
        lambda g, c: _rules(g, c, sides, units),
        lambda g, c: _after(g, c, sides),
    )
    return explored(n, rules)


def _fair(g: Cycle, c: Cycle, sides: tuple[str, ...]) -> Bits:
    """What may come."""
    fair = (c["key_offer_i"] == g["key"]) & (c["key_taken_i"] <= g["key"])
    fair &= c["key_loads_i"] <= (1 - g["key"]) & (1 - g["pending"])
    for side in sides:
        fair &= c[f"{side}_seen_i"] <= g[side]
    made: Bits = fair.astype(np.uint8)
    return made


def _rules(g: Cycle, c: Cycle, sides: tuple[str, ...], units: bool) -> tuple[tuple[Bits, str], ...]:
    """Rules of a cycle: where each holds, and what it says."""
    no = {name: 1 - bits for name, bits in {**g, **c}.items()}
    startable = c["whole_i"] & c["given_i"] & no["pending"] & (g["keyed"] | g["key"] | c["key_loads_i"])
    offered = g["pending"] if units else g["pending"] & (g["open"] | no["key"])
    own = (
        (c["starts_o"] == (c["start_i"] & startable), "a word is started when it and its message are there"),
        (c["rejected_o"] == (c["start_i"] & no["starts_o"]), "START is carried out, or told as rejected"),
        ((no["can_o"] | no["start_i"] | no["whole_i"] | c["starts_o"]) == 1, "READY tells what START does"),
        (c["pending_o"] == g["pending"], "a started word waits until it is taken"),
        (c["open_o"] == g["open"], "a message goes on until its last word is taken"),
        (c["offer_o"] == offered, "a word is offered when no key is before it"),
        (c["taken_o"] == (offered & c["ready_i"]), "a word is taken when the core takes it"),
    )
    results = tuple(
        rule
        for side in sides
        for rule in (
            (c[f"{side}_there_o"] == g[side], f"what waits in {side} stays until it has been read"),
            (c[f"{side}_take_o"] == no[side], f"{side} is taken when none waits"),
            (c[f"{side}_load_o"] == (c[f"{side}_comes_i"] & no[side]), f"{side} is kept once it is taken"),
        )
    )
    return (*own, *results)


def _after(g: Cycle, c: Cycle, sides: tuple[str, ...]) -> Cycle:
    """What is known from outside after a cycle."""
    left = {
        "key": c["key_loads_i"] | (g["key"] & (1 - c["key_taken_i"])),
        "keyed": g["keyed"] | c["key_taken_i"],
        "pending": c["starts_o"] | (g["pending"] & (1 - c["taken_o"])),
        "open": np.where(c["taken_o"] == 1, 1 - c["ends_i"], g["open"]).astype(np.uint8),
    }
    left |= {s: c[f"{s}_load_o"] | (g[s] & (1 - c[f"{s}_seen_i"])) for s in sides}
    zeroise = c["zeroise_i"] == 1
    return {name: np.where(zeroise, np.uint8(0), value) for name, value in left.items()}
