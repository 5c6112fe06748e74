"""A core that was just made, confirmed against its description: the datapath, and the key-expansion unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..arch import SECOND_KEY, KeyParts, Scheduled, constant_inputs
from ..cipher.modes import reads_two_keys, ways
from ..graph import evaluate
from ..rewrite import SECOND
from ..rtl import Design
from ..shell import KeyLoop
from ..spec import Datapath
from .confirm import confirm_expansion, confirm_loop, confirm_pipeline, linear_word, samples

__all__ = ["confirm_core"]


def confirm_core(
    spec: Datapath, design: Design, made: Scheduled, parts: KeyParts | None, loop: KeyLoop | None
) -> None:
    """The datapath computes the description on random keys and blocks, and the loop of a
    key-expansion unit makes its round keys.

    design: of the core; parts: what the unit divides the cipher into. Raises
    UserError where a result differs.
    """
    mode = spec.mode if spec.summed else "ecb"
    found = samples(
        spec.described, spec.key_bits, ways(spec.cipher_direction), mode, _held(spec, made.rows, parts)
    )
    title = spec.described.title
    if made.iterations is None:
        confirm_pipeline(title, design, found)
    else:
        confirm_loop(title, design, found, made.schedule.stages, made.iterations, made.memory)
    if loop and parts:
        confirm_expansion(title, loop, parts.schedule)


def _held(
    spec: Datapath, rows: Mapping[str, tuple[int, ...]], parts: KeyParts | None
) -> Callable[[int], Mapping[str, int]]:
    """key -> the inputs that are made from it and held: round keys, each by its linear map where it has
    one, and constants.
    """
    if parts is None:
        constants = constant_inputs(spec)
        return lambda key: constants

    wide = {n: parts.schedule.nodes[i].width for n, i in parts.schedule.outputs}

    def words(key: int) -> dict[str, int]:
        made = evaluate(parts.schedule, {"key": key})
        if parts.memory:
            return {n: word << parts.memory.width - wide[n] for n, word in made.items()}
        return {n: linear_word(rows[n], word) if n in rows else word for n, word in made.items()}

    if not reads_two_keys(spec.mode, spec.options()["key_slots"]):
        return words

    def of_two_keys(key: int) -> dict[str, int]:
        """The key is the second for half of all keys; the other key has all bits inverted."""
        second, other = key & 1, key ^ ((1 << spec.key_bits) - 1)
        first = words(other if second else key)
        later = {f"{SECOND}{n}": word for n, word in words(key if second else other).items()}
        return {**first, **later, SECOND_KEY: second}

    return of_two_keys
