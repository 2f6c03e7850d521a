"""Long work in slices, so that the loop serves others in between."""
