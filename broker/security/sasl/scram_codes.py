"""The codes of SCRAM mechanisms in requests (``org.apache.kafka.clients.admin.ScramMechanism``)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from broker.security.sasl.mechanism import SCRAM_SHA_256, SCRAM_SHA_512

MECHANISMS: Final[Mapping[int, str]] = MappingProxyType({1: SCRAM_SHA_256, 2: SCRAM_SHA_512})
CODES: Final[Mapping[str, int]] = MappingProxyType(
    {name: code for code, name in MECHANISMS.items()}
)
