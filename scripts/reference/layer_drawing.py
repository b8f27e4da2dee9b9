"""Draws the layers of the import contract; run it to write docs/assets/rooms.svg again, or with --check."""

from __future__ import annotations

import sys
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "docs" / "assets" / "rooms.svg"

WIDTH, MARGIN, GAP, BOX, STEP = 440, 8, 8, 26, 53
ARROW = 40
"""The strip on the right, where one arrow shows which way imports go."""
LINE = 42
"""About how many characters fit into one row of boxes."""

NOTES = {
    "cli": "the command line, one file for each verb",
    "api": "the functions of `import assay`",
    "masking.pipeline": "makes tasks from a repository",
    "certification": "proof of tasks; tables, pages, bundles",
    "evaluation": "runs attempts; forecasts cost and power",
    "benchmarks": "demo, autoexperiment, expbench, mlrb, and yours",
    "masking.leaks": "parts of masking; rates and intervals",
    "agents": "who tries; what is true",
    "workspace": "what the agent sees and leaves",
    "sandbox": "where code runs; local and scripted models",
    "tasks": "the task: what is asked, what is true",
    "masking.engine": "finds and empties functions",
    "apart": "calls with limits; the verifier of an exported task",
    "rules": "how to judge, in the standard library; small parts that all need",
    "errors": "the exception tree",
}
"""A few words for each layer, by its first package."""


def read_layers() -> list[list[str]]:
    """The packages of each layer, highest first, without the leading `assay.`."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return [
        [name.strip().removeprefix("assay.") for name in layer.split("|")] for layer in contracts[0]["layers"]
    ]


def draw(layers: list[list[str]]) -> str:
    """The drawing as SVG, in the style of the other drawings of docs/assets."""
    style = (TARGET.parent / "attempt.svg").read_text().partition("<style>")[2].partition("</style>")[0]
    body: list[str] = []
    top = MARGIN
    for layer in layers:
        for row in _rows(layer):
            body += _boxes(row, top)
            top += BOX + GAP
        note = escape(NOTES.get(layer[0], ""))
        body.append(
            f'<text class="note" x="{(WIDTH - ARROW) // 2}" y="{top + 7}" text-anchor="middle">{note}</text>'
        )
        top += STEP - BOX - GAP
    body += _import_arrow(top)
    head = (
        f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" role="img" '
        'aria-label="Packages in layers. A package imports only from lower layers.">'
    )
    title = "<title>The packages and what they may import</title>"
    return "\n".join([head, title, f"<style>{style}</style>", *body, "</svg>"]) + "\n"


def _import_arrow(bottom: int) -> list[str]:
    """From the highest layer to the lowest."""
    x, end = WIDTH - ARROW // 2, bottom - STEP + BOX
    return [
        f'<path class="arrow" d="M{x} {MARGIN} V{end - 6}"/>',
        f'<path class="head" d="M{x - 5} {end - 8} h10 l-5 8 z"/>',
        f'<text class="note" transform="translate({x + 8} {end // 2}) rotate(90)" text-anchor="middle">'
        "may import</text>",
    ]


def _rows(layer: list[str]) -> list[list[str]]:
    """A layer in as many rows as its names need."""
    rows: list[list[str]] = [[]]
    for name in layer:
        if rows[-1] and sum(len(box) + 3 for box in [*rows[-1], name]) > LINE:
            rows.append([])
        rows[-1].append(name)
    return rows


def _boxes(names: list[str], top: int) -> list[str]:
    """One row: each box as wide as its name's share of the letters."""
    room = WIDTH - ARROW - MARGIN - GAP * (len(names) - 1)
    letters = sum(len(name) + 4 for name in names)
    parts, left = [], float(MARGIN)
    for name in names:
        width = room * (len(name) + 4) / letters
        parts.append(
            f'<rect class="box" x="{left:.1f}" y="{top}" width="{width:.1f}" height="{BOX}" rx="6"/>'
            f'<text class="name" x="{left + width / 2:.1f}" y="{top + 18}" text-anchor="middle">{name}</text>'
        )
        left += width + GAP
    return parts


if __name__ == "__main__":
    if "--check" not in sys.argv:
        TARGET.write_text(draw(read_layers()))
    elif TARGET.read_text() != draw(read_layers()):
        name = TARGET.relative_to(ROOT)
        sys.exit(f"{name} is not up to date: run python scripts/reference/layer_drawing.py")
