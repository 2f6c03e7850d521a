"""Programs that tests run under schedules of faults."""
