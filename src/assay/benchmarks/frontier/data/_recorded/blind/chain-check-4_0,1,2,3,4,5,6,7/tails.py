"""Summaries of tails."""


def quantile(values, share):
    """A quantile, interpolated between draws."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = min(max(int(place), 0), len(ordered) - 1)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
