"""Reads the number of a table's cell, with the step of its last printed digit."""

from __future__ import annotations

import re

from assay.curation.paper.model import CellNumber

_PLAIN = r"[-+−–]?(?:\d{1,3}(?:[,\u202f ]\d{3})+(?!\d)|\d+)?(?:\.\d+|(?<=\d)\.?)"
_NUMBER = re.compile(
    rf"(?P<number>{_PLAIN})(?:\s*(?:[eE](?P<e>[-+]?\d+)|[×x·]\s*10\s*\^?\s*(?P<power>[-+−]?\d+)))?"
)
_SPREAD = re.compile(rf"\s*(?:±|\+/-|\+-)\s*(?P<spread>{_PLAIN})")
_LABEL_LETTERS = 3
"""A cell with more letters than this is a label, not a number with a unit."""


def read_cell_number(text: str) -> CellNumber | None:
    """Return the number of a cell, or None if the cell is a label."""
    plain = text.replace("$", "").strip()
    match = _NUMBER.search(plain)
    if match is None or not any(character.isdigit() for character in match["number"]):
        return None
    before, after = plain[: match.start()], plain[match.end() :]
    letters = re.sub(r"[^\w]|\d|_", "", before + after)
    if len(letters) > _LABEL_LETTERS or re.search(r"[A-Za-z]$", before):
        return None
    spread = _SPREAD.match(after)
    rest_of_cell = after[spread.end() :] if spread else after
    rest_of_cell = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", rest_of_cell)
    if re.search(r"\d", rest_of_cell) or re.search(r"\d", before):
        return None
    digits_text = re.sub(r"[,\u202f ]", "", match["number"]).replace("−", "-").replace("–", "-")
    exponent = int((match["e"] or match["power"] or "0").replace("−", "-"))
    decimals = len(digits_text.partition(".")[2])
    significant = digits_text.lstrip("+-").replace(".", "").lstrip("0")
    spread_text = spread["spread"].replace("−", "-") if spread else ""
    return CellNumber(
        text=match.group().strip(),
        value=float(digits_text) * 10.0**exponent,
        unit=10.0 ** (exponent - decimals),
        digits=len(significant),
        percent="%" in after,
        spread=float(re.sub(r"[,\u202f ]", "", spread_text)) * 10.0**exponent if spread else None,
    )
