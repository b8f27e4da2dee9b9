"""How the state moves between two measurements. A covariance is (of position, of both, of velocity)."""


def shake(strength, step):
    """The covariance that one step adds.

    strength: the strength q of the shake.
    step: the length of the step.
    """
    q = strength * step
    return 0.0, 0.0, q


def predict(state, covariance, strength, step):
    """State and covariance one step later."""
    position, velocity = state
    a, b, c = covariance
    more = shake(strength, step)
    moved = (a + 2 * step * b + step**2 * c + more[0], b + step * c + more[1], c + more[2])
    return (position + step * velocity, velocity), moved


def start_state(first, second, level, step):
    """State and covariance after the first two measurements.

    level: the present variance of the measurement noise.
    """
    return (second, (second - first) / step), (level, level / step, 3 * level / step**2)
