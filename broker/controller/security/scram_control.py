"""Sets and removes SCRAM credentials (Kafka's ``ScramControlManager``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from broker.common.errors import ApiError
from broker.controller.cluster_state import ClusterState
from broker.controller.database.security_changes import ScramCredentialsChanged
from broker.security.sasl.credentials import (
    ITERATIONS_MAX,
    ITERATIONS_MIN,
    ScramCredential,
    credential_of,
)
from broker.security.sasl.scram_codes import MECHANISMS
from broker.steps.queue import Slices
from protocol.errors import ErrorCode


class ScramDeletion(NamedTuple):
    """Remove the credential of a user for the mechanism with that code."""

    user: str
    mechanism: int


class ScramUpsertion(NamedTuple):
    """Set the credential of a user for the mechanism with that code."""

    user: str
    mechanism: int
    iterations: int
    salt: bytes
    salted_password: bytes

    def __repr__(self) -> str:
        """The salted password is a secret."""
        return f"ScramUpsertion(user={self.user!r}, mechanism={self.mechanism})"


class ScramControl:
    """Changes the SCRAM credentials of the cluster."""

    def __init__(self, state: ClusterState) -> None:
        self._state = state

    def put(self, user: str, mechanism: str, credential: ScramCredential) -> None:
        """Set one credential."""
        self._state.put_security(ScramCredentialsChanged({(user, mechanism): credential}))

    def alter(
        self, deletions: Iterable[ScramDeletion], upsertions: Iterable[ScramUpsertion]
    ) -> Slices[dict[str, ApiError | None]]:
        """Change credentials; the result has an error or None for each user.

        Errors are in the order in which they are found. A user may occur once; its first error is
        the result. As in Kafka the error of an empty salted password is UNKNOWN_SERVER_ERROR.
        """
        accepted: dict[str, ScramDeletion | ScramUpsertion] = {}
        results: dict[str, ApiError | None] = {}
        changes: Iterable[ScramDeletion | ScramUpsertion] = [*deletions, *upsertions]
        for change in changes:
            user = change.user
            if results.get(user) is None:
                error = self._refusal(change, is_second=user in results)
                results.pop(user, None)
                results[user] = error
                accepted[user] = change
            yield None
        changed: dict[tuple[str, str], ScramCredential | None] = {}
        for user, change in accepted.items():
            if results[user] is not None:
                continue
            if isinstance(change, ScramUpsertion) and not change.salted_password:
                del results[user]
                results[user] = ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
                continue
            changed[user, MECHANISMS[change.mechanism]] = _credential(change)
            yield None
        if changed:
            self._state.put_security(ScramCredentialsChanged(changed))
        return results

    def _refusal(
        self, change: ScramDeletion | ScramUpsertion, *, is_second: bool
    ) -> ApiError | None:
        if is_second:
            return ApiError(
                ErrorCode.DUPLICATE_RESOURCE,
                "A user credential cannot be altered twice in the same request",
            )
        if not change.user:
            return _unacceptable("Username must not be empty")
        mechanism = MECHANISMS.get(change.mechanism)
        if mechanism is None:
            return ApiError(ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
        if isinstance(change, ScramUpsertion):
            if change.iterations < ITERATIONS_MIN:
                return _unacceptable("Too few iterations")
            if change.iterations > ITERATIONS_MAX:
                return _unacceptable("Too many iterations")
        elif (change.user, mechanism) not in self._state.image.scram:
            return ApiError(
                ErrorCode.RESOURCE_NOT_FOUND,
                "Attempt to delete a user credential that does not exist",
            )
        return None


def _credential(change: ScramDeletion | ScramUpsertion) -> ScramCredential | None:
    if isinstance(change, ScramDeletion):
        return None
    mechanism = MECHANISMS[change.mechanism]
    return credential_of(mechanism, change.salted_password, change.salt, change.iterations)


def _unacceptable(message: str) -> ApiError:
    return ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, message)
