"""The probability of a click on an item that is looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from features import Features
from sessions import Session, Study


def with_ones(lines: np.ndarray) -> np.ndarray:
    """The lines with a column of ones in front."""
    return np.hstack([np.ones((len(lines), 1)), lines])


@dataclass(frozen=True)
class Appeal:
    """A linear model of clicks."""

    coefficients: np.ndarray
    features: Features

    def of(self, session: Session, items: tuple[int, ...]) -> np.ndarray:
        """The appeal of each of these items, between 0 and 1."""
        return np.clip(with_ones(self.features.of(session, items)) @ self.coefficients, 0.0, 1.0)


def learn_appeal(study: Study, features: Features, attention: np.ndarray) -> Appeal:
    """Fit clicks by attention times appeal."""
    blocks, clicks = [], []
    for session in study.training:
        lines = with_ones(features.of(session, session.slate))
        blocks.append(lines * attention[: len(session.slate), None])
        clicks.append(session.clicks)
    design, target = np.vstack(blocks), np.concatenate(clicks)
    ridge = study.settings.penalty * len(target) * np.eye(design.shape[1])
    ridge[0, 0] = 0.0
    return Appeal(np.linalg.solve(design.T @ design + ridge, design.T @ target), features)
