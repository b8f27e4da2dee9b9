"""Makes another task out of an experiment folder: other hidden choices, other names, and all that follows from them.

The `vary.py` of such a folder calls `vary` with the folder as its working folder. A choice has a file, the number of
the masked function that it decides, and options: a name and its code. Standard library only.
"""

import difflib
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from pathlib import Path

FOLDER = Path.cwd()
EVIDENCE = {"log.txt": ["--log"], "tables.txt": ["--tables"]}


def read(path):
    """A file of the folder as text."""
    return (FOLDER / path).read_text()


def code_and_words(text):
    """A program in pieces, in turn code and words: comments and docstrings. Other strings may name results."""
    starts = [0]
    for line in text.splitlines(True):
        starts.append(starts[-1] + len(line))
    pieces, end = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and token.string.startswith('"""')
        if is_docstring or token.type == tokenize.COMMENT:
            begin = starts[token.start[0] - 1] + token.start[1]
            pieces += [text[end:begin], token.string]
            end = begin + len(token.string)
    return [*pieces, text[end:]]


def find_spelling(texts, spellings):
    """Which of several names the code uses now."""
    code = "\n".join(" ".join(code_and_words(text)[::2]) for path, text in texts.items() if path.endswith(".py"))
    for name in spellings:
        if re.search(rf"\b{name}\b", code):
            return name
    raise SystemExit(f"none of {spellings} is in the code")


def respell(texts, old, new):
    """Replace one name in code and settings; prose stays as it is."""
    return {path: text if path.endswith(".md") else respell_text(path, text, old, new) for path, text in texts.items()}


def respell_text(path, text, old, new):
    """The same in one file."""
    pieces = code_and_words(text) if path.endswith(".py") else [text]
    pieces[::2] = [re.sub(rf"\b{old}\b", new, piece) for piece in pieces[::2]]
    return "".join(pieces)


def current_option(text, options):
    """The index of the option whose code is in this file."""
    hits = [number for number, (_, snippet) in enumerate(options) if text.count(snippet) == 1]
    longest = max(hits, key=lambda number: len(options[number][1]), default=None)
    if longest is None:
        raise SystemExit(f"no option of {[name for name, _ in options]} is in the code")
    return longest


def canonical_texts(all_spellings):
    """All texts of the folder with the first spelling of every name."""
    paths = [path.relative_to(FOLDER).as_posix() for path in sorted((FOLDER / "code").glob("*"))]
    paths = [path for path in paths if path.endswith((".py", ".md"))] + ["instruction.md", "experiment.toml"]
    texts = {path: read(path) for path in paths}
    for spellings in all_spellings:
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


def write_broken(choices, texts, canonical, chosen, spelled):
    """Write a patch for each option that is not the right one, and list them in experiment.toml."""
    folder = FOLDER / "broken"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    rows = []
    for choice, right in zip(choices, chosen):
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


def write_honest(choices, texts, canonical, chosen, spelled):
    """Write the right program in another form, where an option has one."""
    folder = FOLDER / "honest"
    shutil.rmtree(folder, ignore_errors=True)
    changed = dict(canonical)
    for choice, right in zip(choices, chosen):
        path, name = f"code/{choice['file']}", choice["options"][right][0]
        if name in choice.get("same", {}):
            changed[path] = changed[path].replace(choice["options"][right][1], choice["same"][name])
    changed = spelled(changed)
    for path, text in changed.items():
        if path.startswith("code/") and text != texts[path]:
            (folder / "other-form").mkdir(parents=True, exist_ok=True)
            (folder / "other-form" / path.removeprefix("code/")).write_text(text)


def vary(seed, choices, all_spellings):
    """Choose, write the program, run it, and write everything that depends on the choice."""
    random_numbers = random.Random(seed)
    canonical = canonical_texts(all_spellings)
    chosen = []
    for choice in choices:
        number = random_numbers.randrange(choice.get("textbook", 1), len(choice["options"]))
        canonical = put_option(canonical, choice, number)
        chosen.append(number)
    spellings = [(names[0], random_numbers.choice(names)) for names in all_spellings]

    def spelled(texts):
        for old, new in spellings:
            texts = respell(texts, old, new)
        return texts

    texts = spelled(canonical)
    broken = write_broken(choices, texts, canonical, chosen, spelled)
    write_honest(choices, texts, canonical, chosen, spelled)
    texts["experiment.toml"] = re.sub(
        r"broken = \[\n.*?^\]\n", lambda _: broken, texts["experiment.toml"], flags=re.S | re.M
    )
    for path, text in texts.items():
        (FOLDER / path).write_text(text)
    for path, arguments in EVIDENCE.items():
        if (FOLDER / "code" / path).exists():
            (FOLDER / "code" / path).write_text(run_code(texts, arguments, {})[0])
    write_gold(texts, tomllib.loads(texts["experiment.toml"]))
