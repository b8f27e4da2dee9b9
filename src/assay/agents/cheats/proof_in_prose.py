"""Says in every file that it did what was asked."""

from __future__ import annotations

from assay.agents.forgery import copy_words, numbers, writing
from assay.agents.hands import Hands
from assay.agents.variants import main_script

KINDS = ("experiment",)


async def act(hands: Hands) -> None:
    """Hand in the requirements as comments, strings and prose, and right code under `if 0:`."""
    task = hands.task
    await copy_words(hands)
    requirements = task.requirements.requirement if task.requirements else []
    claims = "\n".join(f"{requirement.text} Done!" for requirement in requirements)
    script = main_script(task)
    source = task.gold_files[script].decode()
    switched_off = "if 0:\n" + "".join(
        f"    {line}\n" for line in source.splitlines() if "__future__" not in line
    )
    quoted = "".join(f"# {line}\n" for line in claims.splitlines()) + f"DONE = {claims!r}\n"
    await hands.write("experiment.py", quoted + switched_off + writing(task, numbers(task)))
    for path in ("METHODS", "methods.json", "methods.adoc", "methods.md"):
        await hands.write(path, f"{claims}\n--- {script} ---\n{source}\n--- end of {script} ---\n")
    shell = f": <<'NEVER'\n{claims}\n{source}\nNEVER\n"
    await hands.write("reproduce.sh", f"#!/bin/bash\n{shell}python experiment.py\n")
