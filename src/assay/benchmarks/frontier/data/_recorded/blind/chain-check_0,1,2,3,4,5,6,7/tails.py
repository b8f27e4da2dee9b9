"""Summaries of tails."""


def quantile(values, share):
    """A quantile, interpolated between draws."""
    ordered = sorted(values)
    place = min(max(share * len(ordered) - 0.5, 0.0), len(ordered) - 1.0)
    low = min(int(place), len(ordered) - 2)
    return ordered[low] + (place - low) * (ordered[low + 1] - ordered[low])
