"""The pass backward."""


def look_back(state, covariance, predicted, predicted_covariance, later, step):
    """A state improved by the improved state that follows it.

    state, covariance: after the correction of this step.
    predicted, predicted_covariance: what they predicted for the next step.
    later: the improved state of the next step.
    Returns the improved state; covariances are not improved.
    """
    a, b, c = covariance
    pa, pb, pc = predicted_covariance
    det = pa * pc - pb * pb
    # covariance times the transpose of the motion
    m00, m01, m10, m11 = a + step * b, b, b + step * c, c
    g00, g01 = (m00 * pc - m01 * pb) / det, (m01 * pa - m00 * pb) / det
    g10, g11 = (m10 * pc - m11 * pb) / det, (m11 * pa - m10 * pb) / det
    dp, dv = later[0] - predicted[0], later[1] - predicted[1]
    damp = 0.8
    return state[0] + damp * (g00 * dp + g01 * dv), state[1] + damp * (g10 * dp + g11 * dv)
