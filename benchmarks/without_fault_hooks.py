"""A broker without the hooks of fault rules, to measure what these cost: a copy of the source."""

from __future__ import annotations

import shutil
from pathlib import Path

from integration.processes.antechamber import Antechamber

_SOURCE = Path(__file__).parent.parent
_PACKAGES = ("antechamber", "broker", "protocol", "purgatories", "recorder", "pipeline")
# By file: the hook, and what is in its place.
_HOOKS = {
    "broker/api/dispatch.py": (
        """\
        index = self._rules.get(key) if self._rules else None
        self._begin(connection, request)
        if is_large:
            encoded = frame[start:]
            if index is not None:
                encoded = memoryview(bytes(encoded))
                handler = partial(handle_large_with_rules, index, handler)
            long = LongRequest(request)
            self._handle(connection, request, partial(long.decode, cls, handler), encoded)
        elif index is not None:
            self._handle(
                connection, request, handle_with_rules, (index, handler, frame[start:], request)
            )
""",
        """\
        self._begin(connection, request)
        if is_large:
            encoded = frame[start:]
            long = LongRequest(request)
            self._handle(connection, request, partial(long.decode, cls, handler), encoded)
""",
    ),
    "broker/api/request_channel.py": (
        """\
        if request.fault is not None:
            response = apply_after(request, response)
            if response is PARKED:
                return
""",
        "",
    ),
    "broker/api/request.py": (
        """\
        # The fault rules that act on the response.
        self.fault: RequestFault | None = None
""",
        "",
    ),
}


def copy_without_hooks(folder: Path) -> None:
    """Copy the packages to *folder*, and remove the hooks; raises ValueError if one is missing."""
    for package in _PACKAGES:
        shutil.copytree(
            _SOURCE / package, folder / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name, (hook, rest) in _HOOKS.items():
        path = folder / name
        text = path.read_text(encoding="utf-8")
        if text.count(hook) != 1:
            raise ValueError(f"{name} does not have the hook of fault rules; see {__file__}")
        path.write_text(text.replace(hook, rest), encoding="utf-8")


def broker_without_hooks(folder: Path, *options: str) -> Antechamber:
    """Start a broker from such a copy in *folder*."""
    copy_without_hooks(folder)
    return Antechamber(*options, packages=folder, ready_within=60)
