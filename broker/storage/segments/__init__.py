"""The segments of a log: consecutive batches in files, and reads from them."""
