"""Restores a submission in a sandbox whose workspace has the task's original files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assay.rules.links import WORKSPACE
from assay.tasks.files import is_script
from assay.workspace.submission import Submission

if TYPE_CHECKING:
    from inspect_ai.util import SandboxEnvironment


async def restore(sandbox: SandboxEnvironment, submission: Submission) -> list[str]:
    """Restore files, deletions, executable bits, empty folders and links; return files that it cannot write.

    The others are restored anyway: what an agent left must not keep its attempt from going on.
    """

    async def call(program: str, paths: Iterable[str]) -> None:
        names = "".join(f"{path}\0" for path in paths)
        await sandbox.exec(["/usr/bin/xargs", "-0r", *program.split(), "--"], input=names, cwd=WORKSPACE)

    await call("/bin/rm -rf", (*submission.deleted, *submission.files, *submission.links))
    not_written: list[str] = []
    for path, data in submission.files.items():
        try:
            await sandbox.write_file(f"{WORKSPACE}/{path}", data)
        except OSError:
            not_written.append(path)
    above_links = filter(None, (path.rpartition("/")[0] for path in submission.links))
    await call("/bin/mkdir -p", (*submission.folders, *above_links))
    for path, target in submission.links.items():
        await sandbox.exec(["/bin/ln", "-s", "--", target, path], cwd=WORKSPACE)
    scripts = (path for path, data in submission.files.items() if is_script(path, data))
    await call("/bin/chmod +x", (*submission.executable, *scripts))
    return not_written
