"""Draws situations: `ASSAY_SEED=7 python draw.py`.

Writes truth/truth.json for the evaluator: each situation with all its possible results, the true effects and the
interval score of the best known program.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import math
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "known")]
import solve  # noqa: E402
from measure import check_plan, interval_scores, results  # noqa: E402
from situations import draw_situation  # noqa: E402

COUNT = 240


def draw_situations(seed, count):
    """Situations with the mean interval score of the best known program in each."""
    drawn = [draw_situation([seed, number]) for number in range(count)]
    problems = json.loads(json.dumps([problem for problem, _, _ in drawn]))
    plans = solve.plan(problems)
    steps = [check_plan(problem, plan) for problem, plan in zip(problems, plans, strict=True)]
    found = [results(problem, tables, plan) for (problem, tables, _), plan in zip(drawn, steps, strict=True)]
    answers = solve.analyse(problems, plans, found)
    situations = []
    for (problem, tables, truth), answer in zip(drawn, answers, strict=True):
        scores = interval_scores(answer, truth)
        situations.append({"problem": problem, "tables": tables, "truth": truth, "known": math.fsum(scores) / len(scores)})
    return situations


def main():
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    situations = draw_situations(int(os.environ.get("ASSAY_SEED", "7")), COUNT)
    Path("truth/truth.json").write_text(json.dumps({"situations": situations}))


if __name__ == "__main__":
    main()
