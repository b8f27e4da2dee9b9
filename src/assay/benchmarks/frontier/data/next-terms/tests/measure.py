"""The score: the share of sequences whose next terms are all right."""


def scores(answers, truth):
    """One for each sequence: 1.0 if all its next terms are right, else 0.0."""
    later, found = truth["later"], answers["later"]
    if not isinstance(found, list) or len(found) != len(later):
        raise ValueError(f"expected the next terms of {len(later)} sequences")
    for row in found:
        if not isinstance(row, list) or len(row) != len(later[0]) or not all(type(term) is int for term in row):
            raise ValueError(f"{str(row)[:60]} are not {len(later[0])} whole numbers")
    return [float(one == other) for one, other in zip(found, later, strict=True)]
