"""DescribeUserScramCredentials: mechanisms and iterations of users (KIP-554).

Behaviour: null and an empty list mean all users. A user that occurs twice has one result, an error.
Users are in the order of Java's ``HashMap``.

Deviation: the mechanisms of a user are in the order of their codes, in Kafka in any order.
"""

from __future__ import annotations

from collections import Counter

from broker.api.authorization.check import DESCRIBE_CLUSTER
from broker.api.authorization.checks import require
from broker.api.request import Request
from broker.common.java_hash import in_checked_order
from broker.security.sasl.scram_codes import CODES
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)


def describe_user_scram_credentials(
    request: Request[DescribeUserScramCredentialsRequest],
) -> Slices[DescribeUserScramCredentialsResponse]:
    """Describe the credentials of each user."""
    require(request, DESCRIBE_CLUSTER)
    by_user: dict[str, list[CredentialInfo]] = {}
    for (user, mechanism), credential in list(request.services.image.scram.items()):
        info = CredentialInfo(mechanism=CODES[mechanism], iterations=credential.iterations)
        by_user.setdefault(user, []).append(info)
        yield None
    counts = Counter(each.name for each in request.body.users or ()) or dict.fromkeys(by_user, 1)
    results = []
    for user in in_checked_order(counts):
        results.append(_result(user, counts[user], by_user.get(user)))
        yield None
    return DescribeUserScramCredentialsResponse(error_message="", results=results)


def _result(
    user: str, count: int, infos: list[CredentialInfo] | None
) -> DescribeUserScramCredentialsResult:
    result = DescribeUserScramCredentialsResult(user=user, error_message="", credential_infos=[])
    if count > 1:
        result.error_code = ErrorCode.DUPLICATE_RESOURCE
        result.error_message = (
            f"Cannot describe SCRAM credentials for the same user twice in a single request: {user}"
        )
    elif infos is None:
        result.error_code = ErrorCode.RESOURCE_NOT_FOUND
        result.error_message = f"Attempt to describe a user credential that does not exist: {user}"
    else:
        result.credential_infos = sorted(infos, key=lambda each: each.mechanism)
    return result
