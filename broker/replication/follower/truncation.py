"""Where a follower must cut its log to be a prefix of its leader's (KIP-101, KIP-595).

The leader has answered a fetch with a diverging epoch: the largest epoch it has that is not above
the follower's last one, and where that ends in the leader's log. The logs are equal up to the
smaller of the two ends of that epoch; if the follower does not have that epoch, up to the end of
the largest one below it, and the next fetch goes on from there.

    leader     e1 e1 e1 | e3 e3         the follower's last epoch is 2, the leader's answer (1, 3)
    follower   e1 e1 e1 e1 | e2 e2      epoch 1 ends at 4 here and at 3 there: cut at 3
"""

from __future__ import annotations

from broker.storage.log_view import LogView

UNDEFINED = -1


def truncation_offset(log: LogView, leader_epoch: int, leader_end_offset: int) -> int:
    """The offset to cut at, given the leader's answer (``AbstractFetcherThread``)."""
    end = log.log_end_offset
    if leader_end_offset == UNDEFINED:
        return log.high_watermark
    if leader_epoch == UNDEFINED:
        return min(leader_end_offset, end)
    own_epoch, own_end_offset = log.end_offset_for_epoch(leader_epoch)
    if own_end_offset == UNDEFINED:
        return min(leader_end_offset, end)
    if own_epoch != leader_epoch:
        return min(own_end_offset, end)
    return min(own_end_offset, leader_end_offset, end)
