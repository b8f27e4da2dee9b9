"""Numbers of a run."""

LOW, HIGH = 2.5, 3.7


def jammed(speeds):
    """The share of steps in which a car is in a jam.

    speeds: of one car, step by step. A car that has fallen below a low speed is in a jam until it is faster than a
    higher one.
    """
    jam, count = False, 0
    for speed in speeds:
        if speed < LOW:
            jam = True
        elif speed > HIGH:
            jam = False
        count += jam
    return count / len(speeds)


def pace(speeds):
    """The speed whose inverse is the mean of the inverse speeds; very slow ones count as slow.

    speeds: of all cars at one time.
    """
    return len(speeds) / sum(1 / max(0.75, speed) for speed in speeds)
