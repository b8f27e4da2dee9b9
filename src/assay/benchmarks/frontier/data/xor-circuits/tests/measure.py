"""The score: how many additions fewer a circuit has than those that a known rule finds."""


def check(circuit, rows):
    """The number of additions, after every row has been found among the signals."""
    signals = [1 << place for place in range(len(rows[0]))]
    if not isinstance(circuit, list) or len(circuit) > 2000:
        raise ValueError("expected a list of at most 2000 additions")
    for pair in circuit:
        if not isinstance(pair, list) or len(pair) != 2 or not all(type(number) is int for number in pair):
            raise ValueError(f"{str(pair)[:40]} is not a pair of signals")
        if not all(0 <= number < len(signals) for number in pair):
            raise ValueError(f"{pair} uses a signal that is not there yet")
        signals.append(signals[pair[0]] ^ signals[pair[1]])
    known = set(signals)
    for number, row in enumerate(rows):
        if sum(value << place for place, value in enumerate(row)) not in known:
            raise ValueError(f"no signal is row {number}")
    return len(circuit)


def scores(answers, truth):
    """One for each matrix: the additions that the known rule needs on the mean, minus yours."""
    circuits, matrices = answers["circuits"], truth["matrices"]
    if not isinstance(circuits, list) or len(circuits) != len(matrices):
        raise ValueError(f"expected {len(matrices)} circuits")
    found = zip(circuits, matrices, truth["known"], strict=True)
    return [known - check(circuit, rows) for circuit, rows, known in found]
