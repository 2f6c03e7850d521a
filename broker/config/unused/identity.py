"""The old key of a node's id, and that of cordoned directories, which have no effect here."""

from __future__ import annotations

from broker.config.key import PER_BROKER, no_effect
from broker.config.kinds import AnyList, int32

_nodes = no_effect("node.id is the id of the first node")
_cordon = no_effect("directories cannot be cordoned", advice="directories cannot be cordoned")

KEYS = (
    _nodes("broker.id", int32(), -1),
    _cordon("cordoned.log.dirs", AnyList(), (), PER_BROKER),
)
