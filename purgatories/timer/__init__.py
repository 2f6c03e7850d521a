"""The hierarchical timing wheel, its parts, and what drives it."""
