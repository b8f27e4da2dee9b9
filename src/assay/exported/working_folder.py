"""The folder in which everything that was handed in runs: the path of the workspace, as in the attempt.

The workspace that the agent left is moved into a private folder first, so that a run can read only the files
that count. It comes back at the end. Each command gets a new folder at that path.

What this does not cover: a mount point cannot be replaced by a new folder. It is emptied, and its attributes
and times are set again; its size and its other properties stay.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from assay.exported.users import NotIsolated

KEPT = "workspace"
BATCH = 500
"""Names in one command of `mv` or `rm`."""


class WorkingFolder:
    """One path: the agent's workspace at first and at the end, a new folder for each command meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._private: Path | None = None
        self._before: os.stat_result | None = None

    def refuse(self, needed: Path) -> None:
        """Refuse a path that the verifier needs and that would be moved away with the workspace."""
        if needed.resolve().is_relative_to(self.path.resolve()):
            raise NotIsolated(f"{needed} is in {self.path}, which is put away while what was handed in runs")

    def put_away(self) -> None:
        """Move the workspace to where only the verifier can read it."""
        if self.path.is_symlink():
            raise NotIsolated(f"{self.path} is a link; give the verifier the path of the folder itself")
        self._private = _private_folder(self.path.parent)
        if not self.path.exists():
            return
        self._before = self.path.stat()
        try:
            self.path.rename(self._private / KEPT)
        except OSError:  # a mount point, or a folder of an image's lower layer
            (self._private / KEPT).mkdir()
            try:
                _move_entries(self.path, self._private / KEPT)
            except NotIsolated as error:
                self.restore()
                raise NotIsolated(f"{self.path} cannot be put away: {error}") from error

    def renew(self) -> Path:
        """Put an empty folder at the path that no other user can enter; untrusted processes have ended."""
        if self.path.is_symlink() or self.path.is_file():
            self.path.unlink()
        if self.path.exists():
            _empty(self.path)
            with suppress(OSError):  # a mount point, or a parent that is read-only
                self.path.rmdir()
        if self.path.exists():
            _reset(self.path)
        else:
            self.path.mkdir(mode=0o700)
        return self.path

    def restore(self) -> None:
        """Put the agent's workspace back; where that fails, say where it is."""
        if self._private is None:
            return
        kept, private = self._private / KEPT, self._private
        self._private = None
        try:
            self.renew()
            if self._before is None:
                self.path.rmdir()
            else:
                self._bring_back(kept, self._before)
            private.rmdir()
        except (NotIsolated, OSError) as error:
            raise NotIsolated(
                f"{self.path} cannot be restored ({error}); what was in it is in {private}"
            ) from error

    def _bring_back(self, kept: Path, before: os.stat_result) -> None:
        try:
            kept.rename(self.path)  # replaces an empty folder
        except OSError:
            _move_entries(kept, self.path)
            kept.rmdir()
            self.path.chmod(before.st_mode & 0o7777)
            if os.geteuid() == 0:
                os.chown(self.path, before.st_uid, before.st_gid)


def _private_folder(parent: Path) -> Path:
    """A folder that only this user can enter, on the workspace's own file system if possible."""
    try:
        return Path(tempfile.mkdtemp(prefix=".assay-", dir=parent))
    except OSError:
        return Path(tempfile.mkdtemp(prefix=".assay-"))


def _move_entries(source: Path, target: Path) -> None:
    _each_batch(source, "mv", "--", target=str(target))


def _empty(folder: Path) -> None:
    """Remove everything below a folder; `rm` removes folders that are nested too deeply for Python."""
    try:
        _each_batch(folder, "rm", "-rf", "--")
    except NotIsolated:  # for a user who is not root, folders that may not be changed
        subprocess.run(["chmod", "-R", "u+rwX", "--", str(folder)], stderr=subprocess.DEVNULL)
        _each_batch(folder, "rm", "-rf", "--")


def _each_batch(folder: Path, *command: str, target: str | None = None) -> None:
    """Apply a command to the entries of a folder, some hundred at a time."""
    names = [f"./{name}" for name in sorted(path.name for path in folder.iterdir())]
    for start in range(0, len(names), BATCH):
        line = [*command, *names[start : start + BATCH], *([] if target is None else [target])]
        done = subprocess.run(line, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode != 0:
            raise NotIsolated(done.stderr.decode(errors="replace").strip()[-300:])


def _reset(folder: Path) -> None:
    """Remove what a user can write onto a folder that cannot be replaced."""
    if remaining := next(folder.iterdir(), None):
        raise NotIsolated(f"{remaining} cannot be removed")
    if os.geteuid() == 0:
        os.chown(folder, 0, 0)
    for name in os.listxattr(folder):
        if name.startswith(("user.", "system.posix_acl_")):
            os.removexattr(folder, name)
    folder.chmod(0o700)
    os.utime(folder)
