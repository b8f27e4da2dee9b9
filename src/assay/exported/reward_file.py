"""The files with the reward and the verdicts, which what was handed in can neither write nor replace."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path

from assay.rules.ruling import Ruling, passed

VERDICTS = "verdicts.json"
NOT_OURS = "reward.txt"
"""Harbor reads this file before reward.json; the verifier never writes it."""
HARBOR_LOGS = ("logs", "verifier")
"""Harbor's folders for the reward; logs/artifacts has files that the agent chose, which do not count."""
SHARED_FOLDERS = tuple(Path(folder) for folder in ("/tmp", "/var/tmp", tempfile.gettempdir()))
"""Folders that other programs need; what root writes there, nobody else can replace."""


def prepare_reward(path: Path) -> dict[Path, int]:
    """Write a reward of 0, and let nobody else write beside it while untrusted commands run.

    Return the modes that folders had.
    """
    folder = path.parent
    modes = {}
    is_shared = any(shared.exists() and folder.samefile(shared) for shared in SHARED_FOLDERS)
    if os.geteuid() == 0 and not is_shared:
        modes[folder] = stat.S_IMODE(folder.stat().st_mode)
        folder.chmod(modes[folder] & ~0o022)
    if os.geteuid() == 0 and (folder.parent.name, folder.name) == HARBOR_LOGS:
        modes[folder.parent] = stat.S_IMODE(folder.parent.stat().st_mode)
        folder.parent.chmod(0o700)
    for name in (NOT_OURS, VERDICTS):
        remove(path.with_name(name))
    _replace(path, json.dumps({"reward": 0.0}) + "\n")
    return modes


def open_again(modes: dict[Path, int]) -> None:
    """Give folders the modes back that they had."""
    for folder, mode in modes.items():
        folder.chmod(mode)


def write_reward(path: Path, rulings: list[Ruling], problem: str | None) -> None:
    """Write the reward, and beside it every verdict; with a problem, the reward is 0."""
    decided = {ruling.item: float(ruling.status == "met") for ruling in rulings if ruling.status != "unknown"}
    is_passed = passed(ruling.status for ruling in rulings) is True and problem is None
    rewards = {"reward": float(is_passed), "unknown": float(len(rulings) - len(decided)), **decided}
    verdicts = [ruling._asdict() for ruling in rulings]
    _replace(path, json.dumps(rewards) + "\n")
    _replace(path.with_name(VERDICTS), json.dumps(verdicts, indent=1) + "\n")


def remove(path: Path) -> None:
    """Remove whatever is there: a file, a link or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _replace(path: Path, text: str) -> None:
    """Write a new file in place of whatever is there, a link or a folder included."""
    remove(path)
    new = path.with_name(f".{secrets.token_hex(8)}")
    with new.open("x") as file:
        file.write(text)
    new.replace(path)
