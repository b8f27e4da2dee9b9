"""Words of labels, compared as people compare them: small letters, no punctuation, no filler."""

from __future__ import annotations

import re
import unicodedata

_FILLER = frozenset(
    [
        "a",
        "an",
        "and",
        "by",
        "for",
        "from",
        "in",
        "is",
        "of",
        "on",
        "or",
        "the",
        "to",
        "vs",
        "with",
        "per",
        "at",
        "mean",
        "avg",
        "std",
    ]
)


def label_words(text: str) -> frozenset[str]:
    """Return the words and numbers of a label that can name something."""
    plain = unicodedata.normalize("NFKD", text)
    plain = re.sub(r"([a-z])([A-Z])", r"\1 \2", plain)
    plain = "".join(character for character in plain if not unicodedata.combining(character)).lower()
    words = re.findall(r"[a-z\u0370-\u03ff]+|\d+(?:\.\d+)?", plain.replace("_", " "))
    return frozenset(word for word in words if word not in _FILLER)


def slug(text: str, longest: int = 40) -> str:
    """Return a label as a key of a results file: letters, digits and underscores."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_").lower()[:longest].strip("_") or "value"


def unique_slugs(texts: list[str]) -> list[str]:
    """Return a different slug for each text, in order."""
    slugs: list[str] = []
    for text in texts:
        base = name = slug(text)
        number = 2
        while name in slugs:
            name = f"{base}_{number}"
            number += 1
        slugs.append(name)
    return slugs
