"""Independent implementations, each by its own library: in bulk under one key, or block by block."""

from __future__ import annotations

import ctypes
import platform
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cache import cached, load_library
from ..cipher import CATALOGUE
from ..cipher.ccm import CcmInput
from ..errors import NotChecked, UserError
from ..process import run_process
from ..tools import digest, find, scratch, version_of
from .references import CipherReference, cipher_reference

__all__ = [
    "cipher_under",
    "has_oracle",
    "library_cipher",
    "openssl_version",
    "oracle_blocks",
    "oracle_bulk",
    "oracle_ccm",
    "oracle_cmac",
    "oracle_gcm",
    "oracle_mode",
    "oracle_name",
    "oracle_of",
    "oracle_xts",
]

Bulk = Callable[[bytes, bool], bytes]
"""(data of a whole number of blocks, decrypt) -> ECB result, under a key that was set before."""


def openssl_version() -> str:
    """OpenSSL's own version text."""
    from cryptography.hazmat.backends.openssl import backend

    return str(backend.openssl_version_text())


@cache
def library(file: str, package: str) -> ctypes.CDLL:
    """The shared library `file` of this machine, which Debian's `package` has. Raises NotChecked where it is
    not installed.
    """
    try:
        return ctypes.CDLL(file)
    except OSError:
        raise NotChecked(
            f"the library {file} is not installed; get it by: apt-get install {package}"
        ) from None


def _openssl_keyed(algorithm: str, key: bytes) -> Any:
    """A cipher of the package `cryptography` under a key. It calls some of them legacy at every use."""
    from cryptography.hazmat.decrepit.ciphers import algorithms as legacy
    from cryptography.hazmat.primitives.ciphers import algorithms

    made = getattr(legacy, algorithm, None) or getattr(algorithms, algorithm)
    if made is legacy.TripleDES:  # which takes three keys
        key = {8: key * 3, 16: key + key[:8], 24: key}[len(key)]
    return made(key)


def _openssl_cipher(algorithm: str, key: bytes, mode: str, iv: bytes = b"") -> Any:
    from cryptography.hazmat.primitives.ciphers import Cipher, modes

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some modes are called legacy, too
        how = getattr(modes, mode.upper())(*([iv] if iv else []))
        return Cipher(_openssl_keyed(algorithm, key), how)


def _openssl(algorithm: str, key: bytes) -> Bulk:
    return _openssl_bulk(_openssl_cipher(algorithm, key, "ecb"))


def _openssl_bulk(cipher: Any) -> Bulk:
    def bulk(data: bytes, decrypt: bool) -> bytes:
        worker = cipher.decryptor() if decrypt else cipher.encryptor()
        return bytes(worker.update(data) + worker.finalize())

    return bulk


def _libtomcrypt(algorithm: str, key: bytes) -> Bulk:
    lib = library("libtomcrypt.so.1", "libtomcrypt1")
    described = ctypes.c_char.in_dll(lib, f"{algorithm}_desc")
    number = lib.register_cipher(ctypes.c_void_p(ctypes.addressof(described)))
    state = ctypes.create_string_buffer(
        1 << 14
    )  # symmetric_ECB: two numbers and a union of every cipher's tables
    if number < 0 or lib.ecb_start(number, key, len(key), 0, state):
        raise RuntimeError("libtomcrypt refuses the key")

    def bulk(data: bytes, decrypt: bool) -> bytes:
        out = ctypes.create_string_buffer(len(data))
        if (lib.ecb_decrypt if decrypt else lib.ecb_encrypt)(data, out, ctypes.c_ulong(len(data)), state):
            raise RuntimeError("libtomcrypt refuses the data")
        return out.raw

    return bulk


def _libmcrypt(algorithm: str, key: bytes) -> Bulk:
    lib = library("libmcrypt.so.4", "libmcrypt4")
    lib.mcrypt_module_open.restype = ctypes.c_void_p

    def bulk(data: bytes, decrypt: bool) -> bytes:
        handle = ctypes.c_void_p(lib.mcrypt_module_open(algorithm.encode(), None, b"ecb", None))
        if not handle.value or lib.mcrypt_generic_init(handle, key, len(key), None) < 0:
            raise RuntimeError(f"libmcrypt refuses {algorithm} with a key of {len(key)} bytes")
        text = ctypes.create_string_buffer(data, len(data))
        (lib.mdecrypt_generic if decrypt else lib.mcrypt_generic)(handle, text, len(data))
        lib.mcrypt_generic_end(handle)
        return text.raw

    return bulk


