"""The comparison of client methods: differences and exceptions."""

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


def test_values_of_a_run_are_not_compared() -> None:
    """Ports, identifiers and times are replaced; only the names of ignored fields are compared."""
    outcome = {"port": 4711, "id": "x-6d2f1c9e-0000-4000-8000-1234567890ab", "offset": 7}
    outcome |= {"at": 1_780_000_000_123, "cluster_id": "any"}
    assert normalized(outcome, 4711, ignored=["offset"]) == [
        '{"at": NOW, "cluster_id": "IGNORED", "id": "x-UUID", "offset": "IGNORED", "port": PORT}'
    ]


def test_the_order_of_lists() -> None:
    """The order is compared unless the entry says otherwise."""
    assert normalized([2, 1], 1) != normalized([1, 2], 1)
    assert normalized([3, 2], 1, unordered=True) == normalized([2, 3], 1, unordered=True)


def test_different_outcomes_are_a_fault() -> None:
    """Equal ones are not; without a Kafka there is no comparison."""
    assert fault(KEY, ONE, ONE) is None
    assert fault(KEY, ONE, None) is None
    assert "-2\n+1" in str(fault(KEY, ONE, OTHER))


def test_a_shape_must_call_its_method() -> None:
    """A shape that calls another method is a fault."""
    without = Played(["1"], calls_it=False)
    assert "does not call" in str(fault(KEY, without, None))
    assert "does not call" in str(fault(KEY, ONE, without))


def test_a_listed_difference_must_occur(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the listed outcome is accepted, and equal outcomes are a fault then."""
    expected = Known("not served: something", "^1$")
    monkeypatch.setattr(comparison, "known", lambda *_: expected)
    assert fault(KEY, ONE, OTHER) is None
    assert "no longer differs" in str(fault(KEY, ONE, ONE))
    assert "not the listed outcome" in str(fault(KEY, Played(["3"], calls_it=True), OTHER))


def test_a_listed_difference_may_be_a_part_of_the_outcome() -> None:
    """Kafka's value is replaced, and then the outcomes must be equal."""
    known = Known("a default", instead={"b=1": "b=2"})
    assert known.allows(["a=1", "b=2"], ["a=1", "b=1"])
    assert not known.allows(["a=2", "b=2"], ["a=1", "b=1"])


def test_the_end_of_a_call() -> None:
    """The end is a return, the class of an exception, or the error codes that it carries."""
    assert ONE.ending == RETURNS
    raised = Played(normalized(to_json(ValueError("no")), 1), calls_it=True)
    assert raised.ending == "ValueError"


def test_a_missing_name_raises_when_it_is_used() -> None:
    """A table can be imported with an old release; only the shapes that use the name fail."""
    missing = Missing("NewThing")
    with pytest.raises(NotInThisReleaseError, match="NewThing"):
        missing(1)
    with pytest.raises(NotInThisReleaseError, match=r"NewThing\.member"):
        _ = missing.member


def test_public_methods() -> None:
    """They have no leading underscore; static methods and properties count, attributes do not."""

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
