"""Estimates, position by position."""

import math
from types import SimpleNamespace

import numpy as np

from choosing import scores


def _session(policy, appeal, attention, session, threshold):
    values = dict(zip(session.pool, scores(policy, appeal.features, session)))
    liking = dict(zip(session.pool, appeal.of(session, session.pool)))
    left, ratio = list(session.pool), 1.0
    value = decision = robust = switched = 0.0
    for place, item in enumerate(session.slate):
        odds = {other: math.exp(values[other] / policy.temperature) for other in left}
        total = sum(odds.values())
        chances = {
            other: (1 - policy.mix) * odds[other] / total + policy.mix / len(left) for other in left
        }
        worth, look = 1 / math.log2(place + 2), attention[place]
        expected = ratio * worth * look * sum(chances[other] * liking[other] for other in left)
        ratio *= chances[item] / session.chances[place]
        click = session.clicks[place]
        correction = ratio * worth * (click - look * liking[item])
        value += worth * click
        decision += ratio * worth * click
        robust += expected + correction
        switched += expected + (0.0 if ratio > threshold else correction)
        left.remove(item)
    return ratio, value, decision, robust, switched


def judge(policy, appeal, attention, sessions, threshold):
    table = np.array([_session(policy, appeal, attention, session, threshold) for session in sessions])
    names = ("ratio", "value", "decision", "robust", "switched")
    columns = {name: table[:, place] for place, name in enumerate(names)}
    return SimpleNamespace(**columns, users=np.array([session.user for session in sessions]))


def normalised(ratio, value):
    return float(np.average(value, weights=ratio))


Judged = SimpleNamespace


def estimates(judged, settings):
    ratio, value = judged.ratio, judged.value
    return {
        "plain": float((ratio * value).mean()),
        "capped": float((np.where(ratio > settings.cap, settings.cap, ratio) * value).mean()),
        "normalised": normalised(ratio, value),
        "decision": float(judged.decision.mean()),
        "robust": float(judged.robust.mean()),
        "switched": float(judged.switched.mean()),
        "size": float(ratio.sum() ** 2 / (ratio @ ratio)),
    }
