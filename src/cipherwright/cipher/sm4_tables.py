"""The S-box of SM4 (GB/T 32907-2016, table 1)."""

from __future__ import annotations

__all__ = ["SBOX"]

SBOX = tuple(
    bytes.fromhex(
        """
        d690e9fe cce13db7 16b614c2 28fb2c05
        2b679a76 2abe04c3 aa441326 49860699
        9c4250f4 91ef987a 33540b43 edcfac62
        e4b31ca9 c908e895 80df94fa 758f3fa6
        4707a7fc f37317ba 83593c19 e6854fa8
        686b81b2 7164da8b f8eb0f4b 70569d35
        1e240e5e 6358d1a2 25227c3b 01217887
        d4004657 9fd32752 4c3602e7 a0c4c89e
        eabf8ad2 40c738b5 a3f7f2ce f96115a1
        e0ae5da4 9b341a55 ad933230 f58cb1e3
        1df6e22e 8266ca60 c02923ab 0d534e6f
        d5db3745 defd8e2f 03ff6a72 6d6c5b51
        8d1baf92 bbddbc7f 11d95c41 1f105ad8
        0ac13188 a5cd7bbd 2d74d012 b8e5b4b0
        8969974a 0c96777e 65b9f109 c56ec684
        18f07dec 3adc4d20 79ee5f3e d7cb3948
        """
    )
)
"""Entry 16 x + y: row x, column y."""
