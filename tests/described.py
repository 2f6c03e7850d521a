"""Compares responses of the admin interface with its OpenAPI description.

Objects are closed: a field that the description does not have is an error.
"""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

Document = dict[str, Any]
_VALUES = ("enum", "default", "required")


class Description:
    """An OpenAPI document, and what it allows."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._closed = _closed(document)

    def operations(self) -> dict[tuple[str, str], Document]:
        """Each operation by its method and path."""
        return {
            (method.upper(), path): operation
            for path, methods in self.document["paths"].items()
            for method, operation in methods.items()
        }

    def check(self, method: str, path: str, status: int, value: object) -> None:
        """Raise `AssertionError` if the path, the status or a field is not described."""
        found = next((each for each in self._closed["paths"] if _matches(each, path)), None)
        assert found is not None, f"{path} is not described"
        operation = self._closed["paths"][found][method.lower()]
        assert str(status) in operation["responses"], f"{method} {path}: {status}: {value}"
        errors = list(self._validator(operation, status).iter_errors(value))
        assert not errors, f"{method} {path}: {errors[0].json_path}: {errors[0].message}"

    def _validator(self, operation: Document, status: int) -> Draft202012Validator:
        response = operation["responses"][str(status)]
        if "$ref" in response:
            response = self._closed["components"]["responses"]["Error"]
        [content] = response["content"].values()
        components = self._closed["components"]  # references begin at the root
        return Draft202012Validator({**content["schema"], "components": components})


def _matches(template: str, path: str) -> bool:
    parts, given = template.split("/"), path.split("?")[0].split("/")
    return len(parts) == len(given) and all(
        part == each or part.startswith("{") for part, each in zip(parts, given, strict=True)
    )


def _closed(value: Any) -> Any:
    """The same document, in which objects with named properties have no others."""
    if isinstance(value, list):
        return [_closed(each) for each in value]
    if not isinstance(value, dict):
        return value
    copied = {key: each if key in _VALUES else _closed(each) for key, each in value.items()}
    if "properties" in value and "type" in value:
        copied.setdefault("additionalProperties", False)
    return copied
