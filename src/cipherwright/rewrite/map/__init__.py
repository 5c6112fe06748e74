"""Mapping: bitwise logic merged into lookup tables, copies of a signal, stages for wires, held words."""
