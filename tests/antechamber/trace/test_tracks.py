"""The tracks of connections and purgatories, and the lanes of each."""

from __future__ import annotations

from antechamber.trace.spans import span
from antechamber.trace.tracks import Track, assigned, connection_tracks, purgatory_track
from tests.facts import completed_fetch


def test_a_connection_is_named_after_its_client() -> None:
    """With the principal, if the client has logged in."""
    first = span(completed_fetch())
    second = span(completed_fetch() | {"connection": 9, "principal": "User:ann", "listener": "S"})

    assert connection_tracks([first, second]) == {
        (1, 8): Track(1, False, 8, "connection 8: reader"),
        (1, 9): Track(1, False, 9, "connection 9: reader (User:ann, listener S)"),
    }


def test_the_name_of_a_connection_is_that_of_its_last_client() -> None:
    """A client can use several client ids, and a principal is known after the login."""
    requests = [span(completed_fetch(client_id)) for client_id in (None, "billing")]

    assert connection_tracks(requests)[1, 8].name == "connection 8: billing"


def test_the_connections_of_a_node_come_before_its_purgatories() -> None:
    """Connections sort by number, purgatories by name."""
    tracks = (
        Track(1, False, 9, "connection 9: a"),
        Track(1, False, 10, "connection 10: a"),
        purgatory_track(1, "Fetch"),
        purgatory_track(1, "Produce"),
        Track(2, False, 1, "connection 1: a"),
    )

    assert sorted({*tracks}) == [*tracks]


def test_overlapping_intervals_of_a_track_are_in_several_lanes() -> None:
    """Each track has its own lanes."""
    one, two = purgatory_track(1, "Fetch"), purgatory_track(2, "Fetch")
    found = assigned([(one, 0, 9), (two, 1, 5), (one, 3, 4)])

    assert found == [(one, 0), (two, 0), (one, 1)]
