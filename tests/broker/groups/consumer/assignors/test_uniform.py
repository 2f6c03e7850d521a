"""Uniform assignor (mirrors ``UniformAssignorTest``)."""

from __future__ import annotations

import pytest
from hypothesis import given

from broker.groups.consumer.assignors import ASSIGNORS
from broker.groups.consumer.assignors.spec import GroupSpec
from broker.groups.consumer.assignors.uniform import assign
from tests.broker.groups.consumer.assignors.specs import (
    assert_complete,
    by_name,
    loads,
    spec_of,
    specs,
)


def test_a_group_without_members() -> None:
    """The assignment is empty."""
    assert assign(GroupSpec(members={}, partition_counts={}, is_homogeneous=False)) == {}


@pytest.mark.parametrize("members", [{"a": "t", "b": "t"}, {"a": "t", "b": "tu"}])
def test_equal_and_different_subscriptions(members: dict[str, str]) -> None:
    """The result is balanced in both cases."""
    assert loads(assign(spec_of({"t": 4, "u": 0}, members))) == [2, 2]


@given(specs())
def test_every_partition_has_one_owner_that_subscribes_to_it(spec: GroupSpec) -> None:
    """For any subscriptions."""
    assert_complete(spec, assign(spec))


def test_assignors_have_the_names_of_kafka() -> None:
    """Mirrors testName of both; the first is the broker's default."""
    spec = spec_of({"t": 2, "u": 2}, {"a": "tu", "b": "tu"})
    assigned = {name: by_name(assignor(spec)) for name, assignor in ASSIGNORS.items()}

    assert list(assigned) == ["uniform", "range"]
    assert assigned["range"] == {"a": {"t": {0}, "u": {0}}, "b": {"t": {1}, "u": {1}}}
    assert assigned["uniform"] != assigned["range"]
