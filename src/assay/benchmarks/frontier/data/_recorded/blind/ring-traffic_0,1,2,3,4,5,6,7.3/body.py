"""What cars and eyes can do."""


def perceived(values):
    """What a driver takes for the present value.

    values: the true values of the last steps, the present one last; there is at least one.
    """
    old = values[max(0, len(values) - 4)]
    return 0.35 * values[-1] + 0.65 * old


def softened(wanted, before, step):
    """The push that the car really gets.

    wanted: what the driver wants. before: the push one step earlier. step: the length of a step in s.
    """
    return max(-3.6, min(max(wanted, before - 4.5 * step), before + 1.5 * step))


def moved(place, speed, force, step):
    """Place and speed after one step with a constant push; cars do not go backwards."""
    after = speed + force * step
    if after < 0:
        return place + speed * speed / (-2 * force), 0.0
    return place + speed * step + 0.5 * force * step * step, after
