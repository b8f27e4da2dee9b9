"""The pass backward."""


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
    u = (a + step * b, b)
    w = (b + step * c, c)
    dx, dv = later[0] - predicted[0], later[1] - predicted[1]
    sx, sv = (pc * dx - pb * dv) / det, (pa * dv - pb * dx) / det
    damp = 0.9
    return state[0] + damp * (u[0] * sx + u[1] * sv), state[1] + damp * (w[0] * sx + w[1] * sv)
