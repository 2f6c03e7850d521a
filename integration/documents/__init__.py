"""The commands of the documentation, and what they need to run."""
