"""The one list of the themes of keys that this broker uses."""

from __future__ import annotations

from broker.config.keys.authorization import AuthorizationKeys
from broker.config.keys.classic_groups import ClassicGroupKeys
from broker.config.keys.connections import ConnectionKeys
from broker.config.keys.consumer_groups import ConsumerGroupKeys
from broker.config.keys.delegation_tokens import DelegationTokenKeys
from broker.config.keys.directories import DirectoryKeys
from broker.config.keys.flushing import FlushKeys
from broker.config.keys.group_protocols import GroupProtocolKeys
from broker.config.keys.links import LinkKeys
from broker.config.keys.listeners import ListenerKeys
from broker.config.keys.offsets import OffsetKeys
from broker.config.keys.producers import ProducerKeys
from broker.config.keys.purgatories import PurgatoryKeys
from broker.config.keys.records import RecordKeys
from broker.config.keys.replication import ReplicationKeys
from broker.config.keys.retention import RetentionKeys
from broker.config.keys.sasl import SaslKeys
from broker.config.keys.segments import SegmentKeys
from broker.config.keys.share_coordinator import ShareCoordinatorKeys
from broker.config.keys.share_groups import ShareGroupKeys
from broker.config.keys.streams_groups import StreamsGroupKeys
from broker.config.keys.tls import TlsKeys
from broker.config.keys.topics import TopicKeys
from broker.config.keys.transactions import TransactionKeys
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class AllKeys(
    ListenerKeys,
    DirectoryKeys,
    ConnectionKeys,
    SaslKeys,
    TopicKeys,
    RecordKeys,
    SegmentKeys,
    FlushKeys,
    RetentionKeys,
    PurgatoryKeys,
    ReplicationKeys,
    LinkKeys,
    GroupProtocolKeys,
    ClassicGroupKeys,
    ConsumerGroupKeys,
    ShareGroupKeys,
    StreamsGroupKeys,
    ShareCoordinatorKeys,
    OffsetKeys,
    ProducerKeys,
    TransactionKeys,
    AuthorizationKeys,
    DelegationTokenKeys,
    TlsKeys,
):
    """All keys that this broker uses; a theme is a base class, in the order of the tables."""
