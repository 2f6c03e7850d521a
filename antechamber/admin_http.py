"""Requests to an admin interface: HTTP with JSON, also over TLS, one connection a request.

A request that the broker refuses raises `AdminError` with the broker's message. `NoBroker` means
that no broker is reachable. `HttpClient` blocks; `target`, `failures` and `result` are without I/O,
for an asynchronous client, too.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from antechamber.admin_endpoint import ADMIN_URL_DEFAULT, Endpoint
from antechamber.admin_errors import AdminError, NoBroker

# How long the broker may take to respond, in addition to the time it is requested to wait.
RESPONSE_TIMEOUT_S = 30.0

Parameters = Mapping[str, str | int | None]
# What JSON can hold.
Body = Mapping[str, Any] | None


class HttpClient:
    """A client of the admin interface at *url*; raises `InvalidArgument`.

    ``token``: the bearer token, if the broker requires one.
    ``ca``: a PEM file with the certificates that ``https`` trusts; by default those of the system.
    """

    def __init__(
        self,
        url: str = ADMIN_URL_DEFAULT,
        *,
        token: str | None = None,
        ca: str | os.PathLike[str] | None = None,
    ) -> None:
        self._endpoint = Endpoint(url, token=token, ca=ca)

    @property
    def url(self) -> str:
        """The URL of the admin interface."""
        return self._endpoint.url

    def call(
        self,
        method: str,
        path: str,
        wanted: Parameters | None = None,
        wait_s: float = 0.0,
        body: Body = None,
    ) -> Any:
        """Return the JSON value of the response, which may take *wait_s* longer than usual.

        Parameters that are None are left out. Raises `AdminError` and `NoBroker`.
        """
        with failures(self.url):
            connection = self._connection(wait_s + RESPONSE_TIMEOUT_S)
            try:
                content, headers = content_of(body)
                headers = {**self._endpoint.headers, **headers}
                connection.request(method, target(path, wanted), content, headers)
                response = connection.getresponse()
                value = json.loads(response.read())
            finally:
                connection.close()
        return result(response.status, value)

    def _connection(self, timeout_s: float) -> http.client.HTTPConnection:
        host, port, context = self._endpoint.host, self._endpoint.port, self._endpoint.context
        if context is None:
            return http.client.HTTPConnection(host, port, timeout=timeout_s)
        return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=context)


def target(path: str, wanted: Parameters | None) -> str:
    """The path with the parameters that are not None."""
    given = {name: value for name, value in (wanted or {}).items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def content_of(body: Body) -> tuple[bytes | None, dict[str, str]]:
    """The bytes of a body, and the headers that describe them."""
    if body is None:
        return None, {}
    content = json.dumps(body).encode()
    return content, {"Content-Type": "application/json", "Content-Length": str(len(content))}


def result(status: int, value: Any) -> Any:
    """The value of a response; raises `AdminError` if the broker has refused the request."""
    if status != HTTPStatus.OK:
        raise AdminError(status, _refusal(value))
    return value


@contextmanager
def failures(url: str) -> Iterator[None]:
    """Raise `NoBroker`, with the reason, for the exceptions of a connection."""
    try:
        yield
    except TimeoutError:
        raise NoBroker(f"{url} does not respond") from None
    except http.client.RemoteDisconnected:  # as a Kafka port or a stopping broker
        words = "closed the connection; is it the admin interface of a broker?"
        raise NoBroker(f"{url} {words}") from None
    except ssl.SSLCertVerificationError as error:
        reason = error.verify_message.rstrip(".")
        hint = "" if "mismatch" in reason else "; give its authority by --admin-ca FILE, or by ca"
        raise NoBroker(f"{url} has no valid certificate: {reason}{hint}") from None
    except ssl.SSLError as error:
        raise NoBroker(f"TLS with {url} failed: {error.reason}") from None
    except OSError as error:
        is_refused = isinstance(error, ConnectionRefusedError)
        raise NoBroker(f"no broker at {url}: {_reason(error)}", is_refused=is_refused) from None
    except (http.client.HTTPException, ValueError):
        raise NoBroker(f"{url} is not the admin interface of a broker") from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def _refusal(value: object) -> str:
    """The broker's message, or the representation of a value that has none."""
    return str(value["error"]) if isinstance(value, dict) and "error" in value else repr(value)
