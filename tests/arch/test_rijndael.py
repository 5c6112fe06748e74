"""Rijndael's form is the standard's cipher for every key and block: rounds, round keys straight from the key,
and the key schedule by steps in both directions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial

import pytest

from cipherwright.arch import form_of
from cipherwright.arch.own.rijndael import RijndaelForm
from cipherwright.cipher import CATALOGUE, IntBuilder, Standard
from cipherwright.cipher.rijndael import AES, RIJNDAEL, SIZES, Rijndael
from cipherwright.cipher.word import Word, Words, concat, over, under
from cipherwright.errors import CheckFailed

from .equal import prove_equal

NINE = [(block, key) for block in SIZES for key in SIZES]


def form(cipher: Rijndael, key_bits: int) -> RijndaelForm:
    found = form_of(cipher, key_bits)
    assert isinstance(found, RijndaelForm)
    return found


def test_another_cipher_has_another_form() -> None:
    """A cipher made from AES is not taken for AES."""

    class Other(Rijndael):
        pass

    assert not isinstance(form_of(Other(), 128), RijndaelForm)
    assert all(isinstance(CATALOGUE[name], Standard) for name in ("aes", "rijndael"))


@pytest.mark.parametrize("back", [0, 1])
def test_rounds(back: int) -> None:
    """Over round keys of any content, in the direction's order of use."""
    count = AES.nr(128) + 1
    widths = {"block": 128, **{f"rk{i}": 128 for i in range(count)}}

    def formed(w: Mapping[str, Word]) -> Words:
        f, way = form(AES, 128), w["block"].const(1, back)
        keys = iter([f.supplied_key(w[f"rk{i}"], way) for i in range(count)])
        return (f.crypt_with_keys(w["block"], keys),)

    def stated(w: Mapping[str, Word]) -> Words:
        state, steps = AES.begin(w["block"]), AES.steps(128)
        for i, kind in enumerate(reversed(steps) if back else steps):
            assert kind.undo is not None
            state = (kind.undo if back else kind.apply)(state, w[f"rk{i}"])
        return (AES.end(state),)

    prove_equal(formed, stated, widths)


@pytest.mark.parametrize("direction", ["encrypt", "decrypt", "both"])
@pytest.mark.parametrize("plain", [0, 1])
def test_the_round_of_a_loop(plain: int, direction: str) -> None:
    """It is the standard's round, or where `plain` is 1 its final round. The inverse adds the round key of
    the next one: with its own key added before, and none after, it is the standard's inverse.
    """
    f, kind = form(AES, 128), AES.steps(128)[-1 if plain else 1]
    for back in {"encrypt": (0,), "decrypt": (1,), "both": (0, 1)}[direction]:

        def looped(w: Mapping[str, Word], back: int = back) -> Words:
            way, zero = w["state"].const(1, back), w["state"].const(128, 0)
            key = f.supplied_key(zero if back else w["key"], way)
            state = w["state"] ^ w["key"] if back else w["state"]
            return (f.loop_round(state, key, w["state"].const(1, plain), direction, way),)

        def stated(w: Mapping[str, Word], back: int = back) -> Words:
            assert kind.undo is not None
            return (kind.undo if back else kind.apply)((w["state"],), w["key"])

        prove_equal(looped, stated, {"state": 128, "key": 128})


@pytest.mark.parametrize("key_bits", SIZES)
def test_columns(key_bits: int) -> None:
    """The iterations over 32 bits give the standard's block."""
    b, r, plan = IntBuilder(), random.Random(key_bits), form(AES, key_bits).iterations(32)
    for _ in range(4):
        block, key = (over(b, b.const(n, r.getrandbits(n))) for n in (128, key_bits))
        unset = zip(plan.start(block, key), plan.widths(), strict=True)
        state = tuple(block.const(n, r.getrandbits(n)) if w is None else w for w, n in unset)
        for number in range(plan.rounds):
            for iteration in range(plan.group):
                state = plan.iteration(block.const(plan.bits, plan.control(number, iteration)), state)
        assert under(b, plan.finish(state)) == under(b, AES.encrypt(block, key))


