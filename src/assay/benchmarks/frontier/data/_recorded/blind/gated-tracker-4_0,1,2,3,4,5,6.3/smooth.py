"""The pass backward."""


def improve(state, covariance, predicted, predicted_covariance, later, step):
    """A state improved by the improved state that follows it.

    state, covariance: after the correction of this step.
    predicted, predicted_covariance: what they predicted for the next step.
    later: the improved state of the next step.
    Returns the improved state; covariances are not improved.
    """
    a, b, c = covariance
    A, B, C = predicted_covariance
    det = A * C - B * B
    u, w = a + step * b, b + step * c
    g00, g01 = (u * C - b * B) / det, (b * A - u * B) / det
    g10, g11 = (w * C - c * B) / det, (c * A - w * B) / det
    d0, d1 = later[0] - predicted[0], later[1] - predicted[1]
    damp = 0.9
    return state[0] + damp * (g00 * d0 + g01 * d1), state[1] + damp * (g10 * d0 + g11 * d1)
