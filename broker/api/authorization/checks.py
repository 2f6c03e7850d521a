"""The checks that handlers make; without an authorizer every client may do everything.

Each is one of the table's entry for the API (`broker.api.authorization.table`), which is asserted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any, Final

from broker.api.authorization.check import Check
from broker.api.authorization.table import CHECKS
from broker.api.request import Request
from broker.security.resource import CLUSTER_NAME
from broker.steps.queue import Slices

_NOTHING: Final = frozenset[str]()


def is_authorized(
    request: Request[Any],
    check: Check,
    name: str = CLUSTER_NAME,
    *,
    resource_count: int = 1,
    is_refusal_logged: bool = True,
) -> bool:
    """Whether the client may do the operation on the resource *name*.

    ``resource_count`` is the number of times that the request names it, for the audit log.
    ``is_refusal_logged`` is false where another check may allow the same, or where the resource is
    only left out of a response.
    """
    authorizer = request.services.authorizer
    if authorizer is None:
        return True
    assert check in CHECKS[request.header.api_key], f"the table has no {check} for this API"
    return authorizer.authorize(
        request.session,
        check.operation,
        check.resource_type,
        name,
        api_key=request.header.api_key,
        resource_count=resource_count,
        is_refusal_logged=is_refusal_logged,
    )


def is_authorized_on_any(request: Request[Any], check: Check) -> bool:
    """Whether the client may do the operation on at least one resource of the type."""
    authorizer = request.services.authorizer
    if authorizer is None:
        return True
    assert check in CHECKS[request.header.api_key], f"the table has no {check} for this API"
    return authorizer.authorize_by_resource_type(
        request.session, check.operation, check.resource_type
    )


def require(request: Request[Any], check: Check, name: str = CLUSTER_NAME) -> None:
    """Raise the error of the check, so that the request gets the error response of its API."""
    if request.services.authorizer is not None and not is_authorized(request, check, name):
        raise check.refusal


def unauthorized(
    request: Request[Any], check: Check, names: Iterable[str], *, is_refusal_logged: bool = True
) -> Slices[AbstractSet[str]]:
    """Those of *names* for which the client is not authorized; each name is checked once."""
    if request.services.authorizer is None:
        return _NOTHING
    found = set()
    for name, count in Counter(names).items():
        if not is_authorized(
            request, check, name, resource_count=count, is_refusal_logged=is_refusal_logged
        ):
            found.add(name)
        yield None
    return found
