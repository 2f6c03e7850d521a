"""A web server with the keys of signed tokens, which can fail."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from integration.security.certificates import certificates


class KeyServer:
    """Serves ``text`` at ``url``; the next ``failures`` requests get an error of the server."""

    def __init__(self, scheme: str, text: str) -> None:
        self.text = text
        self.failures = 0
        self.requests = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        if scheme == "https":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificates().server.path)
            plain = self._server.socket
            self._server.socket = context.wrap_socket(plain, server_side=True)
        self.url = f"{scheme}://127.0.0.1:{self._server.server_port}/keys"

    def run(self) -> None:
        """Serve until `close`."""
        self._server.serve_forever(poll_interval=0.05)

    def close(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.requests += 1
                if server.failures:
                    server.failures -= 1
                    self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR)
                    return
                body = server.text.encode()
                self.send_response(HTTPStatus.OK)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Write nothing to stderr."""

        return Handler


@contextmanager
def key_server(scheme: str, text: str) -> Iterator[KeyServer]:
    """A server that runs."""
    server = KeyServer(scheme, text)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()
