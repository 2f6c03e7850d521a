"""A program `docker` for suites that stop and start brokers with it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

_PROGRAM = """#!{python}
import sys
import urllib.request

compose, command, service = sys.argv[1:]
url = f"http://127.0.0.1:{port}/{{command}}/{{service}}"
urllib.request.urlopen(url, data=b"").close()
"""


@contextmanager
def docker_stand_in(
    folder: Path, stop: Callable[[int], None], start: Callable[[int], None]
) -> Iterator[None]:
    """Write the program: `docker compose stop NAME-NODE` calls *stop*, and `start` calls *start*.

    As with Docker, to start a node that runs has no effect.
    """
    stopped: set[int] = set()

    def run(command: str, node: int) -> None:
        if command == "stop":
            stop(node)
            stopped.add(node)
        elif node in stopped:
            start(node)
            stopped.remove(node)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            _, command, service = self.path.split("/")
            run(command, int(service.rpartition("-")[2]))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing for a request."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        program = folder / "docker"
        program.write_text(_PROGRAM.format(python=sys.executable, port=server.server_port))
        program.chmod(0o755)
        threading.Thread(target=server.serve_forever).start()
        try:
            yield
        finally:
            server.shutdown()
