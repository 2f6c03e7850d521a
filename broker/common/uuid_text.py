"""The text of a UUID: URL-safe base64 without padding (``org.apache.kafka.common.Uuid``)."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from uuid import UUID


def uuid_text(uuid: UUID) -> str:
    """The text of *uuid*, of 22 characters."""
    return urlsafe_b64encode(uuid.bytes).rstrip(b"=").decode()


def parse_uuid(text: str) -> UUID:
    """The UUID with that text; raises `ValueError` if there is none."""
    return UUID(bytes=urlsafe_b64decode(f"{text}=="))
