"""The score: how many additions fewer a circuit has than the one that a simple greedy rule finds."""


def greedy_additions(rows):
    """How many additions the greedy rule needs: add the two signals that most rows have in common, and go on."""
    columns = [sum(row[place] << number for number, row in enumerate(rows)) for place in range(len(rows[0]))]
    additions = 0
    while True:
        most, pair = 0, None
        for first in range(len(columns)):
            for second in range(first):
                shared = (columns[first] & columns[second]).bit_count()
                if shared > most:
                    most, pair = shared, (first, second)
        if pair is None:
            return additions
        shared = columns[pair[0]] & columns[pair[1]]
        columns[pair[0]] &= ~shared
        columns[pair[1]] &= ~shared
        columns.append(shared)
        additions += 1


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
    """One for each matrix: one minus its additions over those of the greedy rule."""
    circuits, matrices = answers["circuits"], truth["matrices"]
    if not isinstance(circuits, list) or len(circuits) != len(matrices):
        raise ValueError(f"expected {len(matrices)} circuits")
    return [1 - check(circuit, rows) / greedy_additions(rows) for circuit, rows in zip(circuits, matrices, strict=True)]
