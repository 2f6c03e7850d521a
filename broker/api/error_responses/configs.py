"""Error responses of requests about configs and quotas.

Each function is the ``getErrorResponse`` of Kafka's request class of that name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from broker.api.error_responses.failure import ErrorResponses, Failure
from protocol.messages import alter_client_quotas, alter_configs, incremental_alter_configs
from protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
)
from protocol.messages.alter_configs import AlterConfigsRequest, AlterConfigsResponse
from protocol.messages.describe_client_quotas import (
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
)
from protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeConfigsResult,
)
from protocol.messages.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from protocol.messages.list_config_resources import (
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)

Altered = TypeVar(
    "Altered",
    alter_configs.AlterConfigsResourceResponse,
    incremental_alter_configs.AlterConfigsResourceResponse,
)


def _describe_configs(body: DescribeConfigsRequest, failure: Failure) -> DescribeConfigsResponse:
    return DescribeConfigsResponse(
        results=[
            DescribeConfigsResult(
                error_code=failure.code,
                error_message=failure.default_message,
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
                configs=[],
            )
            for resource in body.resources
        ]
    )


def _alter_configs(body: AlterConfigsRequest, failure: Failure) -> AlterConfigsResponse:
    cls = alter_configs.AlterConfigsResourceResponse
    return AlterConfigsResponse(responses=_altered(cls, body.resources, failure))


def _incremental_alter_configs(
    body: IncrementalAlterConfigsRequest, failure: Failure
) -> IncrementalAlterConfigsResponse:
    cls = incremental_alter_configs.AlterConfigsResourceResponse
    return IncrementalAlterConfigsResponse(responses=_altered(cls, body.resources, failure))


def _altered(
    cls: type[Altered],
    resources: Iterable[
        alter_configs.AlterConfigsResource | incremental_alter_configs.AlterConfigsResource
    ],
    failure: Failure,
) -> list[Altered]:
    return [
        cls(
            error_code=failure.code,
            error_message=failure.message,
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
        )
        for resource in resources
    ]


def _list_config_resources(
    _body: ListConfigResourcesRequest, failure: Failure
) -> ListConfigResourcesResponse:
    return ListConfigResourcesResponse(error_code=failure.code, config_resources=[])


def _describe_client_quotas(
    _body: DescribeClientQuotasRequest, failure: Failure
) -> DescribeClientQuotasResponse:
    return DescribeClientQuotasResponse(
        error_code=failure.code, error_message=failure.message, entries=None
    )


def _alter_client_quotas(
    body: AlterClientQuotasRequest, failure: Failure
) -> AlterClientQuotasResponse:
    return AlterClientQuotasResponse(
        entries=[
            alter_client_quotas.EntryResponse(
                error_code=failure.code, error_message=failure.default_message, entity=entry.entity
            )
            for entry in body.entries
        ]
    )


ERROR_RESPONSES: Final[ErrorResponses] = {
    DescribeConfigsRequest: _describe_configs,
    AlterConfigsRequest: _alter_configs,
    IncrementalAlterConfigsRequest: _incremental_alter_configs,
    ListConfigResourcesRequest: _list_config_resources,
    DescribeClientQuotasRequest: _describe_client_quotas,
    AlterClientQuotasRequest: _alter_client_quotas,
}
