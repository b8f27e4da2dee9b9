"""The plain first solution: which word is likelier by its pairs of letters. Run: `python solve.py`."""

import json
from collections import Counter
from math import log
from pathlib import Path


def main():
    problem = json.loads(Path("problem.json").read_text())
    pairs, singles = Counter(), Counter()
    for word in problem["words"]:
        for one, two in zip("^" + word, word + "$"):
            pairs[one + two] += 1
            singles[one] += 1

    def value(word):
        return sum(log((pairs[one + two] + 0.2) / (singles[one] + 4)) for one, two in zip("^" + word, word + "$"))

    right = [int(value(two) > value(one)) for one, two in problem["pairs"]]
    Path("answers.json").write_text(json.dumps({"right": right}))


if __name__ == "__main__":
    main()
