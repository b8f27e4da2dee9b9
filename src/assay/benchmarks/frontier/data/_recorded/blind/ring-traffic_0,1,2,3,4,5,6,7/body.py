"""What cars and eyes can do."""


def perceived(values):
    """What a driver takes for the present value.

    values: the true values of the last steps, the present one last; there is at least one.
    """
    return 0.9 * values[max(0, len(values) - 4)] + 0.1 * values[-1]


def softened(wanted, before, step):
    """The push that the car really gets.

    wanted: what the driver wants. before: the push one step earlier. step: the length of a step in s.
    """
    return max(-3.6, min(before + 2.15 * step, max(before - 2.15 * step, wanted)))


def moved(place, speed, force, step):
    """Place and speed after one step with a constant push; cars do not go backwards."""
    fresh = speed + force * step
    if fresh < 0:
        return place - speed**2 / (2 * force), 0.0
    return place + speed * step + force * step**2 / 2, fresh
