"""The files with the reward and the verdicts, which what was handed in can neither write nor replace."""

from __future__ import annotations

import json
import os
import secrets
import stat
from pathlib import Path

from assay.rules.ruling import Ruling, passed


def close_to_others(folder: Path) -> int:
    """Let only its owner write into a folder while untrusted commands run; return the mode it had."""
    mode = stat.S_IMODE(folder.stat().st_mode)
    if os.geteuid() == 0 and not mode & stat.S_ISVTX:
        folder.chmod(mode & ~0o022)
    return mode


def open_again(folder: Path, mode: int) -> None:
    """Give a folder the mode back that it had."""
    if os.geteuid() == 0:
        folder.chmod(mode)


def write_reward(path: Path, rulings: list[Ruling], problem: str | None) -> None:
    """Write the reward, and beside it every verdict; with a problem, the reward is 0."""
    decided = {ruling.item: float(ruling.status == "met") for ruling in rulings if ruling.status != "unknown"}
    is_passed = passed(ruling.status for ruling in rulings) is True and problem is None
    rewards = {"reward": float(is_passed), "unknown": float(len(rulings) - len(decided)), **decided}
    verdicts = [ruling._asdict() for ruling in rulings]
    _replace(path.with_name("verdicts.json"), json.dumps(verdicts, indent=1) + "\n")
    _replace(path, json.dumps(rewards) + "\n")


def _replace(path: Path, text: str) -> None:
    """Write a new file in place of whatever is there, a link included."""
    new = path.with_name(f".{secrets.token_hex(8)}")
    with new.open("x") as file:
        file.write(text)
    new.replace(path)
