def mean(rolls: list[int]) -> float:
    """Return the arithmetic mean of the rolls."""
    return sum(rolls) / len(rolls)
