"""Records of committed offsets."""

from __future__ import annotations

from protocol.schema import ZERO_UUID, int32, int64, message, since, string, uuid


@message(0, versions=(0, 0))
class LegacyOffsetCommitKey:
    """As `OffsetCommitKey`; written by brokers before 0.9."""

    group: string
    topic: string
    partition: int32


@message(1, versions=(0, 0))
class OffsetCommitKey:
    """A group and a partition."""

    group: string
    topic: string
    partition: int32


@message(1, versions=(0, 4), flexible=4)
class OffsetCommitValue:
    """A committed offset; times are in milliseconds since the Unix epoch, -1 for none."""

    offset: int64
    leader_epoch: int32 = since(3, default=-1)
    metadata: string
    commit_timestamp: int64
    # Only for commits of versions 2 to 4, which contain a retention.
    expire_timestamp: int64 = since(1, until=1, default=-1)
    topic_id: uuid = since(4, tag=0, default=ZERO_UUID)
