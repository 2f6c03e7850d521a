"""What can wait: one delayed operation a file, each against a small Protocol of its own."""
