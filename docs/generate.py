"""Writes the generated pages, pictures, completions and modules: ``make docs``.

A test compares the files with what is generated here, so they are always up to date.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.atlas.page import page as atlas
from benchmarks.page import page as speed
from docs import asynchronous, pictures
from docs.apis_page import apis
from docs.clients_page import clients
from docs.command_line_page import command_line
from docs.completions import COMPLETIONS
from docs.configuration import configuration
from docs.man_page import man_page
from docs.schedule_schema import schedule_schema
from docs.tables import GENERATED

FOLDER = Path(__file__).parent

PAGES: dict[str, Callable[[], str]] = {
    "explanation/atlas.md": atlas,
    "reference/apis.md": apis,
    "reference/clients.md": lambda: f"{GENERATED}\n{clients()}",
    "reference/command-line.md": command_line,
    "reference/configuration.md": configuration,
    "reference/speed.md": speed,
    "explanation/pictures/produce.svg": pictures.produce,
    "explanation/pictures/purgatory.svg": pictures.purgatory,
    "explanation/pictures/rooms.svg": pictures.rooms,
    "explanation/pictures/wheels.svg": pictures.wheels,
    "../antechamber/chaos/schedule.schema.json": schedule_schema,
    "../antechamber/completions/antechamber.1": man_page,
    **{f"../antechamber/completions/{name}": text for name, text in COMPLETIONS.items()},
    **asynchronous.modules(),
}


def main() -> None:
    """Write all files."""
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
