"""Numbers of a run."""


def jammed(speeds):
    """The share of steps in which a car is in a jam.

    speeds: of one car, step by step. A car that has fallen below a low speed is in a jam until it is faster than a
    higher one.
    """
    inside, count = False, 0
    for speed in speeds:
        if inside:
            inside = not speed > 4.0
        else:
            inside = speed < 2.2
        count += inside
    return count / len(speeds)


def pace(speeds):
    """The speed whose inverse is the mean of the inverse speeds; very slow ones count as slow.

    speeds: of all cars at one time.
    """
    return len(speeds) / sum(1 / max(speed, 0.8) for speed in speeds)
