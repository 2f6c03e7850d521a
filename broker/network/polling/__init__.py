"""Which transports are ready: pollers for each operating system."""
