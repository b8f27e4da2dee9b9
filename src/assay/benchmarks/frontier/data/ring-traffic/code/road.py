"""The road: a ring with a slow zone."""

LENGTH = 420.0
ZONE = (120.0, 200.0)


def limit_at(place):
    """The speed that drivers would choose here on an empty road.

    place: position on the ring, from 0 to LENGTH; ZONE is the slow part.
    """
    start, end = ZONE
    if place < start:
        slow = max(0.0, 1 - (start - place) / 35.0)
    elif place < end:
        slow = 1.0
    else:
        slow = max(0.0, 1 - (place - end) / 12.0)
    return 14.5 - 8.0 * slow
