"""The OpenAPI description of the admin interface, for ``GET /v1/openapi.json``."""
