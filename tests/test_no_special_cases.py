"""No cipher is named where all ciphers are treated alike: names stand in `cipher/`, `engine/` and data."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from cipherwright.cipher import CATALOGUE, Standard
from cipherwright.cipher.gcm import gcm
from cipherwright.engine import ENGINES, KEY_STORES, register
from cipherwright.engine.mars import MarsEngine
from cipherwright.errors import UserError
from cipherwright.spec import ENGINE_OPTIONS
from cipherwright.verify.oracle import oracle_gcm, oracle_mode
from cipherwright.verify.references import cipher_reference
from tests.conftest import ROOT

PACKAGE = ROOT / "src" / "cipherwright"
NAMED = ("cipher", "engine", "data")
"""Rooms that may name ciphers."""
BUILT_IN = frozenset(n for n, c in CATALOGUE.items() if type(c).__module__.startswith("cipherwright."))


WORDS = re.compile(rf"(?<![a-z0-9])({'|'.join(sorted(BUILT_IN))})(?![a-z0-9])", re.IGNORECASE)
KNOWN = {
    "arch/own/": "architectures of single ciphers, which are proven equal to the standard",
    "report/reproduce/": "the tables of the papers, each of one cipher's cores",
    "verify/oracle.py": "calls independent libraries, one class of which is named after DES",
    "rewrite/sbox/boyar_peralta.py": "reads S-box and affine map of FIPS 197, of which its circuit is",
    "rewrite/sbox/depth16.py": "reads the S-box of FIPS 197, of which its circuits are",
}
"""What names ciphers in other rooms, and why."""


def _words(name: str) -> str:
    """An identifier's words, apart: `KhazadForm`, `read_des`."""
    return " ".join(re.findall("[A-Z]?[a-z0-9]+|[A-Z0-9]+", name))


def names_in(text: str) -> list[str]:
    """Names of ciphers that a Python text has in identifiers, imports and string literals of one word, with
    their lines. Sentences (documentation and messages) may name them.
    """
    found: list[tuple[int, str]] = []
    for n in ast.walk(ast.parse(text)):
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and " " not in n.value:
            found.append((n.lineno, n.value))
        elif isinstance(n, ast.Name | ast.arg):
            found.append((n.lineno, _words(n.id if isinstance(n, ast.Name) else n.arg)))
        elif isinstance(n, ast.Attribute):
            found.append((n.lineno, _words(n.attr)))
        elif isinstance(n, ast.FunctionDef | ast.ClassDef):
            found.append((n.lineno, _words(n.name)))
        elif isinstance(n, ast.Import | ast.ImportFrom):
            module = n.module or "" if isinstance(n, ast.ImportFrom) else ""
            found += [(n.lineno, name) for name in (module, *(_words(a.name) for a in n.names))]
    return [f"line {line}: {name}" for line, name in found if WORDS.search(name)]


def _others() -> dict[str, Path]:
    """Files of the rooms that treat all ciphers alike."""
    files = {str(p.relative_to(PACKAGE)): p for p in PACKAGE.rglob("*.py")}
    files = {name: p for name, p in files.items() if not name.startswith(tuple(f"{r}/" for r in NAMED))}
    assert len(files) > 100
    return files


def test_no_cipher_is_named_elsewhere() -> None:
    """Nor is a file."""
    named = {
        n for n, p in _others().items() if WORDS.search(p.stem.replace("_", " ")) or names_in(p.read_text())
    }
    known = {n: next((k for k in KNOWN if n.startswith(k)), "") for n in named}
    assert {n for n, k in known.items() if not k} == set()
    assert set(known.values()) == set(KNOWN)  # none is excused without need


def test_a_description_is_typed() -> None:
    """No `Any` in a cipher's text."""
    texts = {p.name: p.read_text() for p in (PACKAGE / "cipher").glob("*.py")}
    assert len(texts) > 10
    assert [name for name, text in texts.items() if re.search(r"\bAny\b", text)] == []


@pytest.mark.parametrize(
    "text",
    [
        *('if cipher == "aes": pass', 'x = {"mars": 1}', 'f("a", ("des", "tdes"))', 'load("aes-small")'),
        *("from ..cipher.khazad import theta", "from ..cipher import SM4", "import misty1"),
        *("def des_round(): pass", "class MarsForm: pass", "x = cipher.AES", "def f(camellia): pass"),
    ],
)
def test_a_name_is_seen(text: str) -> None:
    assert names_in(text)


def test_engines_are_one_table() -> None:
    """Every engine states its options, for a cipher of the catalogue; no second one takes its place."""
    assert ENGINES.keys() == ENGINE_OPTIONS.keys() <= CATALOGUE.keys()
    assert all(engine.options is ENGINE_OPTIONS[name] for name, engine in ENGINES.items())
    assert {n for n, c in CATALOGUE.items() if c.key_unit == "store"} == KEY_STORES.keys()
    assert register(ENGINES["mars"]) is ENGINES["mars"]
    with pytest.raises(UserError, match="mars has an engine already: the engine"):
        register(MarsEngine())


def test_every_cipher_has_an_independent_library() -> None:
    assert all(cipher_reference(name).library for name in BUILT_IN)
    assert [n for n in sorted(BUILT_IN) if cipher_reference(n).odd_parity] == ["des", "tdes"]
    assert [n for n in sorted(BUILT_IN) if CATALOGUE[n].paper_ports] == ["des"]


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_the_library_has_the_modes_that_the_table_lists(name: str) -> None:
    """A message of two blocks comes back, in every listed mode."""
    cipher = CATALOGUE[name]
    key, block = bytes(range(cipher.key_sizes[0] // 8)), bytes(range(cipher.block_bits // 8))
    for mode in cipher_reference(name).modes:
        made = oracle_mode(name, mode, key, block, 2 * block, False)
        assert made is not None
        assert made != 2 * block
        assert oracle_mode(name, mode, key, block, made, True) == 2 * block


def test_the_library_has_gcm_where_the_table_says_so() -> None:
    """And it is the mode of the reference."""
    for name in (n for n in sorted(BUILT_IN) if cipher_reference(n).gcm):
        key, cipher = bytes(range(16)), CATALOGUE[name]

        def crypt(word: int, key: bytes = key, cipher: Standard = cipher) -> int:
            return int.from_bytes(cipher.encrypt_block(key, word.to_bytes(16, "big")), "big")

        made = gcm(crypt, key[:12], key, 3 * key)
        assert oracle_gcm(name, key, key[:12], key, 3 * key) == (made.data, made.tag)
