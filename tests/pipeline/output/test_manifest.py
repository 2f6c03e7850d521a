"""The manifest of an output folder."""

from __future__ import annotations

import json

from pipeline.output.manifest import (
    DELTA,
    PARQUET,
    Manifest,
    Replaced,
    from_json,
    part_of,
    to_json,
    updated,
)

HOUR_9, HOUR_10 = "date=2025-11-21/hour=9", "date=2025-11-21/hour=10"


def file(name: str, run: str, part: str = "") -> str:
    """A file of a run."""
    return "/".join(each for each in (name, f"run={run}", part, "0.parquet") if each)


def test_a_manifest_is_the_same_after_it_was_written() -> None:
    """Tables, the state of a stream, and what was replaced."""
    files = {
        "tables/waits": (file("tables/waits", "a", HOUR_9),),
        "state/reads": (file("state/reads", "a", "stretch=0"),),
        "tables/latency": (),
    }
    written = Manifest(60, 3, files, (Replaced(1.5, ("tables/waits/run=0",)),))

    assert from_json(to_json(written)) == written


def test_a_manifest_of_delta_tables_names_their_versions() -> None:
    """Its files are those of the stream's state."""
    files = {"state/reads": (file("state/reads", "a", "stretch=0"),)}
    written = Manifest(60, 3, files, (), DELTA, {"tables/waits": 7})
    text = to_json(written)

    assert from_json(text) == written
    assert json.loads(text)["versions"] == {"waits": 7}


def test_a_manifest_of_older_versions_is_of_parquet() -> None:
    """It has no format."""
    facts = json.loads(to_json(Manifest(60)))
    del facts["format"], facts["versions"]

    assert from_json(json.dumps(facts)) == Manifest(60, table_format=PARQUET)


def test_the_part_of_a_file_is_its_folder_in_the_run() -> None:
    """A table without a time has one part."""
    assert part_of(file("tables/waits", "a", HOUR_9)) == HOUR_9
    assert part_of(file("tables/top_waits", "a")) == ""


def test_new_files_replace_the_parts_that_they_are_of() -> None:
    """Other parts and other tables remain."""
    old = {
        "tables/waits": (file("tables/waits", "a", HOUR_9), file("tables/waits", "a", HOUR_10)),
        "tables/malformed": (file("tables/malformed", "a"),),
        "tables/clients": (file("tables/clients", "a", HOUR_9),),
    }
    new = {
        "tables/waits": (file("tables/waits", "b", HOUR_10),),
        "tables/malformed": (file("tables/malformed", "b"),),
    }

    assert updated(old, new, ["tables/malformed"]) == {
        "tables/waits": (file("tables/waits", "a", HOUR_9), file("tables/waits", "b", HOUR_10)),
        "tables/malformed": (file("tables/malformed", "a"), file("tables/malformed", "b")),
        "tables/clients": (file("tables/clients", "a", HOUR_9),),
    }


def test_replaced_folders_expire_by_their_time() -> None:
    """Those replaced before a time are expired, the others remain."""
    early, late = Replaced(1.0, ("a", "b")), Replaced(2.0, ("c",))
    manifest = Manifest(60, replaced=(early, late))

    assert manifest.expired(2.0) == ["a", "b"]
    assert manifest.without_expired(2.0) == (late,)
