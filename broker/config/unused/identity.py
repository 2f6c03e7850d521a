"""Keys of a node's identity and data directories, which have no effect here."""

from __future__ import annotations

from broker.config.key import PER_BROKER, no_effect
from broker.config.kinds import AnyList, Text, int32

_nodes = no_effect("nodes are numbered from 1", advice="nodes are numbered from 1; use --brokers")
_racks = no_effect("nodes have no rack", advice="nodes have no rack")
_dirs = no_effect("directories are given on the command line", advice="use --data-dir")
_cordon = no_effect("directories cannot be cordoned", advice="directories cannot be cordoned")

KEYS = (
    _nodes("broker.id", int32(), -1),
    _nodes("node.id", int32(0), None),
    _racks("broker.rack", Text(), None),
    # Kafka's default; this broker does not write there.
    _dirs("log.dir", AnyList(), ("/tmp/kafka-logs",)),  # noqa: S108 - not used as a path
    _dirs("log.dirs", AnyList(), None),
    _cordon("cordoned.log.dirs", AnyList(), (), PER_BROKER),
)
