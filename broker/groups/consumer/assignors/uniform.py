"""Balances partitions over members with few moves (Kafka's ``UniformAssignor``)."""

from __future__ import annotations

from broker.groups.consumer.assignors import uniform_heterogeneous, uniform_homogeneous
from broker.groups.consumer.assignors.spec import Assignment, GroupSpec


def assign(spec: GroupSpec) -> Assignment:
    """Return the target assignment of each member."""
    if not spec.members:
        return {}
    if spec.is_homogeneous:
        return uniform_homogeneous.assign(spec)
    return uniform_heterogeneous.assign(spec)
