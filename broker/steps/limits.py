"""How long one step of the loop may take, and how large a request may be that is read in steps.

The one home of these numbers. Kafka has no such limits: its threads take turns by themselves.
"""

from __future__ import annotations

# A step of the loop that takes longer keeps other clients waiting, and is reported.
STEP_BUDGET_MS = 20

# Steps over budget are logged at most this often, the last few are kept for statistics. A machine
# that runs much else makes steps of a few times the budget; those are no warnings.
STEP_LOG_INTERVAL_MS = 10_000
STEP_WARNING_MS = 200
STALLS_KEPT = 10

# Work that takes longer is continued in a later step. A client that sends a small request while
# one long request runs waits for about one slice before its turn and one after it.
SLICE_MS = 2

# Requests up to this size are decoded at once: at two bytes an item, the smallest there is, that is
# about seven milliseconds.
DECODED_AT_ONCE_BYTES = 8 * 1024

# More items than this in the arrays of one request close the connection. A decoded item takes up to
# a hundred times its bytes, so 100 MB of them (socket.request.max.bytes) would take 10 GB, and to
# free them all at once would be a long step. The largest requests of real clients name each
# partition of the cluster once, and Kafka's clusters have up to about 200,000.
ITEMS_PER_REQUEST_MAX = 200_000
