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
    ["fade", "remember", "take_in"],
    ["estimate", "opinion", "belief"],
    ["width", "margin", "hope"],
    ["listen", "hear", "accumulate"],
    ["cut", "trim", "reduce_memory"],
]
CHOICES = [
    {
        "name": "fade", "file": "memory.py", "function": 0,
        "options": [
            ("all-alike", """    totals = [total * decay for total in totals]
    plays = [count * decay for count in plays]
    totals[arm] += reward
    plays[arm] += 1.0
    return totals, plays
"""),
            ("played-arm-only", """    totals, plays = list(totals), list(plays)
    totals[arm] = totals[arm] * decay + reward
    plays[arm] = plays[arm] * decay + 1.0
    return totals, plays
"""),
            ("resting-arms-slower", """    rates = [decay if number == arm else decay**0.25 for number in range(len(totals))]
    totals = [total * rate for total, rate in zip(totals, rates)]
    plays = [count * rate for count, rate in zip(plays, rates)]
    totals[arm] += reward
    plays[arm] += 1.0
    return totals, plays
"""),
            ("new-reward-fades-too", """    totals, plays = list(totals), list(plays)
    totals[arm] = (totals[arm] + reward) * decay
    plays[arm] = (plays[arm] + 1.0) * decay
    return totals, plays
"""),
            ("resting-arms-by-root", """    root = decay**0.5
    totals = [total * (decay if number == arm else root) for number, total in enumerate(totals)]
    plays = [count * (decay if number == arm else root) for number, count in enumerate(plays)]
    totals[arm] += reward
    plays[arm] += 1.0
    return totals, plays
"""),
        ],
        "same": {
            "played-arm-only": """    kept = [1.0] * len(totals)
    kept[arm] = decay
    gain = [float(number == arm) for number in range(len(totals))]
    return (
        [old * keep + new * reward for old, keep, new in zip(totals, kept, gain)],
        [old * keep + new for old, keep, new in zip(plays, kept, gain)],
    )
""",
            "new-reward-fades-too": """    both = []
    for values, gain in ((totals, reward), (plays, 1.0)):
        both.append([decay * (old + gain) if number == arm else old for number, old in enumerate(values)])
    return both[0], both[1]
""",
            "resting-arms-slower": """    both = []
    for values, gain in ((totals, reward), (plays, 1.0)):
        both.append([decay * old + gain if number == arm else old * decay**0.25 for number, old in enumerate(values)])
    return both[0], both[1]
""",
            "resting-arms-by-root": """    both = []
    for values, gain in ((totals, reward), (plays, 1.0)):
        both.append([decay * old + gain if number == arm else old * decay**0.5 for number, old in enumerate(values)])
    return both[0], both[1]
""",
        },
    },
    {
        "name": "estimate", "file": "memory.py", "function": 1,
        "options": [
            ("plain-mean", "    return total / count if count > 0 else 0.5\n"),
            ("pull-to-half", "    return (total + 0.5 * 0.8) / (count + 0.8)\n"),
            ("pull-to-low", "    return (total + 0.35 * 1.2) / (count + 1.2)\n"),
            ("pull-to-zero", "    return total / (count + 0.6)\n"),
            ("pull-to-high", "    return (total + 0.65 * 0.7) / (count + 0.7)\n"),
        ],
    },
    {
        "name": "width", "file": "explore.py", "function": 2,
        "options": [
            ("usual", "    return 0.42 * math.sqrt(2.0 * math.log(1.0 + sum(plays)) / max(count, 1e-9))\n"),
            ("one-more-play", "    return 0.38 * math.sqrt(math.log(1.0 + sum(plays)) / (1.0 + count))\n"),
            ("root-of-total", "    return 0.16 * math.sqrt(math.sqrt(sum(plays)) / (0.5 + count))\n"),
            ("log-ratio", "    return 0.34 * math.sqrt(math.log(1.0 + sum(plays) / (1.0 + count)) / (1.0 + count))\n"),
            ("without-root", "    return 0.55 * math.log(1.0 + sum(plays)) / (2.0 + count)\n"),
        ],
    },
    {
        "name": "best", "file": "explore.py", "function": 3,
        "options": [
            ("first-of-equals", "    return max(range(len(values)), key=lambda arm: values[arm])\n"),
            ("last-of-equals", "    return max(range(len(values)), key=lambda arm: (values[arm], arm))\n"),
            ("middle-of-equals", "    return max(range(len(values)), key=lambda arm: (values[arm], -abs(arm - 2), arm))\n"),
        ],
    },
    {
        "name": "listen", "file": "alarm.py", "function": 4,
        "options": [
            ("usual-sums", "    return max(0.0, level[0] + surprise - 0.1), max(0.0, level[1] - surprise - 0.1)\n"),
            ("other-side-is-emptied", """    rise = max(0.0, level[0] + surprise - 0.12)
    fall = max(0.0, level[1] - surprise - 0.12)
    return (rise, 0.0) if surprise > 0 else (0.0, fall)
"""),
            ("weighted-by-plays", """    share = count / (count + 3.0)
    return max(0.0, level[0] + share * surprise - 0.08), max(0.0, level[1] - share * surprise - 0.08)
"""),
            ("fades-before", """    rise, fall = 0.9 * level[0] + surprise, 0.9 * level[1] - surprise
    return max(0.0, rise - 0.05), max(0.0, fall - 0.05)
"""),
            ("large-surprises-are-clipped", """    heard = max(-0.5, min(0.5, surprise))
    return max(0.0, level[0] + heard - 0.09), max(0.0, level[1] - heard - 0.09)
"""),
        ],
    },
    {
        "name": "cut", "file": "alarm.py", "function": 5,
        "options": [
            ("to-nothing", """    totals, plays = list(totals), list(plays)
    totals[arm], plays[arm] = 0.0, 0.0
    return totals, plays
"""),
            ("to-a-quarter", """    totals, plays = list(totals), list(plays)
    totals[arm], plays[arm] = totals[arm] * 0.25, plays[arm] * 0.25
    return totals, plays
"""),
            ("to-two-plays", """    totals, plays = list(totals), list(plays)
    share = min(1.0, 2.0 / plays[arm])
    totals[arm], plays[arm] = totals[arm] * share, plays[arm] * share
    return totals, plays
"""),
            ("all-arms-a-little", """    rates = [0.1 if number == arm else 0.7 for number in range(len(totals))]
    return [total * rate for total, rate in zip(totals, rates)], [count * rate for count, rate in zip(plays, rates)]
"""),
        ],
    },
    {
        "name": "regret", "file": "score.py", "function": 6,
        "options": [
            ("of-means", "    return max(means) - means[arm]\n"),
            ("of-reward", "    return max(means) - reward\n"),
            ("over-the-mean-arm", "    return (max(means) - means[arm]) / (max(means) - sum(means) / len(means))\n"),
            ("squared-gap", "    return (max(means) - means[arm]) ** 2\n"),
        ],
    },
    {
        "name": "threshold", "file": "alarm.py", "function": None,
        "options": [
            ("high", "    return max(level) > 1.6\n"),
            ("low", "    return max(level) > 1.1\n"),
            ("higher", "    return max(level) > 1.9\n"),
        ],
        "textbook": 0,
    },
    {
        "name": "decay", "file": "run.py", "function": None,
        "options": [("slow", "DECAY = 0.97\n"), ("slower", "DECAY = 0.98\n"), ("faster", "DECAY = 0.95\n")],
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
    """Replace one name in code and settings; prose stays as it is."""
    return {
        path: text if path.endswith(".md") else re.sub(rf"\b{old}\b", new, text) for path, text in texts.items()
    }


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
