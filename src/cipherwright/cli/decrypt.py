"""cipherwright decrypt"""

from __future__ import annotations

from .crypt import CryptLine, crypt_file

__all__ = ["decrypt"]


def decrypt(line: CryptLine) -> None:
    """Decrypt a file through the simulated hardware."""
    crypt_file(True, line)
