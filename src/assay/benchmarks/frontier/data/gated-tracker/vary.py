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
    ["disturbance", "added_covariance", "shake"],
    ["begin", "start_state", "first_state"],
    ["believed", "trusted_variance", "doubt"],
    ["update_level", "learn_noise", "adapt_level"],
    ["improve", "look_back", "refine"],
]
GAINS = """    a, b, c = covariance
    p, q, r = predicted_covariance
    across = (a + step * b, b, b + step * c, c)
    size = p * r - q * q
    gains = (
        (across[0] * r - across[1] * q) / size,
        (across[1] * p - across[0] * q) / size,
        (across[2] * r - across[3] * q) / size,
        (across[3] * p - across[2] * q) / size,
    )
"""
CHOICES = [
    {
        "name": "disturbance", "file": "motion.py", "function": 0,
        "options": [
            ("constant-push", "    return strength * step**4 / 4, strength * step**3 / 2, strength * step**2\n"),
            ("continuous", "    return strength * step**3 / 3, strength * step**2 / 2, strength * step\n"),
            ("at-the-end", "    return 0.0, 0.0, strength * step\n"),
            ("at-the-start", "    return strength * step**3, strength * step**2, strength * step\n"),
            ("in-the-middle", "    return strength * step**3 / 4, strength * step**2 / 2, strength * step\n"),
        ],
        "same": {
            "continuous": """    for_velocity = strength * step
    return for_velocity * step * step / 3.0, 0.5 * for_velocity * step, for_velocity
""",
            "at-the-end": "    return (0.0, 0.0) + (step * strength,)\n",
            "at-the-start": "    return tuple(strength * step**power for power in (3, 2, 1))\n",
            "in-the-middle": "    return tuple(strength * step * (step / 2) ** power for power in (2, 1, 0))\n",
        },
    },
    {
        "name": "begin", "file": "motion.py", "function": 1,
        "options": [
            ("usual", "    return state, (level, level / step, 2 * level / step**2)\n"),
            ("without-both", "    return state, (level, 0.0, 2 * level / step**2)\n"),
            ("doubled", "    return state, (2 * level, 2 * level / step, 4 * level / step**2)\n"),
            ("velocity-plus-one", "    return state, (level, level / step, 2 * level / step**2 + 1.0)\n"),
        ],
    },
    {
        "name": "believed", "file": "gate.py", "function": 2,
        "options": [
            ("hard-gate", "    return level if score <= 2.5 else 1e6 * level\n"),
            ("linear", "    return level if score <= 1.8 else level * score / 1.8\n"),
            ("quadratic", "    return level if score <= 2.2 else level * (score / 2.2) ** 2\n"),
            ("whole-spread", "    return level if score <= 2.4 else level + spread**2 * (score / 2.4 - 1.0)\n"),
            ("heavy-tail", "    return level if score <= 1.6 else level * (1.0 + (score - 1.6) ** 2)\n"),
        ],
    },
    {
        "name": "level", "file": "noise.py", "function": 3,
        "options": [
            ("innovation", """    says = innovation**2 - before
    return max(0.01, level + 0.05 * (says - level))
"""),
            ("residual", """    says = residual**2 + after
    return max(0.01, level + 0.04 * (says - level))
"""),
            ("product", """    says = innovation * residual
    return max(0.02, level + 0.06 * (says - level))
"""),
            ("clipped-innovation", """    says = min(innovation**2, 9.0 * (before + level)) - before
    return max(0.02, level + 0.05 * (says - level))
"""),
            ("clipped-residual", """    says = min(residual**2 + after, 4.0 * level)
    return max(0.01, level + 0.08 * (says - level))
"""),
        ],
    },
    {
        "name": "improve", "file": "smooth.py", "function": 4,
        "options": [
            ("full", GAINS + """    off = later[0] - predicted[0], later[1] - predicted[1]
    return state[0] + gains[0] * off[0] + gains[1] * off[1], state[1] + gains[2] * off[0] + gains[3] * off[1]
"""),
            ("damped", GAINS + """    off = 0.8 * (later[0] - predicted[0]), 0.8 * (later[1] - predicted[1])
    return state[0] + gains[0] * off[0] + gains[1] * off[1], state[1] + gains[2] * off[0] + gains[3] * off[1]
"""),
            ("velocity-damped", GAINS + """    off = later[0] - predicted[0], 0.7 * (later[1] - predicted[1])
    return state[0] + gains[0] * off[0] + gains[1] * off[1], state[1] + gains[2] * off[0] + gains[3] * off[1]
"""),
            ("limited", GAINS + """    limit = 2.0 * a**0.5
    off = max(-limit, min(limit, later[0] - predicted[0])), later[1] - predicted[1]
    return state[0] + gains[0] * off[0] + gains[1] * off[1], state[1] + gains[2] * off[0] + gains[3] * off[1]
"""),
        ],
    },
    {
        "name": "consistency", "file": "measures.py", "function": 5,
        "options": [
            ("mean-of-squares", """    scores = [(innovation / spread) ** 2 for innovation, spread in zip(innovations, spreads)]
    return sum(scores) / len(scores)
"""),
            ("ratio-of-sums", """    return sum(innovation**2 for innovation in innovations[10:]) / sum(spread**2 for spread in spreads[10:])
"""),
            ("mean-magnitude", """    scores = [abs(innovation) / spread for innovation, spread in zip(innovations, spreads)][10:]
    return sum(scores) / len(scores) * math.sqrt(math.pi / 2)
"""),
            ("late-mean", """    scores = [(innovation / spread) ** 2 for innovation, spread in zip(innovations, spreads)][20:]
    return sum(scores) / (len(scores) - 1)
"""),
        ],
    },
    {
        "name": "likelihood", "file": "measures.py", "function": 6,
        "options": [
            ("all", "    return sum(terms) / len(terms)\n"),
            ("after-ten", "    return sum(terms[10:]) / len(terms[10:])\n"),
            ("after-twenty", "    return sum(terms[20:]) / len(terms[20:])\n"),
            ("floored", "    return sum(max(term, -6.0) for term in terms) / len(terms)\n"),
        ],
    },
    {
        "name": "strength", "file": "run.py", "function": None,
        "options": [("middle", "STRENGTH = 0.15\n"), ("weak", "STRENGTH = 0.1\n"), ("strong", "STRENGTH = 0.25\n")],
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
