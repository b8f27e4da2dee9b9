"""Lists what CI does not run of the pages: `python -m tests.docs.not_run > tests/docs/not_run.txt`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.docs.markdown_blocks import read_blocks
from tests.docs.pages import PAGES, ROOT

NOT_RUN = Path(__file__).with_name("not_run.txt")


def listing(pages: Iterable[Path]) -> str:
    """Each page, each reason, and the commands below it."""
    lines = []
    for page in pages:
        for block in read_blocks(page):
            if block.is_shell and not block.is_run:
                reason = block.marker.removeprefix("not run: ")
                lines += [f"{page.relative_to(ROOT)}: {reason}", *(f"    {line}" for line in block.commands)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(listing(PAGES), end="")
