"""Record batches of format v2: their layout, and all code that reads or writes it."""
