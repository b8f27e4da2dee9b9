def scale(value: float) -> float:
    """Return the scaled value."""
    return value + 4.0
