"""The S-box SBOX1 of Camellia (RFC 3713, section 2.4.1), of which the other three are rotations."""

from __future__ import annotations

__all__ = ["SBOX1"]

SBOX1 = tuple(
    bytes.fromhex(
        """
        70822cec b327c0e5 e4855735 ea0cae41
        23ef6b93 4519a521 ed0e4f4e 1d6592bd
        86b8af8f 7ceb1fce 3e30dc5f 5ec50b1a
        a6e139ca d5475d3d d9015ad6 51566c4d
        8b0d9a66 fbccb02d 74122b20 f0b18499
        df4ccbc2 347e7605 6db7a931 d11704d7
        14583a61 de1b111c 320f9c16 5318f222
        fe44cfb2 c3b57a91 2408e8a8 60fc6950
        aad0a07d a1896297 545b1e95 e0ff64d2
        10c40048 a3f775db 8a03e6da 093fdd94
        875c8302 cd4a9033 7367f6f3 9d7fbfe2
        529bd826 c837c63b 81966f4b 13be632e
        e979a78c 9f6ebc8e 29f5f9b6 2ffdb459
        7898066a e74671ba d425ab42 88a28dfa
        7207b955 f8eeac0a 36492a68 3c38f1a4
        4028d37b bbc943c1 15e3adf4 77c7809e
        """
    )
)
