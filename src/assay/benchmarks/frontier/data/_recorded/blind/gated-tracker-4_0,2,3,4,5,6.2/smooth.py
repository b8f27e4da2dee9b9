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
    # covariance of this state with the next one
    m00, m01 = a + step * b, b
    m10, m11 = b + step * c, c
    inv00, inv01, inv11 = pc / det, -pb / det, pa / det
    g00, g01 = m00 * inv00 + m01 * inv01, m00 * inv01 + m01 * inv11
    g10, g11 = m10 * inv00 + m11 * inv01, m10 * inv01 + m11 * inv11
    d0, d1 = later[0] - predicted[0], later[1] - predicted[1]
    return state[0] + DAMP * (g00 * d0 + g01 * d1), state[1] + DAMP * (g10 * d0 + g11 * d1)
