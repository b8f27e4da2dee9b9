"""Summaries of tails."""


def quantile(values, share):
    """A quantile, interpolated between draws."""
    ordered = sorted(values)
    place = min(max(share * len(ordered) - 0.5, 0.0), len(ordered) - 1.0)
    below = min(int(place), len(ordered) - 2) if len(ordered) > 1 else 0
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
