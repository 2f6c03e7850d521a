"""Wait records: what each request waited for, how long, and who ended it."""
