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
    m = (a + step * b, b, b + step * c, c)
    det = pa * pc - pb * pb
    g00, g01 = (m[0] * pc - m[1] * pb) / det, (m[1] * pa - m[0] * pb) / det
    g10, g11 = (m[2] * pc - m[3] * pb) / det, (m[3] * pa - m[2] * pb) / det
    dx, dv = later[0] - predicted[0], later[1] - predicted[1]
    damp = 0.9
    return state[0] + damp * (g00 * dx + g01 * dv), state[1] + damp * (g10 * dx + g11 * dv)