class _BotanCipher:
    """A Botan block cipher object, freed with its owner."""

    def __init__(self, name: str, key: bytes) -> None:
        self.lib = library("libbotan-2.so.19", "libbotan-2-19")
        self.handle = ctypes.c_void_p()
        if self.lib.botan_block_cipher_init(ctypes.byref(self.handle), name.encode()):
            raise NotChecked(
                f"this Botan has no {name} (it was dropped in Botan 3); get it by: apt-get install "
                f"libbotan-2-19"
            )
        self.size = int(self.lib.botan_block_cipher_block_size(self.handle))
        self.lib.botan_block_cipher_set_key(self.handle, key, ctypes.c_size_t(len(key)))

    def __call__(self, data: bytes, decrypt: bool) -> bytes:
        out = ctypes.create_string_buffer(len(data))
        step = (
            self.lib.botan_block_cipher_decrypt_blocks
            if decrypt
            else self.lib.botan_block_cipher_encrypt_blocks
        )
        if step(self.handle, data, out, ctypes.c_size_t(len(data) // self.size)):
            raise RuntimeError("Botan refuses the data")
        return out.raw

    def __del__(self) -> None:
        self.lib.botan_block_cipher_destroy(self.handle)


@cache
def _cryptopp_shim(algorithm: str) -> ctypes.CDLL:
    """The shim over Crypto++ for a cipher, compiled once for its text."""
    text, compiler = (resources.files(__package__) / f"oracle_{algorithm}.cpp").read_text(), find("g++")

    def make(folder: Path) -> None:
        with scratch() as work:
            (work / "shim.cpp").write_text(text)
            done = run_process(
                [
                    compiler,
                    "-O2",
                    "-shared",
                    "-fPIC",
                    "-o",
                    str(folder / "shim.so"),
                    str(work / "shim.cpp"),
                    "-lcryptopp",
                ]
            )
        if done.returncode:
            raise NotChecked(
                "Crypto++ is not installed, or not with its headers; get it by: apt-get install "
                "libcrypto++-dev"
            )

    made_with = digest(platform.machine(), compiler, version_of(compiler), text)[:24]
    return load_library(cached(f"oracle-{algorithm}-{made_with}", make) / "shim.so")


def _cryptopp(algorithm: str, key: bytes) -> Bulk:
    ecb = getattr(_cryptopp_shim(algorithm), f"{algorithm}_ecb")

    def bulk(data: bytes, decrypt: bool) -> bytes:
        out = ctypes.create_string_buffer(len(data))
        ecb(key, len(key), int(decrypt), data, out, ctypes.c_uint64(len(data) // 16))
        return out.raw

    return bulk


_LIBRARIES: dict[str, Callable[[str, bytes], Bulk]] = {
    "OpenSSL": _openssl,
    "libtomcrypt": _libtomcrypt,
    "libmcrypt": _libmcrypt,
    "Crypto++": _cryptopp,
    "Botan": _BotanCipher,
}
"""Library -> (algorithm, key) -> ECB. Which library has which cipher is in references.toml."""


def library_cipher(library: str, algorithm: str, key: bytes) -> Bulk:
    """ECB of the `algorithm`, by the name that the `library` has for it, under one `key`. Raises NotChecked
    where the library is not installed, or has no such cipher.
    """
    return _LIBRARIES[library](algorithm, key)


def oracle_of(parameters: Mapping[str, Any]) -> str:
    """The name under which the other functions know the cipher of a core with these `parameters`: with the
    block size where that is a choice.
    """
    name = str(parameters["cipher"])
    return f"{name}-{parameters['block_bits']}" if CATALOGUE[name].block_sizes else name


def _reference(name: str) -> CipherReference:
    """The entry of a cipher that `oracle_of` names."""
    cipher, _, block_bits = name.partition("-")
    entry = cipher_reference(cipher)
    return replace(entry, algorithm=entry.algorithm.format(block_bits=block_bits))


def has_oracle(name: str) -> bool:
    """Whether a library has the cipher `name` (of `oracle_of`)."""
    return _reference(name).library != ""


def _oracle(name: str) -> CipherReference:
    if not has_oracle(name):
        raise UserError(f"there is no independent implementation of {name} to compare with")
    return _reference(name)


def oracle_name(name: str) -> str:
    """The library that the cipher `name` (of `oracle_of`) is compared with. Raises UserError where there is
    none.
    """
    return _oracle(name).library


@lru_cache(maxsize=4096)
def cipher_under(name: str, key: bytes) -> Bulk:
    """The cipher `name` (of `oracle_of`) of its library under one `key`. The last 4,096 are kept:
    `cipher_under.cache_clear()` forgets them. Raises UserError where no library has the cipher, NotChecked
    where its library is not installed.
    """
    found = _oracle(name)
    return library_cipher(found.library, found.algorithm, key)


def oracle_bulk(name: str, key: bytes, data: bytes, decrypt: bool) -> bytes:
    """ECB of `data`, a whole number of blocks, under `key`, encrypted or where `decrypt` decrypted, by the
    library of the cipher `name` (of `oracle_of`). All bytes are in the standard's order. Raises as
    `cipher_under`.

    >>> key, block = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")  # FIPS 197, C.1
    >>> oracle_bulk("aes", key, block, False).hex()
    '69c4e0d86a7b0430d8cdb78070b4c55a'
    """
    return cipher_under(name, key)(data, decrypt)


def oracle_mode(name: str, mode: str, key: bytes, iv: bytes, data: bytes, decrypt: bool) -> bytes | None:
    """A message, `data`, in the mode of operation `mode` under `key` and with the first block's `iv`,
    encrypted or where `decrypt` decrypted, by the own mode of the library of the cipher `name` (of
    `oracle_of`), or None where it has none for the cipher.
    """
    found = _reference(name)
    if mode not in found.modes:
        return None
    return _openssl_bulk(_openssl_cipher(found.algorithm, key, mode, iv))(data, decrypt)


_GCM_IVS = (8, 128)
"""Bytes of an IV of GCM: the fewest and the most that the library takes."""


def oracle_gcm(name: str, key: bytes, iv: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes] | None:
    """Ciphertext and whole tag of the message `text` with the additional data `aad`, under `key` and `iv`, by
    the own GCM of the library of the cipher `name` (of `oracle_of`), or None where it has none for the
    cipher, or takes no IV of this length: OpenSSL takes 8 to 128 bytes.
    """
    found = _reference(name)
    if not found.gcm or not _GCM_IVS[0] <= len(iv) <= _GCM_IVS[1]:
        return None
    worker = _openssl_cipher(found.algorithm, key, "gcm", iv).encryptor()
    worker.authenticate_additional_data(aad)
    made = worker.update(text) + worker.finalize()
    return bytes(made), bytes(worker.tag)


def oracle_ccm(name: str, key: bytes, given: CcmInput, tag_bytes: int) -> tuple[bytes, bytes] | None:
    """Ciphertext and tag of `tag_bytes` bytes of the message `given` under `key` by the own CCM of the
    library of the cipher `name` (of `oracle_of`), or None where it has none for the cipher.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESCCM

    if not _reference(name).ccm:
        return None
    made = AESCCM(key, tag_bytes).encrypt(given.nonce, given.data, given.aad)
    return made[: len(given.data)], made[len(given.data) :]


def oracle_cmac(name: str, key: bytes, message: bytes) -> bytes | None:
    """The whole tag of `message` under `key` by the own CMAC of the library of the cipher `name` (of
    `oracle_of`), or None where it has none for the cipher.
    """
    from cryptography.hazmat.primitives.cmac import CMAC

    found = _reference(name)
    if not found.cmac:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        worker = CMAC(_openssl_keyed(found.algorithm, key))
        worker.update(message)
        return bytes(worker.finalize())


def oracle_xts(name: str, key: bytes, number: bytes, unit: bytes, decrypt: bool) -> bytes | None:
    """The data unit `unit` with the number `number` (16 bytes, the least significant first) under `key` (both
    keys, that of the data first), encrypted or where `decrypt` decrypted, by the own XTS of the library of
    the cipher `name` (of `oracle_of`), or None where it has none for the cipher and the key's length. It
    takes no key with equal halves, so for that the answer is None, too.
    """
    found, half = _reference(name), len(key) // 2
    if 8 * half not in found.xts or key[:half] == key[half:]:
        return None
    return _openssl_bulk(_openssl_cipher(found.algorithm, key, "xts", number))(unit, decrypt)


def oracle_blocks(
    name: str, keys: NDArray[np.uint8], decrypts: NDArray[np.uint8], blocks: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """One block each by the library of the cipher `name` (of `oracle_of`): `blocks` (n, block bytes) under
    `keys` (n, key bytes) in the directions `decrypts` (n; 1: decryption). Keys and directions change from
    block to block (arrays of one entry: the same throughout). Raises as `cipher_under`.
    """
    n = len(blocks)
    keys, decrypts = np.broadcast_to(keys, (n, keys.shape[1])), np.broadcast_to(decrypts, (n,))
    out = b"".join(
        oracle_bulk(name, keys[i].tobytes(), blocks[i].tobytes(), bool(decrypts[i])) for i in range(n)
    )
    return np.frombuffer(out, dtype=np.uint8).reshape(blocks.shape)
