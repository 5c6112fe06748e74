"""A core that was just made, confirmed against its description: the datapath, and the key-expansion unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..arch import KeyParts, Scheduled, constant_inputs, key_choices, key_prefixes, maps_of
from ..cipher.modes import keys_read, ways
from ..graph import evaluate
from ..rtl import Design
from ..shell import KeyLoop
from ..spec import Datapath
from .confirm import confirm_expansion, confirm_loop, confirm_pipeline, linear_word, samples

__all__ = ["confirm_core"]


def confirm_core(
    spec: Datapath, design: Design, made: Scheduled, parts: KeyParts | None, loops: Sequence[KeyLoop]
) -> None:
    """Raise UserError unless the datapath of `spec` computes the description on random keys and blocks, and
    the loop of a key-expansion unit makes its round keys.

    design: modules of the core; made: its schedule; parts: what the unit divides the cipher into, and loops:
    those of its units, which make the round keys (none: the core has no such unit).
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
    if parts:
        for loop in loops:
            confirm_expansion(title, loop, parts.schedule)


def _held(
    spec: Datapath, rows: Mapping[str, tuple[int, ...]], parts: KeyParts | None
) -> Callable[[int, int], Mapping[str, int]]:
    """(key, direction) -> the inputs that are made from a key and held: round keys, each by its linear map
    where it has one, and constants.
    """
    if parts is None:
        constants = constant_inputs(spec)
        return lambda key, decrypt: constants

    wide = {n: parts.schedule.nodes[i].width for n, i in parts.schedule.outputs}

    def words(key: int, prefix: str) -> dict[str, int]:
        made = evaluate(parts.schedule, {"key": key})
        if parts.memory:
            return {n: word << parts.memory.width - wide[n] for n, word in made.items()}
        maps = maps_of(rows, prefix)
        return {n: linear_word(maps[n], word) if n in maps else word for n, word in made.items()}

    keys = keys_read(spec.mode, spec.options()["key_slots"])

    def of_all(key: int, decrypt: int) -> dict[str, int]:
        """The key is one of them, by its lowest bits, and none that encrypts alone where the direction is
        another; the other keys have all bits inverted.
        """
        number, other = key % keys & ~int(bool(parts.never and decrypt)), key ^ ((1 << spec.key_bits) - 1)
        made = {
            f"{prefix}{n}": word
            for k, prefix in enumerate(key_prefixes(keys))
            for n, word in words(key if k == number else other, prefix).items()
        }
        return made | {c.select: number >> k & 1 for k, c in enumerate(key_choices(keys))}

    return of_all
