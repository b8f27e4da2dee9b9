"""The plain first solution: add the two signals that most rows have in common, and go on. Run: `python solve.py`."""

import json
from pathlib import Path


def circuit(rows):
    """A list of additions; inputs are the signals 0, 1, …, and each addition makes the next one."""
    columns = [sum(row[place] << number for number, row in enumerate(rows)) for place in range(len(rows[0]))]
    additions = []
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
        additions.append(list(pair))


def main():
    problem = json.loads(Path("problem.json").read_text())
    Path("answers.json").write_text(json.dumps({"circuits": [circuit(rows) for rows in problem["matrices"]]}))


if __name__ == "__main__":
    main()
