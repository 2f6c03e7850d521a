"""DescribeConfigs: configs of topics, groups, client metrics and this broker (KIP-133).

Behaviour: null keys mean all; each resource has its own result. The name of a broker resource is
this broker's node id, or empty for the dynamic configs of all brokers (KIP-226). The configs of the
loggers of this broker are their levels (KIP-412). Resources whose configs the client may not
describe are the last ones; neither their names nor their existence is checked. A resource of an
unknown type fails the whole request.

Versions: 1 synonyms and source, 3 types and documentation (KIP-569).

Deviations: the documentation of a config is not Kafka's text. Loggers are those of Python, see
`broker.api.handlers.configs.broker_loggers`.
"""

from __future__ import annotations

from broker.api.authorization.check import (
    DESCRIBE_CLUSTER_CONFIGS,
    DESCRIBE_GROUP_CONFIGS,
    DESCRIBE_TOPIC_CONFIGS,
)
from broker.api.authorization.checks import require
from broker.api.handlers.configs.broker_loggers import logger_levels
from broker.api.handlers.configs.config_resources import ResourceType, named_node
from broker.api.request import Request
from broker.api.services import Services
from broker.common.errors import INVALID_REQUEST_WORDS, ApiError
from broker.config.client_metrics import describe_client_metrics
from broker.config.description import describe_all_brokers, describe_broker
from broker.config.dynamic import ALL_NODES
from broker.config.entry import ConfigEntry, ConfigSource
from broker.config.groups import describe_group
from broker.config.topics import describe_topic
from broker.controller.metadata.topic_names import check_topic_name
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

_TYPES = frozenset(ResourceType)


def describe_configs(request: Request[DescribeConfigsRequest]) -> Slices[DescribeConfigsResponse]:
    """Describe the configs of each resource."""
    resources = request.body.resources
    if not all(each.resource_type in _TYPES for each in resources):
        error = ApiError(ErrorCode.INVALID_REQUEST, INVALID_REQUEST_WORDS)
        return DescribeConfigsResponse(results=[_result(each, error) for each in resources])
    described, refused = list[DescribeConfigsResult](), list[DescribeConfigsResult]()
    for resource in resources:
        try:
            if request.services.authorizer is not None:
                _authorize(request, resource)
        except ApiError as error:
            refused.append(_result(resource, error))
        else:
            described.append(_describe(request, resource))
        yield None
    return DescribeConfigsResponse(results=described + refused)


def _authorize(request: Request[DescribeConfigsRequest], resource: DescribeConfigsResource) -> None:
    match resource.resource_type:
        case ResourceType.TOPIC:
            require(request, DESCRIBE_TOPIC_CONFIGS, resource.resource_name)
        case ResourceType.GROUP:
            require(request, DESCRIBE_GROUP_CONFIGS, resource.resource_name)
        case ResourceType.BROKER | ResourceType.CLIENT_METRICS | ResourceType.BROKER_LOGGER:
            require(request, DESCRIBE_CLUSTER_CONFIGS)


def _result(
    resource: DescribeConfigsResource, error: ApiError | None = None
) -> DescribeConfigsResult:
    return DescribeConfigsResult(
        error_code=error.code if error else ErrorCode.NONE,
        error_message=error.message if error else "",
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
        configs=[],
    )


def _describe(
    request: Request[DescribeConfigsRequest], resource: DescribeConfigsResource
) -> DescribeConfigsResult:
    result = _result(resource)
    wanted = resource.configuration_keys
    try:
        if resource.resource_type == ResourceType.BROKER_LOGGER:
            _check_node_of_loggers(request.services, resource.resource_name)
            result.configs = [
                _level(name, level)
                for name, level in logger_levels()
                if not wanted or name in wanted
            ]
        else:
            result.configs = [
                _config(request, entry)
                for entry in _entries(request, resource)
                if not wanted or entry.name in wanted
            ]
    except ApiError as error:
        return _result(resource, error)
    return result


def _entries(
    request: Request[DescribeConfigsRequest], resource: DescribeConfigsResource
) -> list[ConfigEntry]:
    services, name = request.services, resource.resource_name
    match resource.resource_type:
        case ResourceType.TOPIC:
            check_topic_name(name)
            topic = services.image.topic(name)
            if topic is None:
                raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "")
            return describe_topic(services.config, topic.configs)
        case ResourceType.GROUP:
            if not name:
                raise ApiError(ErrorCode.INVALID_REQUEST, "Group name must not be empty")
            return describe_group(services.config, services.image.group_configs.get(name, {}))
        case ResourceType.CLIENT_METRICS:
            if not name:
                reason = "Client metrics subscription name must not be empty"
                raise ApiError(ErrorCode.INVALID_REQUEST, reason)
            return describe_client_metrics(services.image.client_metrics.get(name, {}))
    assert resource.resource_type == ResourceType.BROKER
    return _of_broker(services, name)


def _of_broker(services: Services, name: str) -> list[ConfigEntry]:
    if name == ALL_NODES:
        return describe_all_brokers(services.config)
    own_id = services.node_id
    if named_node(name, "Broker") != own_id:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Unexpected broker id, expected {own_id} or empty string, but received {name}",
        )
    return describe_broker(services.config)


def _check_node_of_loggers(services: Services, name: str) -> None:
    if not name:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Broker id must not be empty")
    own_id = services.node_id
    if named_node(name, "Broker") != own_id:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Unexpected broker id, expected {own_id} but received {name}",
        )


def _level(logger: str, level: str) -> DescribeConfigsResourceResult:
    return DescribeConfigsResourceResult(
        name=logger,
        value=level,
        read_only=False,
        config_source=ConfigSource.DYNAMIC_BROKER_LOGGER,
        is_sensitive=False,
        synonyms=[],
    )


def _config(
    request: Request[DescribeConfigsRequest], entry: ConfigEntry
) -> DescribeConfigsResourceResult:
    return DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.read_only,
        config_source=entry.source,
        is_sensitive=entry.sensitive,
        synonyms=[
            DescribeConfigsSynonym(name=synonym.name, value=synonym.value, source=synonym.source)
            for synonym in entry.synonyms
        ]
        if request.body.include_synonyms
        else [],
        config_type=entry.config_type,
        documentation=entry.documentation if request.body.include_documentation else None,
    )
