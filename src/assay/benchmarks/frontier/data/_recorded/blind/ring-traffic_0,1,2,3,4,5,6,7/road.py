"""The road: a ring with a slow zone."""

LENGTH = 420.0
ZONE = (120.0, 200.0)


def limit_at(place):
    """The speed that drivers would choose here on an empty road.

    place: position on the ring, from 0 to LENGTH; ZONE is the slow part.
    """
    if place > ZONE[1]:
        return 14.0
    return 6.5 + 7.5 * min(1.0, max(0.0, (ZONE[0] - place) / 40.0))
