"""The state of a transactional id."""

from __future__ import annotations

import pytest

from broker.transactions.metadata import TransactionMetadata
from tests.broker.transactions.test_initialization import value
from tests.broker.transactions.world import A, B


@pytest.mark.parametrize("state", ["PREPARE_COMMIT", "PREPARE_ABORT"])
def test_the_partitions_of_a_prepared_transaction_are_those_without_marker(state: str) -> None:
    """The logged value has all of them."""
    entry = TransactionMetadata("id", value(state))
    entry.without_marker = {B}

    assert entry.partitions == {B}
    assert set(entry.value.partitions) == {A}


def test_the_partitions_of_an_open_transaction_are_all_of_them() -> None:
    """No marker is sent before it ends."""
    assert TransactionMetadata("id", value("ONGOING")).partitions == {A}
