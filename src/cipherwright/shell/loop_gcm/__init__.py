"""GCM (SP 800-38D) around a loop whose key is held, with a digit-serial multiplier."""

from .core import assemble_loop_gcm

__all__ = ["assemble_loop_gcm"]
