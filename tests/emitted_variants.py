"""Cores whose emitted text goes through a linter, a strict front end and the simulation of its testbench."""

from __future__ import annotations

from cipherwright.sources import preset_names

from .conftest import AGILE_XTS, IN_LIGHT, LIGHT_GCM, LIGHT_LOOP, LIGHT_XTS, LONG, QUICK_AES, QUICK_SM4

__all__ = ["ALWAYS", "BEHIND_BUSES", "VARIANTS"]

ALWAYS: tuple[tuple[str, ...], ...] = (
    ("des-fast",),
    ("aes-tiny", "mode=cbc", "interface=stream"),
    ("des-xilinx-48", "delay_lines=ff"),
    ("aes128-cmac-small", "tag_bits=64"),
)
"""Those that the tests run in any case; the others where the text is another than the recorded one
(tests/recorded.py).
"""

VARIANTS = [
    *((p,) for p in preset_names() if p not in LONG),
    ("rijndael256-fast", *QUICK_AES, "stages=14"),
    LIGHT_GCM,
    ("aes-gcm-small", *LIGHT_LOOP, "digit_bits=4", "tag_bits=96", "iv_bits=any"),
    LIGHT_XTS,
    AGILE_XTS,
    ("aes128-xts-small", *LIGHT_LOOP, "direction=encrypt"),
    ("mars-fast",),
    ("mars-small",),
    ("des-fast", "interface=stream"),
    ("des-small", "interface=stream"),
    ("des-xilinx-48", "delay_lines=ff"),
    ("des-fast", "direction=encrypt"),
    ("des-fast", "key=static"),
    ("des-xilinx-16", "interface=plain", "key_schedule=stepped", "round_numbers=signals", "key_lead=0"),
    ("des-xilinx-16", "key_lead=0"),
    ("des-fast", "key_lead=1", "key_schedule=stepped"),
    ("des-fast", "key_lead=1", "interface=stream"),
    ("des-small", "reset=async", "interface=stream"),
    ("des-small", "stages=3", "rounds_per_cycle=2", "direction=decrypt"),
    ("tdes-small", "key_bits=128", "rounds_per_cycle=4"),
    ("khazad-small", "direction=both", "stages=4", "copies=0"),
    ("khazad-small", "direction=both", "stages=2", "rounds_per_cycle=4", "copies=0"),
    ("mars-small", "direction=decrypt", "stages=7", "rounds_per_cycle=3", "copies=0"),
    ("aes-small", "direction=both", "stages=2", "sbox=boyar_peralta", "hops=[]"),
    ("aes-small", "rounds_per_cycle=4", "stages=1", "sbox=boyar_peralta", "hops=[]"),
    ("aes-tiny", "mode=cbc", "interface=stream"),
    ("aes-gcm-small",),
    (*LIGHT_GCM, "key_slots=2", "packet_keys=announced"),
    ("aes128-cmac-small", "tag_bits=64"),
    ("aes-tiny", "mode=ctr", "stages=1", "key_bits=192"),
    ("des-small", "mode=cfb", "direction=both", "stages=3"),
    ("des-fast", "mode=cbc", "direction=decrypt", "interface=stream"),
    ("aes128-fast-ctr", *QUICK_AES, "interface=stream"),
    ("aes128-fast-ctr", *IN_LIGHT, "lanes=4", "delay_lines=bram"),
    ("aes128-fast-ctr", *QUICK_AES, "stages=24", "lanes=3", "block_ram_boxes=51", "keep_levels=true"),
    ("khazad-ucl-small", "direction=both", "stages=100", "key_words=kept"),
    ("khazad-fast", "key=static", "direction=decrypt"),
    ("misty1-fast", "key=static", "direction=decrypt", "interface=stream"),
    ("khazad-fast", "delay_lines=ram", "srl_from=6", "hops=[]", "stages=63"),
    ("misty1-small", "rounds=12", "direction=decrypt", "stages=3", "copies=0", "hops=[]"),
    ("misty1-fast", "direction=both", "stages=70", "hops=[]", "keep_levels=true"),
]


BEHIND_BUSES = [
    (*LIGHT_GCM, "stages=16", "key_slots=2", "interface=axi-stream", "control=axi-lite"),
    (*LIGHT_XTS[:-1], "unit_numbers=counted", "interface=axi-stream", "control=apb"),
    (*LIGHT_XTS, "key_slots=2", "interface=axi-stream", "control=wishbone"),
    (*AGILE_XTS, "unit_numbers=counted", "interface=axi-stream"),
    ("aes128-fast-ctr", *IN_LIGHT, "interface=axi-stream"),
    ("aes128-fast-ctr", *IN_LIGHT, "lanes=2", "interface=axi-stream", "tdata_bits=0"),
    (*QUICK_SM4, "mode=ctr", "direction=encrypt", "interface=axi-stream", "control=apb"),
]
"""Two resident keys of packets, runs of units, two resident keys of units, runs that bring their keys, and
messages of any length, whose blocks are beats, or whose words of two lanes are, or for which the core is not
ready before a key is expanded.
"""
