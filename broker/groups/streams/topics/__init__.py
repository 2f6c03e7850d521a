"""The topics of a topology: their numbers of partitions, and which of them have to be created."""
