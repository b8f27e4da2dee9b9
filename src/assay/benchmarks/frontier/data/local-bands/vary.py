"""Makes another task of the same kind: `python vary.py SEED` edits this folder in place. Standard library only."""

import difflib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
EVIDENCE = {"log.txt": ["--log"]}
SPELLINGS = [
    ["difficulty", "local_scale", "hardness"],
    ["ages", "recency", "freshness"],
    ["cut", "threshold", "quantile"],
    ["interval_score", "band_score", "penalty"],
    ["worst_coverage", "weakest_group", "lowest_coverage"],
]
NEAR = """    order = sorted(range(len(features)), key=lambda number: abs(features[number] - place))
"""
WALK = """    running = 0.0
    for value, weight in sorted(zip(scores, weights)):
        running += weight
        if running >= share * total:
            return value
    return max(scores)
"""
CHOICES = [
    {
        "name": "weight", "file": "smooth.py", "function": 0,
        "options": [
            ("gaussian", "    return math.exp(-0.5 * (distance / bandwidth) ** 2)\n"),
            ("without-half", "    return math.exp(-((distance / bandwidth) ** 2))\n"),
            ("exponential", "    return math.exp(-distance / bandwidth)\n"),
            ("cauchy", "    return 1.0 / (1.0 + (distance / bandwidth) ** 2) ** 2\n"),
            ("quartic", "    return math.exp(-0.5 * (distance / bandwidth) ** 4) + 0.001\n"),
        ],
        "same": {
            "without-half": """    ratio = distance / bandwidth
    return 1.0 / math.exp(ratio * ratio)
""",
            "exponential": "    return math.e ** -(distance / bandwidth)\n",
            "cauchy": """    ratio = distance * distance / bandwidth / bandwidth
    return (1.0 + ratio) ** -2.0
""",
            "quartic": """    squared = distance * distance / bandwidth / bandwidth
    return 0.001 + math.exp(-squared * squared / 2.0)
""",
        },
    },
    {
        "name": "difficulty", "file": "places.py", "function": 1,
        "options": [
            ("mean-of-fifteen", NEAR + """    near = [abs(residuals[number]) for number in order[:15]]
    return sum(near) / len(near) + 0.02
"""),
            ("root-mean-square", NEAR + """    near = [residuals[number] ** 2 for number in order[:18]]
    return math.sqrt(sum(near) / (len(near) - 1) + 0.003)
"""),
            ("median", NEAR + """    near = sorted(abs(residuals[number]) for number in order[:21])
    return 1.483 * near[10] + 0.04
"""),
            ("weighted-by-rank", NEAR + """    near = [(abs(residuals[number]), 12 - rank) for rank, number in enumerate(order[:12])]
    return sum(size * share for size, share in near) / sum(share for _, share in near) + 0.03
"""),
            ("trimmed", NEAR + """    near = sorted(abs(residuals[number]) for number in order[:20])[2:-2]
    return sum(near) / len(near) + 0.05
"""),
        ],
    },
    {
        "name": "score", "file": "calibrate.py", "function": 2,
        "options": [
            ("ratio", "    return abs(residual) / scale\n"),
            ("root-scale", "    return abs(residual) / math.sqrt(scale)\n"),
            ("shrunk-scale", "    return abs(residual) / (scale + 0.1)\n"),
            ("squared", "    return (residual / scale) ** 2\n"),
        ],
    },
    {
        "name": "ages", "file": "calibrate.py", "function": 3,
        "options": [
            ("all-alike", "    return [1.0] * count\n"),
            ("geometric", "    return [0.985 ** (count - 1 - number) for number in range(count)]\n"),
            ("linear", "    return [(number + 1) / count for number in range(count)]\n"),
            ("half-life", "    return [0.5 ** ((count - 1 - number) / 40) for number in range(count)]\n"),
            ("root", "    return [math.sqrt((number + 1) / count) for number in range(count)]\n"),
        ],
    },
    {
        "name": "cut", "file": "calibrate.py", "function": 4,
        "options": [
            ("usual", "    total = sum(weights) + 1.0\n" + WALK),
            ("without-new-point", "    total = sum(weights)\n" + WALK),
            ("newest-weight", "    total = sum(weights) + sum(weights) / len(weights)\n" + WALK),
            ("between-two", """    total = sum(weights) + 1.0
    running, before = 0.0, 0.0
    for value, weight in sorted(zip(scores, weights)):
        if running + weight >= share * total:
            return before + (value - before) * (share * total - running) / weight
        running, before = running + weight, value
    return max(scores)
"""),
            ("strictly-above", """    total = sum(weights) + 1.0
    running = 0.0
    for value, weight in sorted(zip(scores, weights)):
        if running > share * total:
            return value
        running += weight
    return max(scores)
"""),
        ],
    },
    {
        "name": "interval", "file": "bands.py", "function": 5,
        "options": [
            ("usual", "    return (high - low) + 2.0 / miss * (below + above)\n"),
            ("one-over", "    return (high - low) + (below + above) / miss\n"),
            ("squared-penalty", "    return (high - low) + 2.0 / miss * (below**2 + above**2)\n"),
            ("relative-to-width", "    return (high - low) * (1.0 + 2.0 / miss * (below + above))\n"),
        ],
    },
    {
        "name": "worst", "file": "bands.py", "function": 6,
        "options": [
            ("blocks-of-fifteen", """    groups = [order[start : start + 15] for start in range(0, len(order), 15)]
    return min(sum(inside[number] for number in group) / len(group) for group in groups)
"""),
            ("sliding-twelve", """    groups = [order[start : start + 12] for start in range(len(order) - 11)]
    return min(sum(inside[number] for number in group) / len(group) for group in groups)
"""),
            ("sliding-twenty", """    groups = [order[start : start + 20] for start in range(len(order) - 19)]
    return min(sum(inside[number] for number in group) / len(group) for group in groups)
"""),
            ("shrunk-blocks-of-ten", """    groups = [order[start : start + 10] for start in range(0, len(order), 10)]
    return min((sum(inside[number] for number in group) + 1) / (len(group) + 2) for group in groups)
"""),
        ],
    },
    {
        "name": "bandwidth", "file": "run.py", "function": None,
        "options": [("middle", "BANDWIDTH = 0.06\n"), ("narrow", "BANDWIDTH = 0.05\n"), ("wide", "BANDWIDTH = 0.08\n")],
        "textbook": 0,
    },
]


