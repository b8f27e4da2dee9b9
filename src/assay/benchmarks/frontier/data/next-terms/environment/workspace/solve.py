"""The plain first solution: differences until they are constant. Run: `python solve.py`."""

import json
from pathlib import Path


def go_on(terms, ahead):
    """The next terms, if differences of some order are constant; else the last step again and again."""
    rows = [terms]
    while len(rows[-1]) > 3 and len(set(rows[-1])) > 1:
        rows.append([after - before for before, after in zip(rows[-1], rows[-1][1:])])
    if len(set(rows[-1])) > 1:
        rows = [terms, [terms[-1] - terms[-2]]]
    lasts, found = [row[-1] for row in rows], []
    for _ in range(ahead):
        for order in range(len(lasts) - 2, -1, -1):
            lasts[order] += lasts[order + 1]
        found.append(lasts[0])
    return found


def main():
    problem = json.loads(Path("problem.json").read_text())
    later = [go_on(terms, problem["ahead"]) for terms in problem["begun"]]
    Path("answers.json").write_text(json.dumps({"later": later}))


if __name__ == "__main__":
    main()
