"""The assignors of consumer groups, by name (``ConsumerGroupPartitionAssignor``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from broker.groups.consumer.assignors import range_assignor, uniform
from broker.groups.consumer.assignors.spec import Assignment, GroupSpec

Assignor = Callable[[GroupSpec], Assignment]

ASSIGNORS: Mapping[str, Assignor] = MappingProxyType(
    {"uniform": uniform.assign, "range": range_assignor.assign}
)
