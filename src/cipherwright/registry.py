"""Ciphers from outside the package: registered objects, Python files, entry points.

The catalogue (`cipher.CATALOGUE`) is the one list of ciphers. What is added here stays for the process.
Code is imported only where the user names its file, or has installed a package with the entry point group
`cipherwright.ciphers`; nothing that a core folder says makes this module import anything.
"""

from __future__ import annotations

import hashlib
import inspect
import keyword
import linecache
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any

from .cipher import CATALOGUE, Cipher, Standard
from .cipher.contract import check_contract, check_tables
from .cipher.standard import Misfit
from .errors import UserError
from .files import reason
from .graph import GraphBuilder
from .naming import unfit_name

__all__ = [
    "GROUP",
    "Origin",
    "blaming",
    "check_origin",
    "cipher_from_file",
    "completed",
    "find_cipher",
    "here_alone",
    "known_ciphers",
    "origin",
    "register",
    "unfit_cipher_name",
    "unregister",
]

GROUP = "cipherwright.ciphers"
"""Entry points of this group name a `Cipher`: an object, or a class that takes no arguments."""

_MODULE = "cipherwright_cipher_file_"
"""What the names of modules begin with that are made of files."""

_OTHERS = frozenset(("cipherwright", *sys.stdlib_module_names)) - {"__main__"}
"""Modules that are not the user's."""

_BUILT_IN = frozenset(CATALOGUE)


@dataclass(frozen=True)
class Origin:
    """Where a cipher from outside the package was described.

    `where`: the file's name, or the module and class; `sha256`: of the text that describes it, "" where
    there is none to read (a class typed into an interpreter); `key`: two registrations of one cipher have
    the same.
    """

    where: str
    sha256: str
    key: tuple[str, ...]


_ORIGINS: dict[str, Origin] = {}


def here_alone(cipher: str) -> bool:
    """Whether `cipher` is the name of one that was registered in this process, and that no other process
    finds.
    """
    return cipher in _ORIGINS and cipher not in {e.name for e in metadata.entry_points(group=GROUP)}


def origin(cipher: str) -> dict[str, str]:
    """What a core's record says of the place from which the cipher named `cipher` came: `cipher_from` and
    `cipher_sha256`. Empty for the ciphers of the package.
    """
    found = _ORIGINS.get(cipher) if cipher in CATALOGUE else None
    return {"cipher_from": found.where, "cipher_sha256": found.sha256} if found else {}


def check_origin(cipher: str, given: Mapping[str, str], folder: Path) -> None:
    """Raise UserError where the core in `folder` is of the cipher `cipher`, and the catalogue has none of
    this name, or another description of it than the core was built from. `given`: what the core's record says
    of it, `cipher_from` and `cipher_sha256` among others.
    """
    where, wanted = given.get("cipher_from", ""), given.get("cipher_sha256", "")
    if where and cipher not in known_ciphers(cipher):
        digest = f" (SHA-256 {wanted[:16]}…)" if wanted else ""
        raise UserError(
            f"{folder} is a core of the cipher {cipher}, which came from {where}{digest}: give the file that "
            f"describes it with --cipher FILE.py"
        )
    found = origin(cipher).get("cipher_sha256", "")
    if wanted != found and (wanted or where == ""):
        raise UserError(
            f"{folder} was built from another description of {cipher} than the one that is here (SHA-256 "
            f"{wanted[:16] or 'of the package itself'}, here {found[:16] or 'of the package itself'}): give "
            f"the file that it was built from, or build it again"
        )


def register(cipher: Cipher | type[Cipher], source: Origin | None = None) -> Standard:
    """Put `cipher` into the catalogue and return it; a class is called without arguments first. source: where
    it was described (None: its class's module and name, and the digest of the text that has it). One whose
    origin has the same `key` takes the place of the cipher of its name that is registered.

    Raises UserError where it is no cipher, where its name can't name one or is taken by another, and where it
    does not encrypt, or does not decrypt what it encrypted.
    """
    made = _instance(cipher)
    at = source or _origin_of(made)
    name = made.name
    taken = CATALOGUE.get(name)
    if taken is not None and taken is not made:
        known = _ORIGINS.get(name)
        if name in _BUILT_IN or known is None or known.key != at.key:
            raise UserError(
                f"the name {name} is taken by {taken.title} ({known.where if known else taken.standard}); "
                f"give the cipher another name"
            )
    _try(made, at.where)
    _compute_answers(made, at.where)
    CATALOGUE[name] = made
    _ORIGINS[name] = at
    return made


