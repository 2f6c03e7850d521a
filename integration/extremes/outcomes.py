"""The outcome of each case at a broker: error codes, a wait, or a closed connection."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from integration.extremes.known import WAITS, waits_at_kafka
from integration.parity.warm_up import warm_up
from integration.wire.connection import Connection, framed
from integration.wire.requests import METADATA
from integration.wire.topics import make_topic
from protocol.errors import ErrorCode
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from protocol.messages.alter_configs import AlterConfigsRequest
from protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
from protocol.messages.create_partitions import CreatePartitionsRequest
from protocol.messages.create_topics import CreateTopicsRequest
from protocol.messages.delete_topics import DeleteTopicsRequest
from protocol.messages.elect_leaders import ElectLeadersRequest
from protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.update_features import UpdateFeaturesRequest
from tests.extremes.cases import Case, cases

CLOSED = "closed"
# A request without a response after that time waits. The controller of a real Kafka may take a few
# seconds on a busy machine, so only a case that is known to wait has the short time.
_WAITS_AFTER_S = 20.0
_KNOWN_TO_WAIT_AFTER_S = 2.0

# A broker of Kafka forwards these requests to its controller. A response of the controller that is
# too long breaks the connection between the two: the request hangs, and after a minute the broker
# ends with a FatalExitError.
PASSED_TO_THE_CONTROLLER = (
    AlterClientQuotasRequest,
    AlterConfigsRequest,
    AlterPartitionReassignmentsRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    ElectLeadersRequest,
    IncrementalAlterConfigsRequest,
    ListPartitionReassignmentsRequest,
    UpdateFeaturesRequest,
)
_MALFORMED = "32767 bad bytes"

Outcomes = dict[str, str]


def is_comparable(cls: Any, case: Case) -> bool:
    """Whether a real Kafka works as before after a case.

    Malformed text that is too long once it is replaced closes the connection here. Kafka stores it,
    in groups for example, and cannot list them afterwards.
    """
    too_long = case.what == "32767 bytes" and cls in PASSED_TO_THE_CONTROLLER
    return not too_long and case.what != _MALFORMED


def outcomes(bootstrap: str, apis: Iterable[Any]) -> Outcomes:
    """Send the comparable cases of these APIs to a broker, one after the other."""
    warm_up({1: bootstrap})
    return {name: outcome for cls in apis for name, outcome in _of_api(bootstrap, cls)}


def _of_api(bootstrap: str, cls: Any) -> Iterator[tuple[str, str]]:
    topic = f"extremes-{cls.__name__}"
    with Connection(bootstrap) as connection:
        make_topic(connection, topic)
    requested = MetadataRequest(topics=[MetadataRequestTopic(name=topic)])
    with Connection(bootstrap) as connection:
        frame = connection.request(encode_request(requested, 12, 1, None))
    topic_id = decode_response(RESPONSES[METADATA], 12, frame)[1].topics[0].topic_id
    for version in cls.__spec__.versions:
        for case in cases(cls, version, topic, topic_id):
            if is_comparable(cls, case):
                yield case.name, _outcome(bootstrap, cls, case)


def _outcome(bootstrap: str, cls: Any, case: Case) -> str:
    timeout = _KNOWN_TO_WAIT_AFTER_S if waits_at_kafka(case.name) else _WAITS_AFTER_S
    with Connection(bootstrap, timeout=timeout) as connection:
        try:
            frame = connection.request(framed(case.frame))
        except TimeoutError:
            return WAITS
        except (EOFError, ConnectionError):
            return CLOSED
    _, response = decode_response(RESPONSES[cls.__spec__.key], case.version, frame)
    return " ".join(dict.fromkeys(error.name for error in _errors(response))) or "no error"


def _errors(value: Any) -> Iterator[ErrorCode]:
    """The error codes of a response and its parts, in order."""
    if isinstance(value, list):
        for item in value:
            yield from _errors(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            inner = getattr(value, field.name)
            if field.name == "error_code":
                yield ErrorCode(inner)
            else:
                yield from _errors(inner)
