"""Where a follower truncates its log so that it is a prefix of the leader's (KIP-101, KIP-595).

The leader's response has a diverging epoch: the largest epoch of the leader that is not above the
follower's last one, and its end offset in the leader's log. The logs are equal up to the smaller
end offset of that epoch. If the follower does not have that epoch, they are equal up to the end of
the largest epoch below it, and the next fetch continues from there.

    leader     e1 e1 e1 | e3 e3         the follower's last epoch is 2, the response is (1, 3)
    follower   e1 e1 e1 e1 | e2 e2      epoch 1 ends at 4 here and at 3 there: truncate to 3
"""

from __future__ import annotations

from broker.storage.log.unified_log import UnifiedLog

UNDEFINED = -1


def truncation_offset(log: UnifiedLog, leader_epoch: int, leader_end_offset: int) -> int:
    """The offset to truncate to, given the leader's response (``AbstractFetcherThread``)."""
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
