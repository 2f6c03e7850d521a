"""The type of a JSON object that the admin interface returns."""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]
