"""As much for everybody, and as few moves as that allows (Kafka's ``UniformAssignor``)."""

from __future__ import annotations

from broker.groups.consumer.assignors import uniform_heterogeneous, uniform_homogeneous
from broker.groups.consumer.assignors.spec import Assignment, GroupSpec


def assign(spec: GroupSpec) -> Assignment:
    """What each member shall have."""
    if not spec.members:
        return {}
    if spec.is_homogeneous:
        return uniform_homogeneous.assign(spec)
    return uniform_heterogeneous.assign(spec)
