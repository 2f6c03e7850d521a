"""Runs the tables of one client library on one broker, given by name and address.

Prints a line of JSON with the release of the library and the public methods of its classes, then a
line for each outcome. Only shapes with *only* in their name run.
"""

from __future__ import annotations

import argparse
import json
from importlib.metadata import version

from integration.methods.libraries import PACKAGES, PYTHON_LIBRARIES, tables_of
from integration.methods.older_releases import replace_missing_names
from integration.methods.playing import parts, play_all


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m integration.methods.program")
    parser.add_argument("library", choices=PYTHON_LIBRARIES)
    parser.add_argument("bootstrap")
    parser.add_argument("only", nargs="?", default="")
    parser.add_argument("--older", action="store_true", help="the release may lack names")
    requested = parser.parse_args()
    if requested.older:
        replace_missing_names(PACKAGES[requested.library])
    tables = tables_of(requested.library)
    public = {table.name: sorted(table.public()) for table in tables}
    print(json.dumps({"release": version(requested.library), "public": public}), flush=True)
    wanted = [part for part in parts(tables) if requested.only in f"{part.table.name} {part.name}"]
    for played in play_all(requested.bootstrap, wanted):
        print(json.dumps(played), flush=True)


if __name__ == "__main__":
    main()
