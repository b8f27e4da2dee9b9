"""The pass backward."""


def look_back(state, covariance, predicted, predicted_covariance, later, step):
    """A state improved by the improved state that follows it.

    state, covariance: after the correction of this step.
    predicted, predicted_covariance: what they predicted for the next step.
    later: the improved state of the next step.
    Returns the improved state; covariances are not improved.
    """
    a, b, c = covariance
    p, r, s = predicted_covariance
    det = p * s - r * r
    # covariance times the transposed motion, times the inverse of the predicted covariance
    m = ((a + step * b, b), (b + step * c, c))
    first, second = later[0] - predicted[0], later[1] - predicted[1]
    x, y = (s * first - r * second) / det, (p * second - r * first) / det
    return (
        state[0] + DAMP * (m[0][0] * x + m[0][1] * y),
        state[1] + DAMP * (m[1][0] * x + m[1][1] * y),
    )


DAMP = 0.8
