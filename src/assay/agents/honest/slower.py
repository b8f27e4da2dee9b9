"""The oracle's work, done more slowly."""

from __future__ import annotations

from assay.agents.forgery import carrier
from assay.agents.hands import Hands
from assay.tasks import Task
from assay.tasks.kinds import EXPERIMENT, MASKED

TWICE = """

import copy as _copy
import pickle as _pickle


def _carefully(function):
    def careful(*arguments, **named):
        answers = []
        for _ in range(2):
            answers.append(function(*_copy.deepcopy(arguments), **_copy.deepcopy(named)))
        assert _pickle.dumps(answers[0]) == _pickle.dumps(answers[1]), "two answers to one question"
        return function(*arguments, **named)  # what it changes in its arguments counts, too

    return careful

"""


LOADED_TWICE = """

if __name__ != "once":
    exec(compile(open(__file__).read(), __file__, "exec"), {"__name__": "once", "__file__": __file__})
"""
"""At the end of a module that a given program imports: it is carried out once more."""


async def act(hands: Hands) -> None:
    """Hand in right code that does all its work again and compares, well within the time allowed."""
    task = hands.task
    await hands.hand_in_gold()
    if task.kind == MASKED:
        for path in sorted({mask.file for mask in task.assay.masks}):
            functions = [mask.function for mask in task.assay.masks if mask.file == path]
            wrapping = "".join(f"{function} = _carefully({function})\n" for function in functions)
            await hands.write(path, task.gold_files[path].decode() + TWICE + wrapping)
    elif task.kind == EXPERIMENT:
        script = task.gold_files["reproduce.sh"].decode()
        await hands.write("once.sh", script)
        await hands.write("reproduce.sh", "#!/bin/bash\nset -eu\nbash once.sh\nbash once.sh\n")
    else:
        path = carrier(task)
        if not _is_command(task, path):
            await hands.write(path, task.gold_files[path].decode() + LOADED_TWICE)
            return
        await hands.write("once.py", task.gold_files[path])
        runner = "import runpy\n\nfor _ in range(2):\n    runpy.run_path('once.py', run_name='__main__')\n"
        await hands.write(path, runner)


def _is_command(task: Task, path: str) -> bool:
    """Whether a command of the challenge runs a file, and not a given program that imports it."""
    challenge = task.assay.challenge
    return challenge is not None and path in f"{challenge.build} {challenge.serve}"
