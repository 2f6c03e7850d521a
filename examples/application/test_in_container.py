"""The application on the broker in a container, which needs an image and a Docker engine."""

from __future__ import annotations

import os
from contextlib import closing

from customer import order, parcels
from shipping import shipments

from antechamber.container import IMAGE, BrokerContainer


def test_an_order_is_shipped() -> None:
    """The variable ANTECHAMBER_IMAGE names another image."""
    image = os.environ.get("ANTECHAMBER_IMAGE", IMAGE)
    with BrokerContainer(image, topics=["orders", "shipments"]) as broker:
        order(broker.bootstrap, "a", items=4)

        with closing(shipments(broker.bootstrap)) as shipped:
            assert next(shipped) == "a"
        assert parcels(broker.bootstrap, "a") == 2
