"""The road: a ring with a slow zone."""

LENGTH = 420.0
ZONE = (120.0, 200.0)


def limit_at(place):
    """The speed that drivers would choose here on an empty road.

    place: position on the ring, from 0 to LENGTH; ZONE is the slow part.
    """
    free, slow, before, behind = 14.5, 6.5, 35.0, 12.0
    begin, end = ZONE
    if place < begin:
        share = min(1.0, (begin - place) / before)
    elif place <= end:
        share = 0.0
    else:
        share = min(1.0, (place - end) / behind)
    return slow + share * (free - slow)
