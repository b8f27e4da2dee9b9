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
    m00, m01, m10, m11 = a + step * b, b, b + step * c, c
    g00, g01 = (m00 * s - m01 * r) / det, (-m00 * r + m01 * p) / det
    g10, g11 = (m10 * s - m11 * r) / det, (-m10 * r + m11 * p) / det
    d0, d1 = later[0] - predicted[0], later[1] - predicted[1]
    damp = 0.9
    return state[0] + damp * (g00 * d0 + g01 * d1), state[1] + damp * (g10 * d0 + g11 * d1)
