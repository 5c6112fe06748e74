"""Engines: hand-written control around generated logic, one room for each.

`ENGINES` is the one list of engines, by the name of their cipher; `register` adds one from outside.
"""

from ..errors import UserError
from ..spec import ENGINE_OPTIONS
from .base import Driver, Engine, KeyStore
from .mars import MARS_ENGINE
from .rijndael import RIJNDAEL_ENGINE
from .units import KEY_STORES, key_parts, unit_for

__all__ = ["ENGINES", "KEY_STORES", "Driver", "Engine", "KeyStore", "key_parts", "register", "unit_for"]

ENGINES: dict[str, Engine] = {engine.options.cipher: engine for engine in (RIJNDAEL_ENGINE, MARS_ENGINE)}


def register(engine: Engine) -> Engine:
    """Put `engine` into the list, so that specs, builds and checks know it; returns it. It is there as long
    as the process runs.

    Raises UserError where its cipher has another engine already.
    """
    cipher = engine.options.cipher
    known = ENGINES.setdefault(cipher, engine)
    if known is not engine:
        raise UserError(f"{cipher} has an engine already: {known.options.title}")
    ENGINE_OPTIONS[cipher] = engine.options
    return engine
