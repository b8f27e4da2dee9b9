"""The pass backward."""

DAMPING = 0.8


def look_back(state, covariance, predicted, predicted_covariance, later, step):
    """A state improved by the improved state that follows it.

    state, covariance: after the correction of this step.
    predicted, predicted_covariance: what they predicted for the next step.
    later: the improved state of the next step.
    Returns the improved state; covariances are not improved.
    """
    a, b, c = covariance
    p, q, r = predicted_covariance
    determinant = p * r - q * q
    left = (a + step * b, b), (b + step * c, c)
    change = later[0] - predicted[0], later[1] - predicted[1]
    solved = (r * change[0] - q * change[1]) / determinant, (p * change[1] - q * change[0]) / determinant
    return tuple(
        value + DAMPING * (row[0] * solved[0] + row[1] * solved[1]) for value, row in zip(state, left)
    )
