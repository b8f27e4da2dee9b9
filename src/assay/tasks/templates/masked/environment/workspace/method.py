def scale(value: float) -> float:
    """Return the scaled value."""
    raise NotImplementedError("masked: scale")
