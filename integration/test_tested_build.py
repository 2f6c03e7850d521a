"""Which build the brokers have that tests start."""

from __future__ import annotations

import json
import urllib.request

from broker.common.build import running_build
from integration.processes.antechamber import Antechamber


def test_a_started_broker_has_the_build_of_the_tests() -> None:
    """The tests start brokers in the folder of the source, which Python would search first."""
    with (
        Antechamber() as broker,
        urllib.request.urlopen(f"{broker.ready['admin']}/v1/statistics", timeout=10) as response,
    ):
        build = json.load(response)["build"]
    assert build == running_build()
