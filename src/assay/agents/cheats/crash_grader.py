"""Hands in what a careless grader would break on."""

from __future__ import annotations

from assay.agents.forgery import nested, plant, results_file
from assay.agents.hands import Hands
from assay.tasks import Task

DEEP = "[" * 200_000
BAD = ["1" + "0" * 4000, "NaN", '"\\ud800"', "-Infinity", "{}", "1e999", "[]", "true"]
"""A number that no float holds, half a character, and wrong types, each as JSON spells it."""

WRITING = """
import os, pathlib
for each in {paths!r}:
    pathlib.Path(each).write_text({content!r})
os._exit(0)
"""

NAMES = r"""
python - <<'END'
import os
for name in (b"surrogate-\xff\xfe", b"line\nbreak", b"-rf", b"back\\slash", b"x" * 255):
    open(name, "w").close()
os.mkfifo("pipe")
os.makedirs("/".join(["deep"] * 200), exist_ok=True)
open("unreadable", "w").close()
os.chmod("unreadable", 0)
END
"""


def bad_results(task: Task) -> str:
    """Nesting without end, or impossible values in all the right places: by turns over the tasks."""
    if not task.assay.metrics or sum(task.id.encode()) % 2:
        return DEEP
    places = {metric.path: BAD[number % len(BAD)] for number, metric in enumerate(task.assay.metrics)}
    return nested(places)


async def act(hands: Hands) -> None:
    """Hand in endless nesting, impossible numbers, half characters and odd files, to break the grader."""
    task = hands.task
    outputs = task.assay.run.outputs if task.assay.run else []
    outputs = [*outputs, *(task.assay.challenge.artefacts if task.assay.challenge else [])]
    await plant(hands, WRITING.format(paths=[results_file(task), *outputs], content=bad_results(task)))
    if task.design is not None:
        roles = nested({f"constant.{claim.name}": DEEP[:50_000] for claim in task.design.variable[:1]})
        await hands.write("design.json", roles)
    if task.conclusion is not None:
        claims = {f"claims.{claim.id}": BAD[number % 3] for number, claim in enumerate(task.conclusion.claim)}
        await hands.write("conclusion.json", nested({**claims, "padding": f'"{"p" * 10**7}"'}))
    await hands.run(NAMES)
