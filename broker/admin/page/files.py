"""The files of the live page, which are the same for everybody.

The page may load only these files and send requests only to this server. It has no script in its
HTML, so a name that a client chose cannot become one.
"""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from importlib import resources

from broker.admin.http import HttpResponse, PlainText
from broker.admin.routes import Files

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}
_INDEX = "index.html"


@cache
def page_files() -> Files:
    """The response of each file, by its path; that of index.html is ``/``."""
    folder = resources.files(__package__) / "static"
    return {
        "/" if file.name == _INDEX else f"/page/{file.name}": _response(file.name, file.read_text())
        for file in folder.iterdir()
        if file.name.rpartition(".")[2] in _TYPES
    }


def _response(name: str, text: str) -> HttpResponse:
    content_type = _TYPES[name.rpartition(".")[2]]
    return HttpResponse(HTTPStatus.OK, PlainText(text, content_type), _HEADERS)
