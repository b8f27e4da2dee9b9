"""What cars and eyes can do."""


def perceived(values):
    """What a driver takes for the present value.

    values: the true values of the last steps, the present one last; there is at least one.
    """
    return 0.65 * values[max(-4, -len(values))] + 0.35 * values[-1]


def softened(wanted, before, step):
    """The push that the car really gets.

    wanted: what the driver wants. before: the push one step earlier. step: the length of a step in s.
    """
    change = min(1.5 * step, max(-4.5 * step, wanted - before))
    return max(-3.6, before + change)


def moved(place, speed, force, step):
    """Place and speed after one step with a constant push; cars do not go backwards."""
    if speed + force * step < 0:
        return place + speed**2 / (-2 * force), 0.0
    return place + speed * step + force * step**2 / 2, speed + force * step
