"""The table of kafka-python's KafkaAdminClient; its methods are in files by subject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafka import KafkaAdminClient

from integration.methods.fixtures import Fixtures
from integration.methods.method_table import MethodTable
from integration.methods.tables import (
    kafka_python_admin_cluster,
    kafka_python_admin_groups,
    kafka_python_admin_topics,
)


def _make(on: Fixtures, settings: Mapping[str, Any]) -> KafkaAdminClient:
    base = {"bootstrap_servers": on.bootstrap, "client_id": on.client_id}
    return KafkaAdminClient(**base | dict(settings))


def _close(admin: KafkaAdminClient) -> None:
    admin.close()


NET = MethodTable(
    library="kafka-python",
    of=KafkaAdminClient,
    make=_make,
    close=_close,
    methods={
        **kafka_python_admin_topics.METHODS,
        **kafka_python_admin_groups.METHODS,
        **kafka_python_admin_cluster.METHODS,
    },
)
