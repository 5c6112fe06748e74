"""Block ciphers as hardware: `build` a core, `encrypt` through it, `verify`, `implement` and `write` it.

>>> import cipherwright as cw
>>> core = cw.build("des-small")
>>> core.encrypt("133457799bbcdff1", bytes.fromhex("0123456789abcdef")).hex()
'85e813540f0ab405'

The names below are the library; `cipherwright.library` documents them. They are loaded at their
first use.
"""

from typing import TYPE_CHECKING

from ._version import __version__

if TYPE_CHECKING:
    from .cipher import Cipher
    from .errors import CheckFailed, ToolFailed, UserError
    from .library import Core, Cores, build, ciphers, explore, load, presets, register, targets
    from .spec import Spec
    from .verify import Verdict

__all__ = [
    "CheckFailed",
    "Cipher",
    "Core",
    "Cores",
    "Spec",
    "ToolFailed",
    "UserError",
    "Verdict",
    "__version__",
    "build",
    "ciphers",
    "explore",
    "load",
    "presets",
    "register",
    "targets",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'cipherwright' has no attribute {name!r}")
    from . import library

    return getattr(library, name)


def __dir__() -> list[str]:
    return __all__
