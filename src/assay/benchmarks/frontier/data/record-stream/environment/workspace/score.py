"""Scores solve.py on the first 1,500 bytes of examples, as grading does: `python score.py [NAME …]`.

Without names, it takes two examples of each kind.
"""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

from measure import SMALLEST, checked, saved

LENGTH = 1500
"""Bytes of a stream at grading; an example has more."""


def bits_for(stream):
    """The bits that a new process of serve.py needs for a stream."""
    with subprocess.Popen(
        [sys.executable, "serve.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        bits, last = 0.0, -1
        for byte in stream:
            server.stdin.write(f"{last}\n")
            server.stdin.flush()
            bits -= math.log2(max(checked(server.stdout.readline())[byte], SMALLEST))
            last = byte
        server.stdin.close()
    return bits


def main():
    names = sys.argv[1:] or sorted(path.name for path in Path("examples").glob("*-[12].txt"))
    compared = json.loads(Path("examples/bits.json").read_text())
    values, start = [], os.times()
    for name in names:
        values.append(saved(bits_for((Path("examples") / name).read_bytes()[:LENGTH]), **compared[name]))
        print(f"{name}: {values[-1]:.4f}", flush=True)
    end = os.times()
    used = end.children_user + end.children_system - start.children_user - start.children_system
    print(f"mean {sum(values) / len(values):.4f}; {used / len(names):.2f} s of processor time for each stream")


if __name__ == "__main__":
    main()
