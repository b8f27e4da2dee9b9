"""The score: how well the actions that are named agree with the true ones."""


def scores(answers, truth):
    """One for each system: twice the number of right actions over the number of named and of true ones."""
    named, true = answers["edges"], truth["edges"]
    if not isinstance(named, list) or len(named) != len(true):
        raise ValueError(f"expected the actions in {len(true)} systems")
    values = []
    for mine, right in zip(named, true, strict=True):
        if not isinstance(mine, list) or len(mine) > 56:
            raise ValueError("expected a list of at most 56 pairs for each system")
        for pair in mine:
            if not isinstance(pair, list) or len(pair) != 2 or not all(type(number) is int for number in pair):
                raise ValueError(f"{str(pair)[:40]} is not a pair of series")
        found = {tuple(pair) for pair in mine}
        values.append(2 * len(found & {tuple(pair) for pair in right}) / (len(found) + len(right)))
    return values
