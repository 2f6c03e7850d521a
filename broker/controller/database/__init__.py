"""What the controller stores, in SQLite."""
