"""Ports of a packet of CCM and of a whole core: those of GCM, a nonce in place of the IV, and two lengths."""

from __future__ import annotations

from collections.abc import Mapping

from ...cipher.ccm import LARGEST_AAD, largest_data
from ...rtl import Group, Order, Pin
from ..gcm import GCM_PORTS, PACKET_PORTS, packet_pins, port_groups

__all__ = ["LENGTH_PORTS", "bus_length_ports", "ccm_groups", "ccm_pins", "ccm_port_names"]

LENGTH_PORTS = {"aad_bytes": "aad_bytes_i", "data_bytes": "data_bytes_i"}
"""What a port of a length is for -> its name, beside those of a packet of GCM."""


def bus_length_ports(ports: Mapping[str, str]) -> tuple[str, ...]:
    """Ports of AXI-Stream for the lengths of a packet, from the core's own `ports`, by what they are for;
    none where the mode takes no lengths.
    """
    return tuple(f"s_{ports[name]}" for name in LENGTH_PORTS if name in ports)


def ccm_port_names() -> dict[str, str]:
    """What a port of a packet is for -> its name."""
    return PACKET_PORTS | LENGTH_PORTS


def ccm_pins(nonce_bytes: int) -> tuple[Pin, ...]:
    """What goes with a word that is offered, with a nonce of `nonce_bytes` bytes."""
    aad, data = LENGTH_PORTS.values()
    most = largest_data(nonce_bytes)
    read = "read with its first word"
    nonce = Pin(
        GCM_PORTS.iv,
        8 * nonce_bytes,
        with_block=True,
        order=Order.BYTES,
        meaning="nonce, read with the packet's first word",
    )
    return (
        *(nonce if pin.name == nonce.name else pin for pin in packet_pins(any_iv=False)),
        Pin(
            aad,
            LARGEST_AAD.bit_length(),
            with_block=True,
            meaning=f"bytes of the packet's additional data, {read}",
        ),
        Pin(data, most.bit_length(), with_block=True, meaning=f"bytes of the packet's data, {read}"),
    )


def ccm_groups(
    key_bits: int, tag_bits: int, nonce_bytes: int, more: tuple[Pin, ...] = ()
) -> tuple[Group, ...]:
    """All ports of a core, in groups: for keys of `key_bits` bits, tags of which `tag_bits` are shown, and
    nonces of `nonce_bytes` bytes. more: outputs of its control beside those of GCM.
    """
    return port_groups(key_bits, tag_bits, more=more, word=ccm_pins(nonce_bytes))
