"""Write a file of at least N MiB made of this Python's standard library sources, padded to 8 bytes as PKCS
#7 says.

Usage: python examples/real_file.py MIB OUT
"""

import sys
from pathlib import Path

size, data = int(sys.argv[1]) << 20, bytearray()
for source in sorted(Path(sys.modules["os"].__file__ or "").parent.glob("*.py")):
    data += source.read_bytes()
    if len(data) >= max(size, 1):
        break
padding = 8 - len(data) % 8
Path(sys.argv[2]).write_bytes(bytes(data) + bytes([padding]) * padding)
print(f"   {len(data)} bytes of Python's own sources")
