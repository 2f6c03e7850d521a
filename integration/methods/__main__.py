"""Compares client methods with a real Kafka: ``make methods ARGS="LIBRARY [TEXT]"``.

Runs the shapes of the library that have TEXT in their name, prints unexpected differences, and
exits with 1 if there are any. ``-v`` prints every outcome.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from integration.methods.comparison import fault
from integration.methods.libraries import LIBRARIES
from integration.methods.session import Session, play


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="make methods")
    parser.add_argument("library", choices=(*LIBRARIES, "all"))
    parser.add_argument("only", nargs="?", default="")
    parser.add_argument("-v", "--verbose", action="store_true")
    requested = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        libraries = LIBRARIES if requested.library == "all" else [requested.library]
        done = play(libraries, Path(folder), requested.only)
    return _report(done, verbose=requested.verbose)


def _report(done: Session, *, verbose: bool) -> int:
    failed = 0
    for key, played in done.ours.items():
        wrong = fault(key, played, done.theirs.get(key))
        failed += wrong is not None
        if wrong is not None or verbose:
            print(f"== {key} ({done.took_ms[key]} ms)")
            print(wrong or played.text)
    slowest = sorted(done.took_ms, key=done.took_ms.__getitem__)[-3:]
    print("slowest:", ", ".join(f"{key} {done.took_ms[key]} ms" for key in slowest))
    print(f"{len(done.ours)} shapes, {failed} with unexpected outcomes")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
