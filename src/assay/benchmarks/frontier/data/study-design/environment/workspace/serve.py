"""Connects solve.py with the scorer: `python serve.py`. Grading runs this file as it is given.

It reads a line with all situations and writes a line with all plans; then it reads a line with the results of these
plans and writes a line with all answers.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys


def plain(value):
    """Lists and numbers of numpy as those of Python."""
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value.tolist() if hasattr(value, "tolist") else value


def main():
    reply = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import solve

    problems = json.loads(sys.stdin.readline())
    plans = plain(solve.plan(problems))
    reply.write(json.dumps(plans) + "\n")
    reply.flush()
    results = json.loads(sys.stdin.readline())
    reply.write(json.dumps(plain(solve.analyse(problems, plans, results))) + "\n")
    reply.flush()


if __name__ == "__main__":
    main()
