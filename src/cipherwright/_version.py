"""The version, here alone: the package's metadata, `--version` and every core's record take it from here."""

__all__ = ["__version__"]

__version__ = "0.1.0"
