"""How many wait records are kept, where, and for how long."""

from __future__ import annotations

# Records in memory, for the admin interface.
RECENT_MAX = 10_000

# Records that wait to be written; more are dropped and counted.
OUTBOX_MAX = 50_000
# The delay of a write after its first record, so that one wake-up of a worker thread serves many.
LINGER_MS = 100

# Records in one batch of the records topic: building a batch occupies the loop.
TOPIC_BATCH_RECORDS = 60
# The size at which a records file is renamed to FILE.1, FILE.1 to FILE.2, and so on.
FILE_BYTES_MAX = 64 << 20
# The number of these files.
FILES_MAX = 5
