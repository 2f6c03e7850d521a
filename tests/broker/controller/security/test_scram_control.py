"""Changes of SCRAM credentials by the controller."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.config import Config
from broker.controller.cluster_state import ClusterState
from broker.controller.database.store import ControllerStore
from broker.controller.security.scram_control import ScramControl, ScramDeletion, ScramUpsertion
from broker.security.sasl.credentials import ScramCredential, derive, salted_password
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from tests.broker.controller.nodes import RecordingNode

SHA_256, SHA_512 = "SCRAM-SHA-256", "SCRAM-SHA-512"
TWICE = "A user credential cannot be altered twice in the same request"
UNKNOWN = "Attempt to delete a user credential that does not exist"
Change = ScramDeletion | ScramUpsertion


def control(path: Path | None = None) -> tuple[ScramControl, ClusterState]:
    """Credentials of a cluster, and its state."""
    state = ClusterState(ControllerStore(path), Config())
    return ScramControl(state), state


def upsertion(user: str = "a", mechanism: int = 1, iterations: int = 4096) -> ScramUpsertion:
    """The credential of a user with the password p."""
    name = SHA_512 if mechanism == 2 else SHA_256
    salted = salted_password(name, "p", b"salt", iterations)
    return ScramUpsertion(user, mechanism, iterations, b"salt", salted)


def alter(scram: ScramControl, *changes: Change) -> dict[str, tuple[ErrorCode, str | None] | None]:
    """Change credentials in one step; error and message, or None, by user."""
    results = finish(
        scram.alter(
            [each for each in changes if isinstance(each, ScramDeletion)],
            [each for each in changes if isinstance(each, ScramUpsertion)],
        )
    )
    return {
        user: None if error is None else (error.code, error.message)
        for user, error in results.items()
    }


def test_a_credential_is_derived_from_the_salted_password() -> None:
    """The salted password is not stored."""
    scram, state = control()

    assert alter(scram, upsertion(), upsertion("b", 2)) == {"a": None, "b": None}

    assert state.image.scram == {
        ("a", SHA_256): derive(SHA_256, "p", b"salt", 4096),
        ("b", SHA_512): derive(SHA_512, "p", b"salt", 4096),
    }


def test_credentials_are_on_every_node_and_survive_a_restart(tmp_path: Path) -> None:
    """Also on a node that registers later."""
    scram, state = control(tmp_path / "controller.db")
    feed = state.subscribe(1, RecordingNode())
    feed.release()
    alter(scram, upsertion(), upsertion("b"))
    alter(scram, ScramDeletion("b", 1))
    expected = {("a", SHA_256): derive(SHA_256, "p", b"salt", 4096)}
    assert feed.image.scram == expected
    state.close()

    _, again = control(tmp_path / "controller.db")

    late = again.subscribe(1, RecordingNode())
    late.release()
    assert late.image.scram == again.image.scram == expected
    again.close()


def test_a_credential_can_be_set_directly() -> None:
    """The command line sets users so."""
    scram, state = control()
    credential = ScramCredential(b"s", b"k", b"k", 4096)

    scram.put("a", SHA_256, credential)

    assert state.image.scram == {("a", SHA_256): credential}


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (upsertion(iterations=4095), ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations"),
        (upsertion(iterations=16385), ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations"),
        (upsertion(mechanism=0), ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"),
        (
            upsertion(mechanism=3, iterations=1),
            ErrorCode.UNSUPPORTED_SASL_MECHANISM,
            "Unknown SCRAM mechanism",
        ),
        (upsertion("", 3), ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty"),
        (ScramDeletion("", 3), ErrorCode.UNACCEPTABLE_CREDENTIAL, "Username must not be empty"),
        (ScramDeletion("a", 3), ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"),
        (ScramDeletion("a", 1), ErrorCode.RESOURCE_NOT_FOUND, UNKNOWN),
        (
            upsertion()._replace(salted_password=b""),
            ErrorCode.UNKNOWN_SERVER_ERROR,
            None,
        ),
    ],
)
def test_a_change_is_refused_and_the_others_apply(
    change: Change, code: ErrorCode, message: str | None
) -> None:
    """Each user has its own result."""
    scram, state = control()

    assert alter(scram, change, upsertion("other")) == {
        change.user: (code, message),
        "other": None,
    }

    assert list(state.image.scram) == [("other", SHA_256)]


@pytest.mark.parametrize("iterations", [4096, 16384])
def test_the_bounds_of_the_iterations_are_allowed(iterations: int) -> None:
    """Logins need at least the lower one."""
    scram, _ = control()

    assert alter(scram, upsertion(iterations=iterations)) == {"a": None}


@pytest.mark.parametrize(
    ("second", "first_error"),
    [
        (upsertion("a", 2), (ErrorCode.DUPLICATE_RESOURCE, TWICE)),
        (upsertion("a", 1, 1), (ErrorCode.DUPLICATE_RESOURCE, TWICE)),
        (
            upsertion()._replace(salted_password=b""),
            (ErrorCode.DUPLICATE_RESOURCE, TWICE),
        ),
        (ScramDeletion("a", 1), (ErrorCode.RESOURCE_NOT_FOUND, UNKNOWN)),
    ],
)
def test_a_user_may_occur_once(second: Change, first_error: tuple[ErrorCode, str]) -> None:
    """Also with another mechanism; but an error of its first change is the result."""
    scram, state = control()

    assert alter(scram, upsertion(), second) == {"a": first_error}

    assert not state.image.scram


def test_a_secret_is_not_shown() -> None:
    """Tracebacks and logs may contain changes."""
    assert "salt" not in repr(upsertion())
