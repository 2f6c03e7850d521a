"""The files of a data directory: reads, writes, syncs, locks, and what follows from a failure."""
