"""cipherwright encrypt"""

from __future__ import annotations

from .crypt import CryptLine, crypt_file

__all__ = ["encrypt"]


def encrypt(line: CryptLine) -> None:
    """Encrypt a file through the simulated hardware."""
    crypt_file(False, line)
