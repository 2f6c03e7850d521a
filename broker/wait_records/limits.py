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

# Records that wait for the thread that sends spans; more are dropped and counted.
SPAN_RECORDS_MAX = 20_000
# Records that are converted to spans and sent together: each takes about 10 kB meanwhile.
SPAN_RECORDS_AT_ONCE = 1000
# How long a record is held for the record of the request that released it, if no other comes.
HELD_S = 1.0
# The longest that a stop waits until a collector has the last spans.
LAST_SPANS_S = 2.0

# What is read of the records of a request to find its traces, about 1 ms: bytes of batches,
# decompressed bytes, records and headers, and different traces.
TRACED_BYTES = 128 * 1024
TRACED_DECOMPRESSED_BYTES = 256 * 1024
TRACED_ITEMS = 500
TRACES_MAX = 32
# The checks of a wait whose events are kept, if they are observed.
CHECKED_MAX = 32
# The topics of a Metadata request that are kept because they did not exist.
UNKNOWN_TOPICS_MAX = 32
