"""What checks know of each cipher beside its description: the table `references.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["CipherReference", "cipher_reference"]


@dataclass(frozen=True)
class CipherReference:
    """An entry of the table; the defaults are those of a cipher that it does not have.

    library: the independent implementation ("": none is known); algorithm: what that library calls the
    cipher, with {block_bits} where the block's size is a choice; modes: modes of operation besides ECB in
    which OpenSSL has it; gcm, ccm, cmac: whether it has it in GCM, CCM and CMAC as well; xts: bits of each of
    the two keys with which it has it in XTS; odd_parity: whether Monte Carlo keys get
    odd parity in every byte; chains: the document by which published Monte Carlo chains in CBC, CFB and
    OFB are made ("": there are none).

    >>> cipher_reference("misty1").library
    'Botan'
    """

    library: str = ""
    algorithm: str = ""
    modes: tuple[str, ...] = ()
    gcm: bool = False
    ccm: bool = False
    cmac: bool = False
    xts: tuple[int, ...] = ()
    odd_parity: bool = False
    chains: str = ""


@cache
def _table() -> Mapping[str, CipherReference]:
    text = (resources.files(__package__) / "references.toml").read_text()
    entries: dict[str, dict[str, Any]] = tomllib.loads(text)
    lists = {"modes": (), "xts": ()}
    return {
        name: CipherReference(**{**entry, **{n: tuple(entry.get(n, none)) for n, none in lists.items()}})
        for name, entry in entries.items()
    }


def cipher_reference(cipher: str) -> CipherReference:
    """The entry of a `cipher` by its name in the catalogue."""
    return _table().get(cipher, CipherReference())
