"""Every form computes what its standard states: the derived ones, and those that `FORMS` lists."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from cipherwright.arch import Form, describe, form_of
from cipherwright.arch.ahead import AheadForm
from cipherwright.arch.own import FORMS
from cipherwright.arch.own.misty1 import fl_either
from cipherwright.cipher import CATALOGUE, KEY_SCHEDULES, IntBuilder, IntWord, Standard
from cipherwright.cipher.des import TDES
from cipherwright.cipher.misty1 import MISTY1, fl, fl_inverse
from cipherwright.cipher.word import Word, choose, over, under
from cipherwright.errors import UserError
from cipherwright.spec import load
from examples.present import PRESENT

B = IntBuilder()
STANDARDS: list[Standard] = [c for c in CATALOGUE.values() if isinstance(c, Standard)]
STANDARDS += [PRESENT, MISTY1.with_rounds(2), MISTY1.with_rounds(10)]


def word(width: int, value: int) -> Word:
    return over(B, IntWord(width, value))


def value(made: Word) -> int:
    return under(B, made).value


def forms() -> Iterator[Form]:
    """The form that hardware takes, and the derived one where that is another."""
    for cipher in STANDARDS:
        for bits in cipher.key_sizes:
            taken = form_of(cipher, bits)
            yield taken
            if type(taken) is not Form:
                yield Form(cipher, bits)


def named(form: Form) -> str:
    rounds = form.cipher.standard_rounds(form.key_bits)
    return f"{type(form).__name__}-{form.cipher.name}-{rounds}-{form.key_bits}"


@pytest.mark.parametrize("form", list(forms()), ids=named)
def test_a_form_computes_its_standard(form: Form) -> None:
    cipher, r = form.cipher, random.Random(named(form))
    block, key = (word(n, r.getrandbits(n)) for n in (cipher.block_bits, form.key_bits))
    for back, want in enumerate((cipher.encrypt(block, key), cipher.decrypt(block, key))):
        for schedule in KEY_SCHEDULES:
            for variant in cipher.key_variants if schedule == "direct" else ("kept",):
                made = form.crypt(block, key, word(1, back), schedule, None, variant)
                assert value(made) == value(want), (back, schedule, variant)
        if form.tells_alike([bool(back)]):
            controls = word(form.control_bits * form.round_keys, form.all_controls())
            assert value(form.crypt(block, key, word(1, back), "stepped", controls)) == value(want)


def test_every_listed_form_is_one_of_a_cipher_in_the_catalogue() -> None:
    kinds = {type(c) for c in CATALOGUE.values()}
    assert set(FORMS) <= kinds


@pytest.mark.parametrize(
    ("cipher", "key_bits", "titles"),
    [
        ("aes", 128, ["before round 1", *(f"round {i}" for i in range(1, 11))]),
        ("des", 64, [f"round {i}" for i in range(1, 17)]),
        ("khazad", 128, ["before round 1", *(f"round {i}" for i in range(1, 9))]),
        ("misty1", 128, [*(f"rounds {i} and {i + 1}" for i in (1, 3, 5, 7)), "after round 8"]),
        ("mars", 128, ["rounds 1 to 8", *(f"round {i}" for i in range(9, 25)), "rounds 25 to 32"]),
        (
            "camellia",
            128,
            [
                "before round 1",
                *(f"round {i}" for i in range(1, 7)),
                "after round 6",
                *(f"round {i}" for i in range(7, 13)),
                "after round 12",
                *(f"round {i}" for i in range(13, 19)),
                "after round 18",
            ],
        ),
    ],
)
def test_titles_of_the_steps(cipher: str, key_bits: int, titles: list[str]) -> None:
    assert form_of(CATALOGUE[cipher], key_bits).titles() == titles


def test_titles_where_the_directions_differ() -> None:
    """PRESENT's last step is no round, and decryption begins with it: there all count as rounds."""
    assert PRESENT.step_titles(80)[-2:] == ["round 31", "after round 31"]
    assert form_of(PRESENT, 80).titles()[-2:] == ["round 31", "round 32"]


