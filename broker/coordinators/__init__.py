"""Coordinators whose state is the content of an internal topic (Kafka's ``coordinator-common``).

    leader election --> CoordinatorLeadership --> CoordinatorRuntime.on_election
                                                     CoordinatorLoader replays the partition
    request --> coordinator --append--> partition of the internal topic
                    ^                        |
                    `---- response <-- deferred until the high watermark passes the records

A coordinator (`broker.groups`) interprets the records. This package manages the partitions: which
of them the node leads, loading them, appending to them, waiting for replication, and unloading
them.
"""
