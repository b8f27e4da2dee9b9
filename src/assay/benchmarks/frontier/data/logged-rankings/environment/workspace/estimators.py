"""What a policy would have earned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from appeal import Appeal
from attention import discounts
from choosing import slate_chances
from sessions import Policy, Session, Settings


@dataclass(frozen=True)
class Judged:
    """Numbers of the evaluation sessions, one entry for each."""

    ratio: np.ndarray
    value: np.ndarray
    decision: np.ndarray
    robust: np.ndarray
    switched: np.ndarray
    users: np.ndarray


def judge_session(
    policy: Policy, appeal: Appeal, attention: np.ndarray, session: Session, threshold: float
) -> tuple[float, float, float, float, float]:
    """Ratio and value of one session, and its contributions to three estimates."""
    every, shown = slate_chances(policy, appeal.features, session)
    size = len(session.slate)
    worth = discounts(size)
    steps = shown / session.chances
    ratios = np.cumprod(steps)
    before = np.concatenate([[1.0], steps[:-1]])
    pool = appeal.of(session, session.pool)
    places = [session.pool.index(item) for item in session.slate]
    expected = every @ pool * worth * attention[:size]
    predicted = pool[places] * worth * attention[:size]
    earned = worth * session.clicks
    corrections = ratios * (earned - predicted)
    kept = steps <= threshold
    return (
        float(ratios[-1]),
        float(earned.sum()),
        float(ratios @ earned),
        float(before @ expected + corrections.sum()),
        float(before @ expected + corrections[kept].sum()),
    )


def judge(
    policy: Policy, appeal: Appeal, attention: np.ndarray, sessions: list[Session], threshold: float
) -> Judged:
    """Judge a policy on these sessions."""
    lines = np.array([judge_session(policy, appeal, attention, session, threshold) for session in sessions])
    return Judged(*lines.T, users=np.array([session.user for session in sessions]))


def normalised(ratio: np.ndarray, value: np.ndarray) -> float:
    """The mean value with weights that add up to one."""
    return float(ratio @ value / ratio.sum())


def estimates(judged: Judged, settings: Settings) -> dict[str, float]:
    """All estimates of the value of a policy."""
    capped = np.minimum(judged.ratio, settings.cap)
    return {
        "plain": float(np.mean(judged.ratio * judged.value)),
        "capped": float(np.mean(capped * judged.value)),
        "normalised": normalised(judged.ratio, judged.value),
        "decision": float(judged.decision.mean()),
        "robust": float(judged.robust.mean()),
        "switched": float(judged.switched.mean()),
        "size": float(judged.ratio.sum() ** 2 / np.sum(judged.ratio**2)),
    }
