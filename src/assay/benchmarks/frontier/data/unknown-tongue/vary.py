"""Makes another task of the same kind: `python vary.py SEED` edits this folder in place. Standard library only.

Another alphabet, other sizes of the tongue's classes and other examples leave the difficulty as it is.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
LETTERS = ["abcdefghijklmnopqr", "bcdefghijklmnopqrs", "aeioubdfgklmnprstv", "ABCDEFGHIJKLMNOPQR", "cdefghijklmnopqrst"]


def make_example(name, seed):
    """One example by the varied draw.py."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(FOLDER / "tests/draw.py", folder)
        variables = {**os.environ, "ASSAY_SEED": str(seed)}
        subprocess.run([sys.executable, "draw.py"], cwd=folder, env=variables, check=True)
        for source, target in (("workspace/problem.json", "problem.json"), ("truth/truth.json", "truth.json")):
            value = json.loads((Path(folder) / source).read_text())
            (FOLDER / "environment/workspace/examples" / name / target).write_text(json.dumps(value))


def main():
    source = random.Random(int(sys.argv[1]))
    path = FOLDER / "tests/draw.py"
    text = path.read_text()
    text = re.sub(r'LETTERS, VOWELS = ".*?"', f'LETTERS, VOWELS = "{source.choice(LETTERS)}"', text)
    text = text.replace("self.consonants, 6))", f"self.consonants, {source.choice([5, 6, 7])}))")
    path.write_text(text)
    for name in ("1", "2"):
        make_example(name, source.randrange(10**6))


if __name__ == "__main__":
    main()
