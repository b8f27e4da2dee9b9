def scale(value: float) -> float:
    """Return the scaled value."""
    return value * 3.0