@pytest.mark.parametrize("key_bits", SIZES)
def test_round_keys_straight_from_the_key(key_bits: int) -> None:
    """Those of encryption, for every key; decryption has the same ones in reverse order."""

    def formed(back: int, w: Mapping[str, Word]) -> Words:
        made = form(AES, key_bits).direct_keys(w["key"], w["key"].const(1, back))
        return tuple(k[128:1] for k in made)

    widths = {"key": key_bits}
    prove_equal(lambda w: formed(0, w), lambda w: AES.expanded(w["key"]), widths)
    prove_equal(lambda w: formed(1, w)[::-1], lambda w: formed(0, w), widths)


def _words(w: Word) -> Words:
    return tuple(w[high : high - 31] for high in range(w.width - 1, 0, -32))


def _window(cipher: Rijndael, step: int, words: Words) -> Word:
    """The form's state before a step, from Nk words of the expanded key: Nb words where these are more."""
    if len(words) >= cipher.nb:
        return concat(*words)
    constant = cipher.key_constants(32 * len(words))[step]
    return cipher.key_word(words[0].const(cipher.control_width, constant), words)


@pytest.mark.parametrize(("block_bits", "key_bits"), NINE)
def test_steps_forward(block_bits: int, key_bits: int) -> None:
    """Every step, from any state, is the standard's: by induction, so are all round keys of encryption."""
    cipher = RIJNDAEL.with_block(block_bits)
    f, constants = form(cipher, key_bits), cipher.key_constants(key_bits)
    steps = sorted({0, 1, 2, f.nr // 2, f.nr - 1})

    def formed(w: Mapping[str, Word]) -> Words:
        out = list[Word]()
        for i in steps:
            control = w["w"].const(f.control_bits, f.key_control(i))
            key, after = f.key_step(control, (_window(cipher, i, _words(w["w"])),), w["w"].const(1, 0))
            out += [key[block_bits:1], *after]
        return tuple(out)

    def stated(w: Mapping[str, Word]) -> Words:
        state, out = _words(w["w"]), list[Word]()
        for i in steps:
            constant = w["w"].const(cipher.control_width, constants[i])
            following = cipher.key_next(constant, state)
            out += [cipher.key_word(constant, state), _window(cipher, i + 1, following)]
        return tuple(out)

    prove_equal(formed, stated, {"w": key_bits})


@pytest.mark.parametrize(("block_bits", "key_bits"), NINE)
def test_steps_back(block_bits: int, key_bits: int) -> None:
    """Decryption's setup takes encryption's steps, and a step back undoes one of them from any state; so, by
    induction, decryption has the round keys of encryption in reverse order.
    """
    cipher = RIJNDAEL.with_block(block_bits)
    f, nr = form(cipher, key_bits), cipher.nr(key_bits)
    assert [f.key_control(i - nr, True) for i in range(nr)] == [f.key_control(i) for i in range(nr)]
    steps = (0, 1, 2, nr - 1)

    def back(w: Mapping[str, Word]) -> Words:
        yes, out = w["w"].const(1, 1), list[Word]()
        for i in steps:
            control = w["w"].const(f.control_bits, f.key_control(i))
            _, after = f.key_step(control, (_window(cipher, i, _words(w["w"])),), yes)
            control = w["w"].const(f.control_bits, f.key_control(nr - 1 - i, True))
            out += f.key_step(control, after, yes)[1]
        return tuple(out)

    def before(w: Mapping[str, Word]) -> Words:
        return tuple(_window(cipher, i, _words(w["w"])) for i in steps)

    prove_equal(back, before, {"w": key_bits})


def test_a_wrong_form_is_found() -> None:
    """RotWord, SubWord and Rcon of a step's first word: each bit of its control matters."""
    f = form(AES, 128)

    def step(change: int, w: Mapping[str, Word]) -> Words:
        control = w["w"].const(f.control_bits, f.key_control(0) ^ change)
        return f.key_step(control, (w["w"],), w["w"].const(1, 0))[1]

    for bit in range(31, 41):
        with pytest.raises(CheckFailed):
            prove_equal(partial(step, 1 << bit), partial(step, 0), {"w": 128})
