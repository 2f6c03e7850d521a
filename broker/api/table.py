"""All APIs with their handlers, and their versions as ApiVersions responses contain them."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from broker.api.apis import Apis, ServedApi
from broker.api.packages import PACKAGES
from protocol import apis
from protocol.apis import APIS
from protocol.messages import REQUESTS
from protocol.messages.api_versions import ApiVersion

# Older librdkafka decides from Produce's lowest version whether it may compress (KAFKA-18659);
# versions 0 to 2 are advertised, and refused, as Kafka does.
_PRODUCE_ADVERTISED_SINCE: Final = 0


def _imported(api_key: int) -> ServedApi:
    name = APIS[api_key].snake_case_name
    module = import_module(f"broker.api.handlers.{PACKAGES[api_key]}.{name}")
    return REQUESTS[api_key], getattr(module, name)


ALL_APIS: Final = Apis(APIS, _imported)


def advertised_versions() -> list[ApiVersion]:
    """The range of versions of each API, as ApiVersions responses contain them, by key."""
    return [
        ApiVersion(
            api_key=key,
            min_version=_PRODUCE_ADVERTISED_SINCE if api is apis.PRODUCE else api.versions[0],
            max_version=api.versions[-1],
        )
        for key, api in sorted(APIS.items())
    ]
