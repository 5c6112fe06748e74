"""Independent implementations: OpenSSL (through `cryptography`), block by block and in bulk."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UserError

__all__ = ["openssl_blocks", "openssl_bulk", "openssl_version"]


def openssl_version() -> str:
    """OpenSSL's own version text."""
    from cryptography.hazmat.backends.openssl import backend

    return str(backend.openssl_version_text())


@lru_cache(maxsize=4096)
def _cipher(name: str, key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers import Cipher, modes

    if name not in ("des", "tdes"):
        raise UserError(f"OpenSSL has no {name} to compare with")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `cryptography` calls these ciphers legacy at every use
        from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES

        full = {8: key * 3, 16: key + key[:8], 24: key}[len(key)]
        return Cipher(TripleDES(full), modes.ECB())


def openssl_bulk(name: str, key: bytes, data: bytes, decrypt: bool) -> bytes:
    """ECB of a whole number of blocks."""
    c = _cipher(name, key)
    worker = c.decryptor() if decrypt else c.encryptor()
    return bytes(worker.update(data) + worker.finalize())


def openssl_blocks(
    name: str, keys: NDArray[np.uint8], decrypts: NDArray[np.uint8], blocks: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """One block each; keys and directions change from block to block (arrays of one entry: the same throughout)."""
    n = len(blocks)
    keys, decrypts = np.broadcast_to(keys, (n, keys.shape[1])), np.broadcast_to(decrypts, (n,))
    out = b"".join(
        openssl_bulk(name, keys[i].tobytes(), blocks[i].tobytes(), bool(decrypts[i])) for i in range(n)
    )
    return np.frombuffer(out, dtype=np.uint8).reshape(blocks.shape)
