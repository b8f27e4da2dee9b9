"""The pass backward."""

DAMP = 0.8


def look_back(state, covariance, predicted, predicted_covariance, later, step):
    """A state improved by the improved state that follows it.

    state, covariance: after the correction of this step.
    predicted, predicted_covariance: what they predicted for the next step.
    later: the improved state of the next step.
    Returns the improved state; covariances are not improved.
    """
    a, b, c = covariance
    d, e, f = predicted_covariance
    # covariance between this state and the next: P F'
    cross = ((a + step * b, b), (b + step * c, c))
    det = d * f - e * e
    inverse = ((f / det, -e / det), (-e / det, d / det))
    change = later[0] - predicted[0], later[1] - predicted[1]
    inner = (
        inverse[0][0] * change[0] + inverse[0][1] * change[1],
        inverse[1][0] * change[0] + inverse[1][1] * change[1],
    )
    return (
        state[0] + DAMP * (cross[0][0] * inner[0] + cross[0][1] * inner[1]),
        state[1] + DAMP * (cross[1][0] * inner[0] + cross[1][1] * inner[1]),
    )
