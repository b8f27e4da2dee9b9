"""Connects `Search` of solve.py with the scorer: `python serve.py`. Grading runs this file as it is given.

It reads lines of JSON. {"problem": …} starts a new table; {"row": …, "loss": …} is the result of an evaluation. It answers
each line with the next row to evaluate and the shortlist.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys


def main():
    reply = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from solve import Search

    search = None
    for line in sys.stdin:
        message = json.loads(line)
        if "problem" in message:
            search = Search(message["problem"])
        else:
            search.tell(message["row"], message["loss"])
        answer = {"row": int(search.choose()), "shortlist": [int(row) for row in search.shortlist()]}
        reply.write(json.dumps(answer) + "\n")
        reply.flush()


if __name__ == "__main__":
    main()
