"""What a user can get wrong, and what a check can find wrong: one clear sentence each."""

__all__ = ["CheckFailed", "UserError"]


class UserError(Exception):
    """Something in what the user gave is wrong; the message says what and what would be right (exit status 2)."""


class CheckFailed(Exception):
    """A check ran and found a fault in a core (exit status 1)."""
