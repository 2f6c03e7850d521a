"""Reports of a cluster as text: its state, and why requests wait."""
