"""Features of an item in a session."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from popularity import Popularity
from sessions import Session, Study


def raw_features(study: Study, popularity: Popularity, session: Session, item: int) -> np.ndarray:
    """Features of the item, their products with the context, and its popularity."""
    own = study.items[item].features
    crossed = session.context * own[: len(session.context)]
    return np.concatenate([own, crossed, [popularity.log_odds(item, session.day)]])


@dataclass
class Features:
    """Standardised features."""

    study: Study
    popularity: Popularity
    mean: np.ndarray
    deviation: np.ndarray

    def of(self, session: Session, items: tuple[int, ...]) -> np.ndarray:
        """One line for each of these items."""
        raw = np.array([raw_features(self.study, self.popularity, session, item) for item in items])
        return (raw - self.mean) / self.deviation


def learn_features(study: Study, popularity: Popularity) -> Features:
    """Learn the scale of each feature."""
    lines = np.array(
        [
            raw_features(study, popularity, session, item)
            for session in study.training
            for item in session.slate
        ]
    )
    deviation = lines.std(axis=0, ddof=1)
    return Features(study, popularity, lines.mean(axis=0), np.where(deviation > 0, deviation, 1.0))
