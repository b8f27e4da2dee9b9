"""The oracle's work among Python environments and installed packages."""

from __future__ import annotations

from assay.agents.hands import Hands

PACKAGES = """
python -m venv --without-pip conda
rm conda/pyvenv.cfg
mkdir -p vendor/thing vendor/thing-1.0.dist-info
echo 'VALUE = 1' > vendor/thing/__init__.py
echo 'Name: thing' > vendor/thing-1.0.dist-info/METADATA
for number in $(seq 600); do echo 1 > vendor/thing/part_$number.py; done
"""


async def act(hands: Hands) -> None:
    """Hand in right work with an environment at the root, a conda-like one, and packages in a folder."""
    await hands.hand_in_gold()
    await hands.run("python -m venv --without-pip .")
    await hands.run(PACKAGES)
