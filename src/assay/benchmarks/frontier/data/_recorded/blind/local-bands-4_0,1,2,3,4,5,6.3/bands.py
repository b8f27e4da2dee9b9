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
    outside = max(low - target, target - high, 0.0)
    return high - low + 2.0 / miss * outside**2


def lowest_coverage(places, inside):
    """The lowest coverage over groups of neighbouring test points.

    places: the features of the test points.
    inside: for each, whether its band contains the target.
    """
    order = sorted(range(len(places)), key=lambda number: places[number])
    ordered = [inside[number] for number in order]
    size = min(12, len(ordered))
    return min(sum(ordered[start : start + size]) / size for start in range(len(ordered) - size + 1))
