"""The road: a ring with a slow zone."""

LENGTH = 420.0
ZONE = (120.0, 200.0)


def limit_at(place):
    """The speed that drivers would choose here on an empty road.

    place: position on the ring, from 0 to LENGTH; ZONE is the slow part.
    """
    begin, end = ZONE
    if place > end or place < begin - 41.0355:
        return 14.0
    return 6.3474 + 7.6526 * max(0.0, begin - place) / 41.0355
