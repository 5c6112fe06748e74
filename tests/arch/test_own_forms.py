"""Every form of a cipher's own is the standard's cipher for every key and block, in both directions: whole
ciphers with both key schedules, MARS over round keys of any content and its round keys apart. Rijndael has
test_rijndael.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from cipherwright.arch import Form, form_of
from cipherwright.arch.own import FORMS
from cipherwright.cipher import CATALOGUE, KEY_SCHEDULES
from cipherwright.cipher.mars import expanded_key
from cipherwright.cipher.word import Word, Words, concat
from cipherwright.errors import CheckFailed
from tests.recorded import Measured, judging_rooms

from .equal import prove_equal

WHOLE = [("tdes", 192), ("tdes", 128), ("khazad", 128), ("misty1", 128)]
"""Ciphers, with the bits of a key, that are proven from the block and the key."""
ELSEWHERE = ("aes", "rijndael")
Outcome = Callable[[str, Callable[[], None]], None]


@pytest.fixture
def proven(measured: Measured) -> Outcome:
    """proven(name, proof): the proof holds, now or by the record of what has not changed since."""

    def ask(name: str, proof: Callable[[], None]) -> None:
        def holds() -> bool:
            proof()
            return True

        assert measured(f"form {name}", [name, *judging_rooms()], holds)

    return ask


def crypted(form: Form, back: int, schedule: str, w: Mapping[str, Word]) -> Words:
    return (form.crypt(w["block"], w["key"], w["block"].const(1, back), schedule),)


def whole(form: Form, back: int, schedule: str) -> None:
    """`form` from the block and the key to the result."""
    cipher = form.cipher
    widths = {"block": cipher.block_bits, "key": form.key_bits}

    def stated(w: Mapping[str, Word]) -> Words:
        return ((cipher.decrypt if back else cipher.encrypt)(w["block"], w["key"]),)

    prove_equal(partial(crypted, form, back, schedule), stated, widths)


def test_every_form_has_a_proof() -> None:
    classes = {type(CATALOGUE[name]) for name in (*(n for n, _ in WHOLE), "mars", *ELSEWHERE)}
    assert classes == set(FORMS)


@pytest.mark.recorded
@pytest.mark.parametrize("back", [0, 1])
@pytest.mark.parametrize("schedule", KEY_SCHEDULES)
@pytest.mark.parametrize(("name", "key_bits"), WHOLE)
def test_whole_ciphers(name: str, key_bits: int, schedule: str, back: int, proven: Outcome) -> None:
    form = form_of(CATALOGUE[name], key_bits)
    assert type(form) in FORMS.values()
    proven(f"{name} {key_bits} {schedule} {back}", lambda: whole(form, back, schedule))


@pytest.mark.parametrize("change", [1, 2])
def test_a_wrong_form_is_found(change: int) -> None:
    """TDES whose second pass goes the other way, or whose passes have other keys."""

    class Wrong(type(form_of(CATALOGUE["tdes"], 192))):  # type: ignore[misc]
        def key_control(self, index: int, back: bool = False) -> int:
            return int(super().key_control(index, back)) ^ (change << 1 if index == 20 else 0)

    with pytest.raises(CheckFailed):
        whole(Wrong(CATALOGUE["tdes"], 192), 0, "stepped")


# -- MARS: rounds over round keys of any content, in the order of use; then the round keys


def mars_rounds(back: int, wrong: int = 0, held: bool = False) -> None:
    """`wrong`: the round whose key words change places. `held`: the round keys are those of encryption, among
    which the form chooses.
    """
    cipher = CATALOGUE["mars"]
    form, steps = form_of(cipher, 128), cipher.steps(128)
    order = [(f"rk{i}", kind) for i, kind in enumerate(steps)]
    used = order[::-1] if back else order

    def formed(w: Mapping[str, Word]) -> Words:
        words = [w[name].split(kind.key_bits // 32) for name, kind in used]
        for i, four in enumerate(words):
            if (back and len(four) == 4) or (wrong and i == wrong):
                words[i] = four[::-1]
        way = w["block"].const(1, back)
        if held:
            stored = [w[name] for name, _ in order]
            keys = (form.held_key(stored, i, way) for i in range(len(stored)))
            return (form.crypt_with_keys(w["block"], keys),)
        return (form.crypt_with_keys(w["block"], iter([form.supplied_key(concat(*k), way) for k in words])),)

    def stated(w: Mapping[str, Word]) -> Words:
        state = cipher.begin(w["block"])
        for name, kind in used:
            assert kind.undo is not None
            state = (kind.undo if back else kind.apply)(state, w[name])
        return (cipher.end(state),)

    prove_equal(formed, stated, {"block": 128, **{name: kind.key_bits for name, kind in order}})


@pytest.mark.recorded
@pytest.mark.parametrize("back", [0, 1])
def test_rounds_of_mars(back: int, proven: Outcome) -> None:
    proven(f"mars rounds {back}", lambda: mars_rounds(back))


@pytest.mark.recorded
@pytest.mark.parametrize("back", [0, 1])
def test_rounds_of_mars_over_the_round_keys_of_encryption(back: int, proven: Outcome) -> None:
    proven(f"mars held rounds {back}", lambda: mars_rounds(back, held=True))


def test_a_wrong_round_of_mars_is_found() -> None:
    with pytest.raises(CheckFailed):
        mars_rounds(0, wrong=7)


def mars_keys(key_bits: int, schedule: str, back: int) -> None:
    form = form_of(CATALOGUE["mars"], key_bits)

    def formed(w: Mapping[str, Word]) -> Words:
        way = w["key"].const(1, back)
        made = form.direct_keys(w["key"], way) if schedule == "direct" else form.stepped_keys(w["key"], way)
        bits = [form.cipher.steps(key_bits)[-1 - i if back else i].key_bits for i in range(18)]
        return tuple(k[k.width - 1 : k.width - n] for k, n in zip(made, bits, strict=True))

    def stated(w: Mapping[str, Word]) -> Words:
        k = expanded_key(w["key"])
        pairs = [k[i : i + 2] for i in range(4, 36, 2)]
        if back:
            return tuple(concat(*x) for x in (k[39:35:-1], *reversed(pairs), k[3::-1]))
        return tuple(concat(*x) for x in (k[:4], *pairs, k[36:]))

    prove_equal(formed, stated, {"key": key_bits})


@pytest.mark.recorded
@pytest.mark.parametrize("back", [0, 1])
@pytest.mark.parametrize("schedule", KEY_SCHEDULES)
@pytest.mark.parametrize("key_bits", [128, 448])
def test_round_keys_of_mars(key_bits: int, schedule: str, back: int, proven: Outcome) -> None:
    proven(f"mars keys {key_bits} {schedule} {back}", lambda: mars_keys(key_bits, schedule, back))
