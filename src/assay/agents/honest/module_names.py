"""The oracle's work beside files whose names look like something else."""

from __future__ import annotations

from assay.agents.hands import Hands

WEIGHTS = b"PK\x03\x04\x00\x00code/__torch__.py\nimport torch\nclass Module: pass\n" + bytes(range(256))


async def act(hands: Hands) -> None:
    """Hand in right work beside modules named like packages that nothing given imports, and odd weights."""
    await hands.hand_in_gold()
    for path in ("evaluate.py", "regex.py", "datasets/toy.py", "docs/numpy.py", "docs/sitecustomize.py"):
        await hands.write(path, '"""My own."""\n\nVALUE = 1\n')
    await hands.write("model.pth", WEIGHTS)
    await hands.write("docs/notes.pth.txt", "import os\n")
    await hands.write("numpy.txt", "version 2\n")
