"""The adjustments of a running broker's clock, and the events to which it can be moved."""
