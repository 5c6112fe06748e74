"""Linear layers: XOR networks, and linear maps made one."""
