"""The OpenAPI description has each path and method of the server, and no others."""

from __future__ import annotations

import re

import pytest

from broker.admin.openapi.document import SECTIONS, openapi_document
from broker.admin.paths import routes
from purgatories.timer.system_timer import SystemTimer
from tests.broker.admin.test_paths import request
from tests.described import Description
from tests.facts import FakeFacts

pytestmark = pytest.mark.anyio

REMEDY = "describe it in broker/admin/openapi, in a section of document.SECTIONS"


def served() -> set[tuple[str, str]]:
    """The methods and paths of the table of routes."""
    table = routes(FakeFacts(), SystemTimer("admin", now_ms=lambda: 0.0))
    return {(method, path) for path, methods in table.items() for method in methods}


def test_each_path_is_described() -> None:
    """Every method of every path is in the description, and nothing else is."""
    described = set(Description(openapi_document()).operations())

    assert not served() - described, f"no description of {served() - described}: {REMEDY}"
    assert not described - served(), f"{described - served()} is described and not served"


def test_a_path_is_in_one_section() -> None:
    """Sections have no path, schema or operation in common."""
    paths = [path for section in SECTIONS for path in section.operations]
    schemas = [name for section in SECTIONS for name in section.schemas]
    names = [
        operation.name
        for section in SECTIONS
        for methods in section.operations.values()
        for operation in methods.values()
    ]

    for found in (paths, schemas, names):
        assert len(found) == len(set(found))


def test_each_reference_has_its_schema_and_each_schema_is_used() -> None:
    """References are those of the components."""
    document = openapi_document()
    used = set(re.findall(r"'#/components/schemas/(\w+)'", str(document)))

    assert used == set(document["components"]["schemas"])


def test_the_named_parts_of_a_path_are_parameters() -> None:
    """Each part in braces is a required parameter of the path."""
    for (method, path), operation in Description(openapi_document()).operations().items():
        named = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
        assert named == set(re.findall(r"{(\w+)}", path)), f"{method} {path}"


async def test_the_description_is_served() -> None:
    """It has no parameters."""
    assert await request(FakeFacts(), "/v1/openapi.json") == (200, openapi_document())
    assert (await request(FakeFacts(), "/v1/openapi.json?pretty=1"))[0] == 400
