"""The assignors of streams groups, by name (Kafka's ``TaskAssignor``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from broker.groups.streams.assignors import sticky
from broker.groups.streams.assignors.spec import Assignment, GroupSpec

TaskAssignor = Callable[[GroupSpec], Assignment]

ASSIGNORS: Mapping[str, TaskAssignor] = MappingProxyType({"sticky": sticky.assign})
