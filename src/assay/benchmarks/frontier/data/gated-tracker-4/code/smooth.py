"""The pass backward."""


def improve(state, covariance, predicted, predicted_covariance, later, step):
    """A state improved by the improved state that follows it.

    state, covariance: after the correction of this step.
    predicted, predicted_covariance: what they predicted for the next step.
    later: the improved state of the next step.
    Returns the improved state; covariances are not improved.
    """
    a, b, c = covariance
    p, q, r = predicted_covariance
    across = (a + step * b, b, b + step * c, c)
    size = p * r - q * q
    gains = (
        (across[0] * r - across[1] * q) / size,
        (across[1] * p - across[0] * q) / size,
        (across[2] * r - across[3] * q) / size,
        (across[3] * p - across[2] * q) / size,
    )
    off = 0.8 * (later[0] - predicted[0]), 0.8 * (later[1] - predicted[1])
    return state[0] + gains[0] * off[0] + gains[1] * off[1], state[1] + gains[2] * off[0] + gains[3] * off[1]
