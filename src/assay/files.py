"""Files and folders that appear whole or not at all, whenever the writing ends."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def publish(path: Path, data: bytes | str, *, private: bool = False) -> None:
    """Write a file in one step, in place of an older one; a private file is for this user alone."""
    with publishing(path) as partial:
        partial.touch(mode=0o600 if private else 0o666)
        partial.write_bytes(data.encode() if isinstance(data, str) else data)


@contextmanager
def publishing(target: Path, *, keep_existing: bool = False) -> Iterator[Path]:
    """A path beside the target for a new file or folder, which takes the target's name when the block ends.

    An error in the block leaves the target as it was. Two processes may publish the same target: the last
    one wins, or with `keep_existing` the first, for contents that are the same whoever makes them.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=target.parent) as staging:
        partial = Path(staging) / target.name
        yield partial
        if target.is_dir() and not keep_existing:
            shutil.rmtree(target)
        try:
            partial.replace(target)
        except OSError:
            if not (keep_existing and target.is_dir()):
                raise
