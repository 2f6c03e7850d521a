"""Error responses of Kafka's request classes and of ours are equal, for every API and version."""

from __future__ import annotations

import dataclasses
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from broker.api.error_responses.table import error_response
from integration.kafka.java_program import java_command
from integration.machine.deadlines import ENDS_WITHIN_S
from protocol.codec import decode, encode
from protocol.errors import ErrorCode
from protocol.headers import decode_response, encode_request
from protocol.messages import REQUESTS, RESPONSES
from protocol.messages.create_acls import CreateAclsRequest
from protocol.messages.delete_acls import DeleteAclsRequest
from protocol.messages.describe_acls import DescribeAclsRequest
from protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest
from protocol.messages.produce import ProduceRequest
from protocol.messages.unregister_broker import UnregisterBrokerRequest
from tests.protocol.random_messages import random_message

pytestmark = pytest.mark.jvm

JAVA = Path(__file__).parent / "java" / "ErrorResponses.java"
LENGTH_BYTES = 4
ROUNDS = 4
# The exceptions for Java and for us: one that is not Kafka's, and Kafka's errors with and without
# a message.
ERRORS: list[tuple[str, str, ErrorCode, str | None]] = [
    ("bug", "boom", ErrorCode.UNKNOWN_SERVER_ERROR, None),
    ("42", "-", ErrorCode.INVALID_REQUEST, None),
    ("42", "why", ErrorCode.INVALID_REQUEST, "why"),
]


def test_error_responses_equal_kafkas(tmp_path: Path) -> None:
    """All fields are equal for random requests of every version, except for the order of items."""
    rng = random.Random(4711)
    requested = [
        (_request(rng, cls, version), version, error)
        for cls in REQUESTS.values()
        for version in cls.__spec__.versions
        for _ in range(ROUNDS)
        for error in ERRORS
    ]
    lines = [
        f"{code} {message} {encode_request(body, version, 7, 'c')[LENGTH_BYTES:].hex()}\n"
        for body, version, (code, message, _, _) in requested
    ]

    kafka = subprocess.run(
        java_command(JAVA, "org.apache.kafka.common.requests.ErrorResponses", tmp_path),
        input="".join(lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=ENDS_WITHIN_S,
    ).stdout.splitlines()

    assert len(kafka) == len(requested)
    for (body, version, (kind, _, code, message)), theirs in zip(requested, kafka, strict=True):
        ours = error_response(body, version, code, message)
        if theirs == "none":
            assert ours is None
            continue
        cls = RESPONSES[body.__spec__.key]
        _, expected = decode_response(cls, version, bytes.fromhex(theirs))
        if isinstance(body, UnregisterBrokerRequest) and kind == "bug":
            # Kafka returns the message of the exception.
            assert expected.error_message == "boom"
            continue
        assert _value_of(ours, cls, version) == _value(expected), (body, version)


def _request(rng: random.Random, cls: Any, version: int) -> Any:
    body = random_message(rng, cls, version)
    if cls is ProduceRequest:  # Kafka checks the records when it constructs the request
        body.acks = rng.choice((-1, 0, 1))
        for topic in body.topic_data:
            for partition in topic.partition_data:
                partition.records = b""
    if cls in (CreateAclsRequest, DeleteAclsRequest, DescribeAclsRequest):
        for entry in getattr(body, "creations", None) or getattr(body, "filters", [body]):
            _make_known(entry)
    if cls is DescribeUserScramCredentialsRequest and body.users is None:
        body.users = []  # Kafka sends no response for null
    return body


def _make_known(entry: Any) -> None:
    """Replace the code 0, with which Kafka cannot construct a request, and other unknown codes."""
    for field in dataclasses.fields(entry):
        if "type" in field.name or field.name == "operation":
            setattr(entry, field.name, 3)


def _value_of(response: Any, cls: Any, version: int) -> Any:
    """The fields that a client reads in *version*."""
    return _value(decode(cls, version, encode(response, version)))


def _value(value: Any) -> Any:
    """A comparable form without the order and repetition of items."""
    if isinstance(value, list):
        return frozenset(map(_value, value))
    if isinstance(value, memoryview):
        return bytes(value)
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return tuple((field.name, _value(getattr(value, field.name))) for field in fields)
    return value
