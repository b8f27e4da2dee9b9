"""Draws tables of settings: `ASSAY_SEED=7 python draw.py`.

Writes truth/truth.json for the evaluator: each table with the regrets of random search and of the best known program.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "known")]
from families import FAMILIES  # noqa: E402
from measure import Table, random_regret  # noqa: E402
from solve import Search  # noqa: E402
from tables import draw_table  # noqa: E402

EACH = 16
"""Tables of each family."""


def known_regret(problem, truth, seed):
    """The regret of the best known program."""
    table, search = Table(problem, truth, seed), Search(problem)
    while table.is_open():
        row = search.choose()
        search.tell(row, table.evaluate(row))
        if table.is_due():
            table.count(search.shortlist())
    return table.result()


def draw_case(family, source, seed):
    """One table with what it is compared with."""
    problem, truth = draw_table(family, source)
    return {
        "problem": problem,
        "truth": truth,
        "seed": seed,
        "plain": random_regret(problem, truth, seed),
        "known": known_regret(problem, truth, seed),
    }


def main():
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    source = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    families = source.permutation(np.repeat(np.arange(len(FAMILIES)), EACH)).tolist()
    # Nobody who knows this program and the number of a table can foretell the noise of its evaluations.
    secret = int(source.integers(2**62))
    cases = [draw_case(family, source, f"{secret} {number}") for number, family in enumerate(families)]
    Path("truth/truth.json").write_text(json.dumps({"cases": cases}))


if __name__ == "__main__":
    main()
