"""The road: a ring with a slow zone."""

LENGTH = 420.0
ZONE = (120.0, 200.0)


def limit_at(place):
    """The speed that drivers would choose here on an empty road.

    place: position on the ring, from 0 to LENGTH; ZONE is the slow part.
    """
    if place < ZONE[0]:
        share = (ZONE[0] - place) / 35.0
    elif place <= ZONE[1]:
        share = 0.0
    else:
        share = (place - ZONE[1]) / 12.0
    return 6.5 + (14.5 - 6.5) * min(1.0, share)
