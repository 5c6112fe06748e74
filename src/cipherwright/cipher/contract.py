"""What the functions of a cipher's description have to give: words, or states of the shape that the next
function takes. `check_contract` says in one sentence what is wrong, and where the function is.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from .builder import IntBuilder
from .standard import Kind, Misfit, Standard
from .word import Word, Words, over

__all__ = ["check_contract", "check_tables"]


def check_tables(tables: Iterable[tuple[str, int, Sequence[int]]]) -> None:
    """Raise Misfit where two different `tables` (name, bits of an entry, entries) have one name, in capitals
    or not, or a name can't be part of a name in Verilog.

    >>> check_tables([("S", 1, (0, 1)), ("S", 1, (1, 0))])
    Traceback (most recent call last):
    cipherwright.cipher.standard.Misfit: two tables are called S
    """
    known = dict[str, tuple[str, int, tuple[int, ...]]]()
    for name, width, entries in tables:
        if not re.fullmatch(r"\w+", name, re.ASCII):
            raise Misfit(f"a table's name is of letters, digits and underscores, not {name!r:.80}")
        other, *what = known.setdefault(name.lower(), (name, width, tuple(entries)))
        if what != [width, tuple(entries)]:
            alike = "" if other == name else f" and {other}, which is one name in hardware"
            raise Misfit(f"two tables are called {name}{alike}")


def check_contract(cipher: Standard, key_bits: int) -> None:
    """Run each function of `cipher` with a key of `key_bits`, and raise Misfit where one gives something else
    than its place asks for. What the functions raise themselves is raised as it is, but for those that only
    some cores need (`key_previous`, `key_mirror`, `key_end`).
    """
    _check_numbers(cipher, key_bits)
    b = IntBuilder()
    words = _check_schedule(cipher, over(b, b.const(key_bits, 0)))
    start = _state("begin", cipher.begin, over(b, b.const(cipher.block_bits, 0)))
    seen = set[Kind]()
    for kind, word in zip(cipher.steps(key_bits), words, strict=True):
        if kind not in seen:
            seen.add(kind)
            _check_kind(kind, start, word)
    _word("end", cipher.end, start, width=cipher.block_bits)


def _check_numbers(cipher: Standard, key_bits: int) -> None:
    """Raise Misfit unless there are steps, each is a Kind, and widths are whole numbers."""
    steps: Sequence[object] = cipher.steps(key_bits)
    if not steps:
        raise Misfit(f"steps gives no steps{_place(cipher.steps)}")
    for step in steps:
        if not isinstance(step, Kind):
            raise Misfit(f"steps gives {_noun(step)} among its Kinds{_place(cipher.steps)}")
        _check_width(f"key_bits of the Kind {step.name}", step.key_bits)
    _check_width("control_width", cipher.control_width)


def _check_width(what: str, width: object) -> None:
    """Raise Misfit unless `width` is a number of bits."""
    if type(width) is not int or width < 1:
        raise Misfit(f"{what} is a number of bits, not {width!r:.80}")


def _check_kind(kind: Kind, start: Words, word: Word) -> None:
    """A step and its inverse from the state `start`, with the key word `word`."""
    own, what = kind.cut(word), f"the step {kind.name}"
    _same(what, kind.apply, _state(what, kind.apply, start, own), start, "begin gives")
    if kind.undo:
        given = _word(f"turned of {what}", kind.turned, own) if kind.turned else own
        what = f"the inverse of {what}"
        _same(what, kind.undo, _state(what, kind.undo, start, given), start, "begin gives")


def _check_schedule(cipher: Standard, key: Word) -> list[Word]:
    """The key words of all steps; the schedule is checked on the way."""
    constants = [key.const(cipher.control_width, c) for c in cipher.step_constants(key.width)]
    setup = cipher.key_setup_steps(key.width)
    first = state = _state("key_begin", cipher.key_begin, key)
    words = list[Word]()
    for i, constant in enumerate(constants):
        after = _state("key_next", cipher.key_next, constant, state)
        _same("key_next", cipher.key_next, after, first, "key_begin gives")
        if i >= setup:
            words.append(_word("key_word", cipher.key_word, constant, after if cipher.key_after else state))
        state = after
    _check_optional("key_previous", cipher.key_previous, first, constants[-1], state)
    _check_optional("key_mirror", cipher.key_mirror, first, state)
    _check_optional("key_end", cipher.key_end, first, key)
    return words


def _check_optional(name: str, function: Callable[..., object], first: Words, *args: object) -> None:
    """A function that gives a state like `first`, or None."""
    try:
        made = function(*args)
    except Exception:  # told where a core needs it
        return
    if made is not None:
        _same(name, function, _as_state(name, function, made), first, "key_begin gives")


def _state(what: str, function: Callable[..., object], *args: object) -> Words:
    """The state that a function gives."""
    return _as_state(what, function, function(*args))


def _as_state(what: str, function: Callable[..., object], made: object) -> Words:
    if isinstance(made, tuple | list) and made:
        strange = [part for part in made if not isinstance(part, Word)]
        if not strange:
            return tuple(made)
        raise Misfit(f"{what} gives {_noun(strange[0])} in its tuple of words{_place(function)}")
    raise Misfit(f"{what} gives {_noun(made)}, not a tuple of words{_place(function)}")


def _word(what: str, function: Callable[..., object], *args: object, width: int = 0) -> Word:
    """The word that a function gives, of `width` bits where that is not 0."""
    made = function(*args)
    if not isinstance(made, Word):
        raise Misfit(f"{what} gives {_noun(made)}, not a Word{_place(function)}")
    if width and made.width != width:
        raise Misfit(f"{what} gives {made.width} bits, the block has {width}{_place(function)}")
    return made


def _same(what: str, function: Callable[..., object], made: Words, wanted: Words, whose: str) -> None:
    """Raise Misfit unless the words of two states are as wide as each other."""
    if [w.width for w in made] != [w.width for w in wanted]:
        raise Misfit(f"{what} gives {_sizes(made)}, {whose} {_sizes(wanted)}{_place(function)}")


def _sizes(state: Words) -> str:
    """The words of a state by their widths."""
    *most, last = (str(word.width) for word in state)
    widths = f"{', '.join(most)} and {last}" if most else last
    return f"{len(state)} word{'s' if most else ''} of {widths} bits"


def _noun(made: object) -> str:
    """What something is."""
    if made is None:
        return "nothing"
    if isinstance(made, Word):
        return "a Word"
    kind = type(made).__name__
    return f"an empty {kind}" if made in ((), []) else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _place(function: Callable[..., object]) -> str:
    """The file and line in which a function begins, in brackets; "" where it has none."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f" ({Path(code.co_filename).name}, line {code.co_firstlineno})" if code else ""
