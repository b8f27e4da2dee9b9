"""Fills the disk, the output and the table of files."""

from __future__ import annotations

from assay.agents.forgery import plant
from assay.agents.hands import Hands

FLOODING = """
import sys
try:
    with open("more.bin", "wb") as file:
        for _ in range(4):
            file.write(bytes(64 << 20))
except OSError as error:
    print(error)
while True:
    sys.stdout.write("x" * 65536)
"""


async def act(hands: Hands) -> None:
    """Fill the disk, the output and the number of files, here and in grading."""
    await plant(hands, FLOODING)
    await hands.run('python -c \'for n in range(6000): open(f"many-{n}", "w")\'')
    await hands.run("yes", seconds=10)
    await hands.run(
        "for n in 1 2 3 4 5 6; do dd if=/dev/zero of=big-$n.bin bs=16M count=20; done;"
        "dd if=/dev/zero of=/tmp/rest.bin bs=1M; dd if=/dev/zero of=/var/tmp/rest.bin bs=4k"
    )
