"""AlterUserScramCredentials: sets and removes SCRAM credentials of users (KIP-554).

Behaviour: each user has its own result, and may occur once in a request. A login on any node uses
the new credentials when the response is sent; existing connections stay. The results of deletions
come first, those of refused changes last, each in the order of Java's ``HashMap``.
"""

from __future__ import annotations

from broker.api.authorization.check import ALTER_CLUSTER
from broker.api.authorization.checks import require
from broker.api.handlers.applied_changes import applied
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.java_hash import in_checked_order
from broker.controller.security.scram_control import ScramDeletion, ScramUpsertion
from broker.steps.queue import Slices
from protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)


def alter_user_scram_credentials(
    request: Request[AlterUserScramCredentialsRequest],
) -> Slices[AlterUserScramCredentialsResponse]:
    """Change the credential of each user."""
    require(request, ALTER_CLUSTER)
    controller = request.services.controller
    deletions = [ScramDeletion(each.name, each.mechanism) for each in request.body.deletions]
    upsertions = [
        ScramUpsertion(
            each.name,
            each.mechanism,
            each.iterations,
            bytes(each.salt),
            bytes(each.salted_password),
        )
        for each in request.body.upsertions
    ]
    results = yield from controller.security.scram.alter(deletions, upsertions)
    yield from applied(request)
    refused = [user for user, error in results.items() if error is not None]
    changed = results.keys() - set(refused)
    deleted = [each.user for each in deletions if each.user in changed]
    upserted = [each.user for each in upsertions if each.user in changed]
    return AlterUserScramCredentialsResponse(
        results=[
            _result(user, results[user])
            for users in (deleted, upserted, refused)
            for user in in_checked_order(users)
        ]
    )


def _result(user: str, error: ApiError | None) -> AlterUserScramCredentialsResult:
    if error is None:
        return AlterUserScramCredentialsResult(user=user)
    return AlterUserScramCredentialsResult(
        user=user, error_code=error.code, error_message=error.message
    )
