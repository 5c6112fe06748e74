"""MARS: facts of its S-box and keys, and the engine's data paths against the rounds of the description."""

from __future__ import annotations

import random

import pytest

from cipherwright.cipher import IntBuilder, IntWord
from cipherwright.cipher import mars as description
from cipherwright.cipher.mars import MARS, expanded_key, key_expansion_step, mask_step, mixing_round, run_mask
from cipherwright.cipher.mars_engine import engine_mixer, mix_operation
from cipherwright.cipher.mars_tables import S0, S1, S
from cipherwright.verify import oracle_bulk

B = IntBuilder()
State = tuple[IntWord, IntWord, IntWord, IntWord]


def word(value: int) -> IntWord:
    return IntWord(32, value % (1 << 32))


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
        assert run_mask(B, word(w)).value == slow_mask(w)


def masked(key: bytes, monkeypatch: pytest.MonkeyPatch) -> list[IntWord]:
    """Multiplication keys before the mask step."""
    found: list[IntWord] = []

    def noted(b: IntBuilder, w: IntWord, *rest: IntWord) -> IntWord:
        found.append(w)
        return IntWord(32, mask_step(b, w, *rest).value)

    monkeypatch.setattr(description, "mask_step", noted)
    expanded_key(B, IntWord(8 * len(key), int.from_bytes(key, "big")))
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
        words = [w.value | 3 for w in masked(key, monkeypatch)]
        differs = any(slow_mask(w) != slow_mask(w, 31) for w in words)
        if (not any(slow_mask(w) for w in words) or seen >= 3) and not differs:
            continue
        seen, tweaked = seen + 1, tweaked + differs
        block = r.randbytes(16)
        assert MARS.encrypt_block(key, block) == oracle_bulk("mars", key, block, False)
    assert seen >= 3
    assert tweaked


def steps(state: State, operation: int, halves: bool, keys: State) -> State:
    """The engine's mixer over a round, with the S-boxes behind it."""
    for half in (IntWord(1, 0), IntWord(1, 1)) if halves else (None,):
        op = IntWord(4, operation)
        addresses, _ = engine_mixer(B, state, keys, op, (keys[0],) * 4, half)
        words = tuple(word(t[a.value]) for t, a in zip((S0, S0, S1, S1), addresses, strict=True))
        _, state = engine_mixer(B, state, keys, op, (words[0], words[1], words[2], words[3]), half)
    return state


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("backward", [False, True])
def test_the_engines_mixer(backward: bool, halves: bool) -> None:
    """Round by round the same as the description; backward, the source word may be a subtraction ahead."""
    r = random.Random(3)
    zero = (word(0),) * 4
    for _ in range(10):
        state: State = (
            word(r.getrandbits(32)),
            word(r.getrandbits(32)),
            word(r.getrandbits(32)),
            word(r.getrandbits(32)),
        )
        want = state
        for i in range(8):
            want = mixing_round(B, want, i, backward)  # type: ignore[assignment]
            state = steps(state, mix_operation(i, backward), halves, zero)
            assert state[1:] == want[1:]
            assert state == want or (backward and (i + 1) % 4 > 1)
        assert state == want
        keys: State = (
            word(r.getrandbits(32)),
            word(r.getrandbits(32)),
            word(r.getrandbits(32)),
            word(r.getrandbits(32)),
        )
        total = steps(state, int(backward) | 2, False, keys)
        first, *others = ((B.sub if backward else B.add)(w, k) for w, k in zip(state, keys, strict=True))
        assert total == (*others, first)  # turned by a word, as by a round


def expanded_by_steps(key: list[int]) -> list[int]:
    """The 371 steps of the key expansion over a store, counted as cipherwright_mars_keys_formal.sv counts
    them: K[0..39].
    """
    b, words = IntBuilder(), len(key)
    store = {40 + i: w for i, w in enumerate(key)}

    def step(
        kind: int, to: int, a: int, other: int = 0, s: int = 0, before2: int = 0, number: int = 0
    ) -> int:
        given = (IntWord(2, kind), *(IntWord(32, x) for x in (a, other, s, before2)), IntWord(6, number))
        store[to] = int(key_expansion_step(b, *given).value)
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
        assert expanded_by_steps(key) == [
            int(w.value) for w in expanded_key(IntBuilder(), IntWord(32 * words, given))
        ]
