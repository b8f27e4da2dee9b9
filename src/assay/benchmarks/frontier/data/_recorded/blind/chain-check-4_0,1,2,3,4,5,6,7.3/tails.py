"""Summaries of tails."""


def quantile(values, share):
    """A quantile, interpolated between draws."""
    ordered = sorted(values)
    place = min(max(share * len(ordered) - 0.5, 0.0), len(ordered) - 1.0)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
