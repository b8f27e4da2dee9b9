"""Numbers of a run."""


def jammed(speeds):
    """The share of steps in which a car is in a jam.

    speeds: of one car, step by step. A car that has fallen below a low speed is in a jam until it is faster than a
    higher one.
    """
    low, high, inside, count = 1.0, 3.0, False, 0
    for speed in speeds:
        if inside and speed > high:
            inside = False
        elif speed < low:
            inside = True
        count += inside
    return count / len(speeds)


def pace(speeds):
    """The speed whose inverse is the mean of the inverse speeds; very slow ones count as slow.

    speeds: of all cars at one time.
    """
    return len(speeds) / sum(1 / max(0.7, speed) for speed in speeds)
