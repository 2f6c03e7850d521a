"""The application on a broker that is already running, such as that of a CI job.

KAFKA_BOOTSTRAP has its address. The application is a process of its own, as in production.
"""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path

from customer import order, parcels

APPLICATION = Path(__file__).with_name("shipping.py")


def test_an_order_is_shipped() -> None:
    """The name of the order is new, so that the test can be repeated."""
    bootstrap, name = os.environ["KAFKA_BOOTSTRAP"], uuid.uuid4().hex
    with subprocess.Popen([sys.executable, APPLICATION, bootstrap]) as running:
        try:
            order(bootstrap, name, items=3)
            assert parcels(bootstrap, name) == 1
        finally:
            running.kill()
