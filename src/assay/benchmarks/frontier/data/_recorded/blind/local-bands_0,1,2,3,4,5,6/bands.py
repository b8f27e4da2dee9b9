"""The bands, and what is measured on them."""

from points import HIGH, LOW

SIZE, STEP = 20, 1


def band(middle, scale, limit):
    """The lower and the upper end of a band.

    middle, scale: the centre and the local_scale.
    limit: the cut.
    """
    return max(LOW, middle - limit * scale), min(HIGH, middle + limit * scale)


def band_score(low, high, target, miss):
    """The interval score of one band: its width, and a penalty if the target lies outside.

    miss: the share of targets that may lie outside.
    """
    outside = max(low - target, target - high, 0.0)
    return high - low + 2.0 / miss * outside**2


def worst_coverage(places, inside):
    """The lowest coverage over groups of neighbouring test points.

    places: the features of the test points.
    inside: for each, whether its band contains the target.
    """
    order = sorted(range(len(places)), key=lambda number: places[number])
    flags = [inside[number] for number in order]
    return min(sum(flags[start : start + SIZE]) / SIZE for start in range(0, len(flags) - SIZE + 1, STEP))
