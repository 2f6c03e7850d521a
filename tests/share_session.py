"""The requests of a share session: fetches with acknowledgements, written as text, in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from protocol.messages.share_acknowledge import (
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from protocol.messages.share_fetch import (
    AcknowledgementBatch,
    FetchPartition,
    FetchTopic,
    ForgottenTopic,
    ShareFetchRequest,
)

TYPES = {"gap": 0, "accept": 1, "release": 2, "reject": 3, "renew": 4}


@dataclass
class ShareSession:
    """A member's session for the partitions of one topic; *epoch* is that of its next request.

    Fetches wait for *max_wait_ms* by default.
    """

    group_id: str
    member_id: str
    topic_id: UUID
    max_wait_ms: int = 0
    epoch: int = 0

    def request(
        self,
        *partitions: int,
        max_wait_ms: int | None = None,
        min_bytes: int = 1,
        max_bytes: int = 1 << 20,
        max_records: int = 500,
        batch_size: int = 500,
        mode: int = 0,
        renew: bool = False,
        forgotten: Sequence[int] = (),
        acknowledge: Iterable[str] = (),
        epoch: int | None = None,
        topic_id: UUID | None = None,
    ) -> ShareFetchRequest:
        """A fetch; the first one, and those that acknowledge, name partition 0 by default."""
        named = partitions or ((0,) if self.epoch == 0 or acknowledge else ())
        topic_id = topic_id or self.topic_id
        batches = list(map(acknowledgement, acknowledge))
        fetched = [
            FetchPartition(partition_index=each, acknowledgement_batches=batches) for each in named
        ]
        left = ForgottenTopic(topic_id=topic_id, partitions=list(forgotten))
        return ShareFetchRequest(
            group_id=self.group_id,
            member_id=self.member_id,
            share_session_epoch=self.epoch if epoch is None else epoch,
            max_wait_ms=self.max_wait_ms if max_wait_ms is None else max_wait_ms,
            min_bytes=min_bytes,
            max_bytes=max_bytes,
            max_records=max_records,
            batch_size=batch_size,
            share_acquire_mode=mode,
            is_renew_ack=renew,
            topics=[FetchTopic(topic_id=topic_id, partitions=fetched)] if fetched else [],
            forgotten_topics_data=[left] if forgotten else [],
        )

    def acknowledgements(
        self,
        batches: Mapping[int, Sequence[str]],
        *,
        renew: bool = False,
        epoch: int | None = None,
    ) -> ShareAcknowledgeRequest:
        """Acknowledge *batches* of each partition; see `acknowledgement`."""
        partitions = [
            AcknowledgePartition(
                partition_index=index, acknowledgement_batches=list(map(acknowledgement, each))
            )
            for index, each in batches.items()
        ]
        topic = AcknowledgeTopic(topic_id=self.topic_id, partitions=partitions)
        return ShareAcknowledgeRequest(
            group_id=self.group_id,
            member_id=self.member_id,
            share_session_epoch=self.epoch if epoch is None else epoch,
            is_renew_ack=renew,
            topics=[topic] if partitions else [],
        )

    def advance(self, sent: ShareFetchRequest | ShareAcknowledgeRequest) -> None:
        """Continue after *sent*, which has succeeded."""
        self.epoch = sent.share_session_epoch + 1


def acknowledgement(text: str) -> AcknowledgementBatch:
    """The batch of ``first-last type [type...]``; a type may be a number."""
    offsets, *types = text.split()
    first, _, last = offsets[1:].partition("-")  # the first offset may be negative
    first = offsets[0] + first
    return AcknowledgementBatch(
        first_offset=int(first),
        last_offset=int(last or first),
        acknowledge_types=[TYPES[each] if each in TYPES else int(each) for each in types],
    )
