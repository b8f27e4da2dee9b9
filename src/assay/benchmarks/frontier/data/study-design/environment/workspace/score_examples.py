"""Scores solve.py on the examples as grading does: `python score_examples.py [COUNT]`, the first COUNT of them."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

from measure import check_plan, compare, interval_scores, results


def main():
    names = sorted(path.name for path in Path("examples").glob("*.json"))
    examples = [json.loads((Path("examples") / name).read_text()) for name in names]
    examples = examples[: int(sys.argv[1])] if len(sys.argv) > 1 else examples
    problems, start = [example["problem"] for example in examples], os.times()
    with subprocess.Popen([sys.executable, "serve.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        server.stdin.write(json.dumps(problems) + "\n")
        server.stdin.flush()
        plans = json.loads(server.stdout.readline())
        plans = [check_plan(problem, plan) for problem, plan in zip(problems, plans, strict=True)]
        found = [results(example["problem"], example["tables"], plan) for example, plan in zip(examples, plans, strict=True)]
        server.stdin.write(json.dumps(found) + "\n")
        server.stdin.flush()
        answers = json.loads(server.stdout.readline())
    end = os.times()
    scores = [interval_scores(answer, example["truth"]) for answer, example in zip(answers, examples, strict=True)]
    yours = [sum(three) / len(three) for three in scores]
    values = compare(yours, [example["known"] for example in examples])
    mean = sum(values) / len(values)
    error = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
    inside = [
        low <= effect <= high
        for answer, example in zip(answers, examples, strict=True)
        for (_, low, high), effect in zip(answer, example["truth"]["effects"], strict=True)
    ]
    used = end.children_user + end.children_system - start.children_user - start.children_system
    print(f"score {mean:.2f} ± {error:.2f} on {len(values)} examples; mean interval score {sum(yours) / len(yours):.3f}")
    print(f"{sum(inside) / len(inside):.1%} of the intervals contain the effect; {used:.1f} s of processor time")


if __name__ == "__main__":
    main()