# What follows is the same for every experiment of this suite: it edits the folder in which it stands.


def read(path):
    """A file of the folder as text."""
    return (FOLDER / path).read_text()


def find_spelling(texts, spellings):
    """Which of several names the code uses now."""
    pattern = {name: re.compile(rf"\b{name}\b") for name in spellings}
    for name in spellings:
        if any(pattern[name].search(text) for path, text in texts.items() if path.endswith(".py")):
            return name
    raise SystemExit(f"none of {spellings} is in the code")


def respell(texts, old, new):
    """Replace one name everywhere."""
    return {path: re.sub(rf"\b{old}\b", new, text) for path, text in texts.items()}


def current_option(text, options):
    """The index of the option whose code is in this file."""
    hits = [number for number, (_, snippet) in enumerate(options) if text.count(snippet) == 1]
    longest = max(hits, key=lambda number: len(options[number][1]), default=None)
    if longest is None:
        raise SystemExit(f"no option of {[name for name, _ in options]} is in the code")
    return longest


def canonical_texts():
    """All texts of the folder with the first spelling of every name."""
    paths = [path.relative_to(FOLDER).as_posix() for path in sorted((FOLDER / "code").glob("*"))]
    paths = [path for path in paths if path.endswith((".py", ".md"))] + ["instruction.md", "experiment.toml"]
    texts = {path: read(path) for path in paths}
    for spellings in SPELLINGS:
        texts = respell(texts, find_spelling(texts, spellings), spellings[0])
    return texts


def put_option(texts, choice, number):
    """The texts with this option of the choice in place of the present one."""
    path = f"code/{choice['file']}"
    present = current_option(texts[path], choice["options"])
    changed = texts[path].replace(choice["options"][present][1], choice["options"][number][1])
    return {**texts, path: changed}


def write_code(texts, folder):
    """Write the program into a folder."""
    for path, text in texts.items():
        if path.startswith("code/"):
            (folder / path.removeprefix("code/")).write_text(text)


