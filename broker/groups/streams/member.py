"""A member of a streams group (Kafka's ``StreamsGroupMember``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import NamedTuple

from broker.groups.records import streams as records
from broker.groups.streams.current_assignment import CurrentAssignment, MemberState
from protocol.lazy_dataclass import dataclass

# The assignment of a member that has left; the tombstone of its metadata follows.
LEFT = CurrentAssignment(member_epoch=-1, previous_member_epoch=-1)


class Endpoint(NamedTuple):
    """The address at which an application serves interactive queries."""

    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsGroupMember:
    """A member; it is immutable."""

    member_id: str
    # Static members are not supported (as in Kafka 4.3); a record may contain an instance id.
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout_ms: int = -1
    topology_epoch: int = -1
    process_id: str = ""
    user_endpoint: Endpoint | None = None
    client_tags: Mapping[str, str] = field(default_factory=dict)
    current: CurrentAssignment = CurrentAssignment()

    @property
    def member_epoch(self) -> int:
        """The epoch of the member."""
        return self.current.member_epoch

    def is_reconciled_to(self, assignment_epoch: int) -> bool:
        """Whether its assignment is its target of *assignment_epoch*."""
        return self.current.state is MemberState.STABLE and self.member_epoch == assignment_epoch

    # ------------------------------------------------------------------------------ records

    def metadata_value(self) -> records.StreamsGroupMemberMetadataValue:
        """The value of its metadata record."""
        endpoint, tags = self.user_endpoint, self.client_tags
        return records.StreamsGroupMemberMetadataValue(
            instance_id=self.instance_id,
            rack_id=self.rack_id,
            client_id=self.client_id,
            client_host=self.client_host,
            rebalance_timeout_ms=self.rebalance_timeout_ms,
            topology_epoch=self.topology_epoch,
            process_id=self.process_id,
            user_endpoint=(
                None
                if endpoint is None
                else records.Endpoint(host=endpoint.host, port=endpoint.port)
            ),
            client_tags=[records.ClientTag(key=key, value=tags[key]) for key in sorted(tags)],
        )

    def with_metadata(self, value: records.StreamsGroupMemberMetadataValue) -> StreamsGroupMember:
        """The member after the replay of such a record."""
        endpoint = value.user_endpoint
        return replace(
            self,
            instance_id=value.instance_id,
            rack_id=value.rack_id,
            client_id=value.client_id,
            client_host=value.client_host,
            rebalance_timeout_ms=value.rebalance_timeout_ms,
            topology_epoch=value.topology_epoch,
            process_id=value.process_id,
            user_endpoint=None if endpoint is None else Endpoint(endpoint.host, endpoint.port),
            client_tags={tag.key: tag.value for tag in value.client_tags},
        )