def test_a_wrong_form_is_seen() -> None:
    """The comparison above tells a form that forgets that TDES decrypts in its second pass."""

    class ThreeTimes(type(form_of(TDES, 192))):  # type: ignore[misc]
        def key_control(self, index: int, back: bool = False) -> int:
            return int(super().key_control(index, back)) & 3

    with pytest.raises(AssertionError):
        test_a_form_computes_its_standard(ThreeTimes(TDES, 192))


def test_a_schedule_ahead_asks_for_its_end() -> None:
    assert AheadForm.suits(CATALOGUE["des"], 64)  # type: ignore[arg-type]
    assert not any(AheadForm.suits(c, c.key_sizes[0]) for c in STANDARDS if c.name != "des")


@pytest.mark.parametrize("inverse", [0, 1])
def test_one_circuit_for_fl_and_its_inverse(inverse: int) -> None:
    r = random.Random(inverse)
    for _ in range(20):
        x, kl1, kl2 = word(32, r.getrandbits(32)), word(16, r.getrandbits(16)), word(16, r.getrandbits(16))
        want = (fl_inverse if inverse else fl)(x, kl1, kl2)
        assert value(fl_either(x, kl1, kl2, word(1, inverse))) == value(want)
        assert value(fl_inverse(fl(x, kl1, kl2), kl1, kl2)) == value(x)


def test_held_round_numbers_where_the_directions_differ_are_refused() -> None:
    changes = ["stages=40", "hops=[]", "key_schedule=stepped", "round_numbers=signals"]
    describe(load("khazad-fast", changes), True)
    with pytest.raises(UserError, match="take the same steps in every direction"):
        describe(load("khazad-fast", [*changes, "direction=both"]), True)


@pytest.mark.parametrize("back", [0, 1])
@pytest.mark.parametrize("form", [f for f in forms() if f.cipher.key_unit and f.same_keys], ids=named)
def test_rounds_over_what_a_unit_holds_are_the_standard(form: Form, back: int) -> None:
    """`unit_keys` are in the order of use; a round key is made from each one's key word."""
    cipher, r = form.cipher, random.Random(named(form))
    block, key = (word(n, r.getrandbits(n)) for n in (cipher.block_bits, form.key_bits))
    held = form.unit_keys(key, bool(back))
    words = [k[k.width - 1 : k.width - form.key_words(i)] for i, k in enumerate(held)]
    made = form.crypt_with_keys(block, iter([form.supplied_key(w, word(1, back)) for w in words]))
    assert value(made) == value((cipher.decrypt if back else cipher.encrypt)(block, key))


@pytest.mark.parametrize("back", [0, 1])
@pytest.mark.parametrize("form", [f for f in forms() if f.cipher.key_unit and f.same_keys], ids=named)
def test_rounds_over_the_round_keys_of_encryption_are_the_standard(form: Form, back: int) -> None:
    """What a unit of both directions holds: the direction chooses among the key words of encryption."""
    cipher, r = form.cipher, random.Random(named(form))
    block, key = (word(n, r.getrandbits(n)) for n in (cipher.block_bits, form.key_bits))
    held = form.unit_keys(key, False)
    words = [k[k.width - 1 : k.width - form.key_words(i)] for i, k in enumerate(held)]
    keys = [form.held_key(words, i, word(1, back)) for i in range(len(words))]
    made = form.crypt_with_keys(block, iter(keys))
    assert value(made) == value((cipher.decrypt if back else cipher.encrypt)(block, key))


Chosen = Callable[[Form, Sequence[Word], int, Word], Word]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("mars", Form.held_key),
        ("khazad", lambda form, words, i, back: choose(back, words[-1 - i], words[i])),
        ("des", lambda form, words, i, back: Form.held_key(form, words[::-1], i, back)),
    ],
    ids=["words of mixing in their order", "not turned", "in the order of encryption"],
)
def test_a_wrong_choice_of_round_keys_is_seen(name: str, wrong: Chosen) -> None:
    form = form_of(CATALOGUE[name], CATALOGUE[name].key_sizes[0])  # type: ignore[arg-type]
    changed = type("Wrong", (type(form),), {"held_key": wrong})(form.cipher, form.key_bits)
    with pytest.raises(AssertionError):
        test_rounds_over_the_round_keys_of_encryption_are_the_standard(changed, 1)
