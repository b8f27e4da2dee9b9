"""Runs each experiment of experiments.json and writes the numbers that it prints to results.json.

An experiment that fails, or whose numbers cannot be read, is left out; the others still count.
"""

import json
import re
import subprocess
import sys

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)"


def read(output, metric, rule):
    """The number of one metric in an experiment's output, or None."""
    pattern = rule["pattern"].replace("{metric}", re.escape(metric)).replace("{number}", NUMBER)
    found = re.findall(pattern, output)
    if not found or (rule["take"] == "only" and len(found) != 1):
        print(f"{metric}: {len(found)} numbers found", file=sys.stderr)
        return None
    return float(found[-1])


def main():
    with open("experiments.json") as stream:
        experiments = json.load(stream)
    results = {}
    for experiment in experiments:
        print(experiment["name"], flush=True)
        done = subprocess.run(
            ["bash", "-ec", experiment["command"]], stdout=subprocess.PIPE, text=True, errors="replace"
        )
        print(done.stdout, flush=True)
        if done.returncode != 0:
            print(f"{experiment['name']}: exit {done.returncode}", file=sys.stderr)
            continue
        numbers = {metric: read(done.stdout, metric, rule) for metric, rule in experiment["metrics"].items()}
        results[experiment["name"]] = {
            metric: [number] if experiment["metrics"][metric]["list"] else number
            for metric, number in numbers.items()
            if number is not None
        }
    with open("results.json", "w") as stream:
        json.dump(results, stream, indent=2)
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
