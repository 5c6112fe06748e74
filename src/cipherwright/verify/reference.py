"""What results are compared with: a cipher's independent implementation, or the description itself where
no library has the cipher.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cipher import CATALOGUE, Cipher
from ..graph import Bits, Graph, GraphBuilder, evaluate_many, from_words, to_words
from .oracle import has_oracle, oracle_blocks, oracle_bulk, oracle_mode, oracle_name, oracle_of

__all__ = ["Reference", "reference_of"]

_Bytes = NDArray[np.uint8]

_MANY = 64
"""Blocks from which it is quicker to evaluate them side by side than one by one."""


@dataclass(frozen=True)
class Reference:
    """The reference of a `cipher` with keys of `key_bits`. `library`: the name under which a library's cipher
    is known; empty: the description of `cipher`.
    """

    cipher: Cipher
    key_bits: int
    library: str

    @property
    def name(self) -> str:
        """What it is called in verdicts."""
        return oracle_name(self.library) if self.library else "the description"

    def bulk(self, key: bytes, data: bytes, decrypt: bool) -> bytes:
        """ECB of `data`, a whole number of blocks, under one `key`, encrypted or where `decrypt` decrypted;
        all bytes in the standard's order. Raises NotChecked where the library is not installed.
        """
        if self.library:
            return oracle_bulk(self.library, key, data, decrypt)
        size = self.cipher.block_bits // 8
        if len(data) >= _MANY * size:
            rows = [np.frombuffer(x, dtype=np.uint8) for x in (key, data)]
            way = np.full((1, 1), decrypt, dtype=np.uint8)
            return self.blocks(rows[0].reshape(1, -1), way, rows[1].reshape(-1, size)).tobytes()
        return b"".join(
            self.cipher.encrypt_block(key, data[i : i + size], decrypt) for i in range(0, len(data), size)
        )

    def blocks(self, keys: _Bytes, decrypts: _Bytes, blocks: _Bytes) -> _Bytes:
        """One block each: `blocks` (n, block bytes) under `keys` (n, key bytes) in the directions `decrypts`
        (n; 1: decryption). Keys and directions change from block to block (arrays of one entry: the same
        throughout).
        """
        if self.library:
            return oracle_blocks(self.library, keys, decrypts, blocks)
        n = len(blocks)

        def column(rows: _Bytes, width: int) -> Bits:
            return from_words(
                [int.from_bytes(r.tobytes(), "big") for r in np.broadcast_to(rows, (n, rows.shape[1]))], width
            )

        given = {
            "block": column(blocks, self.cipher.block_bits),
            "key": column(keys, self.key_bits),
            "decrypt": column(decrypts.reshape(-1, 1), 1),
        }
        words = to_words(evaluate_many(_graph(self.cipher, self.key_bits), given)["block"])
        return np.array([list(w.to_bytes(blocks.shape[1], "big")) for w in words], dtype=np.uint8)

    def mode(self, mode: str, key: bytes, iv: bytes, data: bytes, decrypt: bool) -> bytes | None:
        """A message, `data`, in the mode of operation `mode` under `key` and with the first block's `iv`,
        encrypted or where `decrypt` decrypted, by the library's own mode, or None where it has none.
        """
        return oracle_mode(self.library, mode, key, iv, data, decrypt) if self.library else None


@lru_cache(maxsize=4)
def _graph(cipher: Cipher, key_bits: int) -> Graph:
    """The cipher in both directions, block by block."""
    b = GraphBuilder(cipher.name)
    block, key = b.input("block", cipher.block_bits), b.input("key", key_bits)
    b.output("block", cipher.crypt(b, block, key, b.input("decrypt", 1)))
    return b.build()


def reference_of(parameters: Mapping[str, Any]) -> Reference:
    """The reference of a core with these `parameters`: with another number of rounds than the standard's, no
    library has the cipher.
    """
    p = parameters
    cipher = CATALOGUE[p["cipher"]].with_block(p["block_bits"])
    if p["rounds"] is not None:
        return Reference(cipher.with_rounds(p["rounds"]), p["key_bits"], "")
    library = oracle_of(p)
    return Reference(cipher, p["key_bits"], library if has_oracle(library) else "")
