"""The pages whose commands are tested."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
HISTORY = (ROOT / "docs" / "log.md",)
"""What was measured, with the commands of that day."""
PAGES = [
    page
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page not in HISTORY
]
