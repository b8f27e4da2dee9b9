"""The score: the share of pairs in which the right word is named, from guessing (0) to all (1)."""


def scores(answers, truth):
    """One for each pair: 1.0 if it is right, -1.0 if it is wrong."""
    found, right = answers["right"], truth["right"]
    if not isinstance(found, list) or len(found) != len(right):
        raise ValueError(f"expected answers to {len(right)} pairs")
    if not all(type(number) is int and number in (0, 1) for number in found):
        raise ValueError("expected 0 or 1 for each pair")
    return [1.0 if one == other else -1.0 for one, other in zip(found, right, strict=True)]
