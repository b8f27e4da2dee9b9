"""How the tests start the exported verifier."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

OPEN_PYTHON = "/usr/bin/python3"
"""An interpreter that every user can start, where the system has one."""


@cache
def other_users_can_start(python: str, folder: str = "/") -> bool:
    """Whether the verifier can run what was handed in as another user with this Python, in this folder."""
    if os.geteuid() != 0:
        return False
    try:
        return (
            subprocess.call(
                [python, "-c", f"import os; os.stat({folder + '/.'!r})"],
                cwd="/",
                user=64000,
                group=64000,
                extra_groups=[],
            )
            == 0
        )
    except OSError:
        return False


def verifier_command(python: str | Path, workspace: Path, tests: Path, reward: Path) -> list[str]:
    """The command of the verifier; where no other user can run Python there, it may run all as one user."""
    allowed = [] if other_users_can_start(str(python), str(workspace.parent)) else ["--same-user"]
    return [str(python), "-I", *map(str, (tests / "verify.py", workspace, tests, reward)), *allowed]
