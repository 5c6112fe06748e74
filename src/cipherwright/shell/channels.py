"""Whole cores side by side: channels, each with words of its own, and one port for their keys.

A key is offered for some of the channels. Each of them takes it when it can, and a register notes that it
has. `key_ready_o` is 1 in the cycle after the last of them took it. Everything else of a channel goes through
unchanged, so a channel does what the core alone does, cycle by cycle.

Where every packet's key is announced, each channel has a port for keys of its own: at a common one the key of
a channel that has no place for it would hold up those of the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ..rtl import (
    Cell,
    Clocked,
    ClockReset,
    Drive,
    Group,
    Handshake,
    Held,
    Let,
    Note,
    Pin,
    Reg,
    Step,
    Stream,
    Wire,
    Wrapper,
    WrapperItem,
)
from .core import Core, PortSet

__all__ = [
    "CHOSEN",
    "channel_name",
    "channel_ports",
    "channels_top",
    "in_channels",
    "own_ports",
    "streams_named",
    "without_channel",
]

CHOSEN = "key_channels_i"
"""The port that says which channels a key is for."""

_SHARED = ("zeroise_i",)
"""Inputs that all channels have in common."""

_MERGED = ("busy_o",)
"""Outputs of which one is 1 where that of any channel is."""

_PREFIX = re.compile(r"^ch\d+_")

_STREAM = re.compile(r"\b(?=[sm]_(?:axis|tag|iv)(?:_|\b)|(?:tag_valid_o|last_i)\b)")
"""Where the name of a stream of packets begins, or of a port beside it, or of one that another port's meaning
names.
"""


def channel_name(name: str, channel: int) -> str:
    """The port `name` of the channel numbered `channel`.

    >>> channel_name("valid_i", 1)
    'ch1_valid_i'
    """
    return f"ch{channel}_{name}"


def without_channel(name: str) -> str:
    """The name that a port has in a core of one channel.

    >>> without_channel("ch1_valid_i"), without_channel("key_i")
    ('valid_i', 'key_i')
    """
    return _PREFIX.sub("", name)


def streams_named(text: str, channel: int) -> str:
    """`text` with the names of streams, and of ports beside them, as the channel numbered `channel` has them.

    >>> streams_named("`s_axis_tuser[0]`, not m_tag", 1)
    '`ch1_s_axis_tuser[0]`, not ch1_m_tag'
    """
    return _STREAM.sub(channel_name("", channel), text)


def _of_channel(pin: Pin, channel: int) -> Pin:
    meaning = pin.meaning and f"channel {channel}: {streams_named(pin.meaning, channel)}"
    return replace(pin, name=channel_name(pin.name, channel), meaning=meaning)


def _own(group: Group, channel: int, own_keys: bool) -> Group | None:
    """What a channel has of a group; None where all channels share it."""
    if isinstance(group, Stream):
        ready = group.ready and channel_name(group.ready, channel)
        what = group.what and f"{group.what} of channel {channel}"
        payload = tuple(_of_channel(pin, channel) for pin in group.payload)
        return Stream(channel_name(group.valid, channel), payload, ready, group.out, what)
    if isinstance(group, Held):
        return Held(tuple(_of_channel(pin, channel) for pin in _kept(group)))
    if isinstance(group, Handshake) and own_keys:
        what = group.what and f"{group.what} of channel {channel}"
        value, *beside = (_of_channel(pin, channel) for pin in (group.value, *group.beside))
        valid, ready = (channel_name(name, channel) for name in (group.valid, group.ready))
        return Handshake(valid, value, ready, what, tuple(beside))
    return None


def _key_of(groups: Sequence[Group]) -> Handshake:
    """The group of the key, which is the one that is taken by a handshake of its own."""
    (found,) = (g for g in groups if isinstance(g, Handshake))
    return found


def own_ports(groups: Sequence[Group], channel: int) -> tuple[Group, ...]:
    """What the channel numbered `channel` has of `groups`, those of the core of one channel: all but what
    channels share.
    """
    return tuple(own for group in groups if (own := _own(group, channel, own_keys=True)))


def _groups(groups: Sequence[Group], count: int, own_keys: bool) -> tuple[Group, ...]:
    """The ports of `count` channels, each with those of `groups`."""
    key = _key_of(groups)
    chosen = Pin(CHOSEN, count, meaning="bit k is 1 where the key is for channel k; it stays with the key")
    shared = tuple(p for g in groups if isinstance(g, Held) for p in g.pins if p.name in (*_SHARED, *_MERGED))
    own = (_own(g, channel, own_keys) for channel in range(count) for g in groups)
    return (
        next(g for g in groups if isinstance(g, ClockReset)),
        *(() if own_keys else (replace(key, beside=(*key.beside, chosen)),)),
        *(g for g in own if g is not None),
        Held(shared),
    )


def channel_ports(ports: PortSet, channel: int, own_keys: bool = False) -> PortSet:
    """`ports`, those of a core of one channel, as the channel numbered `channel` has them. own_keys: it has a
    port for keys of its own.
    """
    kept = ("clk", "reset", "busy", "zeroise", *(() if own_keys else ("key", "key_valid", "key_ready")))
    own: dict[str, Any] = {
        what: channel_name(name, channel)
        for what, name in asdict(ports).items()
        if isinstance(name, str) and name and what not in kept
    }
    return replace(ports, **own)


def in_channels(core: Core, channels: Mapping[str, object] | None, flip_flops: int) -> Core:
    """The `core` of one channel with what is known of several, `channels`, and with the `flip_flops` around
    them; the core itself where there is one alone.
    """
    if channels is None:
        return core
    inside = core.packet or {"ports": {}}
    names = inside["ports"]
    if not core.stream:  # behind streams these are names inside
        keys = () if core.keys_announced else _key_of(core.component.ports).pins
        common = {pin.name for pin in keys}
        names = {w: name if name in common else channel_name(name, 0) for w, name in names.items()}
    return replace(
        core,
        packet={**inside, "ports": names},
        channels={**channels, "packet": dict(inside)},
        channel_flip_flops=flip_flops,
    )


def channels_top(
    name: str, inside: str, groups: Sequence[Group], count: int, own_keys: bool = False
) -> Wrapper:
    """The module `name` of `count` channels, each a core `inside` with the ports `groups`. own_keys: each has
    a port for keys of its own.
    """
    key = _key_of(groups).ready
    to_some = f"A key goes to those that {CHOSEN} names, and {key} is 1 when all of them have it."
    return Wrapper(
        name,
        (
            f"{count} channels, each with words of its own.",
            "Each has a port for keys of its own." if own_keys else to_some,
        ),
        _groups(groups, count, own_keys),
        (
            *(_busy(count) if own_keys else _offers(groups, count)),
            *(_channel(inside, groups, channel, own_keys) for channel in range(count)),
        ),
    )


def _busy(count: int, *beside: str) -> tuple[Wire, Drive]:
    """Which of `count` channels are busy, with wires of as many bits `beside`; and whether any is."""
    return Wire((*beside, "busy"), count, vector=True), Drive("busy_o", "|busy")


def _offers(groups: Sequence[Group], count: int) -> tuple[WrapperItem, ...]:
    """Which channels the key at the common port is offered to, and which have taken it; whether any is
    busy.
    """
    key = _key_of(groups)
    wires, any_busy = _busy(count, "takes")
    return (
        Note("Channels that have the key that is offered, and whether all have it that are to."),
        Reg(("taken_q",), count, vector=True),
        Reg(("done_q",)),
        wires,
        Let("offer", f"{{{count}{{{key.valid}}}}} & {CHOSEN} & ~taken_q", count),
        Let("have", "taken_q | (offer & takes)", count),
        Drive(key.ready, "done_q"),
        any_busy,
        Clocked(
            (
                Step("taken_q", f"have & {{{count}{{{key.valid} & ~(done_q | zeroise_i)}}}}"),
                Step("done_q", f"{key.valid} & ~done_q & ~zeroise_i & (&(have | ~{CHOSEN}))"),
            ),
            (("taken_q", f"{count}'d0"), ("done_q", "1'b0")),
        ),
    )


def _channel(inside: str, groups: Sequence[Group], channel: int, own_keys: bool) -> WrapperItem:
    """The core of a channel."""
    key = _key_of(groups)
    offered = {key.valid: f"offer[{channel}]", key.ready: f"takes[{channel}]"}
    links = {**({} if own_keys else offered), "busy_o": f"busy[{channel}]"}
    for group in groups:
        own = _own(group, channel, own_keys)
        shown = own.pins if own else group.pins
        links |= {
            pin.name: seen.name
            for pin, seen in zip(_kept(group), shown, strict=True)
            if pin.name not in links
        }
        links |= {p.name: p.name for p in group.pins if p.name in _SHARED}
    return Cell(inside, f"u_channel_{channel}", links)


def _kept(group: Group) -> tuple[Pin, ...]:
    """The pins of a group that a channel has of its own, or all of one that channels share."""
    if isinstance(group, Held):
        return tuple(p for p in group.pins if p.name not in (*_SHARED, *_MERGED))
    return group.pins
