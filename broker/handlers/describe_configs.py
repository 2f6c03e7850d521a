"""DescribeConfigs: settings of topics, groups and this broker, and their sources (KIP-133).

Behaviour: no keys ask for all; each resource has its own answer. A broker is asked by its own
node id, or by the empty name, which stands for what was set on all nodes while they run (KIP-226).

Versions: 1 synonyms and source, 3 types and documentation (KIP-569).

Deviations: loggers and client metrics have nothing to tell and are INVALID_REQUEST. A group has
none of the keys of share and streams groups.
"""

from __future__ import annotations

from broker.config_entry import ConfigEntry
from broker.controller.topic_names import check_topic_name
from broker.dynamic_config import ALL_NODES
from broker.errors import INVALID_REQUEST_WORDS, ApiError
from broker.group_configs import describe_group
from broker.handlers.config_resources import ResourceType, node_id
from broker.request import Request
from broker.topic_config import describe_topic
from protocol.errors import ErrorCode
from protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)


def describe_configs(request: Request[DescribeConfigsRequest]) -> DescribeConfigsResponse:
    """The settings of each resource asked for."""
    return DescribeConfigsResponse(
        results=[_describe(request, resource) for resource in request.body.resources]
    )


def _describe(
    request: Request[DescribeConfigsRequest], resource: DescribeConfigsResource
) -> DescribeConfigsResult:
    result = DescribeConfigsResult(
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
        error_message="",
        configs=[],
    )
    try:
        entries = _entries(request, resource)
    except ApiError as error:
        result.error_code, result.error_message = error.code, error.message
        return result
    wanted = resource.configuration_keys
    result.configs = [
        _config(request, entry) for entry in entries if not wanted or entry.name in wanted
    ]
    return result


def _entries(
    request: Request[DescribeConfigsRequest], resource: DescribeConfigsResource
) -> list[ConfigEntry]:
    node = request.node
    if resource.resource_type == ResourceType.TOPIC:
        check_topic_name(resource.resource_name)
        topic = node.image.topic(resource.resource_name)
        if topic is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "")
        return describe_topic(node.config, topic.configs)
    if resource.resource_type == ResourceType.GROUP:
        if not resource.resource_name:
            raise ApiError(ErrorCode.INVALID_REQUEST, "Group name must not be empty")
        overrides = node.image.group_configs.get(resource.resource_name, {})
        return describe_group(node.config, overrides)
    if resource.resource_type != ResourceType.BROKER:
        raise ApiError(ErrorCode.INVALID_REQUEST, INVALID_REQUEST_WORDS)
    if resource.resource_name == ALL_NODES:
        return node.config.describe_shared()
    asked = node_id(resource.resource_name)
    if asked is None:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Broker id must be an integer, but it is: {resource.resource_name}",
        )
    if asked != node.id:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Unexpected broker id, expected {node.id} or empty string, but received "
            f"{resource.resource_name}",
        )
    return node.config.describe()


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
