"""A key schedule that is one step ahead: both directions read the round key before the step."""

from __future__ import annotations

from ..cipher import IntBuilder, Standard
from ..cipher.word import Word, Words, choose, over
from .form import Form

__all__ = ["AheadForm"]


class AheadForm(Form):
    """For a schedule without setup whose key words are read after a step, and whose last state comes straight
    from the key (`Standard.key_end`). Encryption starts from the state after the first step, decryption from
    the last state. Then both directions read the round key before a step, and decryption waits for nothing.
    A control word is the constant of a step.
    """

    @staticmethod
    def suits(cipher: Standard, key_bits: int) -> bool:
        """Whether the key schedule of `cipher`, with keys of `key_bits`, is such a one."""
        b = IntBuilder()
        key = over(b, b.const(key_bits, 0))
        last, constant = cipher.key_end(key), key.const(cipher.control_width, 0)
        undone = last is not None and cipher.key_previous(constant, last) is not None
        return undone and cipher.key_after and not cipher.key_setup_steps(key_bits)

    @property
    def control_bits(self) -> int:
        return self.cipher.control_width

    def key_setup(self, back: bool) -> int:
        return 0

    def key_control(self, index: int, back: bool = False) -> int:
        """Encryption does the step of the next round key, decryption undoes the one of this."""
        return self._constant(self.rounds - 1 - index if back else index + 1)

    def key_start(self, key: Word, back: Word) -> Words:
        cipher, first = self.cipher, key.const(self.control_bits, self._constant(0))
        last = cipher.key_end(key)
        assert last is not None, "AheadForm.suits"
        start = zip(last, cipher.key_next(first, cipher.key_begin(key)), strict=True)
        return cipher.key_named(tuple(choose(back, a, b) for a, b in start))

    def key_step(self, control: Word, state: Words, back: Word) -> tuple[Word, Words]:
        cipher = self.cipher
        after, before = cipher.key_next(control, state), cipher.key_previous(control, state)
        assert before is not None, "AheadForm.suits"
        round_key = self.supplied_key(cipher.key_word(control, state), back)
        return round_key, cipher.key_named(
            tuple(choose(back, b, a) for b, a in zip(before, after, strict=True))
        )
