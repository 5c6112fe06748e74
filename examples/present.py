"""PRESENT (Bogdanov et al., CHES 2007): 64-bit block, keys of 80 or 128 bits, 31 rounds.

cipherwright build examples/present.py -o out
cipherwright verify out --cipher examples/present.py
"""

from cipherwright.cipher import Kind, Standard
from cipherwright.cipher.word import Table, Word, Words, concat, lookup

S = Table("S", 4, (12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2))
INV_S = Table("InvS", 4, tuple(S.entries.index(x) for x in range(16)))
P = [63 if i == 63 else 16 * i % 63 for i in range(64)]  # bit i moves to bit P[i]: table 2 of section 3
ADD_ROUND_KEY = Kind("addRoundKey", 64, lambda state, key: (state[0] ^ key,), rounds=0)

SPEC = {"key_bits": 80, "direction": "both", "stages": 32}


def _round(state: Words, key: Word) -> Words:
    """addRoundKey, sBoxLayer, pLayer."""
    return ((state[0] ^ key).each(4, lambda x: lookup(S, x)).bits([P.index(k) for k in reversed(range(64))]),)


def _round_back(state: Words, key: Word) -> Words:
    return (state[0].bits([P[k] for k in reversed(range(64))]).each(4, lambda x: lookup(INV_S, x)) ^ key,)


class Present(Standard):
    name = "present"
    title = "PRESENT"
    standard = "CHES 2007, LNCS 4727"
    block_bits = 64
    lookups = (S, INV_S)
    key_sizes = (80, 128)
    control_width = 5
    known_answers = (  # 80 bits: appendix I; 128 bits: what other implementations give
        ("00" * 10, "00" * 8, "5579c1387b228445"),
        ("ff" * 10, "00" * 8, "e72c46c0f5945049"),
        ("00" * 10, "ff" * 8, "a112ffc72f68417b"),
        ("ff" * 10, "ff" * 8, "3333dcd3213210d2"),
        ("00" * 16, "00" * 8, "96db702a2e6900af"),
        ("ff" * 16, "00" * 8, "13238c710272a5d8"),
        ("00" * 16, "ff" * 8, "3c6019e5e5edd563"),
        ("ff" * 16, "ff" * 8, "628d9fbd4218e5b4"),
    )

    def steps(self, key_bits: int) -> tuple[Kind, ...]:
        return (Kind("round", 64, _round, _round_back),) * 31 + (ADD_ROUND_KEY,)

    def begin(self, block: Word) -> Words:
        return (block,)

    def end(self, state: Words) -> Word:
        return state[0]

    def key_begin(self, key: Word) -> Words:
        return (key,)

    def key_constants(self, key_bits: int) -> tuple[int, ...]:
        return tuple(range(1, 32))

    def key_word(self, constant: Word, state: Words) -> Word:
        return state[0][state[0].width - 1 : state[0].width - 64]

    def _change(self, constant: Word, key: Word, table: Table) -> Word:
        """The S-box on the leftmost nibble, or two for 128 bits, and the round counter."""
        boxes, low = (1, 15) if key.width == 80 else (2, 62)
        top = key.width - 4 * boxes
        counted = concat(key[top - 1 : low + 5], key[low + 4 : low] ^ constant, key[low - 1 : 0])
        return concat(key[key.width - 1 : top].each(4, lambda x: lookup(table, x)), counted)

    def key_next(self, constant: Word, state: Words) -> Words:
        return (self._change(constant, state[0].rotl(61), S),)

    def key_previous(self, constant: Word, state: Words) -> Words:
        return (self._change(constant, state[0], INV_S).rotr(61),)


PRESENT = Present()
