"""The comparison of client methods: what counts as a difference, and what is excused."""

from __future__ import annotations

import pytest

from integration.methods import comparison
from integration.methods.comparison import RETURNS, Key, Played, fault, normalized
from integration.methods.json_values import to_json
from integration.methods.known import Known
from integration.methods.method_table import public_methods
from integration.methods.older_releases import Missing, NotInThisReleaseError

KEY = Key("a Client", "a_method", "defaults")
ONE, OTHER = Played(["1"], calls_it=True), Played(["2"], calls_it=True)


def test_what_belongs_to_a_run_is_not_compared() -> None:
    """The port, identifiers and times are replaced; ignored fields keep only their names."""
    outcome = {"port": 4711, "id": "x-6d2f1c9e-0000-4000-8000-1234567890ab", "offset": 7}
    outcome |= {"at": 1_780_000_000_123, "cluster_id": "any"}
    assert normalized(outcome, 4711, ignored=["offset"]) == [
        '{"at": NOW, "cluster_id": "IGNORED", "id": "x-UUID", "offset": "IGNORED", "port": PORT}'
    ]


def test_lists_keep_their_order_unless_they_have_none() -> None:
    """In any order means that two lists of the same things are equal."""
    assert normalized([2, 1], 1) != normalized([1, 2], 1)
    assert normalized([3, 2], 1, unordered=True) == normalized([2, 3], 1, unordered=True)


def test_outcomes_that_differ_are_a_fault() -> None:
    """Equal ones are not, and without a Kafka there is nothing to differ from."""
    assert fault(KEY, ONE, ONE) is None
    assert fault(KEY, ONE, None) is None
    assert "-2\n+1" in str(fault(KEY, ONE, OTHER))


def test_a_shape_has_to_call_its_method() -> None:
    """An entry whose shape calls something else proves nothing."""
    without = Played(["1"], calls_it=False)
    assert "does not call" in str(fault(KEY, without, None))
    assert "does not call" in str(fault(KEY, ONE, without))


def test_an_expected_difference_has_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """It excuses just the outcome that it names, and is a fault once there is no difference."""
    expected = Known("not served: something", "^1$")
    monkeypatch.setattr(comparison, "known", lambda *_: expected)
    assert fault(KEY, ONE, OTHER) is None
    assert "no longer differs" in str(fault(KEY, ONE, ONE))
    assert "not as expected" in str(fault(KEY, Played(["3"], calls_it=True), OTHER))


def test_an_expected_difference_may_be_a_part_of_the_outcome() -> None:
    """What Kafka has instead is replaced, and then all has to be equal."""
    known = Known("a default", instead={"b=1": "b=2"})
    assert known.allows(["a=1", "b=2"], ["a=1", "b=1"])
    assert not known.allows(["a=2", "b=2"], ["a=1", "b=1"])


def test_an_ending_is_the_error_or_that_it_returned() -> None:
    """The class of an exception, or the codes that it carries."""
    assert ONE.ending == RETURNS
    raised = Played(normalized(to_json(ValueError("no")), 1), calls_it=True)
    assert raised.ending == "ValueError"


def test_what_an_older_release_lacks_raises_once_it_is_used() -> None:
    """A table can be imported, and only the shapes that use the name fail."""
    missing = Missing("NewThing")
    with pytest.raises(NotInThisReleaseError, match="NewThing"):
        missing(1)
    with pytest.raises(NotInThisReleaseError, match=r"NewThing\.member"):
        _ = missing.member


def test_public_methods_are_all_that_has_no_underscore() -> None:
    """Static ones and properties too, plain attributes not."""

    class Client:
        constant = 1

        def method(self) -> None: ...

        @staticmethod
        def static() -> None: ...

        @property
        def attribute(self) -> int:
            return 1

        def _private(self) -> None: ...

    assert public_methods(Client) == {"method", "static", "attribute"}
