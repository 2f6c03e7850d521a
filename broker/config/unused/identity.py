"""Keys of a node's identity and of cordoned directories, which have no effect here."""

from __future__ import annotations

from broker.config.key import PER_BROKER, no_effect
from broker.config.kinds import AnyList, int32

_nodes = no_effect("nodes are numbered from 1; --brokers is their number")
_cordon = no_effect("directories cannot be cordoned", advice="directories cannot be cordoned")

KEYS = (
    _nodes("broker.id", int32(), -1),
    _nodes("node.id", int32(0), None),
    _cordon("cordoned.log.dirs", AnyList(), (), PER_BROKER),
)
