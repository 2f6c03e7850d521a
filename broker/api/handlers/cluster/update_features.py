"""UpdateFeatures: changes the levels of features, all of them or none (KIP-584).

Behaviour: a feature that has the requested level already is not changed. The first feature that
cannot have the requested level fails the request.

Deviation: the level of ``kraft.version`` cannot be changed.
"""

from __future__ import annotations

from broker.api.authorization.check import ALTER_CLUSTER
from broker.api.authorization.checks import require
from broker.api.handlers.applied_changes import applied
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.controller.metadata.features import SAFE_DOWNGRADE, FeatureUpdate
from broker.steps.queue import Slices
from protocol.messages.update_features import (
    FeatureUpdateKey,
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)


def update_features(request: Request[UpdateFeaturesRequest]) -> Slices[UpdateFeaturesResponse]:
    """Change the levels of features."""
    require(request, ALTER_CLUSTER)
    body, controller = request.body, request.services.controller
    updates = [
        FeatureUpdate(each.feature, each.max_version_level, _upgrade_type(each))
        for each in body.feature_updates
    ]
    try:
        controller.update_features(updates, validate_only=body.validate_only)
    except ApiError as error:
        return UpdateFeaturesResponse(
            error_code=error.code,
            error_message="The update failed for all features since the following feature had an "
            f"error: {error.message}",
        )
    yield from applied(request)
    return UpdateFeaturesResponse(
        results=[
            UpdatableFeatureResult(feature=update.feature, error_message="NONE")
            for update in updates
        ]
    )


def _upgrade_type(update: FeatureUpdateKey) -> int:
    """The kind of the change; in version 0, a flag allows a downgrade."""
    return SAFE_DOWNGRADE if update.allow_downgrade else update.upgrade_type
