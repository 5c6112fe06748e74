"""The form of a cipher that is still described over a builder and not as its standard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from ..cipher import BuilderCipher, Cipher, Standard
from ..cipher.word import Word, Words, all_over, all_under, builder_of, over, under
from .form import Form

__all__ = ["Described"]


class Described(Form):
    """Every part by the cipher's own functions."""

    def __init__(self, cipher: Cipher, key_bits: int) -> None:
        assert isinstance(cipher, BuilderCipher)
        cipher.check_key_bits(key_bits)
        self.described, self.key_bits = cipher, key_bits
        self.cipher = cast(Standard, cipher)
        self.loop = "keyed" if cipher.first_key else "plain"
        self.first_key, self.last_key = cipher.first_key, cipher.last_key

    @property
    def rounds(self) -> int:
        return self.described.rounds(self.key_bits)

    @property
    def round_keys(self) -> int:
        return self.described.round_keys(self.key_bits)

    def start(self, block: Word, round_key: Word | None = None) -> Words:
        b = builder_of(block)
        return all_over(b, self.described.start(b, under(b, block), _maybe(b, round_key)))

    def round(self, index: int, state: Words, round_key: Word) -> Words:
        b = builder_of(round_key)
        made = self.described.round(b, self.key_bits, index, all_under(b, state), under(b, round_key))
        return all_over(b, self.described.turn(b, self.key_bits, index, made))

    def finish(self, state: Words, round_key: Word | None = None) -> Word:
        b = builder_of(state[0])
        return over(b, self.described.finish(b, all_under(b, state), _maybe(b, round_key)))

    def folded_round(self, control: Word, state: Words, round_key: Word) -> Words:
        b = builder_of(round_key)
        return all_over(
            b,
            self.described.folded_round(
                b, self.key_bits, under(b, control), all_under(b, state), under(b, round_key)
            ),
        )

    def key_words(self, index: int) -> int:
        return self.described.key_words(self.key_bits, index)

    def supplied_key(self, word: Word, back: Word) -> Word:
        b = builder_of(word)
        return over(b, self.described.supplied_key(b, under(b, word), under(b, back)))

    def _key(self, b: Any, key: Word) -> Any:
        return self.described.effective_key(b, under(b, key))

    def direct_keys(self, key: Word, back: Word, variant: str = "kept") -> Iterator[Word]:
        b = builder_of(key)
        made = self.described.direct_keys(b, self.key_bits, self._key(b, key), under(b, back), variant)
        return (over(b, k) for k in made)

    @property
    def control_bits(self) -> int:
        return self.described.control_bits(self.key_bits)

    def key_setup(self, back: bool) -> int:
        return self.described.key_setup(self.key_bits, back)

    def key_control(self, index: int, back: bool = False) -> int:
        return self.described.key_control(self.key_bits, index, back)

    def key_start(self, key: Word, back: Word) -> Words:
        b = builder_of(key)
        return all_over(b, self.described.key_start(b, self.key_bits, self._key(b, key), under(b, back)))

    def key_step(self, control: Word, state: Words, back: Word) -> tuple[Word, Words]:
        b = builder_of(control)
        round_key, after = self.described.key_step(
            b, self.key_bits, under(b, control), all_under(b, state), under(b, back)
        )
        return over(b, round_key), all_over(b, after)


def _maybe(b: Any, word: Word | None) -> Any:
    return None if word is None else under(b, word)
