"""Which build the brokers have that tests start."""

from __future__ import annotations

from broker.common.build import running_build
from integration.processes.antechamber import Antechamber


def test_a_started_broker_has_the_build_of_the_tests() -> None:
    """The tests start brokers in the folder of the source, which Python would search first."""
    with Antechamber() as broker:
        build = broker.admin.call("GET", "/v1/statistics")["build"]
    assert build == running_build()
