"""Refuses requests of a group protocol that is disabled.

The key ``group.coordinator.rebalance.protocols`` excludes it, or its feature has the level 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from broker.api.request import Request
from broker.common.errors import ApiError
from broker.controller.metadata.features import GROUP_VERSION, STREAMS_VERSION
from broker.groups.group import CONSUMER, STREAMS, GroupType
from protocol.errors import ErrorCode

_FEATURES: Mapping[GroupType, str] = MappingProxyType(
    {CONSUMER: GROUP_VERSION, STREAMS: STREAMS_VERSION}
)


def require_protocol(request: Request[Any], protocol: GroupType) -> None:
    """Raise `ApiError` UNSUPPORTED_VERSION unless the protocol of the request is enabled."""
    services = request.services
    if (
        protocol not in services.config.group_coordinator_rebalance_protocols
        or not services.image.feature_level(_FEATURES[protocol])
    ):
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
