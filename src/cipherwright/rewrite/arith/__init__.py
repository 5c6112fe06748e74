"""Arithmetic: adders, and multipliers as trees."""
