"""The road: a ring with a slow zone."""

LENGTH = 420.0
ZONE = (120.0, 200.0)


def limit_at(place):
    """The speed that drivers would choose here on an empty road.

    place: position on the ring, from 0 to LENGTH; ZONE is the slow part.
    """
    far = max((ZONE[0] - place) / 35.0, (place - ZONE[1]) / 12.0)
    return 6.5 + 8.0 * min(1.0, max(0.0, far))
