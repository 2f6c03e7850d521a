"""The record batch, version 2: its layout, and everything that reads or writes it."""
