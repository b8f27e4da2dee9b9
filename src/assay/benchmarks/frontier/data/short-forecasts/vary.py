"""Makes another task of the same kind: `python vary.py SEED` edits this folder in place. Standard library only.

The changes leave the difficulty as it is: the score compares with the best known program on the same drawn series. The
examples keep the numbers that they were drawn with.
"""

import random
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
WORDS = [["series", "members", "curves"], ["marks", "flags", "signs"], ["horizon", "ahead", "asked"]]
"""Names that mean nothing to the method: one of each group is used everywhere."""
CONSTANTS = [
    ["OUTLIERS = 0.02\n", "OUTLIERS = 0.022\n", "OUTLIERS = 0.018\n"],
    ["ALIKE = 0.8\n", "ALIKE = 0.82\n", "ALIKE = 0.78\n"],
    ["JUMPS = 0.03\n", "JUMPS = 0.032\n", "JUMPS = 0.028\n"],
]
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
        if path.suffix not in (".py", ".md", ".json", ".patch") or path.name in ("vary.py", "certificate.json"):
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
