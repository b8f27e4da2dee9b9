"""MkDocs hook: fills the marked places of docs/ with what the code says, so that the reference cannot drift.

A page marks a place with `<!-- generate: WHAT ARGUMENT -->`. The markers are listed in `GENERATORS`.
Drawings (`![…](…/assets/NAME.svg)`) become part of the page, so that they follow its light and dark colours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_tables import agent_table
from api_pages import api_reference
from command_pages import command_reference
from model_tables import json_reference, toml_reference

MARKER = re.compile(r"^<!-- generate: (?P<what>[a-z]+)(?: (?P<argument>[^>]*?))? -->$", re.MULTILINE)

DRAWING = re.compile(r'<p><img[^>]* src="(?:\.\./)*assets/(?P<name>[a-z-]+)\.svg"[^>]*></p>')
DRAWINGS = Path(__file__).parents[2] / "docs" / "assets"

GENERATORS: dict[str, Callable[[str], str]] = {
    "toml": toml_reference,
    "json": json_reference,
    "commands": command_reference,
    "agents": agent_table,
    "api": api_reference,
}


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for every page, before the Markdown is rendered."""
    return expand(markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Called by MkDocs for every page, after the Markdown was rendered."""
    return DRAWING.sub(lambda match: (DRAWINGS / f"{match['name']}.svg").read_text(), html)


def expand(markdown: str) -> str:
    """The text of a page with every marker replaced by what it asks for."""
    return MARKER.sub(lambda match: GENERATORS[match["what"]](match["argument"] or ""), markdown)
