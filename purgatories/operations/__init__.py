"""The delayed operations, one in each file; each depends on a small Protocol that it declares."""