def unregister(name: str) -> None:
    """Take the registered cipher `name` out of the catalogue, so that another one can have its name. Raises
    UserError where it was not registered.
    """
    if name not in _ORIGINS:
        raise UserError(f"the cipher {name} was not registered")
    CATALOGUE.pop(name, None)
    del _ORIGINS[name]


def unfit_cipher_name(name: str) -> str:
    """Why a cipher from outside the package can't have the name `name`; "" where it can.

    >>> unfit_cipher_name("my-cipher")
    "a cipher's name is of small letters a-z and digits, and begins with a letter"
    >>> unfit_cipher_name("toy")
    ''
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*", name):
        return "a cipher's name is of small letters a-z and digits, and begins with a letter"
    if keyword.iskeyword(name):
        return f"{name} is a keyword of Python"
    return unfit_name(name)


_STATEMENTS = (
    ("name", str, "a text"),
    ("title", str, "a text"),
    ("standard", str, "a text"),
    ("block_bits", int, "a number"),
    ("key_sizes", tuple, "a tuple of numbers"),
)
"""What a cipher states of itself: the attribute, its type, and what that is in words."""


def _instance(cipher: object) -> Standard:
    """The cipher itself, its statements checked. Raises UserError."""
    if isinstance(cipher, type) and issubclass(cipher, Cipher):
        cipher = _called(cipher)
    if not isinstance(cipher, Standard):
        raise UserError(
            f"a cipher is an object or a class of cipherwright.cipher.Standard, not {cipher!r:.80}"
        )
    for attribute, kind, what in _STATEMENTS:
        _check_statement(cipher, attribute, kind, what)
    if why := unfit_cipher_name(cipher.name):
        raise UserError(f"{cipher.name!r:.80} can't name a cipher: {why}")
    for bits in (cipher.block_bits, *cipher.key_sizes):
        if type(bits) is not int or bits < 8 or bits % 8:
            raise UserError(
                f"the cipher {cipher.name} has blocks and keys of whole bytes, not of {bits} bits"
            )
    _check_answers(cipher)
    return cipher


def _check_answers(cipher: Standard) -> None:
    """Raise UserError unless the known answers are texts of the cipher's sizes."""
    if not isinstance(cipher.known_answers, tuple | list):
        raise UserError(f"known_answers of {cipher.name} is no tuple of known answers")
    for answer in cipher.known_answers:
        try:
            key, *blocks = map(bytes.fromhex, answer)
            sizes = [8 * len(text) for text in blocks]
            fits = 8 * len(key) in cipher.key_sizes and sizes == [cipher.block_bits] * 2
        except (TypeError, ValueError):
            fits = False
        if not fits:
            raise UserError(
                f"{answer!r:.160} is no known answer of {cipher.name}: key, block and encrypted block, in "
                f"hexadecimal and of the cipher's sizes"
            )


def _compute_answers(cipher: Standard, where: str) -> None:
    """Raise UserError where the description gives another answer than a known one."""
    for key, block, answer in (tuple(map(bytes.fromhex, texts)) for texts in cipher.known_answers):
        if (made := cipher.encrypt_block(key, block)) != answer:
            raise UserError(
                f"the cipher {cipher.name} of {where} gives {made.hex()} for the key {key.hex()} and the "
                f"block {block.hex()}: its known answer is {answer.hex()}"
            )


def _called(kind: type[Cipher]) -> Cipher:
    """A cipher from its class. Raises UserError where the class is not complete or needs arguments."""
    if missing := sorted(getattr(kind, "__abstractmethods__", ())):
        raise UserError(f"the cipher {kind.__name__} lacks {', '.join(missing)}")
    try:
        return kind()
    except Exception as e:
        raise UserError(f"can't make the cipher {kind.__name__} without arguments: {_said(e)}") from None


def _check_statement(cipher: Standard, attribute: str, kind: type, what: str) -> None:
    """Raise UserError where a statement is missing, or is not one line of text where it is text."""
    value = getattr(cipher, attribute, None)
    if not isinstance(value, kind) or not value:
        raise UserError(f"the cipher {type(cipher).__name__} does not state its {attribute}, {what}")
    if isinstance(value, str) and not value.isprintable():
        raise UserError(f"the {attribute} of {type(cipher).__name__} is not one line of printable text")


