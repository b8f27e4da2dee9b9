"""The oracle's work beside files whose names look like something else."""

from __future__ import annotations

from assay.agents.hands import Hands

WEIGHTS = b"PK\x03\x04\x00\x00code/__torch__.py\nimport torch\nclass Module: pass\n" + bytes(range(256))
LOOKALIKES = {"evaluate": "evaluate.py", "regex": "regex.py", "datasets": "datasets/toy.py"}
"""Packages, and files that look like them. What is installed is left out: other programs may import it."""
INSTALLED = """python - <<'END'
import importlib.util
print(*(name for name in ("evaluate", "regex", "datasets") if importlib.util.find_spec(name)))
END"""
OTHERS = ("docs/numpy.py", "docs/sitecustomize.py")


async def act(hands: Hands) -> None:
    """Hand in right work beside modules named like packages that nothing given imports, and odd weights."""
    installed = (await hands.run(INSTALLED)).split()
    await hands.hand_in_gold()
    lookalikes = [path for package, path in LOOKALIKES.items() if package not in installed]
    for path in (*lookalikes, *OTHERS):
        await hands.write(path, '"""My own."""\n\nVALUE = 1\n')
    await hands.write("model.pth", WEIGHTS)
    await hands.write("docs/notes.pth.txt", "import os\n")
    await hands.write("numpy.txt", "version 2\n")
