"""Error responses of requests about configs, compared with Kafka 4.3.1."""

from __future__ import annotations

from typing import Any

from broker.api.error_responses.table import error_response
from protocol.errors import ErrorCode
from protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource

REFUSED = ErrorCode.INVALID_REQUEST


def test_config_errors_have_the_message_of_the_code() -> None:
    """Whatever the message of the error."""
    resource = DescribeConfigsResource(resource_type=2, resource_name="t", configuration_keys=None)
    response: Any = error_response(DescribeConfigsRequest(resources=[resource]), 4, REFUSED, "why")

    (result,) = response.results
    assert (result.resource_type, result.resource_name, result.configs) == (2, "t", [])
    assert result.error_message.startswith("This most likely occurs because of")