def _try(cipher: Standard, where: str) -> None:
    """Encrypt and decrypt a block with each key size, and build the graph. Raises UserError where that
    fails.
    """
    block = bytes((37 * i + 1) & 255 for i in range(cipher.block_bits // 8))
    for bits in cipher.key_sizes:
        key = bytes((73 * i + 29) & 255 for i in range(bits // 8))
        try:
            check_contract(cipher, bits)
            back = cipher.encrypt_block(key, cipher.encrypt_block(key, block), True)
            b = GraphBuilder(cipher.name)
            given = b.input("block", cipher.block_bits), b.input("key", bits), b.input("decrypt", 1)
            b.output("block", cipher.crypt(b, *given))
            tables = [*cipher.lookups, *(node.attr for node in b.build().nodes if node.op == "lookup")]
            check_tables((table.name, table.width, table.entries) for table in tables)
            cipher.tables()
        except Exception as e:
            raise UserError(
                f"the cipher {cipher.name} of {where} fails with a key of {bits} bits: {_said(e)}"
            ) from e
        if cipher.steps(bits) != cipher.steps(bits):
            raise UserError(
                f"the cipher {cipher.name} of {where} has other kinds of steps at every call of steps: make "
                f"their functions outside it, so that a loop knows which steps are alike"
            )
        if back != block:
            raise UserError(
                f"the cipher {cipher.name} of {where} does not decrypt what it encrypted with a key of "
                f"{bits} bits"
            )


@contextmanager
def blaming(cipher: str) -> Iterator[None]:
    """Inside this `with` statement a core of the cipher named `cipher` is made. What the text of a cipher
    from outside the package raises becomes a UserError with its line; anything else is raised as it is.
    """
    try:
        yield
    except Exception as e:
        module = type(CATALOGUE[cipher]).__module__
        frames = (f.f_globals.get("__name__") for f, _ in walk_tb(e.__traceback__))
        if isinstance(e, UserError) or cipher not in _ORIGINS or module not in frames:
            raise
        raise UserError(f"the cipher {cipher} fails where a core is made of it: {_said(e)}") from e


def _said(error: BaseException) -> str:
    """What an exception says, and the line of the user's text that it comes from."""
    text = " ".join(str(error).split())[:300]
    if isinstance(error, Misfit):
        return text
    line = ""
    for frame, number in walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if not module.startswith("cipherwright.") and module.partition(".")[0] not in _OTHERS:
            line = f" ({Path(frame.f_code.co_filename).name}, line {number})"
    return f"{type(error).__name__}{': ' + text if text else ''}{line}"


def _origin_of(cipher: Cipher) -> Origin:
    """The origin of an object: its class's module and name, and the digest of the text that has it."""
    kind = type(cipher)
    where = f"{kind.__module__}.{kind.__qualname__}"
    text = b""
    try:
        file = Path(inspect.getsourcefile(kind) or "")
        text = file.read_bytes() if file.is_file() else inspect.getsource(kind).encode()
    except (OSError, TypeError):
        pass
    return Origin(where, hashlib.sha256(text).hexdigest() if text else "", (where,))


def cipher_from_file(path: Path) -> tuple[Standard, dict[str, Any]]:
    """The one cipher that the Python file `path` defines, registered, and its default options: the file's
    `SPEC`, a dict by option's name, or none. The file is run. Files beside it can be imported by it.

    Raises UserError where the file can't be read or run, defines no cipher or several, or has a `SPEC` that
    is no dict or asks for another cipher.
    """
    try:
        text = path.read_bytes()
    except OSError as e:
        raise UserError(f"can't read {path}: {reason(e)}") from None
    module = _run(path, text)
    ciphers = _defined(path, module)
    if len(ciphers) != 1:
        names = ", ".join(c.__name__ if isinstance(c, type) else type(c).__name__ for c in ciphers)
        raise UserError(f"{path} defines {f'several ciphers ({names})' if ciphers else 'no cipher'}, not one")
    defaults = getattr(module, "SPEC", {})
    if not isinstance(defaults, dict) or not all(isinstance(k, str) for k in defaults):
        raise UserError(f"SPEC in {path} is no dict of options by name")
    at = Origin(path.name, hashlib.sha256(text).hexdigest(), ("file", str(path.resolve())))
    cipher = register(ciphers[0], at)
    if defaults.get("cipher", cipher.name) != cipher.name:
        raise UserError(f"SPEC in {path} asks for another cipher than {cipher.name}, which the file defines")
    return cipher, defaults


def _run(path: Path, text: bytes) -> ModuleType:
    """The module that a file's text makes."""
    module = ModuleType(_MODULE + re.sub(r"\W", "_", path.stem))
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # where dataclasses and inspect look for it
    linecache.checkcache(str(path))
    try:
        code = compile(text, str(path), "exec", dont_inherit=True)
        with _beside(path.resolve().parent):
            exec(code, module.__dict__)
    except SyntaxError as e:
        line = f", line {e.lineno}" if e.lineno else ""
        raise UserError(f"{path}{line} is no Python: {e.msg}") from None
    except (Exception, SystemExit) as e:
        raise UserError(f"{path} can't be run: {_said(e)}") from None
    return module


@contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Modules of a folder can be imported, after all others, and no compiled copy of them is written."""
    written = sys.dont_write_bytecode
    sys.path.append(str(folder))
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = written
        sys.path.remove(str(folder))


def _defined(path: Path, module: ModuleType) -> list[Cipher | type[Cipher]]:
    """Ciphers of a module: its objects, or where there is none the classes that it defines itself and that
    no other of them is made from.
    """
    values = list(vars(module).values())
    objects = list({id(v): v for v in values if isinstance(v, Cipher)}.values())
    if objects:
        own = [v for v in objects if type(v).__module__ == module.__name__]
        return list(own or objects)
    classes = [
        v
        for v in dict.fromkeys(v for v in values if isinstance(v, type))
        if issubclass(v, Cipher) and v.__module__ == module.__name__
    ]
    return [c for c in classes if not any(d is not c and issubclass(d, c) for d in classes)]


def _entry_points() -> dict[str, metadata.EntryPoint]:
    return {e.name: e for e in metadata.entry_points(group=GROUP)}


def find_cipher(name: str) -> Standard | None:
    """The cipher called `name`, from the catalogue, or from an installed package that has an entry point of
    this name; None where there is none. Raises UserError where the entry point can't be loaded or does not
    give that cipher.
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    point = _entry_points().get(name)
    if point is None:
        return None
    package = point.dist.name if point.dist else point.value
    try:
        found = point.load()
    except Exception as e:
        raise UserError(f"can't load the cipher {name} of the package {package}: {_said(e)}") from None
    cipher = _instance(found)
    if cipher.name != name:
        raise UserError(
            f"the package {package} promises the cipher {name} and gives {cipher.name}: its entry point and "
            f"the cipher's name differ"
        )
    at = _origin_of(cipher)
    return register(cipher, Origin(f"{package}: {point.value}", at.sha256, at.key))


def known_ciphers(wanted: str = "") -> dict[str, Standard]:
    """The catalogue, cipher by name, after the ciphers of all installed packages were registered, or only the
    one named `wanted` where that is not empty. It is the catalogue itself, not a copy. Raises UserError as
    `find_cipher`.
    """
    for name in [wanted] if wanted else sorted(_entry_points()):
        find_cipher(name)
    return CATALOGUE


def completed(data: Mapping[str, Any]) -> dict[str, Any]:
    """The options `data`, by name, with what the cipher leaves no choice of, its block and a key of its only
    size, and with what GCM leaves no choice of in a pipeline, a key that is held and expanded by a unit. What
    `data` says itself stays. Raises UserError where there is a choice of keys and `data` makes none.
    """
    cipher = find_cipher(data["cipher"]) if isinstance(data.get("cipher"), str) else None
    only = dict[str, Any]()
    if data.get("mode") == "gcm" and data.get("architecture", "pipelined") == "pipelined":
        only |= {"key": "static", "key_expansion": "unit"}
    if cipher:
        only["block_bits"] = cipher.block_bits
        if len(cipher.key_sizes) == 1:
            only["key_bits"] = cipher.key_sizes[0]
        elif data.get("key_bits") is None:
            sizes = ", ".join(map(str, cipher.key_sizes))
            raise UserError(f"key_bits is not given: {cipher.title} has keys of {sizes} bits")
    return {**only, **data}
