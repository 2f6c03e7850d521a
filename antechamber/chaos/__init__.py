"""Schedules of faults: drawn, run against a program, and shrunk if the program fails."""
