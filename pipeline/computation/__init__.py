"""The tables, as expressions of Spark over wait records."""
