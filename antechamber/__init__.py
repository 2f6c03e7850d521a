"""antechamber: a Kafka-protocol broker that waits as Apache Kafka waits.

This package is the front door. The broker itself runs as a process of its own, started by
``antechamber serve``; nothing of it is imported here.
"""

from __future__ import annotations
