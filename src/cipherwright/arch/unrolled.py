"""A cipher unrolled: as it is described, and over round keys that are held."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ..cipher import Standard
from ..cipher.modes import second_encrypts, ways
from ..cipher.word import all_over, over, under
from ..errors import UserError
from ..graph import AGILE, STATIC, Graph, GraphBuilder
from ..spec import Datapath, Loop, Pipeline
from .forms import form_of, held_form_of
from .key_memory import key_memory
from .key_unit import KeyParts

__all__ = ["describe", "key_parts", "never_second"]


def describe(spec: Datapath, signals: bool = False, variant: str = "kept") -> Graph:
    """cipher -> graph: the plain cipher of `spec` (valid, block, key, decrypt -> valid, block), the reference
    of every proof. In a pipeline with a mode that chains blocks, the result is the sum with the input
    `chain`.

    `signals`: the round numbers of the stepped key schedule are a held input instead of constants; UserError
    where the directions take other steps. `variant`: how late round keys are made (`Cipher.key_variants`).
    """
    # A loop is compared with the stepped schedule, which it has; that both schedules are the cipher's is
    # tested (tests/arch).
    key_schedule = "stepped" if spec.architecture == "iterative" else spec.key_schedule
    held = STATIC if spec.key == "static" else AGILE
    turns = AGILE if spec.agile_direction else STATIC
    chained = spec.mode if spec.summed else ""
    way = spec.cipher_direction
    if signals and not form_of(spec.described, spec.key_bits).tells_alike([bool(w) for w in ways(way)]):
        raise UserError(
            f"round_numbers = signals is for key schedules that take the same steps in every direction "
            f"and none before, not for {spec.cipher} with direction = {spec.direction}"
        )
    return _described(
        spec.described, spec.key_bits, (way, held, turns), chained, key_schedule, signals, variant
    )


@lru_cache(maxsize=8)
def _described(
    cipher: Standard,
    key_bits: int,
    kinds: tuple[str, str, str],
    chained: str,
    key_schedule: str,
    signals: bool,
    variant: str,
) -> Graph:
    """The plain `cipher`. kinds: its direction, and whether the key and the direction are held; chained: the
    mode that adds a word, "" where none does; the rest as in `describe`. A core, its proof and a search for
    cores ask for the same one many times.
    """
    form, b = form_of(cipher, key_bits), GraphBuilder(cipher.name)
    way, held, turns = kinds
    valid, block, key = (
        b.input("valid", 1),
        b.input("block", cipher.block_bits),
        b.input("key", key_bits, held),
    )
    one_way = b.const(1, int(way == "decrypt"))
    decrypt = b.input("decrypt", 1, turns) if way == "both" else one_way
    b.output("valid", valid)
    steps = form.control_bits * form.round_keys
    controls = over(b, b.input("controls", steps, STATIC)) if signals else None

    def crypt(given: int) -> int:
        made = form.crypt(over(b, given), over(b, key), over(b, decrypt), key_schedule, controls, variant)
        return under(b, made)

    _output(b, cipher.block_bits, chained, block, crypt)
    return b.build()


def _output(b: GraphBuilder, block_bits: int, chained: str, block: int, crypt: Callable[[int], int]) -> None:
    """The block that leaves: the cipher's, or in a pipeline with the mode `chained` its sum with the word
    that chains blocks.
    """
    if not chained:
        b.output("block", crypt(block))
        return
    chain = b.input("chain", block_bits)
    given, added = (block, chain) if chained == "cbc" else (chain, block)
    b.output("block", b.named(b.xor(crypt(given), added), "sum"))


def never_second(spec: Datapath) -> str:
    """The input with which no block reads the round keys of the second key: the direction, where a mode of
    `spec` in both directions has a key that encrypts alone, and its key-expansion unit stores words in linear
    maps. "" where there is none.
    """
    derived = spec.described.key_unit == "loop"
    both = isinstance(spec, Pipeline) and spec.cipher_direction == "both"
    return "decrypt" if both and derived and second_encrypts(spec.mode) else ""


def key_parts(spec: Datapath) -> KeyParts | None:
    """What a key-expansion unit divides the cipher of `spec` into, or None where there is none: the rounds
    over held round keys rk0, rk1, … (in the order of use; of encryption, where a core has both directions),
    and the schedule from the key to them. Two directions are one network in which the direction chooses
    between round keys, or two networks, between whose results it chooses (`Form.one_network`).
    """
    if spec.key_expansion != "unit":
        return None
    form, b = held_form_of(spec.described, spec.key_bits), GraphBuilder(spec.cipher)
    back, both = int(spec.cipher_direction == "decrypt"), spec.cipher_direction == "both"
    chained = spec.mode if spec.summed else ""
    valid, block = b.input("valid", 1), b.input("block", spec.block_bits)
    widths = [form.key_words(i) for i in range(form.round_keys)]
    words = [b.input(f"rk{i}", w, STATIC) for i, w in enumerate(widths)]
    b.output("valid", valid)

    decrypt = b.input("decrypt", 1) if both else None

    def crypt(given: int, turn: int) -> int:
        held, way = all_over(b, words), over(b, turn)
        if both:
            keys = [form.held_key(held, i, way) for i in range(len(held))]
        else:
            keys = [form.supplied_key(w, way) for w in held]
        return under(b, form.crypt_with_keys(over(b, given), iter(keys)))

    def either(given: int) -> int:
        if decrypt is None:
            return crypt(given, b.const(1, back))
        if form.one_network:
            return crypt(given, decrypt)
        return b.mux(decrypt, crypt(given, b.const(1, 1)), crypt(given, b.const(1, 0)))

    _output(b, spec.block_bits, chained, block, either)
    s = GraphBuilder(f"{spec.cipher}_schedule")
    key = over(s, s.input("key", spec.key_bits))
    for i, word in enumerate(form.unit_keys(key, bool(back))):
        s.output(f"rk{i}", under(s, word[word.width - 1 : word.width - widths[i]]))
    memory = None
    if isinstance(spec, Loop) and spec.described.key_unit == "loop":
        memory = key_memory(form, spec.cipher_direction, spec.rounds_per_cycle, spec.least_stages)
    return KeyParts(b.build(), s.build(), memory=memory, never=never_second(spec))
