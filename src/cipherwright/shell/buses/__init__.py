"""Standard buses around a core: AXI-Stream for blocks, a register bus for keys, initial values and status."""

from .axi_stream import AXIS_DATA, SIDE_WORD, AxiStream, Inside, StreamShell, axi_stream_top

__all__ = ["AXIS_DATA", "SIDE_WORD", "AxiStream", "Inside", "StreamShell", "axi_stream_top"]
