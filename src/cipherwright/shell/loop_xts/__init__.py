"""XTS (IEEE 1619, SP 800-38E) around a loop that takes a key with each block."""

from .core import assemble_loop_xts

__all__ = ["assemble_loop_xts"]
