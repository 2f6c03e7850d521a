"""Client libraries: scripts that use them, their environments, and the APIs they use."""
