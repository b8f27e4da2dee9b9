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
    ["tuned", "adapted", "retuned"],
    ["propose", "suggest", "candidate"],
    ["disagreement", "spread_ratio", "shrink_factor"],
    ["total_lag", "lag_sum", "memory_length"],
    ["batch_error", "mean_error", "batch_spread"],
]
CHOICES = [
    {
        "name": "tuned", "file": "sampler.py", "function": 0,
        "options": [
            ("by-root", "    return log_size + (accepted - TARGET) / math.sqrt(number)\n"),
            ("by-power", "    return log_size + 2.0 * (accepted - TARGET) / number**0.6\n"),
            ("shifted", "    return log_size + 5.0 * (accepted - TARGET) / (10.0 + number)\n"),
            ("uneven", """    change = accepted - TARGET
    return log_size + (change / (1 - TARGET) if change > 0 else change / TARGET) / number**0.7
"""),
            ("clipped", "    return log_size + max(-0.25, min(0.25, 3.0 * (accepted - TARGET) / math.sqrt(number)))\n"),
        ],
        "same": {
            "by-power": "    return log_size + (accepted - TARGET) * 2.0 * math.exp(-0.6 * math.log(number))\n",
            "shifted": "    return log_size + (accepted - TARGET) / (2.0 + number / 5.0)\n",
            "uneven": """    change = accepted - TARGET
    ratio = change / ((1 - TARGET) if change > 0 else TARGET)
    return log_size + ratio * number**-0.7
""",
            "clipped": """    change = 3.0 * (accepted - TARGET) / number**0.5
    return log_size + sorted((-0.25, change, 0.25))[1]
""",
        },
    },
    {
        "name": "propose", "file": "sampler.py", "function": 1,
        "options": [
            ("round", "    return point[0] + size * source.gauss(0.0, 1.0), point[1] + size * source.gauss(0.0, 1.0)\n"),
            ("y-first", """    second = point[1] + size * source.gauss(0.0, 1.0)
    return point[0] + size * source.gauss(0.0, 1.0), second
"""),
            ("wide-in-x", "    return point[0] + 1.5 * size * source.gauss(0.0, 1.0), point[1] + size * source.gauss(0.0, 1.0)\n"),
            ("leaning", """    first, second = source.gauss(0.0, 1.0), source.gauss(0.0, 1.0)
    return point[0] + size * first, point[1] + size * (0.6 * first + 0.8 * second)
"""),
        ],
    },
    {
        "name": "split", "file": "mixing.py", "function": 2,
        "options": [
            ("halves", """    half = len(chains[0]) // 2
    return [part for values in chains for part in (values[:half], values[half : 2 * half])]
"""),
            ("thirds", """    third = len(chains[0]) // 3
    return [values[third * number : third * (number + 1)] for values in chains for number in range(3)]
"""),
            ("first-and-last-third", """    third = len(chains[0]) // 3
    return [part for values in chains for part in (values[:third], values[-third:])]
"""),
            ("alternating", """    return [part for values in chains for part in (values[: len(values) // 2 * 2 : 2], values[1::2])]
"""),
        ],
    },
    {
        "name": "folded", "file": "mixing.py", "function": 3,
        "options": [
            ("median-of-all", """    every = sorted(value for values in chains for value in values)
    middle = every[len(every) // 2]
    return [[abs(value - middle) for value in values] for values in chains]
"""),
            ("mean-of-all", """    middle = mean([value for values in chains for value in values])
    return [[abs(value - middle) for value in values] for values in chains]
"""),
            ("squares", """    middle = mean([value for values in chains for value in values])
    return [[(value - middle) ** 2 for value in values] for values in chains]
"""),
            ("own-means", """    return [[abs(value - mean(values[:50])) for value in values] for values in chains]
"""),
        ],
    },
    {
        "name": "ratio", "file": "mixing.py", "function": 4,
        "options": [
            ("usual", "    return math.sqrt(((length - 1) / length * within + between / length) / within)\n"),
            ("without-root", "    return ((length - 1) / length * within + between / length) / within\n"),
            ("many-chains", "    return math.sqrt((length - 1) / length + (1 + 1 / len(parts)) * between / within / length)\n"),
            ("plain-sum", "    return math.sqrt(1.0 + between / within / length)\n"),
        ],
    },
    {
        "name": "lag", "file": "size.py", "function": 5,
        "options": [
            ("initial-pairs", """    total = 0.0
    for first in range(0, len(lags) - 1, 2):
        pair = lags[first] + lags[first + 1]
        if pair < 0:
            break
        total += 2.0 * pair
    return total - 1.0
"""),
            ("small-lag", """    total = 1.0
    for value in lags[1:]:
        if value < 0.05:
            break
        total += 2.0 * value
    return total
"""),
            ("small-lag-included", """    total = 1.0
    for value in lags[1:]:
        total += 2.0 * value
        if value < 0.1:
            break
    return total
"""),
            ("window", """    total = 1.0
    for lag in range(1, len(lags)):
        total += 2.0 * lags[lag]
        if lag >= 4.0 * total:
            break
    return total
"""),
            ("tapered", """    return 1.0 + 2.0 * sum((1.0 - lag / 40) * lags[lag] for lag in range(1, 40))
"""),
        ],
    },
    {
        "name": "batch", "file": "size.py", "function": 6,
        "options": [
            ("root-size", """    size = int(math.sqrt(len(values)))
    batches = [mean(values[start : start + size]) for start in range(0, len(values) - size + 1, size)]
    return math.sqrt(variance(batches) / len(batches))
"""),
            ("cube-root-size", """    size = int(len(values) ** (2 / 3))
    batches = [mean(values[start : start + size]) for start in range(0, len(values) - size + 1, size)]
    return math.sqrt(variance(batches) / len(batches))
"""),
            ("newest-batches", """    size = int(math.sqrt(len(values)))
    batches = [mean(values[end - size : end]) for end in range(len(values), size - 1, -size)]
    return math.sqrt(variance(batches) / (len(values) / size))
"""),
            ("overlapping", """    size = int(math.sqrt(len(values)))
    batches = [mean(values[start : start + size]) for start in range(len(values) - size + 1)]
    return math.sqrt(variance(batches) * size / len(values))
"""),
        ],
    },
    {
        "name": "quantile", "file": "tails.py", "function": 7,
        "options": [
            ("usual", "    place = share * (len(ordered) - 1)\n"),
            ("weibull", "    place = max(0.0, share * (len(ordered) + 1) - 1)\n"),
            ("middle", "    place = max(0.0, share * len(ordered) - 0.5)\n"),
            ("median-unbiased", "    place = max(0.0, share * (len(ordered) + 1 / 3) - 2 / 3)\n"),
        ],
    },
    {
        "name": "target", "file": "sampler.py", "function": None,
        "options": [("middle", "TARGET = 0.3\n"), ("low", "TARGET = 0.25\n"), ("high", "TARGET = 0.4\n")],
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
