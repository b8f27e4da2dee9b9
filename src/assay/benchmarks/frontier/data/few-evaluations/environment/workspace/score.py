"""Scores solve.py on examples as grading does: `python score.py [NAME …]`; without names, on all of them."""

import json
import sys
import time
from pathlib import Path

from measure import Table, checked, score
from solve import Search


def regret_of(example, seed):
    """The regret of solve.py on one example; another seed is other noise."""
    problem, table = example["problem"], Table(example["problem"], example["truth"], seed)
    search = Search(problem)
    while table.is_open():
        row = search.choose()
        search.tell(row, table.evaluate(row))
        if table.is_due():
            table.count(checked(search.shortlist(), problem))
    return table.result()


def main():
    names = sys.argv[1:] or sorted(path.stem for path in Path("examples").glob("?-?.json"))
    compared = json.loads(Path("examples/regrets.json").read_text())
    regrets, start = [], time.process_time()
    for name in names:
        example = json.loads((Path("examples") / f"{name}.json").read_text())
        regrets.append(regret_of(example, "example"))
        print(f"{name}: regret {regrets[-1]:.3f}; random search {compared[name]['plain']}, known {compared[name]['known']}")
    used = time.process_time() - start
    value, error = score(regrets, *([compared[name][key] for name in names] for key in ("plain", "known")))
    print(f"score {value:.3f} ± {error:.3f}; {used / len(names):.2f} s of processor time for each table")


if __name__ == "__main__":
    main()
