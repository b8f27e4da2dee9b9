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
    x, y = a + step * b, b  # covariance of the position with the next position and velocity
    u, w = b + step * c, c  # and of the velocity
    off = later[0] - predicted[0], later[1] - predicted[1]
    g = (x * pc - y * pb) / det, (y * pa - x * pb) / det
    h = (u * pc - w * pb) / det, (w * pa - u * pb) / det
    return (
        state[0] + DAMP * (g[0] * off[0] + g[1] * off[1]),
        state[1] + DAMP * (h[0] * off[0] + h[1] * off[1]),
    )
