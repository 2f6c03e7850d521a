"""How much is kept of wait records, and how long; the one home of these numbers."""

from __future__ import annotations

# In memory: the latest, for whoever asks.
RECENT_MAX = 10_000

# On their way out: more than this are dropped, and counted.
OUTBOX_MAX = 50_000
# After the first that waits, so that many may gather: each time costs a worker thread's wake-up.
LINGER_MS = 100

# Records in one batch of the records topic; building it holds the loop, too.
TOPIC_BATCH_RECORDS = 60
# A records file is renamed FILE.1 when it would get larger, FILE.1 becomes FILE.2, and so on; so
# many files in all.
FILE_BYTES_MAX = 64 << 20
FILES_MAX = 5
