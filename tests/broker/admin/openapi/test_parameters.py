"""The described parameters are those that the server accepts, with the same limits."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
import trio

from broker.admin.openapi.document import openapi_document
from tests.broker.admin.test_paths import request
from tests.described import Description
from tests.facts import FakeFacts

pytestmark = pytest.mark.anyio

OPERATIONS = Description(openapi_document()).operations()
Parameter = dict[str, Any]
# Parameters whose value selects which others there are.
SELECTORS = ("for", "to")


async def refusal(method: str, path: str, **given: object) -> str:
    """The message if the server refuses the parameters; empty if it accepts them."""
    target = re.sub(r"{\w+}", "1", path)
    with trio.CancelScope() as scope:
        scope.cancel()  # a request that is accepted may wait
        status, value = await request(FakeFacts(), f"{target}?{urlencode(given)}", method)
        return str(value) if status == 400 else ""
    return ""


def selections(parameters: list[Parameter]) -> list[dict[str, str]]:
    """Each value of the parameter that selects the others; empty if there is none."""
    for each in parameters:
        if each["name"] in SELECTORS:
            values = [{each["name"]: value} for value in each["schema"]["enum"]]
            return values if each["required"] else [{}, *values]
    return [{}]


async def accepted(method: str, path: str, selection: dict[str, str]) -> set[str]:
    """The names that the server lists when it refuses an unknown one."""
    message = await refusal(method, path, **selection, unknown=1)
    assert "'unknown'" in message, f"{method} {path} accepts any parameter"
    return set(re.findall(r"\w+", message.partition("; there are ")[2]))


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
async def test_the_parameters_are_those_of_the_server(method: str, path: str) -> None:
    """Every parameter that the server accepts is described, and no other."""
    parameters = [each for each in OPERATIONS[method, path]["parameters"] if each["in"] == "query"]
    found = [await accepted(method, path, each) for each in selections(parameters)]

    assert {each["name"] for each in parameters} == set.union(*found)


def invalid(schema: dict[str, Any]) -> list[object]:
    """Values beyond the limits, and texts that are no number and no choice."""
    limits = [
        schema[name] + beyond
        for name, beyond in (("minimum", -1), ("maximum", 1))
        if name in schema
    ]
    return [*limits, "never"] if schema.get("enum") or schema["type"] != "string" else []


def valid(schema: dict[str, Any]) -> list[object]:
    """The limit that all uses of the parameter have, and each choice."""
    return [schema["maximum"]] if "maximum" in schema else schema.get("enum", ["text"])


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
async def test_a_parameter_has_the_described_values(method: str, path: str) -> None:
    """The server refuses other values with a message that names the parameter."""
    parameters = [each for each in OPERATIONS[method, path]["parameters"] if each["in"] == "query"]
    for selection in selections(parameters):
        names = await accepted(method, path, selection) - set(SELECTORS)
        schemas = {each["name"]: each["schema"] for each in parameters if each["name"] in names}
        given = selection | {name: valid(schema)[0] for name, schema in schemas.items()}
        for name, schema in schemas.items():
            for value in invalid(schema):
                message = await refusal(method, path, **{**given, name: value})
                assert message.startswith(f"{name}: '"), f"{name}={value}: {message!r}"
            for value in valid(schema):
                message = await refusal(method, path, **{**given, name: value})
                assert not message.startswith(f"{name}: '"), message


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
async def test_a_request_without_a_required_parameter_is_refused(method: str, path: str) -> None:
    """The message of the 400 has its name."""
    required = [
        each["name"]
        for each in OPERATIONS[method, path]["parameters"]
        if each["in"] == "query" and each["required"]
    ]
    message = await refusal(method, path) if required else ""

    assert all(name in message for name in required)
