"""The limits of a step of the loop, and of requests that are decoded in steps.

Kafka has no such limits: the operating system schedules its threads.
"""

from __future__ import annotations

from typing import Final

# A step of the loop that takes longer delays other clients, and is reported.
STEP_BUDGET_MS: Final = 20

# Steps over budget are logged at most this often, and the last few are kept for statistics. On a
# busy machine steps take a few times the budget; only longer ones are warnings.
STEP_LOG_INTERVAL_MS: Final = 10_000
STEP_WARNING_MS: Final = 200
STALLS_KEPT: Final = 10

# Work that takes longer continues in a later step. A small request that arrives while one long
# request runs waits for about one slice before it runs and for one more before its response.
SLICE_MS: Final = 2

# The task that serves all connections lets other tasks run after this time. One pass of the loop
# takes about 50 µs, so that a busy broker spends a fortieth of its time between the steps.
SERVING_STEP_MS: Final = 2

# Responses to other connections that one request completes are sent together, after the first one:
# as many as before, between these numbers. So each of them waits for others to be made for at most
# as long as it has waited before, or for 0.05 ms. If the first one waits too, a single fetch is
# woken 4 µs later.
SENT_TOGETHER_MIN: Final = 8
SENT_TOGETHER_MAX: Final = 256

# A connection with many requests is served for this time, then those that are ready. A request on
# another connection waits for that long and for the request that is in progress. To look for other
# ready connections takes 2 µs.
SERVING_TURN_MS: Final = 0.05

# If no other connection is ready, its turn continues up to this time, because the responses of a
# turn are sent together.
SERVING_TURN_MAX_MS: Final = 0.2

# While requests follow each other this quickly, the broker polls for the next one for up to this
# time before it sleeps (`broker.steps.busy_poll`). A client in Python sends its next request 20 to
# 60 µs after a response. A broker that polls in vain wastes this time once.
BUSY_POLL_MS: Final = 0.1

# Requests up to this size are decoded in one step: with items of two bytes, the smallest, that
# takes about seven milliseconds. Larger ones are, too, if the reader is compiled: up to
# `protocol.codec.COPIED_BYTES_MAX`, which takes two milliseconds with the smallest items.
DECODED_AT_ONCE_BYTES: Final = 8 * 1024

# So many bytes of a larger request are copied to decode its header; a client id has at most 32 KB.
HEADER_COPIED_BYTES: Final = 33 * 1024

# More items than this in the arrays of one request close the connection. A decoded item takes up to
# a hundred times its encoded size, so 100 MB of them (socket.request.max.bytes) would take 10 GB,
# and freeing them would be a long step. The largest requests of real clients name each partition of
# the cluster once, and Kafka clusters have up to about 200,000.
ITEMS_PER_REQUEST_MAX: Final = 200_000
