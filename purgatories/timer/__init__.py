"""The hierarchical timing wheel, its parts, and the reapers that drive it."""
