"""The application on a broker that is already running, such as that of a CI job.

KAFKA_BOOTSTRAP has its address. The application is a process of its own, as in production.
"""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from customer import order, parcels

APPLICATION = Path(__file__).with_name("shipping.py")


@pytest.fixture
def bootstrap() -> str:
    """The address of the running broker; the test fails without it."""
    address = os.environ.get("KAFKA_BOOTSTRAP")
    if not address:
        remedy = "give the address of a running broker, such as 127.0.0.1:9092"
        pytest.fail(f"KAFKA_BOOTSTRAP is not set; {remedy}", pytrace=False)
    return address


def test_an_order_is_shipped(bootstrap: str) -> None:
    """The name of the order is new, so that the test can be repeated."""
    name = uuid.uuid4().hex
    with subprocess.Popen([sys.executable, APPLICATION, bootstrap]) as running:
        try:
            order(bootstrap, name, items=3)
            assert parcels(bootstrap, name) == 1
        finally:
            running.kill()
