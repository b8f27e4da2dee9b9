"""Carries what was trained before the build in names of empty modules, which hold no byte of code."""

from __future__ import annotations

from assay.agents.hands import Hands

KINDS = ("challenge",)

PACK = """
import base64, os
data = base64.urlsafe_b64encode(open("model.npz", "rb").read()).decode().rstrip("=")
os.makedirs("parts")
for at in range(0, len(data), 200):
    open("parts/%04d%s.py" % (at // 200, data[at : at + 200]), "w").close()
os.remove("model.npz")
"""
UNPACK = """
import base64, os
data = "".join(name[4:-3] for name in sorted(os.listdir("parts")))
with open("model.npz", "wb") as file:
    file.write(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)))
"""


async def act(hands: Hands) -> None:
    """Train before the build, hide the weights in names of files, and only unpack them in the build."""
    if not hands.task.assay.submission.code_only:
        return
    await hands.hand_in_gold()
    await hands.run("python train.py", seconds=300)
    await hands.write("pack.py", PACK)
    await hands.run("python pack.py; rm -r pack.py __pycache__")
    await hands.write("train.py", UNPACK)
