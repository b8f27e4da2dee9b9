"""The score: the share of right answers, from guessing (0) to all (1)."""


def scores(answers, truth):
    """One for each rule: twice the share of right answers minus one."""
    found, right = answers["answers"], truth["answers"]
    if not isinstance(found, list) or len(found) != len(right):
        raise ValueError(f"expected the answers of {len(right)} rules")
    values = []
    for mine, exact in zip(found, right, strict=True):
        if not isinstance(mine, str) or len(mine) != len(exact) or set(mine) - {"0", "1"}:
            raise ValueError(f"expected a string of {len(exact)} zeros and ones for each rule")
        values.append(2 * sum(one == other for one, other in zip(mine, exact)) / len(exact) - 1)
    return values
