"""Whether two words differ, found by registers with a lookup table of four inputs in front of each."""

from __future__ import annotations

from collections.abc import Mapping

from ..rtl import Step

__all__ = ["difference"]


def difference(
    prefix: str, value: str, width: int, rows: int
) -> tuple[Mapping[str, int], tuple[Step, ...], str]:
    """`rows` rows of registers in which the bits of `value`, the exclusive or of two words of `width` bits,
    are brought together, four to one in each row behind the first: the rows PREFIX_0, PREFIX_1, ... with
    their widths, what they take, and the last row. `prefix`: what their names begin with. Any bit of the last
    row is 1 where the words differed `rows` cycles before.

    >>> widths, steps, last = difference("other", "a ^ b", 16, 2)
    >>> dict(widths), last
    ({'other_0': 16, 'other_1': 4}, 'other_1')
    """
    name = f"{prefix}_0"
    widths, steps = {name: width}, [Step(name, value)]
    for row in range(1, rows):
        before, most = name, width - 1
        name, width = f"{prefix}_{row}", -(-width // 4)
        widths[name] = width
        steps += [Step(f"{name}[{k}]", f"|{before}[{min(4 * k + 3, most)}:{4 * k}]") for k in range(width)]
    return widths, tuple(steps), name
