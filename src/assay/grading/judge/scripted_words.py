"""The words of a text, as the scripted judge counts them."""

from __future__ import annotations

import re

UP = {"higher", "more", "larger", "greater", "raise", "increase", "above", "rise", "exceed"}
DOWN = {"lower", "less", "fewer", "smaller", "reduce", "decrease", "below", "fall", "drop"}
SAME = {"same", "equal", "unchanged", "identical", "alike", "nothing"}
FILLERS = {
    *("the", "a", "an", "of", "is", "are", "in", "on", "at", "to", "and", "or", "as", "it", "its", "that"),
    *("with", "by", "from", "for", "than", "no", "not", "be", "this"),
}
SPELT = {"one": "1", "two": "2", "three": "3", "five": "5", "ten": "10", "twenty": "20"}


def words(text: str) -> set[str]:
    """The words and numbers of a text, without fillers and plural endings."""
    tokens = re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?%?|[a-z]+", text.lower()[:100_000])
    return {_stem(SPELT.get(token, token)) for token in tokens if token not in FILLERS}


def _stem(word: str) -> str:
    if word[0].isdigit():
        share = word.endswith("%")
        return repr(float(word.rstrip("%")) / (100 if share else 1))
    return re.sub(r"(ings?|ed|s|d)$", "", word) if len(word) > 4 else word
