"""The pass backward."""

DAMP = 0.8


def improve(state, covariance, predicted, predicted_covariance, later, step):
    """A state improved by the improved state that follows it.

    state, covariance: after the correction of this step.
    predicted, predicted_covariance: what they predicted for the next step.
    later: the improved state of the next step.
    Returns the improved state; covariances are not improved.
    """
    a, b, c = covariance
    pa, pb, pc = predicted_covariance
    det = pa * pc - pb * pb
    # covariance * F^T
    m = (a + step * b, b, b + step * c, c)
    g00 = (m[0] * pc - m[1] * pb) / det
    g01 = (m[1] * pa - m[0] * pb) / det
    g10 = (m[2] * pc - m[3] * pb) / det
    g11 = (m[3] * pa - m[2] * pb) / det
    e0, e1 = later[0] - predicted[0], later[1] - predicted[1]
    return state[0] + DAMP * (g00 * e0 + g01 * e1), state[1] + DAMP * (g10 * e0 + g11 * e1)
