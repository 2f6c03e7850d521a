"""What the tests use of the machine: requirements, deadlines, clocks, scheduling statistics."""
