"""Names of cores: which are legal, and which name a preset's core has when options that its name speaks of
are changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from .cipher import CATALOGUE
from .rtl import KEYWORDS

__all__ = ["changed_name", "cipher_core_name", "proposed_name", "unfit_name"]

LONGEST = 64
"""Characters that a core's name may have."""

_VHDL = ("ieee", "std", "std_logic", "std_logic_vector", "work")
"""Libraries and types that a core's VHDL package names: a component with such a name hides them there."""

_IDENTITY = {"key_bits": "key", "block_bits": "block", "mode": "", "direction": ""}
"""Options that make another core of one with the same name, and what stands before their value in a name."""

_UNSPOKEN = ("name", "title", "source", "target", "cipher", "input_delay", "output_delay")
"""Options with a text that no name speaks of, and the cipher, which is looked for by itself."""

_NUMBERS = ("key_bits", "block_bits", "stages")
"""Options whose number a name may speak of."""


def unfit_name(name: str) -> str:
    """Why `name`, with underscores for its hyphens, can't be a module's name in Verilog, SystemVerilog and
    VHDL; "" where it can.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        return (
            "a name is of small letters a-z, digits and single hyphens between them, and begins with a letter"
        )
    if len(name) > LONGEST:
        return f"a name has at most {LONGEST} characters"
    module = name.replace("-", "_")
    for language, words in KEYWORDS.items():
        if module in words:
            return f"{module} is a keyword of {language}"
    if module in _VHDL:
        return f"{module} is a library or type that the core's VHDL package uses"
    if name.split("-")[0] == "cipherwright":
        return "names that begin with cipherwright are those of the hand-written modules in the repository"
    if name.endswith("-tb"):
        return "names that end in -tb are the testbenches'"
    return ""


def proposed_name(text: str) -> str:
    """A legal name of a core that looks like `text`, which may be any text.

    >>> proposed_name("My AES (v2)"), proposed_name("module"), proposed_name("")
    ('my-aes-v2', 'module-core', 'core')
    """
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[: LONGEST - 10].rstrip("-")
    candidates = (name, f"{name}-core", f"core-{name}", f"core-{name}-core", "core")
    return next(w for w in candidates if not unfit_name(w))


def changed_name(
    name: str, before: Mapping[str, Any], after: Mapping[str, Any], taken: Collection[str]
) -> str:
    """The name of a core that was called `name` with the options `before`, and now has the options `after`.

    A word or number of the name that is the old value of a changed option becomes the new value:
    aes128-fast-ctr with key_bits = 256 is aes256-fast-ctr. Another key length, block length, mode or
    direction of which the name does not speak is added at the end: aes-small with key_bits = 256 is
    aes-small-key256. A changed name that is in `taken`, the names of other presets, gets the word variant at
    its end.
    """
    changed = [o for o in after if before[o] != after[o]]
    words, more = name.split("-"), dict[str, str]()
    if "cipher" in changed:
        words = [re.sub(rf"^{before['cipher']}(?=\d*$)", after["cipher"], w) for w in words]
    cipher, new = before["cipher"], after["cipher"]
    spoken = [
        o for o in _NUMBERS if before[o] is not None and (o != "block_bits" or CATALOGUE[cipher].block_sizes)
    ]
    for option in [o for o in changed if isinstance(before[o], int | str) and o not in _UNSPOKEN]:
        old, value = (
            str(before[option]),
            "" if after[option] is None else str(after[option]).replace("_", "-"),
        )
        if isinstance(before[option], str):
            found, others = [k for k, w in enumerate(words) if w == old], []
        else:
            found = [
                k for k, w in enumerate(words) if option in _NUMBERS and re.fullmatch(rf"({new})?{old}", w)
            ]
            others = [o for o in spoken if o != option and before[o] == before[option]]
        for k in found:  # where it may be another option's number as well, each is said with its name
            words[k] = words[k].removesuffix(old) + ("" if others else value)
        if option in _IDENTITY and (others or not found):
            more |= {
                o: f"{_IDENTITY[o]}{after[o]}" for o in [option, *(others if found else [])] if o in _IDENTITY
            }
    result = "-".join([w for w in words if w] + [more[o] for o in _IDENTITY if o in more])
    return f"{result}-variant" if result != name and result in taken else result


def cipher_core_name(options: Mapping[str, Any]) -> str:
    """The name of a core that is asked for by its cipher, from its `options`: all of a spec, by name. It says
    the cipher, the key length and block length where the cipher has several, the direction unless it is both,
    and the mode unless it is ECB: aes256, des-encrypt, rijndael128-block256-ctr. A hyphen is between the
    number at the end of a cipher's name and that of the key.
    """
    cipher = CATALOGUE[options["cipher"]]
    between = "-" if cipher.name[-1].isdigit() else ""
    words = [
        f"{cipher.name}{between}{options['key_bits']}" if len(cipher.key_sizes) > 1 else cipher.name,
        f"block{options['block_bits']}" if cipher.block_sizes else "",
        options["direction"] if options["direction"] != "both" else "",
        options["mode"] if options["mode"] != "ecb" else "",
    ]
    return "-".join(w for w in words if w)
