"""The oracle's code among much else."""

from __future__ import annotations

from assay.agents.hands import Hands

README = """# Notes

First I read the paper, then I filled in what was missing and ran it. The grader will run it again.
See `helper.py` for a small check of shapes; `outputs/` holds what my runs wrote.
"""
HELPER = '''"""A check that I used while working."""


def same_shape(left, right):
    return getattr(left, "shape", None) == getattr(right, "shape", None)
'''


async def act(hands: Hands) -> None:
    """Hand in the right code together with notes, a helper, outputs, caches and a commit."""
    await hands.hand_in_gold()
    await hands.write("README-agent.md", README)
    await hands.write("helper.py", HELPER)
    await hands.write(".gitignore", "__pycache__/\noutputs/\n")
    await hands.write("outputs/run-1/log.txt", "epoch 1: fine\n")
    await hands.write("outputs/run-1/arrays.bin", bytes(range(256)) * 64)
    await hands.run("python -m compileall -q . ; ln -s README-agent.md NOTES.md; mkdir -p empty/folder")
    await hands.run(
        "git add -A && git -c user.name=me -c user.email=me@here commit -qm 'Fill in what is missing'"
    )
