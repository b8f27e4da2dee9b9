"""The bands, and what is measured on them."""

from points import HIGH, LOW


def band(middle, scale, limit):
    """The lower and the upper end of a band.

    middle, scale: the centre and the local_scale.
    limit: the quantile.
    """
    return max(LOW, middle - limit * scale), min(HIGH, middle + limit * scale)


def band_score(low, high, target, miss):
    """The interval score of one band: its width, and a penalty if the target lies outside.

    miss: the share of targets that may lie outside.
    """
    return high - low + 1.0 / miss * (max(0.0, low - target) + max(0.0, target - high))


def lowest_coverage(places, inside):
    """The lowest coverage over groups of neighbouring test points.

    places: the features of the test points.
    inside: for each, whether its band contains the target.
    """
    order = sorted(range(len(places)), key=lambda n: places[n])
    size = 12
    return min(sum(inside[n] for n in order[i:i + size]) / size for i in range(len(order) - size + 1))
