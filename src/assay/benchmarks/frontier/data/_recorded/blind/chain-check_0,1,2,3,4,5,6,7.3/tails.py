"""Summaries of tails."""


def quantile(values, share):
    """A quantile, interpolated between draws."""
    ordered = sorted(values)
    place = min(max(share * len(ordered) - 0.5, 0.0), len(ordered) - 1.0)
    lower = int(place)
    upper = min(lower + 1, len(ordered) - 1)
    return ordered[lower] + (place - lower) * (ordered[upper] - ordered[lower])
