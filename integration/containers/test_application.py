"""The example application on the broker in a container."""

from __future__ import annotations

import pytest

from integration.containers.image import broker_image
from integration.example_application import run_tests


@pytest.mark.docker
@pytest.mark.timeout(600)
def test_the_application_is_tested_in_a_container() -> None:
    """By `BrokerContainer`, with the image of this checkout."""
    assert "1 passed" in run_tests("test_in_container.py", ANTECHAMBER_IMAGE=broker_image())
