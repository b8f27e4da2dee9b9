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
    m = (a + step * b, b), (b + step * c, c)
    inverse = (pc / det, -pb / det), (-pb / det, pa / det)
    gain = [[row[0] * inverse[0][j] + row[1] * inverse[1][j] for j in range(2)] for row in m]
    off = later[0] - predicted[0], later[1] - predicted[1]
    return tuple(state[k] + DAMP * (gain[k][0] * off[0] + gain[k][1] * off[1]) for k in range(2))
