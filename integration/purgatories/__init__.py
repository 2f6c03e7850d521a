"""Checks of the tests of `purgatories`: deliberate mistakes that they must detect."""
