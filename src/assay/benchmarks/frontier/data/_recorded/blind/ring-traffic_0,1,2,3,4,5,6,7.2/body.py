"""What cars and eyes can do."""


def perceived(values):
    """What a driver takes for the present value.

    values: the true values of the last steps, the present one last; there is at least one.
    """
    old = values[-4] if len(values) > 3 else values[0]
    return 0.2622 * values[-1] + 0.7378 * old


def softened(wanted, before, step):
    """The push that the car really gets.

    wanted: what the driver wants. before: the push one step earlier. step: the length of a step in s.
    """
    most, least = 1.6171 * step, 2.317 * step
    return max(-3.6, min(before + most, max(before - least, wanted)))


def moved(place, speed, force, step):
    """Place and speed after one step with a constant push; cars do not go backwards."""
    faster = speed + force * step
    if faster < 0:
        return place - speed**2 / (2 * force), 0.0
    return place + speed * step + 0.5 * force * step**2, faster
