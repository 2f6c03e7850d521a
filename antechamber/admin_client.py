"""Talks to a broker's admin interface: HTTP with JSON, a connection a request.

What the broker refuses is `AdminError` with the broker's own line; nobody there is `NoBroker`.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode, urlsplit

ADMIN_URL_DEFAULT = "http://127.0.0.1:9644"
# How long the broker may take for an answer, on top of the time it was asked to wait.
ANSWER_TIMEOUT_S = 30.0
REQUESTS_MAX = 10_000  # the most that a broker tells at once
_DISCOVERY_PATH = "/v1/cluster"

Parameters = Mapping[str, str | int | None]


class AdminError(Exception):
    """The broker refused, with an HTTP status and one line that says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class NoBroker(ConnectionError):  # noqa: N818 - it names what is the matter
    """Nobody answers at the address of the admin interface, or somebody else does."""


class AdminClient:
    """A client of the admin interface at *url*; raises `ValueError` if that is none.

    ``token``: the bearer token, where the broker asks for one.
    """

    def __init__(self, url: str = ADMIN_URL_DEFAULT, *, token: str | None = None) -> None:
        self.url = url.rstrip("/")
        self._host, self._port = _address(self.url)
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def cluster(self) -> dict[str, Any]:
        """Nodes, topics, leaders, in-sync sets and offsets."""
        answer: dict[str, Any] = self.ask("GET", _DISCOVERY_PATH)
        return answer

    def requests(self, **wanted: str | int | None) -> list[dict[str, Any]]:
        """The requests that match: ``parked``, ``api``, ``topic``, ``client``, ``limit``."""
        answer: list[dict[str, Any]] = self.ask("GET", "/v1/requests", wanted)["requests"]
        return answer

    def wait(self, what: str, timeout_s: float, **wanted: str | int | None) -> dict[str, Any]:
        """Wait until the broker is so; raises `TimeoutError` that says what lacks.

        ``what``: ``parked``, ``hw``, ``isr`` or ``group_stable``, each with parameters of its own.
        """
        parameters = {"for": what, "timeout_ms": round(timeout_s * 1000), **wanted}
        try:
            answer: dict[str, Any] = self.ask("GET", "/v1/wait", parameters, timeout_s)
        except AdminError as error:
            if error.status == HTTPStatus.REQUEST_TIMEOUT:
                raise TimeoutError(str(error)) from None
            raise
        return answer

    def order(self, node: int, order: str) -> dict[str, Any]:
        """Pause, resume, stop or start a node; how it is then."""
        answer: dict[str, Any] = self.ask("POST", f"/v1/nodes/{node}/{order}")
        return answer

    def ask(
        self, method: str, path: str, wanted: Parameters | None = None, wait_s: float = 0.0
    ) -> Any:
        """The value that the broker answers with; it may take *wait_s* longer than usual.

        Parameters that are None are left out. Raises `AdminError` and `NoBroker`.
        """
        given = {name: value for name, value in (wanted or {}).items() if value is not None}
        target = f"{path}?{urlencode(given)}" if given else path
        connection = http.client.HTTPConnection(
            self._host, self._port, timeout=wait_s + ANSWER_TIMEOUT_S
        )
        try:
            connection.request(method, target, headers=self._headers)
            response = connection.getresponse()
            value = json.loads(response.read())
        except TimeoutError:
            raise NoBroker(f"{self.url} does not answer") from None
        except http.client.RemoteDisconnected:  # a Kafka port does that, and a broker that ends
            words = "hung up without an answer; is it the admin interface of a broker?"
            raise NoBroker(f"{self.url} {words}") from None
        except OSError as error:
            raise NoBroker(f"no broker at {self.url}: {_reason(error)}") from None
        except (http.client.HTTPException, ValueError):
            raise NoBroker(f"{self.url} is not the admin interface of a broker") from None
        finally:
            connection.close()
        if response.status != HTTPStatus.OK:
            raise AdminError(response.status, _refusal(value))
        return value


def _address(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    plain = url.count("/") == 2 and not {"@", "?", "#"} & set(url)
    if host is None or port is None or parts.scheme != "http" or not plain:
        raise ValueError(f"{url!r} is not http://HOST:PORT")
    return host, port


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _refusal(value: object) -> str:
    """The broker's line; whatever came, if it is not one of ours."""
    return str(value["error"]) if isinstance(value, dict) and "error" in value else repr(value)
