"""Keys and initial values as a user gives them: hexadecimal digits, which may be grouped by blanks."""

from __future__ import annotations

import sys
from pathlib import Path

from .errors import UserError
from .files import reason
from .wording import counted

__all__ = ["parse_any_hex", "parse_hex", "read_key"]

_LARGEST_TEXT = 1 << 16
"""Characters of a key file that are read: more than any key has, with spaces between its digits."""

_BEGINNINGS = ("0x", "0X")
"""What some programs write before hexadecimal digits, and is none of them."""


def read_key(text: str, file: Path | None, bits: int, parts: str = "") -> bytes:
    """The key from the one place where it is given: `text`, hexadecimal digits or `-` for standard input, or
    the file `file`, which holds such digits. `text` is empty where there is a `file`. bits: the length that
    the core takes, made of the `parts` that a message names ("": it is one). Byte 0, from the first two
    digits, is the most significant byte of the port.

    Raises UserError where no key or two are given, where a file can't be read, and where the digits are wrong
    (`parse_hex`).
    """
    if bool(text) == bool(file):
        given = "--key and --key-file are both given" if file else "no key is given"
        raise UserError(f"{given}: name one of --key HEX, --key - (standard input), --key-file FILE")
    what = "key"
    try:
        if file:
            what = f"key in {file}"
            with file.open("rb") as f:
                text = f.read(_LARGEST_TEXT).decode("ascii")
        elif text == "-":
            what = "key on standard input"
            text = sys.stdin.read(_LARGEST_TEXT)
    except OSError as e:
        raise UserError(f"can't read the {what}: {reason(e)}") from None
    except UnicodeDecodeError:
        raise UserError(f"the {what} is not hexadecimal text: give {bits // 4} digits 0-9, a-f") from None
    return parse_hex(text, what, bits, parts)


def parse_any_hex(text: str, what: str) -> bytes:
    """The bytes of `text`, an even number of hexadecimal digits, which may be grouped by blanks; an empty
    text gives b"". `what`: how a message names it. Raises UserError where it begins with 0x, for another
    character and an odd number of digits.

    >>> parse_any_hex("00 ff", "additional data").hex()
    '00ff'
    """
    digits = "".join(text.split())
    _check_digits(digits, what, "", "digits 0-9, a-f, two for a byte", "two make a byte")
    return bytes.fromhex(digits)


def parse_hex(text: str, what: str, bits: int, parts: str = "") -> bytes:
    """The `bits` / 8 bytes of `text`, hexadecimal digits, which may be grouped by blanks. `what`: how a
    message names it; `parts`: of what it is made ("": it is one). Raises UserError where it is empty, begins
    with 0x, is not hexadecimal or has another length.

    >>> parse_hex("0123 4567", "IV", 32).hex()
    '01234567'
    >>> parse_hex("0123", "IV", 32)
    Traceback (most recent call last):
    cipherwright.errors.UserError: the IV has 16 bits; this core takes 32 bits, 8 hexadecimal digits
    """
    digits = "".join(text.split())
    should = f"this core takes {bits} bits, {bits // 4} hexadecimal digits{parts and f': {parts}'}"
    if not digits:
        raise UserError(f"the {what} is empty; {should}")
    count = f"{bits // 4} "
    _check_digits(digits, what, count, f"{count}digits 0-9, a-f", should)
    if len(digits) * 4 != bits:
        raise UserError(f"the {what} has {len(digits) * 4} bits; {should}")
    return bytes.fromhex(digits)


def _check_digits(digits: str, what: str, count: str, form: str, whole: str) -> None:
    """Raise UserError where `digits` begin with 0x, hold another character or are an odd number. `what`: how
    a message names them; `count`: how many are asked for, and a blank; `form`: what to give; `whole`: why
    an odd number is none.
    """
    if digits[:2] in _BEGINNINGS:
        raise UserError(f"the {what} begins with 0x; give the {count}hexadecimal digits alone")
    if set(digits) - set("0123456789abcdefABCDEF"):
        raise UserError(f"the {what} is not hexadecimal: give {form}")
    if len(digits) % 2:
        given = counted(len(digits), "hexadecimal digit")
        raise UserError(f"the {what} has {given}, an odd number; {whole}")
