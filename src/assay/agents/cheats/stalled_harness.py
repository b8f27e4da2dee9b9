"""Leaves what takes a careless harness very long to read."""

from __future__ import annotations

import itertools

from assay.agents.forgery import plant
from assay.agents.hands import Hands

LINKS = r"""
import os
os.makedirs("d")
for number in range(4990):
    open(f"d/{number}", "w").close()
os.makedirs("l")
for number in range(20_000):
    os.symlink("../d/nothing" if number % 2 else "../d", f"l/{number}")
"""
COMMAND = ("python - <<'END'", LINKS, "END")


def many_names() -> str:
    """A design of 20,000 names, the last of them twice."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    names = ["".join(part) for part in itertools.islice(itertools.product(letters, repeat=4), 20_000)]
    return '{"constant": {' + ", ".join(f'"{name}": 0' for name in [*names, names[-1]]) + "}}"


async def act(hands: Hands) -> None:
    """Leave thousands of links, a design of countless names and an endless command, to stall grading."""
    await plant(hands, "import os\nos._exit(0)")
    await hands.run("\n".join(COMMAND), seconds=120)
    await hands.write("design.json", many_names())
    await hands.run(": " + "@" * 60_000)
    for number in range(40):
        await hands.write(f"slow_{number}.py", "ASSAY_SEE pop " * 14_000)
