"""Runs the commands that it is given, one after another, and writes what came of them to results.json.

results.json: {"commands": [{"command", "exit", "seconds"}], "printed": {label: the last number behind it}}.
It ends with 0 only if every command did. Standard library only, for any Python from 3.6.
"""

import json
import re
import subprocess
import sys
import time

PRINTED = re.compile(r"^\s*([A-Za-z][^:=]{0,60}?)\s*[:=]\s*(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*%?\s*$")
MOST = 1000


def main(commands):
    done, printed = [], {}
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
            found = PRINTED.match(line)
            if found and (len(printed) < MOST or found.group(1) in printed):
                printed[found.group(1)] = float(found.group(2))
        code = process.wait()
        done.append({"command": command, "exit": code, "seconds": round(time.time() - started, 3)})
    with open("results.json", "w") as stream:
        json.dump({"commands": done, "printed": printed}, stream, indent=2)
    return int(any(each["exit"] != 0 for each in done))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
