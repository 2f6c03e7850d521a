"""`python -m compiling.workload [REQUESTS]`: sends the workload to a broker, and to three.

`antechamber` is imported from the path, so its folder decides which build runs.
"""

from __future__ import annotations

import sys

from antechamber import Cluster
from compiling.workload.groups import commit_offsets
from compiling.workload.records import produce_and_fetch
from compiling.workload.share_groups import consume_share_group

REQUESTS = 2000


def main(requests: int) -> None:
    """Send *requests* of each kind; raises AssertionError or TimeoutError if one fails."""
    with Cluster(topics=["records", "shared"]) as kafka:
        produce_and_fetch(kafka.bootstrap, "records", requests)
        commit_offsets(kafka.bootstrap, "records", requests)
        consume_share_group(kafka.bootstrap, "shared", requests // 2)
    replicated = {"default.replication.factor": 3}
    with Cluster(3, config=replicated, topics=["replicated"]) as kafka:
        produce_and_fetch(kafka.bootstrap, "replicated", requests // 4)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else REQUESTS)
