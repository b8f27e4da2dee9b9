"""The score: how well the shifts that are named agree with the true ones."""

NEAR = 3
MOST = 40


def agreement(named, true):
    """Twice the pairs over all places named and true; a pair is at most NEAR apart. 1.0 if there is nothing to find."""
    if not named and not true:
        return 1.0
    left, pairs = sorted(true), 0
    for place in sorted(named):
        partner = next((other for other in left if abs(other - place) <= NEAR), None)
        if partner is not None:
            left.remove(partner)
            pairs += 1
    return 2 * pairs / (len(named) + len(true))


def scores(answers, truth):
    """One for each series."""
    named, true = answers["shifts"], truth["shifts"]
    if not isinstance(named, list) or len(named) != len(true):
        raise ValueError(f"expected the shifts of {len(true)} series")
    for row in named:
        if not isinstance(row, list) or len(row) > MOST or not all(type(place) is int for place in row):
            raise ValueError(f"expected at most {MOST} whole numbers for each series")
    return [agreement(row, shifts) for row, shifts in zip(named, true, strict=True)]
