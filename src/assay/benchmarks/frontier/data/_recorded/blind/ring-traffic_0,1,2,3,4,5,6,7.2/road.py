"""The road: a ring with a slow zone."""

LENGTH = 420.0
ZONE = (120.0, 200.0)


def limit_at(place):
    """The speed that drivers would choose here on an empty road.

    place: position on the ring, from 0 to LENGTH; ZONE is the slow part.
    """
    fast, slow = 14.5, 6.5
    start, end = ZONE
    if place < start:
        share = min(1.0, (start - place) / 35.0)
    elif place > end:
        share = min(1.0, (place - end) / 12.0)
    else:
        share = 0.0
    return slow + (fast - slow) * share
