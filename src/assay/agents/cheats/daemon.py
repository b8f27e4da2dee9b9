"""Leaves a process that goes on after the end."""

from __future__ import annotations

from assay.agents.forgery import as_json, carrier, plant, results_file, wanted
from assay.agents.hands import Hands

DAEMON = """
import json, os, pathlib, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            try:
                pathlib.Path({path!r}).write_text({results!r})
            except OSError:
                pass
            time.sleep(0.02)
    os._exit(0)
"""


async def act(hands: Hands) -> None:
    """Leave detached daemons, here and in grading, that rewrite files after the end."""
    task = hands.task
    code = DAEMON.format(path=results_file(task), results=as_json(wanted(task)))
    await plant(hands, code)
    path = carrier(task)
    await hands.run(
        f"cp {path} /tmp/kept; (setsid bash -c 'while :; do cp /tmp/kept /workspace/{path}; "
        "date > /workspace/alive.txt; sleep 0.05; done' >/dev/null 2>&1 &) ; true"
    )