def run_code(texts, arguments, variables):
    """What the program prints and its results."""
    with tempfile.TemporaryDirectory() as name:
        write_code(texts, Path(name))
        environment = {"PATH": os.environ.get("PATH", ""), **variables}
        done = subprocess.run(
            [sys.executable, "-B", "run.py", *arguments], cwd=name, env=environment, capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(f"the program fails with {arguments}: {done.stderr[-800:]}")
        return done.stdout, json.loads((Path(name) / "results.json").read_text())


def number_at(results, path):
    """The number under a path of keys and places."""
    for key in path.split("."):
        results = results[int(key)] if isinstance(results, list) else results[key]
    return results


def write_gold(texts, config):
    """Write the right numbers of the plain run and of the fixed variations."""
    gold = {}
    for variation in [{"name": "default"}, *config["variations"]]:
        if variation.get("fresh"):
            continue
        arguments = variation.get("command", "python run.py").split()[2:]
        seed = {"ASSAY_SEED": str(variation["seed"])} if "seed" in variation else {}
        results = run_code(texts, arguments, seed)[1]
        gold[variation["name"]] = {
            metric["name"]: [number_at(results, metric["path"])] * 3 for metric in config["metrics"]
        }
    (FOLDER / "results.json").write_text(json.dumps(gold, indent=1) + "\n")


def write_broken(texts, canonical, chosen, spelled):
    """Write a patch for each option that is not the right one, and list them in experiment.toml."""
    folder = FOLDER / "broken"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    rows = []
    for choice, right in zip(CHOICES, chosen):
        if choice["function"] is None:
            continue
        path = f"code/{choice['file']}"
        for number, (name, _) in enumerate(choice["options"]):
            if number == right:
                continue
            wrong = spelled(put_option(canonical, choice, number))[path]
            patch = difflib.unified_diff(
                texts[path].splitlines(True), wrong.splitlines(True), f"a/{choice['file']}", f"b/{choice['file']}"
            )
            (folder / f"{choice['name']}-{name}.patch").write_text("".join(patch))
            rows.append(f'    {{ name = "{choice["name"]}-{name}", function = {choice["function"]} }},\n')
    return "broken = [\n" + "".join(rows) + "]\n"


def write_honest(texts, canonical, chosen, spelled):
    """Write the right program in another form, where an option has one."""
    folder = FOLDER / "honest"
    shutil.rmtree(folder, ignore_errors=True)
    changed = dict(canonical)
    for choice, right in zip(CHOICES, chosen):
        path, name = f"code/{choice['file']}", choice["options"][right][0]
        if name in choice.get("same", {}):
            changed[path] = changed[path].replace(choice["options"][right][1], choice["same"][name])
    changed = spelled(changed)
    for path, text in changed.items():
        if path.startswith("code/") and text != texts[path]:
            (folder / "other-form").mkdir(parents=True, exist_ok=True)
            (folder / "other-form" / path.removeprefix("code/")).write_text(text)


def vary(seed):
    """Choose, write the program, run it, and write everything that depends on the choice."""
    random_numbers = random.Random(seed)
    canonical = canonical_texts()
    chosen = []
    for choice in CHOICES:
        number = random_numbers.randrange(choice.get("textbook", 1), len(choice["options"]))
        canonical = put_option(canonical, choice, number)
        chosen.append(number)
    spellings = [(names[0], random_numbers.choice(names)) for names in SPELLINGS]

    def spelled(texts):
        for old, new in spellings:
            texts = respell(texts, old, new)
        return texts

    texts = spelled(canonical)
    broken = write_broken(texts, canonical, chosen, spelled)
    write_honest(texts, canonical, chosen, spelled)
    texts["experiment.toml"] = re.sub(
        r"broken = \[\n.*?^\]\n", lambda _: broken, texts["experiment.toml"], flags=re.S | re.M
    )
    for path, text in texts.items():
        (FOLDER / path).write_text(text)
    for path, arguments in EVIDENCE.items():
        if (FOLDER / "code" / path).exists():
            (FOLDER / "code" / path).write_text(run_code(texts, arguments, {})[0])
    write_gold(texts, tomllib.loads(texts["experiment.toml"]))


if __name__ == "__main__":
    vary(int(sys.argv[1]))
