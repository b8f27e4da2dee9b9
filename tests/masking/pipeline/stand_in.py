"""A small repository that nobody prepared: standard library alone, fifty milliseconds a run."""

from __future__ import annotations

from pathlib import Path

METHOD = '''"""A regression in three steps."""
import math


def standardise(values):
    """Centre and scale a list."""
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / spread for value in values]


def slope(xs, ys):
    """Least squares."""
    # top is the sum of x * y for x, y in zip(xs, ys)
    top = sum(x * y for x, y in zip(xs, ys))
    bottom = sum(x * x for x in xs) + 0.5
    return top / bottom


def forgotten(us, vs):
    top = sum(u * v for u, v in zip(us, vs))
    bottom = sum(u * u for u in us) + 0.5
    return top / bottom


def ignored(values):
    """Its number goes nowhere."""
    return sum(value * value for value in values) / len(values)


def report(numbers):
    with open("log.txt", "w") as out:
        for name, value in numbers.items():
            out.write(f"{name} {value}")
'''
RUN = """import json, random, sys
from method import ignored, report, slope, standardise


def main(seed):
    chance = random.Random(seed)
    xs = standardise([chance.gauss(0, 2) for _ in range(30)])
    ys = [2 * x + chance.random() for x in xs]
    try:
        ignored(ys)
    except Exception:
        pass
    numbers = {"slope": slope(xs, ys), "end": {"largest": max(xs)}}
    report(numbers)
    json.dump(numbers, open("results.json", "w"))
    print(f"slope: {numbers['slope']:.8f}")
    print(f"largest: {max(xs):.8f}")


if __name__ == "__main__":
    main(int(sys.argv[sys.argv.index("--seed") + 1]))
"""


def write(folder: Path, **files: str) -> Path:
    """The repository in a folder, with some files changed or added."""
    folder.mkdir(parents=True)
    for name, text in {"method": METHOD, "run": RUN, **files}.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "results.json").write_text('{"slope": 1.0}')
    return folder
