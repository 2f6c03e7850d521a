"""UpdateFeatures: change the levels of features, all of them or none (KIP-584).

Behaviour: a feature that has the requested level already is not changed. The first feature that
cannot have the requested level fails the request.

Deviations: every feature has exactly one level here, so no level ever changes.
"""

from __future__ import annotations

from broker.api.request import Request
from broker.common.errors import ApiError
from broker.controller.features import check_level
from protocol.messages.update_features import (
    UpdatableFeatureResult,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)


def update_features(request: Request[UpdateFeaturesRequest]) -> UpdateFeaturesResponse:
    """Check whether each feature has the requested level."""
    updates = request.body.feature_updates
    try:
        for update in updates:
            check_level(
                update.feature,
                update.max_version_level,
                update.upgrade_type,
                request.services.image.controller_id,
            )
    except ApiError as error:
        return UpdateFeaturesResponse(
            error_code=error.code,
            error_message="The update failed for all features since the following feature had an "
            f"error: {error.message}",
        )
    return UpdateFeaturesResponse(
        results=[
            UpdatableFeatureResult(feature=update.feature, error_message="NONE")
            for update in updates
        ]
    )
