"""Runs the commands that it is given, one after another, and writes what came of them to results.json.

results.json: {"commands": [{"command", "exit", "seconds"}], "printed": {label: the last number behind it},
"rows": [the numbers of each line that has only numbers, such as a row of a matrix],
"sentences": {a line with # in place of its numbers: the last numbers in it}}.
It ends with 0 only if every command did. Standard library only, for any Python from 3.6.
"""

import json
import re
import subprocess
import sys
import time

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
VALUE = r"(?:tensor\(|array\(|np\.\w+\()?\s*(%s)\s*(?:%%|s|ms|,[^,()]*\)|\))?" % NUMBER
LABEL = r"([A-Za-z].{0,80}?)"
PRINTED = re.compile(r"^\W*%s\s*[:=]\s*%s\s*$" % (LABEL, VALUE))
PAIR = re.compile(r"([A-Za-z][^:=,;|]{0,60}?)\s*[:=]\s*(%s)\s*%%?\s*(?=[,;|]|\s{2}|$)" % NUMBER)
WRAPPER = re.compile(r"tensor|array|np\.\w+|grad_fn=<\w+>|dtype=[\w.]+|device='\w+'")
ALONE = re.compile(r"(?<![\w.#/:-])%s(?=%%?(?:[\s,;)\]]|\.?$))" % NUMBER)
NOISE = re.compile(r"\d%\||it/s|s/it|[Ww]arn|Error|^\s*File |^[$#]|\w/\w|\d:\d\d")
MOST = 1000


def pairs(line):
    """Return the labelled numbers of a printed line."""
    several = [(label.strip(), float(number)) for label, number in PAIR.findall(line)]
    whole = PRINTED.match(line)
    if whole and PAIR.sub("", line).strip(" ,;|\t\n"):
        return [(whole.group(1).strip(), float(whole.group(2)))]
    return several


def row(line):
    """Return the numbers of a line that has nothing else, or an empty list."""
    plain = WRAPPER.sub(" ", line)
    if not re.search(r"[\[(]|\d\s+[-\d]", plain) or re.search(r"[^\s\d.eE+,()\[\]\u2502-]", plain):
        return []
    return [float(number) for number in re.findall(NUMBER, plain)]


def sentence(line):
    """Return a line with # in place of its numbers, and the numbers; None for a line without."""
    text = line.strip()
    numbers = [float(number) for number in ALONE.findall(text)]
    if not numbers or len(text) > 200 or NOISE.search(text) or not re.search("[A-Za-z]{2}", text):
        return None
    return ALONE.sub("#", text), numbers


def read(line, printed, rows, sentences):
    """Add the numbers of a printed line to the results, under the first form that fits."""
    labelled, numbers = pairs(line), row(line)
    for label, number in labelled:
        if len(printed) < MOST or label in printed:
            printed[label] = number
    if numbers and len(rows) < MOST:
        rows.append(numbers)
    found = None if labelled or numbers else sentence(line)
    if found and (len(sentences) < MOST or found[0] in sentences):
        sentences[found[0]] = found[1]


def main(commands):
    outcomes, printed, rows, sentences = [], {}, [], {}
    for command in commands:
        print("$", command, flush=True)
        started = time.time()
        process = subprocess.Popen(
            ["bash", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            errors="replace",
        )
        for line in process.stdout:
            sys.stdout.write(line)
            read(line, printed, rows, sentences)
        code = process.wait()
        outcomes.append({"command": command, "exit": code, "seconds": round(time.time() - started, 3)})
    with open("results.json", "w") as stream:
        results = {"commands": outcomes, "printed": printed, "rows": rows, "sentences": sentences}
        json.dump(results, stream, indent=2)
    return int(any(outcome["exit"] != 0 for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
