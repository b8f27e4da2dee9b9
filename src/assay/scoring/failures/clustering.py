"""Groups texts that say nearly the same: words weighed by how rare they are, clustered by their angle."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    Matrix = NDArray[float64]

MOST = 800
"""Different texts that are compared with each other; memory and time grow with the square."""

FARTHEST = 0.72
"""The mean distance (1 - cosine) up to which two groups are one."""

_WORD = re.compile(r"[A-Za-z][A-Za-z_]+")
_COMMON = frozenset(
    {"the", "a", "an", "of", "to", "in", "on", "is", "are", "was", "were", "be", "by", "and", "or", "not"}
    | {"no", "it", "its", "for", "with", "as", "at", "from", "that", "this", "than", "has", "have", "had"}
    | {"does", "do", "did", "but", "line", "file", "most", "recent", "call", "last"}
)


@dataclass(frozen=True)
class Group:
    """Texts that belong together, the most typical first, with the words that set them apart."""

    members: tuple[int, ...]
    words: tuple[str, ...]


def words_of(text: str) -> list[str]:
    """The words that say something, in small letters."""
    return [word.lower() for word in _WORD.findall(text) if word.lower() not in _COMMON]


def cluster(texts: Sequence[str]) -> list[Group]:
    """The groups of some different texts; those past `MOST` are left out."""
    import numpy as np
    from scipy.cluster.hierarchy import fcluster, linkage

    counted = [Counter(words_of(text)) for text in texts[:MOST]]
    if not counted:
        return []
    vocabulary = sorted({word for words in counted for word in words})
    weights = _weights(counted, vocabulary)
    if len(counted) == 1:
        labels = np.array([1])
    else:
        distances = np.clip(1 - weights @ weights.T, 0, 2)
        upper = np.triu_indices(len(counted), 1)
        labels = fcluster(linkage(distances[upper], "average"), FARTHEST, "distance")
    groups = []
    for label in dict.fromkeys(labels.tolist()):
        places = np.flatnonzero(labels == label)
        centre = weights[places].mean(axis=0)
        typical = places[np.argsort(-(weights[places] @ centre), kind="stable")]
        best = np.argsort(-centre, kind="stable")[:4]
        words = tuple(vocabulary[place] for place in best if centre[place] > 0)
        groups.append(Group(tuple(typical.tolist()), words))
    return groups


def _weights(counted: Sequence[Counter[str]], vocabulary: Sequence[str]) -> Matrix:
    """One row of length 1 for each text; a text without words stands apart from all others."""
    import numpy as np

    places = {word: place for place, word in enumerate(vocabulary)}
    holders = Counter(word for words in counted for word in words)
    table = np.zeros((len(counted), len(vocabulary)))
    for row, words in enumerate(counted):
        for word, times in words.items():
            rarity = math.log((1 + len(counted)) / (1 + holders[word])) + 1
            table[row, places[word]] = (1 + math.log(times)) * rarity
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    return table / np.where(lengths > 0, lengths, 1)
