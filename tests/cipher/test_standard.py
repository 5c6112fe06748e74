"""Ciphers described as their standards: words with operators, and what is derived from one key schedule."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher as OpenSSL
from cryptography.hazmat.primitives.ciphers import algorithms, modes

import cipherwright.cipher
from cipherwright.arch import form_of
from cipherwright.cipher import CATALOGUE, IntBuilder, IntWord, Kind, Standard
from cipherwright.cipher.camellia import CAMELLIA, subkeys
from cipherwright.cipher.word import Table, Word, choose, concat, lookup, over, step, under
from cipherwright.graph import GraphBuilder, evaluate
from cipherwright.verify.vectors import own_vectors
from examples.present import PRESENT
from tests.light import LIGHT

B = IntBuilder()


def word(width: int, value: int) -> Word:
    return over(B, IntWord(width, value))


def value(w: Word) -> int:
    return int(under(B, w).value)


def test_a_word_is_no_sequence() -> None:
    """`*word`, or a loop over it, would never end."""
    with pytest.raises(TypeError, match="not iterable"):
        list(word(8, 0xA5))  # type: ignore[call-overload]


def test_a_step_is_named_by_words_wherever_they_are() -> None:
    b = GraphBuilder("steps")
    x = over(b, b.input("x", 8))
    b.section("round 1")
    named = step("Invert")(lambda state, *, key: (~state[0], ~key))
    made_of_state, made_of_key = named((x,), key=over(b, b.input("k", 8)))
    b.output("y", under(b, concat(made_of_state, made_of_key, ~concat(x, x))))
    made = {f"{n.op}{n.width}": n.section for n in b.build().nodes}
    assert made["not8"] == "round 1: Invert" and made["not16"] == "round 1"
    for name in ("", "a, b", "a: b", "a; b"):
        with pytest.raises(ValueError, match="a step has a name"):
            step(name)


def test_operators() -> None:
    a, b = word(8, 0b1100_1010), word(8, 0b1010_0110)
    assert value(a ^ b) == 0b0110_1100
    assert value(a & b) == 0b1000_0010
    assert value(a | b) == 0b1110_1110
    assert value(~a) == 0b0011_0101
    assert value(a + b) == (0b1100_1010 + 0b1010_0110) % 256
    assert value(a - b) == 0b1100_1010 - 0b1010_0110
    assert value(a ^ 1) == 0b1100_1011
    assert value(a.rotl(3)) == 0b0101_0110
    assert value(a.rotr(3)) == 0b0101_1001
    assert value(a[7:4]) == 0b1100
    assert value(a[1]) == 1
    assert [value(x) for x in a.split(2)] == [0b1100, 0b1010]
    assert value(concat(a, b)) == 0b1100_1010_1010_0110
    assert value(lookup(Table("not", 1, (1, 0)), a[0])) == 1
    assert value(choose(a[0], a, b)) == value(b)


def test_a_number_on_the_left() -> None:
    a = word(8, 0b1100_1010)
    assert [value(w) for w in (1 ^ a, 3 & a, 5 | a, 250 + a, 1 - a, 2 * a)] == [
        0b1100_1011,
        0b10,
        0b1100_1111,
        (250 + 0b1100_1010) % 256,
        (1 - 0b1100_1010) % 256,
        0b1001_0100,
    ]


def test_what_the_guide_says_of_words() -> None:
    """The order of `bits`, and the bytes of little-endian words (docs/guide/adding-a-cipher.md)."""
    assert value(word(8, 0b0000_0001).bits([0, 3, 5])) == 0b100
    turned = concat(*reversed(word(32, 0x01020304).split(4)))
    assert value(turned) == 0x04030201
    assert value(Kind("narrow", 32, lambda state, key: state).cut(word(48, 0xAABBCCDDEEFF))) == 0xAABBCCDD


@pytest.mark.parametrize("by", [0, 1, 3, 7, 8, 20])
def test_shifts_fill_with_zeros(by: int) -> None:
    """On integers and in a graph, whose wiring they are."""
    assert value(word(8, 0b1100_1011) << by) == (0b1100_1011 << by) % 256
    assert value(word(8, 0b1100_1011) >> by) == 0b1100_1011 >> by
    b = GraphBuilder("shifts")
    x = over(b, b.input("x", 8))
    b.output("y", under(b, concat(x << by, x >> by)))
    for given in (0, 0b1100_1011, 255):
        assert evaluate(b.build(), {"x": given}) == {"y": (given << by) % 256 << 8 | given >> by}


@pytest.mark.parametrize(
    "asked",
    [
        bool,
        lambda w: w == 5,
        lambda w: w != 5,
        lambda w: w == True,  # noqa: E712
        lambda w: w > 5,
        lambda w: w <= w,
        lambda w: 5 in (w,),
    ],
)
def test_a_word_is_no_condition(asked: Callable[[Word], bool]) -> None:
    with pytest.raises(TypeError, match=r"no condition of Python.*choose\(bit, one, zero\)"):
        asked(word(8, 5))


@pytest.mark.parametrize(
    "asked",
    [
        lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: (a == b) & a,
        lambda a, b: a in (b,),
        lambda a, b: (a, a) == (a, b),
        lambda a, b: a == a,
    ],
)
def test_words_are_not_compared(asked: Callable[[Word, Word], bool]) -> None:
    with pytest.raises(TypeError, match=r"not compared by == and !=.*~\(a \^ b\)"):
        asked(word(8, 5), word(8, 5))


def test_words_stay_keys_of_dicts() -> None:
    a, b = word(8, 5), word(8, 5)
    assert a in (a, b) and {a: 1, b: 2}[b] == 2
    assert a != "a" and a is not b


def test_no_message_names_a_private_class() -> None:
    a = word(8, 5)
    with pytest.raises(TypeError, match="beside a word is a word or a number, not a tuple"):
        a ^ (a,)  # type: ignore[operator]
    with pytest.raises(TypeError, match="a shift is by a number of bits"):
        a << a  # type: ignore[operator]
    with pytest.raises(ValueError, match="from 0 on, not -1"):
        a >> -1
    with pytest.raises(TypeError, match=r"'Word'") as caught:
        a / 2  # type: ignore[operator]
    assert "_Over" not in str(caught.value)


def test_what_does_not_fit_is_refused() -> None:
    a = word(8, 3)
    with pytest.raises(ValueError, match="operands of 8 and 4 bits"):
        a ^ word(4, 1)
    with pytest.raises(ValueError, match=r"w\[high:low\]"):
        a[0:3]
    with pytest.raises(ValueError, match="no 3 equal parts"):
        a.split(3)
    with pytest.raises(ValueError, match="2 entries, an address of 8 bits"):
        lookup(Table("t", 1, (0, 1)), a)
    with pytest.raises(ValueError, match="words of two builders"):
        under(IntBuilder(), a)


@pytest.mark.parametrize(("key", "plain", "cipher"), PRESENT.known_answers)
def test_present_outside_the_package(key: str, plain: str, cipher: str) -> None:
    made = PRESENT.encrypt_block(bytes.fromhex(key), bytes.fromhex(plain))
    assert made.hex() == cipher
    assert PRESENT.encrypt_block(bytes.fromhex(key), made, True).hex() == plain


@pytest.mark.parametrize(
    "cipher", [*(c for c in CATALOGUE.values() if isinstance(c, Standard)), PRESENT], ids=lambda c: c.name
)
def test_both_schedules_and_the_graph(cipher: Standard) -> None:
    """Round keys straight from the key and from step to step are the same, and the graph computes what the
    integers do.
    """
    r = random.Random(cipher.name)
    for bits in cipher.key_sizes:
        key, block = IntWord(bits, r.getrandbits(bits)), IntWord(cipher.block_bits, r.getrandbits(64))
        for way in (0, 1):
            form = form_of(cipher, bits)
            words = [over(B, w) for w in (block, key, IntWord(1, way))]
            direct, stepped = (value(form.crypt(*words, s)) for s in ("direct", "stepped"))
            assert direct == stepped == cipher.crypt(B, block, key, IntWord(1, way)).value
            b = GraphBuilder(cipher.name)
            ports = b.input("block", cipher.block_bits), b.input("key", bits), b.input("decrypt", 1)
            b.output("y", under(b, form.crypt(*(over(b, p) for p in ports), "stepped")))
            given = {"block": block.value, "key": key.value, "decrypt": way}
            assert evaluate(b.build(), given) == {"y": direct}


def test_a_million_encryptions_of_sm4() -> None:
    """The second example of the standard is what OpenSSL computes."""
    v = next(v for v in own_vectors("sm4") if v.iterations > 1)
    encrypt, block = OpenSSL(algorithms.SM4(v.key), modes.ECB()).encryptor(), v.pt
    for _ in range(v.iterations):
        block = encrypt.update(block)
    assert block == v.ct


@pytest.mark.parametrize("bits", CAMELLIA.key_sizes)
def test_subkeys_of_camellia_wait_for_one_rotation(bits: int) -> None:
    """Every subkey is read at the rotation of before or at the next one, 15 or 17 bits on."""
    at = [a for _, a, _ in subkeys(bits)]
    assert {y - x for x, y in pairwise(at)} <= {0, 15, 17}
    assert len(at) == len(CAMELLIA.steps(bits))


def test_every_cipher_is_typed_words() -> None:
    """A cipher's text has no value of just any type."""
    folder = Path(cipherwright.cipher.__file__).parent
    assert len(list(folder.glob("*.py"))) > len(CATALOGUE)
    assert [p.name for p in folder.glob("*.py") if re.search(r"\bAny\b", p.read_text())] == []


@pytest.mark.parametrize("seed", range(20))
def test_the_tests_cipher_is_its_description(seed: int) -> None:
    """Its blocks are computed from tables of bytes, and the hardware is made from the description."""
    r = random.Random(seed)
    key, block = r.randbytes(16), r.randbytes(16)
    for decrypt in (False, True):
        assert LIGHT.encrypt_block(key, block, decrypt) == Standard.encrypt_block(LIGHT, key, block, decrypt)
    with pytest.raises(ValueError, match="takes blocks of 16 bytes, not 15"):
        LIGHT.encrypt_block(key, block[1:])
