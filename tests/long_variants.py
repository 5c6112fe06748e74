"""Cores on which all checks take too long for every run of the tests. `benchmarks/verify.py --recorded` runs
them; the committed record `benchmarks/checked.json` has what each check said, and of which text.
"""

from __future__ import annotations

from .conftest import QUICK_AES, QUICK_GCM, QUICK_GCM_LANES, QUICK_MARS, QUICK_SM4, QUICK_XTS, SHARED_BOXES

__all__ = ["ALL_LENGTHS", "RECORDED"]

RECORDED: tuple[tuple[str, ...], ...] = (
    *(("camellia-small",), ("khazad-fast",), ("mars-ibm-4port",), ("misty1-small",)),
    ("aes128-fast-ctr", *QUICK_AES),
    ("aes-small", "rounds_per_cycle=2", "stages=1", "sbox=boyar_peralta", "hops=[]", "key_bits=256"),
    ("aes-small", "rounds_per_cycle=4", "stages=2", "sbox=boyar_peralta", "hops=[]"),
    ("des-fast", "mode=cbc", "direction=decrypt", "interface=stream"),
    *(("aes128-fast",), ("khazad-ucl-fast",), ("khazad-ucl-small",), ("misty1-fast",), ("misty1-ucl",)),
    *(("sm4-small",), ("tdes-fast",), ("tdes-small",)),
    ("mars-small", "stages=3", "copies=0"),
    ("mars-small", "stages=7", "rounds_per_cycle=3", "copies=0"),
    ("mars-fast", *QUICK_MARS),
    QUICK_SM4,
    SHARED_BOXES,
    ("aes128-fast", "key_bits=192", *QUICK_AES, "stages=24", "block_ram_boxes=35"),
    ("aes256-fast", *QUICK_AES),
    ("aes128-fast-agile", *QUICK_AES),
    ("aes128-fast-decrypt", *QUICK_AES),
    ("khazad-fast", "key=static", "direction=both", "stages=20", "hops=[]", "keep_levels=true"),
    ("khazad-small", "direction=both", "stages=2", "copies=0"),
    ("khazad-small", "direction=both", "stages=2", "rounds_per_cycle=4", "copies=0"),
    ("khazad-ucl-fast", "slice_xor=true", "linear_depth=3"),
    ("des-xilinx-48", "delay_lines=ff"),
    ("tdes-small", "key_bits=128", "stages=2"),
    ("misty1-small", "direction=both", "stages=2", "copies=0", "hops=[]"),
    ("aes-small", "direction=both", "stages=2", "sbox=boyar_peralta", "hops=[]"),
    (
        *("aes-small", "rounds_per_cycle=4", "stages=1", "sbox=boyar_peralta", "hops=[]", "key_bits=192"),
        "direction=decrypt",
    ),
    ("aes-tiny", "key_bits=192"),
    ("mars-ibm-1port",),
    ("mars-ibm-1port-key2",),
    ("mars-ibm-3port",),
    *(("aes-gcm-small",), QUICK_GCM, QUICK_GCM_LANES),
    (*QUICK_GCM, "channels=2"),
    (*QUICK_GCM, "hops=sum_x,sum_h", "stages=16"),
    (*QUICK_GCM, "key_slots=2"),
    (*QUICK_GCM, "key_slots=2", "packet_keys=announced"),
    (*QUICK_XTS, "key_slots=2"),
    ("aes128-fast-agile", "mode=xts", *QUICK_AES, "srl_from=8", "direction=both"),
    ("aes128-ccm-small",),
    ("aes128-cmac-small",),
)
"""A preset and its changes each."""

ALL_LENGTHS = {
    ("aes-gcm-small",): "packets",
    QUICK_GCM: "packets",
    QUICK_GCM_LANES: "packets",
    ("aes128-ccm-small",): "packets",
    ("aes128-cmac-small",): "messages",
}
"""Those whose random packets or messages have every length from 0 to 300 bytes, of data and of additional
data: what they are called.
"""
