"""MARS: facts of its S-box and keys, and the engine's data paths against the rounds of the description."""

from __future__ import annotations

import random

import pytest

from cipherwright.arch.own.mars_mixer import mix_operation, mixer
from cipherwright.cipher import IntBuilder, Kind
from cipherwright.cipher import mars as description
from cipherwright.cipher.mars import (
    MARS,
    backward_mixing_round,
    expanded_key,
    forward_mixing_round,
    mask_step,
    run_mask,
)
from cipherwright.cipher.mars_tables import S0, S1, S
from cipherwright.cipher.word import Word, Words, all_under, over, under
from cipherwright.engine.mars.datapath import key_expansion_step
from cipherwright.verify import oracle_bulk

B = IntBuilder()


def of_width(width: int, value: int) -> Word:
    return over(B, B.const(width, value))


def word(value: int) -> Word:
    return of_width(32, value % (1 << 32))


def value(made: Word) -> int:
    return under(B, made).value


def values(made: Words) -> list[int]:
    return [w.value for w in all_under(B, made)]


def test_the_s_box() -> None:
    """What the designers ask of it (specification, section 2.4): no 0 or all ones, entries that differ in
    at least four bits.
    """
    assert len(set(S)) == 512
    assert 0 not in S
    assert (1 << 32) - 1 not in S
    assert min((S[i] ^ S[j]).bit_count() for i in range(512) for j in range(i)) >= 4
    assert (S0[0], S1[0]) == (0x09D0C479, S[256])


def slow_mask(w: int, top: int = 30) -> int:
    """Bit by bit: the middle bits of runs of ten or more equal bits, 2 to `top`."""
    mask = 0
    for t in range(2, top + 1):
        if not (w >> t & 1) == (w >> t - 1 & 1) == (w >> t + 1 & 1 if t < 31 else w >> t & 1):
            continue
        low = high = t
        while low > 0 and w >> low - 1 & 1 == w >> t & 1:
            low -= 1
        while high < 31 and w >> high + 1 & 1 == w >> t & 1:
            high += 1
        mask |= (high - low >= 9) << t
    return mask


def test_the_mask_of_long_runs() -> None:
    r = random.Random(2)
    values = [r.getrandbits(32) | ((1 << n) - 1) << r.randrange(32) for n in range(6, 33) for _ in range(40)]
    for w in [
        3,
        0xFFFFFFFF,
        0x7FFFFFFF,
        0x003FF003,
        *(v % (1 << 32) | 3 for v in values),
        *(~v % (1 << 32) | 3 for v in values),
    ]:
        assert value(run_mask(word(w))) == slow_mask(w)


def masked(key: bytes, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Multiplication keys before the mask step."""
    found: list[int] = []

    def noted(w: Word, *rest: Word) -> Word:
        found.append(value(w))
        return mask_step(w, *rest)

    monkeypatch.setattr(description, "mask_step", noted)
    expanded_key(of_width(8 * len(key), int.from_bytes(key, "big")))
    monkeypatch.undo()
    return found


@pytest.mark.parametrize("size", [16, 20, 44, 56])
def test_keys_that_need_the_mask(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Crypto++ agrees on keys with a mask, and on such as the tweak of round 2 changes (0.4 % of keys)."""
    r, seen, tweaked = random.Random(size), 0, 0
    for _ in range(5000):
        key = r.randbytes(size)
        if seen >= 3 and tweaked:
            break
        words = [w | 3 for w in masked(key, monkeypatch)]
        differs = any(slow_mask(w) != slow_mask(w, 31) for w in words)
        if (not any(slow_mask(w) for w in words) or seen >= 3) and not differs:
            continue
        seen, tweaked = seen + 1, tweaked + differs
        block = r.randbytes(16)
        assert MARS.encrypt_block(key, block) == oracle_bulk("mars", key, block, False)
    assert seen >= 3
    assert tweaked


def steps(state: Words, operation: int, halves: bool, keys: Words) -> Words:
    """The mixer of engine and loop over a round, with the S-boxes behind it."""
    for half in (of_width(1, 0), of_width(1, 1)) if halves else (None,):
        op = of_width(4, operation)
        addresses, _ = mixer(state, keys, op, (keys[0],) * 4, half)
        words = tuple(word(t[value(a)]) for t, a in zip((S0, S0, S1, S1), addresses, strict=True))
        _, state = mixer(state, keys, op, words, half)
    return state


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("backward", [False, True])
def test_the_mixer(backward: bool, halves: bool) -> None:
    """Round by round the same as the description; backward, the source word may be a subtraction ahead."""
    r = random.Random(3)
    zero = (word(0),) * 4
    for _ in range(10):
        state = tuple(word(r.getrandbits(32)) for _ in range(4))
        want = state
        for i in range(8):
            want = backward_mixing_round(want, i) if backward else forward_mixing_round(want, i)
            state = steps(state, mix_operation(i, backward), halves, zero)
            assert values(state[1:]) == values(want[1:])
            assert values(state) == values(want) or (backward and (i + 1) % 4 > 1)
        assert values(state) == values(want)
        keys = tuple(word(r.getrandbits(32)) for _ in range(4))
        total = steps(state, int(backward) | 2, False, keys)
        first, *others = (w - k if backward else w + k for w, k in zip(state, keys, strict=True))
        assert values(total) == values((*others, first))  # turned by a word, as by a round


@pytest.mark.parametrize("kind", dict.fromkeys(MARS.steps(128)), ids=lambda k: str(k.name))
def test_a_step_is_undone(kind: Kind) -> None:
    r = random.Random(kind.name)
    assert kind.undo
    for _ in range(20):
        state, key = tuple(word(r.getrandbits(32)) for _ in range(4)), of_width(128, r.getrandbits(128))
        assert values(kind.undo(kind.apply(state, kind.cut(key)), kind.cut(key))) == values(state)


def expanded_by_steps(key: list[int]) -> list[int]:
    """The 371 steps of the key expansion over a store, counted as cipherwright_mars_keys_formal.sv counts
    them: K[0..39].
    """
    words = len(key)
    store = {40 + i: w for i, w in enumerate(key)}

    def step(
        kind: int, to: int, a: int, other: int = 0, s: int = 0, before2: int = 0, number: int = 0
    ) -> int:
        given = (of_width(2, kind), *(word(x) for x in (a, other, s, before2)), of_width(6, number))
        store[to] = value(key_expansion_step(*given))
        return store[to]

    last, before_last = 0, 0
    for i in range(15):
        last, before_last = step(3, 40 + i, store[40 + i] if i < words else words if i == words else 0), last
    for j in range(4):
        for i in range(15):
            last, before_last = (
                step(0, 40 + i, store[40 + i], store[40 + (i - 7) % 15], 0, before_last, 4 * i + j),
                last,
            )
        for i in [*range(15)] * 4:
            last, before_last = step(1, 40 + i, store[40 + i], 0, S[last & 511]), last
        for i in range(10):
            step(3, 10 * j + i, store[40 + 4 * i % 15])
    for k in range(5, 36, 2):
        step(2, k, store[k], store[k - 1], S[265 + (store[k] & 3)])
    return [store[k] for k in range(40)]


@pytest.mark.parametrize("words", range(4, 15))
def test_the_order_of_steps_is_the_expansion(words: int) -> None:
    rng = random.Random(words)
    for _ in range(6):
        key = [rng.getrandbits(32) for _ in range(words)]
        given = int.from_bytes(b"".join(w.to_bytes(4, "little") for w in key), "big")
        assert expanded_by_steps(key) == values(expanded_key(of_width(32 * words, given)))
