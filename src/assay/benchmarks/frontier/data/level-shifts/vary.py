"""Makes another task of the same kind: `python vary.py SEED` edits this folder in place. Standard library only.

The changes leave the difficulty as it is: the score is relative to what can be known about each drawn problem.
"""

import random
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
WORDS = [['shifts', 'breaks', 'starts'], ['series', 'curves', 'traces']]
"""Names that mean nothing to the method: one of each group is used everywhere."""
CONSTANTS = [['SMALLEST, LARGEST = 0.9, 3.0\n', 'SMALLEST, LARGEST = 0.9, 2.98\n', 'SMALLEST, LARGEST = 0.91, 2.95\n'], ['TAILS = 3.0\n', 'TAILS = 3.05\n', 'TAILS = 3.1\n']]
"""A line of draw.py, and the lines that may stand in its place."""


def present(groups, text):
    """Which member of each group the text has now."""
    return [next(member for member in group if member in text) for group in groups]


def main():
    source = random.Random(int(sys.argv[1]))
    drawn = (FOLDER / "tests/draw.py").read_text()
    quoted = [[f'"{word}"' for word in group] for group in WORDS]
    words = [(old.strip('"'), source.choice(group)) for old, group in zip(present(quoted, drawn), WORDS)]
    lines = [(old, source.choice(group)) for old, group in zip(present(CONSTANTS, drawn), CONSTANTS)]
    for path in sorted(FOLDER.rglob("*")):
        if path.suffix not in (".py", ".md") or path.name == "vary.py":
            continue
        text = path.read_text()
        for old, new in words:
            text = re.sub(rf"(?<=[\"`]){old}(?=[\"`])", new, text)
        if path.name == "draw.py":
            for old, new in lines:
                text = text.replace(old, new)
        path.write_text(text)


if __name__ == "__main__":
    main()
