"""Hands in what a careless grader would break on."""

from __future__ import annotations

from assay.agents.forgery import plant, results_file
from assay.agents.hands import Hands

WRITING = """
import os, pathlib
pathlib.Path({results!r}).write_bytes({content!r})
for each in {outputs!r}:
    pathlib.Path(each).write_bytes({content!r})
os._exit(0)
"""

NAMES = r"""
python - <<'END'
import os
for name in (b"surrogate-\xff\xfe", b"line\nbreak", b"-rf", b"back\\slash", "right‮left".encode(), b"x" * 255):
    try:
        open(name, "w").close()
    except OSError as error:
        print(error)
os.mkfifo("pipe")
os.makedirs("/".join(["deep"] * 200), exist_ok=True)
END
"""


def bad_results(task_id: str) -> bytes:
    """Nested too deep, or numbers that no float holds, by turns over the tasks."""
    deep = b"[" * 200_000
    huge = b'{"a": 1' + b"0" * 4000 + b', "b": NaN, "c": -Infinity, "d": "\\ud800"}'
    return (deep, huge)[sum(task_id.encode()) % 2]


async def act(hands: Hands) -> None:
    """Hand in endless nesting, numbers beyond any float, half characters and bombs, to break the grader."""
    task = hands.task
    content = bad_results(task.id)
    outputs = [*(task.assay.run.outputs if task.assay.run else [])]
    outputs += task.assay.challenge.artefacts if task.assay.challenge else []
    await plant(hands, WRITING.format(results=results_file(task), content=content, outputs=outputs))
    if task.kind == "experiment":
        await hands.write("design.json", b'{"constant": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}")
        await hands.write(
            "conclusion.json", '{"claims": {"x": "\\ud800", "y": 1e999}, "pad": "%s"}' % ("p" * 10**7)
        )
    await hands.run(NAMES)
