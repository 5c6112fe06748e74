"""S-boxes as circuits: lookup tables, composite fields, published circuits, block RAM."""
